"""A guest: a client as its room knows it, from the hello until it has gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.seats import Seat
from ump.net.connection import Connection
from ump.wire.session import TableInfo

if TYPE_CHECKING:
    from ump.net.room import Room
    from ump.net.running import RunningTable


class Guest:
    """Somebody who waits in a room's line, or plays at one of its tables."""

    is_client = True
    """Whether a table goes on for it; a bot of the house plays only where a client does."""

    def __init__(self, connection: Connection, name: str, games: int) -> None:
        self.connection = connection
        self.name = name
        self.since = 0.0
        """The instant from which it has been waiting."""
        self._games = games
        """Games that it still wants, the current one included; below 1 for as many as there are."""
        self._has_answered = False
        """Whether it has answered a question of the current game."""
        self._room: Room | None = None
        """Where it waits."""
        self._table: RunningTable | None = None
        """Where it plays."""
        self._seat: Seat = 0

    def wait_in(self, room: Room, now: float) -> None:
        """Wait in a room's line."""
        self._room, self.since = room, now

    def play_at(self, table: RunningTable, seat: Seat) -> None:
        """Take a seat for one game."""
        self._room, self._table, self._seat = None, table, seat
        self._has_answered = False
        self.connection.sit(seat, TableInfo(table.name, table.ruleset))

    def turn_away(self, message: str) -> None:
        """Be told an error and go, from whatever place there is."""
        self.connection.occupant = None
        self.connection.fail(message)

    def stays(self) -> bool:
        """Leave the table after a game, and tell whether the guest plays another; who does not is told ``bye``.

        Who answered nothing in a whole game is away, and does not stay.
        """
        self._table = None
        self._games -= 1
        if self._games and self._has_answered:
            self.connection.stand()
            return True
        self.connection.say_bye()
        return False

    def was_late(self) -> None:
        """A question to it ran out; only a bot of the house is asked why."""

    def answered(self, number: int, answer: Claim | Action | None) -> None:
        """The connection has answered the open question."""
        if self._table is not None:
            self._has_answered = True
            self._table.answered(self._seat, number, answer)

    def heard(self, *, is_stale: bool) -> None:
        """The connection has said something that answers nothing: somebody is there."""
        if self._table is not None:
            self._table.heard(self._seat, is_stale=is_stale)

    def left(self) -> None:
        """The connection is gone."""
        if self._table is not None:
            self._table.left(self._seat)
        elif self._room is not None:
            self._room.leave(self)
