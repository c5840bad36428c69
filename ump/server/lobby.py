"""The lobby: brings clients that have said hello to a room, to play or to watch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from itertools import count
from typing import Protocol

from twisted.logger import Logger

from ump.model.choices import unknown
from ump.net.connection import Connection
from ump.net.connection_budget import Kind
from ump.net.connection_limits import Said
from ump.net.limits import TOO_MANY_GAMES, TOO_MANY_LEFT, TOO_MANY_LOGINS, TOO_MANY_WAIT, TOO_MANY_WATCH
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import SeatTokens, return_hash
from ump.server.settings import WRONG_CODE, Access
from ump.server.spectators import Spectators
from ump.wire.names import logged_name
from ump.wire.session import REPLACED, UNKNOWN_TOKEN, Introduction

NO_NEW_GAMES = "the server is stopping and begins no new games; try again later"
"""The message to clients that wait, or say hello, while running games go on before the server stops."""

ROOM_CLOSED = "this room has been closed; choose another one"
"""The message to players who wait in a room that the operator removes."""


LOOKS_ALIKE = "another player or bot here has a name that looks like yours; choose another name"
"""The message to a client that could be taken for somebody else."""


class OpenRoom(Protocol):
    """A room, as the lobby needs it."""

    @property
    def name(self) -> str:
        """The room's name."""

    @property
    def players(self) -> int:
        """The number of players at its tables."""

    @property
    def access(self) -> Access:
        """The clients that may enter."""

    @property
    def is_watchable(self) -> bool:
        """Whether clients may watch it."""

    @property
    def spectators(self) -> Spectators:
        """The clients that watch the room."""

    def welcome(self, connection: Connection, name: str, games: int) -> None:
        """Let a client wait for a game. It stays for ``games`` games (0: until it leaves)."""

    def has_look_alike(self, name: str) -> bool:
        """Return whether another player here, or a built-in bot of the room, has a name that looks like this one."""

    def turn_away_waiting(self, key_hash: str, message: str) -> None:
        """Turn a waiting client with this return key away."""

    def dismiss_waiting(self, message: str) -> None:
        """Turn all waiting players away: no more games may begin."""

    def close(self) -> None:
        """Stop all games, and begin no new ones."""


class OtherServers(Protocol):
    """The other servers of the site."""

    @property
    def rooms(self) -> Collection[str]:
        """The names of their rooms."""

    def enter(self, player: str, connection: Connection) -> None:
        """Let them close older connections of a player who is known by this hash."""


class Admission(Enum):
    """The clients that a lobby lets in."""

    ALL = "all"
    RETURNING = "only players who come back to their seats"
    NONE = "none"


