"""Orders of an operator to a running server, through a UNIX socket: one line of JSON each way.

An order is a JSON object with the name of the order under ``order``, and its arguments. The answer is a JSON object
with ``ok``, and either what the order has come to, or ``error``. docs/operate.md lists the orders.

Only the user of the server and root can open the socket. An order is written to the log, with the user who gave it.
"""

from __future__ import annotations

import json
import re
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from twisted.application.service import Service
from twisted.internet import protocol
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IAddress, IDelayedCall, IListeningPort
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.model.choices import quoted, unknown
from ump.net.connection import Connection
from ump.net.listener import PortError, PortTrial, listen_unix
from ump.server.option import ConfigError
from ump.server.player_connection import PlayerConnection
from ump.server.room import Room
from ump.server.table_runner import TableRunner
from ump.server.users.user_service import UserService
from ump.wire.text import MAX_ANNOUNCEMENT

KICKED = "the operator has removed you"
"""The message to a player who is kicked."""

MAX_SECONDS = 1_000_000.0
"""The longest drain with a limit: eleven days."""

MODE = 0o600
"""The rights of the socket."""

MAX_ORDER = 4_096
"""Bytes of an order."""

ORDER_SECONDS = 10
"""Time in which an order must arrive."""

MAX_OPEN = 16
"""Connections at a time."""

MAX_LOGGED = 200
"""Characters of an order in the log."""

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

_CREDENTIALS = struct.Struct("3i")
"""The process, the user and the group of the other end of a socket (Linux: SO_PEERCRED)."""

Answer: TypeAlias = dict[str, Any]
"""The result of an order."""


class OrderError(ValueError):
    """An order that is not understood, or cannot be carried out; the message is for the operator."""


class Operations(Protocol):
    """The operations that a server offers to an operator, besides those of its rooms and tables."""

    @property
    def clients(self) -> Sequence[Connection]:
        """All connections of clients."""

    @property
    def rooms(self) -> Sequence[Room]:
        """All rooms, also those that were closed and may have tables."""

    @property
    def users(self) -> UserService | None:
        """The users of the server, if it knows any."""

    def drain(self, seconds: float | None) -> int:
        """Let no more games begin, and end when the running ones are over, or after some seconds.

        Return how many run. ``seconds`` None: without a limit.
        """

    def read_again(self) -> Deferred[str]:
        """Read certificates and files again; the Deferred has what was read, or fails with ConfigError."""


