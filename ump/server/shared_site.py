"""The data that the servers of a site share in a PostgreSQL database: list of rooms, logins, wrong passwords.

Each server writes and reads every ``PERIOD`` seconds, in another thread. While the database is away, games go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from secrets import token_hex
from typing import Any, TypeAlias

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import Database, DatabaseError, DatabasePlace
from ump.model.value import value
from ump.net.connection import Connection
from ump.record.record_copies import RECORDS_SCHEMA
from ump.server.users.login_turns import FAILURE_MEMORY, TURN_SECONDS, seconds_left, turn_left
from ump.wire.json_text import write
from ump.wire.session import REPLACED

SITE_SCHEMA = replace(RECORDS_SCHEMA, locked="site_rooms")
"""Records have a lock of their own, so that no exchange waits for them."""

PERIOD = 2.0
"""Seconds between two exchanges."""

AWAY = 6.0
"""Seconds after which a server that says nothing is away."""

FRESH = 10.0
"""Seconds after which another server may have the rooms and the letter of one that says nothing."""

LISTED = 86_400.0
"""Seconds for which the rooms of a server that is away are listed."""

LOGIN_MEMORY = 3_600.0
"""Seconds for which a login is kept: long enough for the other servers to read it."""

_NOW = "extract(epoch FROM clock_timestamp())::float8"
"""The clock of the database is that of all servers, in seconds."""


def _lines(name: str) -> str:
    """Return the SQL for a list that is a parameter of lines: psycopg takes ten times as long for an array."""
    return f"string_to_array(%({name})s, E'\\n')"


class ServerState(Enum):
    """Whether a server of a site can be reached, and begins games."""

    OPEN = "open"
    DRAINING = "draining"
    """Its games are played to the end, and no new ones begin."""
    AWAY = "away"


_CLAIM = (
    f"INSERT INTO site_servers VALUES (%(letter)s, %(server)s, %(folder)s, %(state)s, %(content)s, {_NOW})"
    " ON CONFLICT (letter) DO UPDATE SET server = excluded.server, folder = excluded.folder, state = excluded.state,"
    " content = excluded.content, seen = excluded.seen"
    " WHERE site_servers.server = excluded.server OR site_servers.folder = excluded.folder"
    f" OR site_servers.seen < {_NOW} - {FRESH} RETURNING letter"
)
"""A server has its letter as long as it says something; the same folder of records is that of a server's next run."""

_WRITES = (
    "DELETE FROM site_rooms WHERE (letter = %(letter)s AND name <> ALL(" + _lines("names") + "))"
    f" OR seen < {_NOW} - {LISTED}",
    "INSERT INTO site_rooms (name, letter, content, seen)"
    f" SELECT name, %(letter)s, content, {_NOW} FROM unnest({_lines('names')}, {_lines('contents')})"
    " AS o(name, content)"
    " ON CONFLICT (name) DO UPDATE SET letter = excluded.letter, content = excluded.content, seen = excluded.seen"
    f" WHERE site_rooms.letter = excluded.letter OR site_rooms.seen < {_NOW} - {FRESH} OR EXISTS (SELECT 1"
    f" FROM site_servers s WHERE s.letter = site_rooms.letter AND s.state = '{ServerState.DRAINING.value}')",
    "INSERT INTO site_players (player, server, since)"
    f" SELECT player, %(server)s, {_NOW} - age::float8 FROM unnest({_lines('entered')}, {_lines('ages')})"
    " AS o(player, age) ON CONFLICT (player) DO UPDATE SET server = excluded.server, since = excluded.since"
    " WHERE site_players.since < excluded.since",  # another server may have told of a later login before
    f"DELETE FROM site_players WHERE since < {_NOW} - {LOGIN_MEMORY}",
    f"DELETE FROM site_failures WHERE last < {_NOW} - {FAILURE_MEMORY}",
)
_SERVERS = (
    f"SELECT letter, state, content, {_NOW} - seen AS silent FROM site_servers"
    f" WHERE letter <> %(letter)s AND seen > {_NOW} - {LISTED}"
)
_OTHERS = "SELECT name, letter, content FROM site_rooms WHERE letter <> %(letter)s"
_ELSEWHERE = f"SELECT player FROM site_players WHERE player = ANY({_lines('present')}) AND server <> %(server)s"

