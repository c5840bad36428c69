"""A room that begins no games: its clients wait until whoever has opened it seats them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ump.net.connection import Idle
from ump.record.branch import Branch
from ump.server.player_connection import PlayerConnection
from ump.server.settings import OPEN, RoomSettings
from ump.server.spectators import Spectators, SpectatorTurns
from ump.wire.session import Introduction


class WaitingPlace(Idle):
    """The place that the connection of a waiting client occupies."""

    def __init__(self, room: WaitingRoom, player: PlayerConnection) -> None:
        self._room = room
        self._player = player

    @property
    def label(self) -> str:
        """The name of the client in the log."""
        return f"{self._room.name}: {self._player.name}"

    def left(self) -> None:
        """Leave the room for good; a client that has been taken out of the line has no seat yet."""
        self._player.is_gone = True
        self._room.leave(self._player)


class WaitingRoom:
    """The clients that wait. The lobby lets them in, as it does into any room."""

    access = OPEN
    is_rated = False
    names = ()  # whoever seats the clients tells them apart

    def __init__(
        self,
        settings: RoomSettings,
        players: int,
        turns: SpectatorTurns,
        arrived: Callable[[], object],
        *,
        has_copies: bool = False,
    ) -> None:
        """Open a room for tables of so many players; call ``arrived`` when a client has come.

        ``turns`` are those of the spectators. ``has_copies``: clients with the same key are copies of one program, and
        none takes the place of another.
        """
        self.settings = settings
        self.name = settings.name
        self.players = players
        self.spectators = Spectators(turns)
        self._arrived = arrived
        self._has_copies = has_copies
        self._waiting: list[PlayerConnection] = []

    @property
    def waiting(self) -> tuple[PlayerConnection, ...]:
        """The clients that wait, in the order of their arrival."""
        return tuple(self._waiting)

    @property
    def line(self) -> tuple[PlayerConnection, ...]:
        """The clients that wait, and of which a newer connection takes the place."""
        return () if self._has_copies else self.waiting

    def bearers(self, name: str) -> Iterable[tuple[str, bool]]:
        """Return nobody: clients may have equal names."""
        return ()

    @property
    def is_watchable(self) -> bool:
        """Whether clients may watch it."""
        return self.settings.spectators.is_allowed

    def wanted_by(self, introduction: Introduction) -> Introduction:
        """Return an introduction that asks for this room, whichever it asks for: there is no other."""
        watch = None if introduction.watch is None else self.name
        return replace(introduction, room=None, watch=watch)

    def welcome(self, player: PlayerConnection) -> None:
        """Let a client wait."""
        player.connection.occupant = WaitingPlace(self, player)
        self._waiting.append(player)
        self._arrived()

    def play_on(self, player: PlayerConnection, branch: Branch) -> None:
        """Let a client wait: no positions of recorded games are kept here."""
        self.welcome(player)

    def take(self) -> PlayerConnection:
        """Return the client that has waited longest, which gets a seat. The room must not be empty."""
        return self._waiting.pop(0)

    def leave(self, player: PlayerConnection) -> None:
        """Forget a client, if it still waits."""
        if player in self._waiting:
            self._waiting.remove(player)

    def expel(self, player: PlayerConnection, message: str) -> None:
        """Turn a waiting client away."""
        self.leave(player)
        player.turn_away(message)

    def dismiss_waiting(self, message: str) -> None:
        """Turn all waiting clients away."""
        for player in self.waiting:
            self.expel(player, message)

    def close(self) -> None:
        """Let all waiting clients go."""
        for player in self.waiting:
            player.connection.dismiss()