class Orders:
    """Carries out orders."""

    _log = Logger()

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._orders: Mapping[str, Callable[[Mapping[str, Any]], Answer | Deferred[Answer]]] = {
            "tables": self._tables,
            "players": self._players,
            "close": self._close,
            "kick": self._kick,
            "ban": self._ban,
            "announce": self._announce,
            "drain": self._drain,
            "reload": self._reload,
        }

    def carry_out(self, order: object) -> Answer | Deferred[Answer]:
        """Carry out an order, and return the answer, or a Deferred with it; raises OrderError."""
        if not isinstance(order, dict):
            raise OrderError("expected a JSON object")
        name = order.get("order")
        if not isinstance(name, str) or name not in self._orders:
            raise OrderError(unknown("order", str(name), self._orders))
        return self._orders[name](order)

    def _tables(self, _: Mapping[str, Any]) -> Answer:
        return {
            "tables": [
                {
                    "table": table.name,
                    "room": room.name,
                    "players": list(table.opening.players),
                    "connected": sorted(player.name for player in table.players.values()),
                    "spectators": len(table.show.spectators),
                }
                for room, table in self._all_tables()
            ]
        }

    def _players(self, _: Mapping[str, Any]) -> Answer:
        return {
            "players": [
                {
                    "player": player.name,
                    "room": room.name,
                    "table": None if table is None else table.name,
                    "from": player.connection.peer,
                    "protocol": player.connection.session.DIALECT,
                }
                for room, table, player in self._all_players()
            ]
        }

    def _close(self, order: Mapping[str, Any]) -> Answer:
        """End a game now. It has no result; its players wait for the next one, as after any game."""
        name = _text(order, "table")
        for _, table in self._all_tables():
            if table.name == name:
                table.close()
                return {"closed": name}
        raise OrderError(f"there is no table {quoted(name)}; 'tables' lists them")

    def _kick(self, order: Mapping[str, Any]) -> Answer:
        """Close all connections of players with a name. Their seats are played as those of players who have left."""
        name = _text(order, "player")
        kicked = [(room, each) for room, _, each in self._all_players() if each.name == name and each.is_client]
        if not kicked:
            raise OrderError(f"nobody of the name {quoted(name)} waits or plays; 'players' lists them")
        for room, player in kicked:
            room.expel(player, KICKED)
        return {"kicked": len(kicked)}

    def _ban(self, order: Mapping[str, Any]) -> Deferred[Answer]:
        """Ban a user of the server, and close all connections of the user and the user's bots."""
        name, until = _text(order, "user"), order.get("until")
        if until is not None and _INSTANT.fullmatch(str(until)) is None:
            raise OrderError("'until' is an instant such as 2027-01-01T00:00:00Z")
        users = self._operations.users
        if users is None:
            raise OrderError("this server knows no users; it needs --users")

        def kick(_: None) -> Answer:
            """Close the connections of the banned user."""
            banned = [client for client in self._operations.clients if client.user == name]
            for client in banned:
                client.fail(KICKED)
            return {"banned": name, "kicked": len(banned)}

        def fail(failure: Failure) -> Answer:
            """Tell the operator that there is no such user, or no database."""
            failure.trap(ValueError, DatabaseError)
            raise OrderError(str(failure.value))

        return users.ban(name, until).addCallbacks(kick, fail)

    def _announce(self, order: Mapping[str, Any]) -> Answer:
        """Tell all players and spectators a text, as far as their protocols have a place for it."""
        text = _text(order, "text", "a text").strip()
        if not text or len(text) > MAX_ANNOUNCEMENT or not text.isprintable():
            raise OrderError(f"'text' is one line of at most {MAX_ANNOUNCEMENT} visible characters")
        told, unreached = 0, Counter[str]()
        for client in self._operations.clients:
            if client.occupant is None:  # it has not said hello, or leaves
                continue
            if client.announce(text):
                told += 1
            else:
                unreached[client.session.DIALECT] += 1
        return {"told": told, "not_told": dict(sorted(unreached.items()))}

    def _drain(self, order: Mapping[str, Any]) -> Answer:
        seconds = order.get("seconds")
        if seconds is not None:
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= MAX_SECONDS:
                raise OrderError(f"'seconds' is a number from 0 to {MAX_SECONDS:.0f}")
            seconds = float(seconds)
        return {"running": self._operations.drain(seconds)}

    def _reload(self, _: Mapping[str, Any]) -> Deferred[Answer]:
        def refuse(failure: Failure) -> Answer:
            failure.trap(ConfigError)
            raise OrderError(f"not read again: {failure.getErrorMessage()}")

        return self._operations.read_again().addCallbacks(lambda read: {"read": read}, refuse)

    def _all_tables(self) -> Iterator[tuple[Room, TableRunner]]:
        for room in self._operations.rooms:
            for table in room.tables:
                yield room, table

    def _all_players(self) -> list[tuple[Room, TableRunner | None, PlayerConnection]]:
        waiting = [(room, None, player) for room in self._operations.rooms for player in room.line]
        return [
            *waiting,
            *((room, table, each) for room, table in self._all_tables() for each in table.players.values()),
        ]


def _text(order: Mapping[str, Any], key: str, expected: str = "a name") -> str:
    """Return an argument of an order."""
    given = order.get(key)
    if not isinstance(given, str) or not given:
        raise OrderError(f"{key!r} is missing; expected {expected}")
    return given


