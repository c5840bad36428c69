"""A player of a room: a connected client from its hello until it leaves, over several games."""

from __future__ import annotations

from collections.abc import Callable

from ump.model.seats import Seat
from ump.net.connection import Connection, Idle
from ump.table.chair import PaceState
from ump.table.waiting_line import GamesLeft
from ump.wire.names import logged_name
from ump.wire.session import Ordered, TableInfo


class PlayerConnection:
    """A client that waits for a table of a room, or plays at one."""

    is_client = True
    """Whether a table goes on for it. False for bots that the server starts: they play only with a client."""

    def __init__(
        self,
        connection: Connection,
        name: str,
        games: int,
        known: str | None = None,
        person: str | None = None,
    ) -> None:
        """The client stays for ``games`` games (0: until it leaves), and comes back by the hash ``known``.

        ``person`` is the hash for all games of the same user or guest.
        """
        self.connection = connection
        self.name = name
        self.known = known
        """The hash by which the player comes back without a token; None if there is none."""
        self.person = person
        self.games = GamesLeft(games)
        self.pace: PaceState | None = None
        """The times that it took for passes in its last game in the room, where the table held them."""
        self.is_gone = False
        """Whether the client has left, or was turned away, before its game began."""

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat for one game."""
        self.games.begin()
        self.connection.sit(seat, table)

    def end_game(self, blame: str | None = None, room: str = "") -> bool:
        """Leave the table after a game. Return whether the client stays for another in the line of this room.

        ``blame``: the fault with which the client has aborted the game. One that does not stay receives it as an error.
        """
        if self.games.end():
            self.connection.stand(room)
            if self.connection.look_again is not None:
                self.connection.look_again(self.connection)
            return not self.connection.is_closing
        if blame is None:
            self.connection.finish()
        else:
            self.turn_away(blame)
        return False

    def turn_away(self, message: str) -> None:
        """Send an error, and close the connection."""
        self.connection.occupant = None
        self.connection.fail(message)

    def was_late(self) -> None:
        """Note a timeout. Only bots that the server has started log it."""


class LinePlace(Idle):
    """The place that the connection of a waiting player occupies."""

    def __init__(
        self,
        room: str,
        player: PlayerConnection,
        leave: Callable[[PlayerConnection], object],
        order: Callable[[PlayerConnection, Ordered], object],
    ) -> None:
        """``room`` is the name of the room; ``leave`` takes the player out of its line, ``order`` takes its orders."""
        self._room = room
        self._player = player
        self._leave = leave
        self._order = order

    @property
    def label(self) -> str:
        """The name of the player in the log."""
        return f"{self._room}: {logged_name(self._player.name)}"

    def ordered(self, given: Ordered) -> None:
        """Pass an order on to the room."""
        self._order(self._player, given)

    def left(self) -> None:
        """Leave the line for good."""
        self._player.is_gone = True
        self._leave(self._player)

    def lost(self) -> None:
        """Leave the line; the player may come back."""
        self._leave(self._player)
