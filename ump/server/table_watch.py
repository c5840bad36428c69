"""Watching a table whose game nobody records."""

from __future__ import annotations

from abc import abstractmethod

from ump.model.events import GameEnded
from ump.table.chair import BeforeKyoku
from ump.table.journal_entries import Entry
from ump.table.receivers import Receiver


class TableWatch(Receiver):
    """Sees everything at a table: the entries of each step as its recorder, then the messages as a receiver."""

    record_name = None

    def record(self, entries: list[Entry], now: int, start: BeforeKyoku | None) -> None:
        """See the entries of a step, before any of its messages is delivered."""
        for entry in entries:
            self.see(entry)

    @abstractmethod
    def see(self, entry: Entry) -> None:
        """See an entry."""

    def finish(self, ended: GameEnded | None) -> None:
        """Do nothing: there is no file."""

    def give_up(self) -> None:
        """Do nothing: there is no file."""

    def suspend(self) -> None:
        """Do nothing: the game does not go on."""
