"""The interface of a recorder, which writes down the steps of a table."""

from __future__ import annotations

from typing import Protocol

from twisted.internet.defer import Deferred

from ump.model.events import GameEnded
from ump.table.chair import KyokuStart
from ump.table.journal_entries import Entry


class Recorder(Protocol):
    """Records the steps of a table, each before anything of it is sent."""

    def record(self, entries: list[Entry], now: int, start: KyokuStart | None) -> Deferred[None] | None:
        """Record one step, at an instant in milliseconds since the game began.

        ``start`` is the state before the kyoku that the step starts, if it starts one. Nothing of the step is sent, and
        no further step is recorded, before the Deferred fires; None: the step is recorded. Any exception, and any
        failure of the Deferred, ends the table: no game goes on unrecorded.
        """

    def finish(self, ended: GameEnded | None) -> None:
        """Complete the record: the game is over, with this result or without one. Raises nothing."""

    def give_up(self) -> None:
        """Set the record aside: a step could not be recorded, so the game is over. Raises nothing."""

    def suspend(self) -> None:
        """Leave the record as it is: the server stops, and may go on with the game later. Raises nothing."""