_FAILED = f"SELECT count, {_NOW} - last FROM site_failures WHERE key = %(own)s"
_RESTED = f"SELECT {_NOW} - last FROM site_failures WHERE key = %(line)s"
_COUNT = (
    f"INSERT INTO site_failures (key, count, last) VALUES (%(own)s, 1, {_NOW})"
    " ON CONFLICT (key) DO UPDATE SET last = excluded.last, count = CASE"
    f" WHEN site_failures.last < excluded.last - {FAILURE_MEMORY} THEN 1 ELSE site_failures.count + 1 END"
)
_TAKE_TURN = (
    f"INSERT INTO site_failures (key, count, last) VALUES (%(line)s, 1, {_NOW} + {TURN_SECONDS})"
    f" ON CONFLICT (key) DO UPDATE SET last = greatest(site_failures.last, {_NOW}) + {TURN_SECONDS}"
)
"""In a line ``last`` is the instant at which its strangers have all their turns back."""
_UNCOUNT = (
    "UPDATE site_failures SET count = count - 1 WHERE key = %(own)s",
    f"UPDATE site_failures SET last = last - {TURN_SECONDS} WHERE key = %(line)s",
    "DELETE FROM site_failures WHERE count < 1",
)
_FORGET = "DELETE FROM site_failures WHERE key = %(own)s"

RoomData: TypeAlias = Mapping[str, Any]
"""A room as the lobby page reads it."""


@value
class ServerCard:
    """The facts about a server that the others of its site know."""

    letter: str
    """It begins the names that the server makes by chance: codes of tables, tokens and cookies."""
    folder: str
    """The place of its records, which tells a later run from another server."""
    state: ServerState = ServerState.OPEN
    http: tuple[str, int] | None = None
    """The address of its HTTP port for the others; None if they cannot reach it."""
    tcp: str = ""
    """Its address for clients of UMP, as HOST:PORT; "" if they cannot reach it."""
    tournaments: tuple[str, ...] = ()
    """Those that are played there."""

    @property
    def content(self) -> dict[str, object]:
        """Its facts for the database."""
        return {"http": self.http, "tcp": self.tcp, "tournaments": self.tournaments}

    @classmethod
    def of_row(cls, row: Any) -> ServerCard:
        """Read a row of the database."""
        content = json.loads(row.content)
        state = ServerState.AWAY if row.silent > AWAY else ServerState(row.state)
        http = None if content["http"] is None else (str(content["http"][0]), int(content["http"][1]))
        return cls(row.letter, "", state, http, content["tcp"], tuple(content["tournaments"]))


@value
class News:
    """The news that a server reads in an exchange."""

    rooms: Mapping[str, RoomData] = field(default_factory=dict)
    """The rooms of other servers, by name, each with the letter (``at``) and the state of its server."""
    servers: Mapping[str, ServerCard] = field(default_factory=dict)
    """The other servers, by letter."""
    elsewhere: Sequence[str] = ()
    """The players of ours who have logged in at another server since."""


class LetterTaken(Exception):
    """Another server of the site has our letter."""


class SiteDatabase:
    """The tables of a site. All methods raise DatabaseError; call them in another thread."""

    def __init__(self, place: DatabasePlace) -> None:
        self._database = Database(place, SITE_SCHEMA)
        self._server = token_hex(8)

    def exchange(
        self,
        card: ServerCard,
        rooms: Mapping[str, RoomData],
        entered: Mapping[str, float],
        present: Sequence[str],
    ) -> News:
        """Write our rooms and the players who have logged in here, and read what other servers wrote.

        ``entered`` has the seconds since each login, ``present`` are our players, all by the hashes of ``return_hash``.
        A room that another server has is not ours before that server is silent or stops. Raises LetterTaken.
        """
        given = {
            "server": self._server,
            "letter": card.letter,
            "folder": card.folder,
            "state": card.state.value,
            "content": write(card.content),
            "names": "\n".join(rooms),
            "contents": "\n".join(map(write, rooms.values())),
            "entered": "\n".join(entered),
            "ages": "\n".join(map(str, entered.values())),
            "present": "\n".join(present),
        }
        with self._database.writing() as connection:
            if connection.exec_driver_sql(_CLAIM, given).first() is None:
                raise LetterTaken
            for statement in _WRITES:
                connection.exec_driver_sql(statement, given)
            servers = {row.letter: ServerCard.of_row(row) for row in connection.exec_driver_sql(_SERVERS, given)}
            others: dict[str, RoomData] = {}
            for row in connection.exec_driver_sql(_OTHERS, given):
                state = servers[row.letter].state if row.letter in servers else ServerState.AWAY
                others[row.name] = json.loads(row.content) | {"at": row.letter, "state": state.value}
            elsewhere = connection.exec_driver_sql(_ELSEWHERE, given).scalars().all()
            return News(others, servers, elsewhere)

    def attempt(self, own: str, line: str | None) -> float:
        """Return the seconds until a password may be tried; 0: it may now, and counts as wrong until ``succeed``.

        So no two servers let the same client try at once. ``line`` is the account at which it is a stranger.
        """
        given = {"own": own, "line": line}
        with self._database.writing() as connection:
            waits = [seconds_left(count, since) for count, since in connection.exec_driver_sql(_FAILED, given)]
            waits += [turn_left(rested) for rested in connection.exec_driver_sql(_RESTED, given).scalars()]
            seconds = max(waits, default=0.0)
            if not seconds:
                connection.exec_driver_sql(_COUNT, given)
            if not seconds and line is not None:
                connection.exec_driver_sql(_TAKE_TURN, given)
        return seconds

    def succeed(self, own: str, line: str | None) -> None:
        """Take back what ``attempt`` has counted for a stranger, or forget all wrong passwords of another client."""
        given = {"own": own, "line": line}
        with self._database.writing() as connection:
            for statement in (_FORGET,) if line is None else _UNCOUNT:
                connection.exec_driver_sql(statement, given)