class Lobby:
    """All rooms; clients that name no room go to the first."""

    _log = Logger()

    def __init__(
        self, rooms: Sequence[OpenRoom], tokens: SeatTokens | None = None, others: OtherServers | None = None
    ) -> None:
        self._rooms = {room.name: room for room in rooms}
        self._first = rooms[0].name
        self._closed: dict[OpenRoom, None] = {}
        """Rooms that were removed while the server runs. Their games go on."""
        self._tokens = tokens or SeatTokens()
        self.others = others
        """The other servers of the site; None: there are none."""
        self._nameless = count(1)
        self._admission = Admission.ALL

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Bring a client to the room that it asks for, or turn it away."""
        known = return_hash(connection, introduction.name)
        kept = None if known is None or introduction.watch is not None else self._tokens.find_hash(known)
        wanted, code = self._wanted(introduction)
        room = self._rooms.get(wanted)
        if self._admission is Admission.NONE:
            connection.fail("the server is stopping")
        elif not connection.takes_login():
            connection.fail(TOO_MANY_LOGINS)
        elif introduction.token is not None:
            self._welcome_back(connection, introduction.token)
        elif kept is not None:
            games = introduction.games if self._admission is Admission.ALL else 1
            self._enter(known, connection)
            kept.table.come_back(kept.seat, PlayerConnection(connection, kept.name, games))
        elif self._admission is Admission.RETURNING:
            connection.fail(NO_NEW_GAMES)
        elif room is None and self.others is not None and wanted in self.others.rooms:
            connection.fail(f"room {wanted} is on another server of this site; connect to the port of that server")
        elif room is None:
            connection.fail(unknown("room", wanted, self._rooms))
        elif (why := room.access.refusal(connection.user, code)) is not None:
            self._refuse(connection, why)
        elif room.players not in connection.session.PLAYERS:
            connection.fail(
                f"room {room.name} is for {room.players} players; {connection.session.DIALECT} cannot play it"
            )
        elif introduction.watch is not None and not room.is_watchable:
            connection.fail(f"room {room.name} has no spectators")
        elif introduction.watch is not None:
            self._show(connection, room)
        elif introduction.name is not None and room.has_look_alike(introduction.name):
            connection.turn_back(LOOKS_ALIKE)
        elif not connection.move(Kind.WAITING):
            connection.fail(TOO_MANY_WAIT)
        elif not connection.takes_game():
            connection.fail(TOO_MANY_GAMES)
        elif connection.place is not None and self._tokens.are_many_left_by(connection.place.host or ""):
            connection.fail(TOO_MANY_LEFT)
        else:
            if known is not None:
                self._replace_waiting(known)
            self._enter(known, connection)
            name = introduction.name or f"guest-{next(self._nameless)}"
            if connection.may_log(Said.JOINS):
                self._log.info(
                    "{room}: {name} joins, from {peer}", room=room.name, name=logged_name(name), peer=connection.peer
                )
            connection.session.admit(introduction.name)
            room.welcome(connection, name, introduction.games)

    def _wanted(self, introduction: Introduction) -> tuple[str, str]:
        """Return the name of the room that a client wants, and the invitation code behind a colon, or ""."""
        wanted = introduction.watch or introduction.room or self._first
        if wanted in self._rooms:
            return wanted, ""
        name, _, code = wanted.partition(":")
        return name, code

    def _enter(self, known: str | None, connection: Connection) -> None:
        if known is not None and self.others is not None:
            self.others.enter(known, connection)

    def _replace_waiting(self, key_hash: str) -> None:
        """Turn an older connection of a client away that waits in a line: the newer one may play now."""
        for room in self._rooms.values():
            room.turn_away_waiting(key_hash, f"{REPLACED} of the same player")

    def _refuse(self, connection: Connection, why: str) -> None:
        """Turn a client away that may not enter a room; guessing codes is a violation."""
        if why == WRONG_CODE:
            connection.violate(why)
        else:
            connection.turn_back(why)

    def _show(self, connection: Connection, room: OpenRoom) -> None:
        """Let a client watch a room, or turn it away."""
        if not connection.move(Kind.SPECTATOR):
            connection.fail(TOO_MANY_WATCH)
            return
        if connection.may_log(Said.WATCHES):
            self._log.info("{room}: {peer} watches", room=room.name, peer=connection.peer)
        room.spectators.welcome(connection)

    def _welcome_back(self, connection: Connection, token: str) -> None:
        """Give a player its seat back, or turn it away."""
        kept = self._tokens.find(token)
        if kept is None:
            connection.turn_back(UNKNOWN_TOKEN)
            return
        kept.table.come_back(kept.seat, PlayerConnection(connection, kept.name, games=1))

    def replace(self, rooms: Sequence[OpenRoom]) -> None:
        """Let clients into these rooms from now on. Players who wait in another room are turned away."""
        closed = [room for room in self._rooms.values() if room not in rooms]
        self._rooms = {room.name: room for room in rooms}
        self._first = rooms[0].name
        self._closed |= dict.fromkeys(closed)
        for room in closed:
            room.dismiss_waiting(ROOM_CLOSED)

    def drain(self) -> None:
        """Turn waiting and new players away; players may still come back to running games."""
        self._admission = Admission.RETURNING
        for room in self._rooms.values():
            room.dismiss_waiting(NO_NEW_GAMES)

    def close(self) -> None:
        """Stop all games, and turn new clients away."""
        self._admission = Admission.NONE
        for room in (*self._rooms.values(), *self._closed):
            room.close()
