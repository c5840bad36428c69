"""Orders of an operator to a running server, through a UNIX socket: one line of JSON each way.

An order is a JSON object with the name of the order under ``order``, and its arguments. The answer is a JSON object
with ``ok``, and either what the order has come to, or ``error``. docs/operate.md lists the orders. Users with the role
admin give the same orders over HTTP (``ump/server/http/operator_pages.py``).

Only the user of the server and root can open the socket. An order that changes something is written to the log of the
server, and to that in the database of users, with the user who gave it.
"""

from __future__ import annotations

import json
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
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
from ump.model.value import value
from ump.net.connection import Connection
from ump.net.listener import PortError, PortTrial, listen_unix
from ump.server.player_connection import PlayerConnection
from ump.server.room import Room
from ump.server.settings import ConfigError
from ump.server.table_runner import TableRunner
from ump.server.users.bans import BanError, BanKind, OrderToLog, Target, check_reason, read_address, read_instant
from ump.server.users.user_service import UserService
from ump.text.layout import printable
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
"""Characters of an order in the log, and of each part of it in that of the database."""

MAX_ID = 2**53
"""The ids of logged orders are smaller."""

QUESTIONS = ("tables", "players", "bans", "log")
"""The orders that change nothing, and are not logged."""

OPERATOR_ONLY = ("drain", "reload")
"""The orders that nobody can give over HTTP: they are about the program, not about its players."""

TARGETS = ("table", "player", "user", "address")
"""The arguments that name the target of an order."""

NO_USERS = "this server knows no users; it needs --users"

_CREDENTIALS = struct.Struct("3i")
"""The process, the user and the group of the other end of a socket (Linux: SO_PEERCRED)."""

Answer: TypeAlias = dict[str, Any]
"""The result of an order."""


class OrderError(ValueError):
    """An order that is not understood, or cannot be carried out; the message is for the operator."""