class SharedSite(Service):
    """Exchanges news with the other servers of the site, and acts on them."""

    _log = Logger()

    def __init__(
        self,
        database: SiteDatabase,
        clock: IReactorTime,
        in_thread: Callable[..., Deferred[Any]],
        card: Callable[[], ServerCard],
        rooms: Callable[[], Iterable[RoomData]],
    ) -> None:
        """``card`` returns what the others may know of us, ``rooms`` our rooms as the lobby page reads them."""
        self.rooms: Mapping[str, RoomData] = {}
        """The rooms of the other servers by name."""
        self.servers: Mapping[str, ServerCard] = {}
        """The other servers by letter."""
        self._database = database
        self._clock = clock
        self._in_thread = in_thread
        self._card = card
        self._our_rooms = rooms
        self._names: frozenset[str] = frozenset()
        """The names of our rooms at the last exchange."""
        self._present: dict[str, Connection] = {}
        """The connections of the players who are known, by the hashes of ``return_hash``."""
        self._entered: dict[str, float] = {}
        """The players of whom the other servers do not know yet."""
        self._timer: IDelayedCall | None = None
        self._said = ""
        """Why the log has said that the site cannot be used; "" if it can."""
        self._contested: frozenset[str] = frozenset()
        """Our rooms that another server has."""

    def enter(self, player: str, connection: Connection) -> None:
        """Note that a player who is known by this hash has come: older connections at other servers are closed."""
        self._present[player] = connection
        self._entered[player] = self._clock.seconds()

    def owner_of(self, name: str) -> ServerCard | None:
        """Return the server that has a room, a tournament, or the room of a game; None if it is ours or unknown."""
        before, _, number = name.rpartition("-")
        if name not in self.rooms and number.isdecimal():
            return self._owner_of(name) or self._owner_of(before)
        return self._owner_of(name)

    def _owner_of(self, name: str) -> ServerCard | None:
        if name in self.rooms:
            return self.servers.get(self.rooms[name]["at"])
        return next((server for server in self.servers.values() if name in server.tournaments), None)

    def maker_of(self, name: str, length: int) -> ServerCard | None:
        """Return the server that has made a name by chance, of this length with its letter; None if it is ours."""
        return self.servers.get(name[0].lower()) if len(name) == length else None

    def startService(self) -> None:
        """Begin to exchange news."""
        super().startService()
        self._exchange()

    def stopService(self) -> None:
        """Exchange nothing more."""
        super().stopService()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def tell_soon(self) -> None:
        """Tell the others at once what has changed."""
        if self._timer is not None and self._timer.active():
            self._timer.reset(0)

    def _exchange(self) -> None:
        self._present = {player: each for player, each in self._present.items() if not each.is_closing}
        entered, self._entered = self._entered, {}
        ages = {player: self._clock.seconds() - instant for player, instant in entered.items()}
        rooms = {str(room["name"]): room for room in self._our_rooms()}
        self._names = frozenset(rooms)
        done = self._in_thread(self._database.exchange, self._card(), rooms, ages, tuple(self._present))
        done.addCallback(self._take).addErrback(self._fail, entered).addBoth(self._wait)

    def _wait(self, _: object) -> None:
        if self.running:
            self._timer = self._clock.callLater(PERIOD, self._exchange)

    def _take(self, news: News) -> None:
        """Close the connections that may not stay; those who have logged in here meanwhile do."""
        self._said = ""
        self.rooms, self.servers = news.rooms, news.servers
        contested = self._names.intersection(news.rooms)
        for room in sorted(contested - self._contested):
            self._log.error(
                "room {room} is that of server {letter} of this site; it is ours when that one has stopped",
                room=room,
                letter=news.rooms[room]["at"],
            )
        self._contested = contested
        for player in news.elsewhere:
            if player not in self._entered and player in self._present:
                self._present.pop(player).fail_safely(f"{REPLACED} of the same player")

    def _fail(self, failure: Failure, entered: dict[str, float]) -> None:
        """Try again at the next exchange; what was known of the others stays."""
        self._entered = entered | self._entered
        if failure.check(LetterTaken) is not None:
            why = f"another server has the letter {self._card().letter}"
        elif failure.check(DatabaseError) is not None:
            why = failure.getErrorMessage()
        else:
            self._log.failure("the site cannot be read", failure)
            return
        if why != self._said:
            self._said = why
            self._log.error("the site cannot be used: {why}", why=why)
