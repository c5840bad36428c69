"""The UNIX socket on which a server takes the orders of its operator: one line of JSON each way.

Only the user of the server and root can open the socket. An order is written to the log, with the user who gave it.
"""

from __future__ import annotations

import json
import socket
import struct
from pathlib import Path
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IAddress, IDelayedCall, IListeningPort
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.net.listener import PortError
from ump.server.admin.orders import Answer, OrderError, Orders

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

_CREDENTIALS = struct.Struct("3i")
"""The process, the user and the group of the other end of a socket (Linux: SO_PEERCRED)."""


class AdminConnection(Protocol):
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

    def connectionLost(self, reason: Failure = connectionDone) -> None:
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

    def privilegedStartService(self) -> None:
        """Open the socket before the process goes on as another user; raises PortError."""
        factory = _Factory(self)
        try:
            self._port = self.reactor.listenUNIX(str(self._path), factory, mode=MODE, wantPID=True)
        except (CannotListenError, OSError, ValueError) as error:
            raise PortError(f"--admin-socket: {str(self._path)!r} cannot be opened: {_reason(error)}") from error
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


def _reason(error: Exception) -> object:
    """Return why a socket cannot be opened. Twisted gives a text if another process holds the lock beside it."""
    cause = getattr(error, "socketError", error)
    return "another server has it" if isinstance(cause, str) else getattr(cause, "strerror", None) or cause


class _Factory(Factory):
    noisy = False

    def __init__(self, port: AdminSocket) -> None:
        self._port = port

    def buildProtocol(self, addr: IAddress | None) -> AdminConnection:
        """Return the protocol of a connection."""
        return AdminConnection(self._port)