@value
class Giver:
    """The person who gives an order."""

    name: str
    """A user of the server, or a user of its computer."""
    via: str
    """``socket`` or ``http``."""


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
        self._orders: Mapping[str, Callable[[Mapping[str, Any], Giver], Answer | Deferred[Answer]]] = {
            "tables": self._tables,
            "players": self._players,
            "bans": self._bans,
            "log": self._list_orders,
            "close": self._close,
            "kick": self._kick,
            "ban": self._ban,
            "unban": self._unban,
            "announce": self._announce,
            "drain": self._drain,
            "reload": self._reload,
        }

    def carry_out(self, order: object, giver: Giver) -> Deferred[Answer]:
        """Carry out an order, and log it; the Deferred has the answer, or fails with OrderError."""
        done = maybeDeferred(self._give, order, giver)
        if isinstance(order, dict) and order.get("order") not in QUESTIONS:
            done.addBoth(self._note, order, giver)
        return done

    def _give(self, order: object, giver: Giver) -> Any:
        if not isinstance(order, dict):
            raise OrderError("expected a JSON object")
        name = order.get("order")
        if not isinstance(name, str) or name not in self._orders:
            raise OrderError(unknown("order", str(name), self._orders))
        if name in OPERATOR_ONLY and giver.via == "http":
            raise OrderError(f"only 'ump admin {name}' can do that, on the computer of the server")
        return self._orders[name](order, giver)

    def _note(self, result: Answer | Failure, order: Mapping[str, Any], giver: Giver) -> Any:
        """Log an order with what it has come to, before it is answered: the next one may be to list the log."""
        outcome = "ok"
        if isinstance(result, Failure):
            outcome = result.getErrorMessage() if result.check(OrderError) else "internal error"
        written = ascii(json.dumps(order, ensure_ascii=False))[1:-1][:MAX_LOGGED]
        self._log.info(
            "order of {who}: {order}, by {via}: {outcome}",
            who=giver.name,
            via=giver.via,
            order=written,
            outcome=outcome,
        )
        users = self._operations.users
        if users is not None:
            more = {key: each for key, each in order.items() if key not in ("order", *TARGETS) and each}
            target = next((str(order[key]) for key in TARGETS if key in order), "")
            arguments = json.dumps(more, ensure_ascii=False) if more else ""
            texts = (users.now(), giver.name, giver.via, str(order.get("order")), target, arguments, outcome)
            line = OrderToLog(*(text and printable(text)[:MAX_LOGGED] for text in texts))
            return users.log_order(line).addCallback(lambda _: result)
        return result

    def _tables(self, _: Mapping[str, Any], _giver: Giver) -> Answer:
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

    def _players(self, _: Mapping[str, Any], _giver: Giver) -> Answer:
        return {
            "players": [
                {
                    "player": player.name,
                    "user": player.connection.user,
                    "room": room.name,
                    "table": None if table is None else table.name,
                    "from": player.connection.peer,
                    "protocol": player.connection.session.DIALECT,
                }
                for room, table, player in self._all_players()
            ]
        }

    def _close(self, order: Mapping[str, Any], _giver: Giver) -> Answer:
        """End a game now. It has no result; its players wait for the next one, as after any game."""
        name = _text(order, "table")
        for _, table in self._all_tables():
            if table.name == name:
                table.close()
                return {"closed": name}
        raise OrderError(f"there is no table {quoted(name)}; 'tables' lists them")

    def _kick(self, order: Mapping[str, Any], _giver: Giver) -> Answer:
        """Close all connections of players with a name. Their seats are played as those of players who have left."""
        name = _text(order, "player")
        kicked = [(room, each) for room, _, each in self._all_players() if each.name == name and each.is_client]
        if not kicked:
            raise OrderError(f"nobody of the name {quoted(name)} waits or plays; 'players' lists them")
        for room, player in kicked:
            room.expel(player, KICKED)
        return {"kicked": len(kicked)}

    @property
    def _users(self) -> UserService:
        """The users of the server; raises OrderError if it knows none."""
        if self._operations.users is None:
            raise OrderError(NO_USERS)
        return self._operations.users

    def _target(self, order: Mapping[str, Any]) -> Target:
        """Return the target of a ban; raises OrderError and BanError."""
        if "address" in order:
            return read_address(_text(order, "address", "an address or a network"), self._users.proxies)
        return Target(BanKind.USER, _text(order, "user"))

    def _ban(self, order: Mapping[str, Any], giver: Giver) -> Deferred[Answer]:
        """Ban a user, an address or a network, and close all connections from there, or of the user and its bots."""
        try:
            target, until = self._target(order), order.get("until")
            end = None if until is None else read_instant(str(until))
            reason = check_reason(str(order.get("reason") or ""))
        except BanError as error:
            raise OrderError(str(error)) from error
        done = self._users.ban(target, end, reason, giver.name)
        return done.addCallbacks(lambda gone: {"banned": target.name, "kicked": gone}, _refuse)

    def _unban(self, order: Mapping[str, Any], giver: Giver) -> Deferred[Answer]:
        """End a ban."""
        try:
            target = self._target(order)
        except BanError as error:
            raise OrderError(str(error)) from error
        return self._users.lift(target, giver.name).addCallbacks(lambda _: {"unbanned": target.name}, _refuse)

    def _bans(self, _: Mapping[str, Any], _giver: Giver) -> Deferred[Answer]:
        return self._users.bans().addCallbacks(lambda bans: {"bans": [asdict(each) for each in bans]}, _refuse)

    def _list_orders(self, order: Mapping[str, Any], _giver: Giver) -> Deferred[Answer]:
        """List the last orders, or those before one of them."""
        before = order.get("before")
        if before is not None and (isinstance(before, bool) or not isinstance(before, int) or not 0 < before < MAX_ID):
            raise OrderError("'before' is the id of an order")
        found = self._users.orders(before)
        return found.addCallbacks(lambda orders: {"orders": [asdict(each) for each in orders]}, _refuse)

    def _announce(self, order: Mapping[str, Any], _giver: Giver) -> Answer:
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

    def _drain(self, order: Mapping[str, Any], _giver: Giver) -> Answer:
        seconds = order.get("seconds")
        if seconds is not None:
            if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= MAX_SECONDS:
                raise OrderError(f"'seconds' is a number from 0 to {MAX_SECONDS:.0f}")
            seconds = float(seconds)
        return {"running": self._operations.drain(seconds)}

    def _reload(self, _: Mapping[str, Any], _giver: Giver) -> Deferred[Answer]:
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


def _refuse(failure: Failure) -> Answer:
    """Tell the operator that there is no such user or ban, or no database; raises OrderError."""
    failure.trap(ValueError, DatabaseError)
    raise OrderError(failure.getErrorMessage())


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
            done.addCallbacks(self._succeed, self._refuse)

    def _carry_out(self, line: bytes) -> Deferred[Answer]:
        """Carry out an order; raises OrderError."""
        if len(line) > MAX_ORDER:
            raise OrderError(f"an order has at most {MAX_ORDER} bytes")
        try:
            order = json.loads(line.decode())
        except (ValueError, RecursionError):
            raise OrderError("expected a JSON object on one line") from None
        return self._port.orders.carry_out(order, Giver(self._who(), "socket"))

    def _succeed(self, answer: Answer) -> None:
        """Answer an order that was carried out."""
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
