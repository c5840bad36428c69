"""The lobby: brings clients that have said hello to a room, to play or to watch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum
from itertools import count
from typing import Protocol

from twisted.logger import Logger

from ump.model.choices import unknown
from ump.model.value import value
from ump.net.connection import Connection
from ump.net.connection_budget import ConnectionKind
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


@value
class Arrival:
    """A client that wants to enter a room."""

    connection: Connection
    introduction: Introduction
    room: OpenRoom
    code: str
    """The invitation code that it gives, or ""."""
    table: str
    """The game that it wants to watch, or "" for the newest."""


class Lobby:
    """All rooms; clients that name no room go to the first."""

    _log = Logger()

    def __init__(self, rooms: Sequence[OpenRoom], tokens: SeatTokens, others: OtherServers | None = None) -> None:
        self._rooms = {room.name: room for room in rooms}
        self._first = rooms[0].name
        self._closed: dict[OpenRoom, None] = {}
        """Rooms that were removed while the server runs. Their games go on."""
        self._tokens = tokens
        self.others = others
        """The other servers of the site; None: there are none."""
        self._nameless = count(1)
        self._admission = Admission.ALL

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Bring a client to the room that it asks for, or turn it away."""
        known = return_hash(connection, introduction.name)
        kept = None if known is None or introduction.watch is not None else self._tokens.find_hash(known)
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
        else:
            self._welcome_new(connection, introduction)

    def _welcome_new(self, connection: Connection, introduction: Introduction) -> None:
        """Let a client enter a room if it passes all checks. The first that it does not pass turns it away."""
        wanted, table, code = self._wanted(introduction)
        room = self._rooms.get(wanted)
        if room is None and self.others is not None and wanted in self.others.rooms:
            connection.fail(f"room {wanted} is on another server of this site; connect to the port of that server")
            return
        if room is None:
            connection.fail(unknown("room", wanted, self._rooms))
            return
        arrival = Arrival(connection, introduction, room, code, table)
        checks = [_has_access, _speaks_for_its_players]
        if introduction.watch is not None:
            checks += [_may_watch, _has_place_to_watch]
        else:
            checks += [_has_own_name, _has_place_to_wait, _may_begin_a_game, self._has_left_few_seats]
        if not all(check(arrival) for check in checks):
            return
        if introduction.watch is not None:
            self._show(arrival)
        else:
            self._join(arrival)

    def _has_left_few_seats(self, arrival: Arrival) -> bool:
        place = arrival.connection.place
        if place is None or not self._tokens.are_many_left_by(place.host or ""):
            return True
        arrival.connection.fail(TOO_MANY_LEFT)
        return False

    def _join(self, arrival: Arrival) -> None:
        """Let a client wait for a game, in the place of an older connection of the same player."""
        connection, introduction, room = arrival.connection, arrival.introduction, arrival.room
        known = return_hash(connection, introduction.name)
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

    def _wanted(self, introduction: Introduction) -> tuple[str, str, str]:
        """Return the room that a client wants, the game there to watch, and the invitation code behind a colon.

        The name of a game is that of its room with a number: ``main-2``. Game and code may be "".
        """
        wanted = introduction.watch or introduction.room or self._first
        if wanted in self._rooms:
            return wanted, "", ""
        name, _, code = wanted.partition(":")
        room, _, number = name.rpartition("-")
        if introduction.watch is not None and name not in self._rooms and room in self._rooms and number.isdecimal():
            return room, name, code
        return name, "", code

    def _enter(self, known: str | None, connection: Connection) -> None:
        if known is not None and self.others is not None:
            self.others.enter(known, connection)

    def _replace_waiting(self, key_hash: str) -> None:
        """Turn an older connection of a client away that waits in a line: the newer one may play now."""
        for room in self._rooms.values():
            room.turn_away_waiting(key_hash, f"{REPLACED} of the same player")

    def _show(self, arrival: Arrival) -> None:
        """Let a client watch a room."""
        if arrival.connection.may_log(Said.WATCHES):
            self._log.info("{room}: {peer} watches", room=arrival.room.name, peer=arrival.connection.peer)
        arrival.room.spectators.welcome(arrival.connection, arrival.table)

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


# Checks of an arrival: each returns whether the client passes, and turns it away if not


def _has_access(arrival: Arrival) -> bool:
    """Check whether the room is for this client; guessing codes is a violation."""
    why = arrival.room.access.refusal(arrival.connection.user, arrival.code)
    if why == WRONG_CODE:
        arrival.connection.violate(why)
    elif why is not None:
        arrival.connection.turn_back(why)
    return why is None


def _speaks_for_its_players(arrival: Arrival) -> bool:
    """Check whether the protocol of the client has games of as many players."""
    room, session = arrival.room, arrival.connection.session
    if room.players in session.PLAYERS:
        return True
    arrival.connection.fail(f"room {room.name} is for {room.players} players; {session.DIALECT} cannot play it")
    return False


def _may_watch(arrival: Arrival) -> bool:
    if arrival.room.is_watchable:
        return True
    arrival.connection.fail(f"room {arrival.room.name} has no spectators")
    return False


def _has_place_to_watch(arrival: Arrival) -> bool:
    if arrival.connection.move(ConnectionKind.SPECTATOR):
        return True
    arrival.connection.fail(TOO_MANY_WATCH)
    return False


def _has_own_name(arrival: Arrival) -> bool:
    name = arrival.introduction.name
    if name is None or not arrival.room.has_look_alike(name):
        return True
    arrival.connection.turn_back(LOOKS_ALIKE)
    return False


def _has_place_to_wait(arrival: Arrival) -> bool:
    if arrival.connection.wait(arrival.room.name):
        return True
    arrival.connection.fail(TOO_MANY_WAIT)
    return False


def _may_begin_a_game(arrival: Arrival) -> bool:
    if arrival.connection.takes_game():
        return True
    arrival.connection.fail(TOO_MANY_GAMES)
    return False
