"""The data that the servers of a site share in a PostgreSQL database: list of rooms, logins, wrong passwords.

Each server writes and reads every ``PERIOD`` seconds, in another thread. While the database is away, games go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from secrets import token_hex
from typing import Any, TypeAlias

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import Database, DatabaseError, DatabasePlace, Schema
from ump.model.value import value
from ump.net.connection import Connection
from ump.server.users.gate import FAILURE_MEMORY, seconds_left
from ump.wire.json_text import write
from ump.wire.session import REPLACED

SITE_SCHEMA = Schema("site", "first_site", "site_rooms")

PERIOD = 2.0
"""Seconds between two exchanges."""

FRESH = 10.0
"""Seconds after which the rooms of a server that says nothing are not listed any more."""

LOGIN_MEMORY = 3_600.0
"""Seconds for which a login is kept: long enough for the other servers to read it."""

_NOW = "extract(epoch FROM clock_timestamp())::float8"
"""The clock of the database is that of all servers, in seconds."""


def _lines(name: str) -> str:
    """Return the SQL for a list that is a parameter of lines: psycopg takes ten times as long for an array."""
    return f"string_to_array(%({name})s, E'\\n')"


_CONTESTED = f"SELECT name FROM site_rooms WHERE name = ANY({_lines('names')}) AND server <> %(server)s"
_WRITES = (
    f"DELETE FROM site_rooms WHERE server = %(server)s OR seen < {_NOW} - {FRESH}",
    "INSERT INTO site_rooms (name, server, content, seen)"
    f" SELECT name, %(server)s, content, {_NOW} FROM unnest({_lines('names')}, {_lines('contents')})"
    " AS o(name, content)"
    " ON CONFLICT (name) DO UPDATE SET server = excluded.server, content = excluded.content, seen = excluded.seen",
    "INSERT INTO site_players (player, server, since)"
    f" SELECT player, %(server)s, {_NOW} - age::float8 FROM unnest({_lines('entered')}, {_lines('ages')})"
    " AS o(player, age) ON CONFLICT (player) DO UPDATE SET server = excluded.server, since = excluded.since"
    " WHERE site_players.since < excluded.since",  # another server may have told of a later login before
    f"DELETE FROM site_players WHERE since < {_NOW} - {LOGIN_MEMORY}",
    f"DELETE FROM site_failures WHERE last < {_NOW} - {FAILURE_MEMORY}",
)
_OTHERS = "SELECT name, content FROM site_rooms WHERE server <> %(server)s"
_ELSEWHERE = f"SELECT player FROM site_players WHERE player = ANY({_lines('present')}) AND server <> %(server)s"

_ATTEMPTS = f"SELECT count, {_NOW} - last FROM site_failures WHERE key = ANY(%(keys)s)"
_COUNT = (
    f"INSERT INTO site_failures (key, count, last) SELECT key, 1, {_NOW} FROM unnest(%(keys)s::text[]) AS o(key)"
    " ON CONFLICT (key) DO UPDATE SET last = excluded.last, count = CASE"
    f" WHEN site_failures.last < excluded.last - {FAILURE_MEMORY} THEN 1 ELSE site_failures.count + 1 END"
)
_UNCOUNT = "UPDATE site_failures SET count = count - 1 WHERE key = ANY(%(host)s)"
_FORGET = "DELETE FROM site_failures WHERE count < 1 OR key = ANY(%(user)s)"

RoomData: TypeAlias = Mapping[str, Any]
"""A room as the lobby page reads it."""


@value
class News:
    """The news that a server reads in an exchange."""

    rooms: Mapping[str, RoomData]
    """The rooms of other servers, by name."""
    contested: Sequence[str]
    """Our own rooms that another server has, too."""
    elsewhere: Sequence[str]
    """The players of ours who have logged in at another server since."""


class SiteDatabase:
    """The tables of a site. All methods raise DatabaseError; call them in another thread."""

    def __init__(self, place: DatabasePlace) -> None:
        self._database = Database(place, SITE_SCHEMA)
        self._server = token_hex(8)

    def exchange(
        self,
        rooms: Mapping[str, RoomData],
        entered: Mapping[str, float],
        present: Sequence[str],
    ) -> News:
        """Write our rooms and the players who have logged in here, and read what other servers wrote.

        ``entered`` has the seconds since each login, ``present`` are our players, all by the hashes of ``return_hash``.
        """
        given = {
            "server": self._server,
            "names": "\n".join(rooms),
            "contents": "\n".join(map(write, rooms.values())),
            "entered": "\n".join(entered),
            "ages": "\n".join(map(str, entered.values())),
            "present": "\n".join(present),
        }
        with self._database.writing() as connection:
            contested = connection.exec_driver_sql(_CONTESTED, given).scalars().all()
            for statement in _WRITES:
                connection.exec_driver_sql(statement, given)
            others = {row.name: json.loads(row.content) for row in connection.exec_driver_sql(_OTHERS, given)}
            elsewhere = connection.exec_driver_sql(_ELSEWHERE, given).scalars().all()
            return News(others, contested, elsewhere)

    def attempt(self, keys: Sequence[str]) -> float:
        """Return the seconds until a password may be tried; 0: it may now, and counts as wrong until ``succeed``.

        So no two servers let the same host, or try the same user, at once.
        """
        given = {"keys": list(keys)}
        with self._database.writing() as connection:
            failed = connection.exec_driver_sql(_ATTEMPTS, given)
            seconds = max((seconds_left(count, since) for count, since in failed), default=0.0)
            if not seconds:
                connection.exec_driver_sql(_COUNT, given)
        return seconds

    def succeed(self, host: Sequence[str], user: Sequence[str]) -> None:
        """Take back what ``attempt`` has counted for a host, and forget all wrong passwords of a user."""
        given = {"host": list(host), "user": list(user)}
        with self._database.writing() as connection:
            connection.exec_driver_sql(_UNCOUNT, given)
            connection.exec_driver_sql(_FORGET, given)


class SharedSite(Service):
    """Exchanges news with the other servers of the site, and acts on them."""

    _log = Logger()

    def __init__(
        self,
        database: SiteDatabase,
        clock: IReactorTime,
        in_thread: Callable[..., Deferred[Any]],
        rooms: Callable[[], Iterable[RoomData]],
    ) -> None:
        """``rooms`` returns our rooms as the lobby page reads them."""
        self.rooms: Mapping[str, RoomData] = {}
        """The rooms of the other servers by name."""
        self._database = database
        self._clock = clock
        self._in_thread = in_thread
        self._our_rooms = rooms
        self._present: dict[str, Connection] = {}
        """The connections of the players who are known, by the hashes of ``return_hash``."""
        self._entered: dict[str, float] = {}
        """The players of whom the other servers do not know yet."""
        self._timer: IDelayedCall | None = None
        self._read_at = clock.seconds()
        """When the database was read the last time."""
        self._is_away = False
        """Whether the log has said that the database cannot be used."""
        self._contested: Sequence[str] | None = None
        """Our rooms that another server has, too; None before the first exchange, which finds those of our last run."""

    def enter(self, player: str, connection: Connection) -> None:
        """Note that a player who is known by this hash has come: older connections at other servers are closed."""
        self._present[player] = connection
        self._entered[player] = self._clock.seconds()

    def startService(self) -> None:
        """Begin to exchange news."""
        super().startService()
        self._exchange()

    def stopService(self) -> None:
        """Exchange nothing more."""
        super().stopService()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _exchange(self) -> None:
        self._present = {player: each for player, each in self._present.items() if not each.is_closing}
        entered, self._entered = self._entered, {}
        ages = {player: self._clock.seconds() - instant for player, instant in entered.items()}
        rooms = {str(room["name"]): room for room in self._our_rooms()}
        done = self._in_thread(self._database.exchange, rooms, ages, tuple(self._present))
        done.addCallback(self._take).addErrback(self._fail, entered).addBoth(self._wait)

    def _wait(self, _: object) -> None:
        if self.running:
            self._timer = self._clock.callLater(PERIOD, self._exchange)

    def _take(self, news: News) -> None:
        """Close the connections that may not stay; those who have logged in here meanwhile do."""
        self._read_at, self._is_away = self._clock.seconds(), False
        self.rooms = news.rooms
        if self._contested is not None:
            for room in set(news.contested).difference(self._contested):
                self._log.error("another server of this site has a room {room}, too", room=room)
        self._contested = () if self._contested is None else news.contested
        for player in news.elsewhere:
            if player not in self._entered and player in self._present:
                self._present.pop(player).fail_safely(f"{REPLACED} of the same player")

    def _fail(self, failure: Failure, entered: dict[str, float]) -> None:
        """Try again at the next exchange; after some time the rooms of the others are not listed any more."""
        self._entered = entered | self._entered
        if self._clock.seconds() - self._read_at > FRESH:
            self.rooms = {}
        if failure.check(DatabaseError) is None:
            self._log.failure("the site cannot be read", failure)
        elif not self._is_away:
            self._is_away = True
            self._log.error("the site cannot be read: {error}", error=failure.getErrorMessage())