class AdminConnection(protocol.Protocol):
    """A connection for one order."""

    _log = Logger()
    transport: Any

    def __init__(self, port: AdminSocket) -> None:
        self._port = port
        self._unread = b""
        self._has_order = False
        self._deadline: IDelayedCall | None = None

    def connectionMade(self) -> None:
        """Wait for the order."""
        self._deadline = self._port.reactor.callLater(ORDER_SECONDS, self.transport.abortConnection)
        self._port.open.add(self)
        if len(self._port.open) > MAX_OPEN:
            self._answer({"ok": False, "error": "too many connections"})

    def dataReceived(self, data: bytes) -> None:
        """Take the order, and answer."""
        if self.transport.disconnecting:
            return
        self._unread += data
        line, end, _ = self._unread.partition(b"\n")
        if (end or len(line) > MAX_ORDER) and not self._has_order:
            self._has_order = True
            done = maybeDeferred(self._carry_out, line)
            done.addCallbacks(self._succeed, self._refuse, callbackArgs=(line,))

    def _carry_out(self, line: bytes) -> Answer | Deferred[Answer]:
        """Carry out an order; raises OrderError."""
        if len(line) > MAX_ORDER:
            raise OrderError(f"an order has at most {MAX_ORDER} bytes")
        try:
            order = json.loads(line.decode())
        except (ValueError, RecursionError):
            raise OrderError("expected a JSON object on one line") from None
        return self._port.orders.carry_out(order)

    def _succeed(self, answer: Answer, line: bytes) -> None:
        """Answer an order that was carried out."""
        self._log.info("order of {who}: {order}", who=self._who(), order=ascii(line.decode())[1:-1][:MAX_LOGGED])
        self._answer({"ok": True, **answer})

    def _refuse(self, failure: Failure) -> None:
        """Answer an order that was not; a bug of the server must not affect its games."""
        if failure.check(OrderError):
            self._answer({"ok": False, "error": str(failure.value)})
        else:
            self._log.failure("internal error in an order", failure)
            self._answer({"ok": False, "error": "internal error; the log of the server has it"})

    def _who(self) -> str:
        """Return who gave the order, as far as the system tells."""
        if not hasattr(socket, "SO_PEERCRED"):
            return "an operator"
        stream = self.transport.getHandle()
        told = stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        process, user, _ = _CREDENTIALS.unpack(told)
        return f"user {user} (process {process})"

    def _answer(self, answer: Answer) -> None:
        self.transport.write(json.dumps(answer).encode() + b"\n")
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = protocol.connectionDone) -> None:
        """Forget the connection."""
        self._port.open.discard(self)
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()


class AdminSocket(Service):
    """Listens on the socket while the server runs."""

    _log = Logger()

    def __init__(self, path: Path, orders: Orders, reactor: Any) -> None:
        self.orders = orders
        self.reactor = reactor
        self.open: set[AdminConnection] = set()
        """The open connections."""
        self._path = path
        self._port: IListeningPort | None = None

    def try_out(self, trial: PortTrial) -> None:
        """Raise PortError if the socket cannot be opened."""
        try:
            trial.listenUNIX(str(self._path), None, wantPID=True)
        except CannotListenError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: CannotListenError) -> PortError:
        cause = error.socketError
        reason = getattr(cause, "strerror", None) or cause
        return PortError(f"--admin-socket: {str(self._path)!r} cannot be opened: {reason}")

    def privilegedStartService(self) -> None:
        """Open the socket before the process goes on as another user; raises PortError."""
        factory = _Factory(self)
        try:
            self._port = listen_unix(self.reactor, str(self._path), factory, mode=MODE)
        except CannotListenError as error:
            raise self._refusal(error) from error
        self._log.info("orders are taken at {path}", path=str(self._path))

    def startService(self) -> None:
        """Open the socket, if nobody has done so."""
        super().startService()
        if self._port is None:
            self.privilegedStartService()

    def stopService(self) -> Deferred[None]:
        """Close and remove the socket."""
        super().stopService()
        port, self._port = self._port, None
        for connection in tuple(self.open):
            connection.transport.loseConnection()
        return (None if port is None else port.stopListening()) or succeed(None)


class _Factory(protocol.Factory):
    noisy = False

    def __init__(self, port: AdminSocket) -> None:
        self._port = port

    def buildProtocol(self, addr: IAddress | None) -> AdminConnection:
        """Return the protocol of a connection."""
        return AdminConnection(self._port)
