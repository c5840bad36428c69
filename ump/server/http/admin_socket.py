"""The UNIX socket of ``--admin-socket``: HTTP with the path of orders alone, for the user of the server and root."""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort
from twisted.logger import Logger
from twisted.web.server import Request

from ump.net.connection_budget import Budget
from ump.net.connection_limits import OpenConnections
from ump.net.endpoints import HostNames
from ump.net.http.channel import Bodies, Bounds
from ump.net.limits import Limits
from ump.net.listener import PortError, PortTrial, listen_unix
from ump.net.turns import Turns
from ump.server.admin import Giver, Orders
from ump.server.http.orders import OrderResource
from ump.server.http.site import BoundedSite, folder_of
from ump.server.orders import PATH

MODE = 0o600
"""The rights of the socket."""

MAX_ORDER = 4_096
"""Bytes of an order."""

ORDER_SECONDS = 10
"""Time in which an order must arrive."""

MAX_OPEN = 16
"""Connections at a time. One without a complete request makes room for another."""

_CREDENTIALS = struct.Struct("3i")
"""The process, the user and the group of the other end of a socket (Linux: SO_PEERCRED)."""


def operator_of(request: Request) -> Deferred[Giver]:
    """Return the giver of an order on the socket, as far as the system tells."""
    if not hasattr(socket, "SO_PEERCRED"):
        return succeed(Giver("an operator", "socket"))
    channel: Any = request.channel
    stream = channel.transport.getHandle()
    told = stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    process, user, _ = _CREDENTIALS.unpack(told)
    return succeed(Giver(f"user {user} (process {process})", "socket"))


def _site_of(orders: Orders, reactor: Any) -> BoundedSite:
    """Return what the socket serves, within limits of its own: a full server takes orders, too."""
    bounds = Bounds(
        OpenConnections(Limits(Budget(connections=MAX_OPEN, http_streams=MAX_OPEN))),
        reactor,
        Turns(reactor),
        Bodies(),
        is_known=lambda request: False,
        body_limits={f"/{PATH}".encode(): MAX_ORDER},
        request_seconds=ORDER_SECONDS,
    )
    return BoundedSite(folder_of({PATH: OrderResource(orders, operator_of)}), bounds, HostNames(()))


class AdminSocket(Service):
    """Serves the path of orders on a UNIX socket while the server runs."""

    _log = Logger()

    def __init__(self, path: Path, orders: Orders, reactor: Any) -> None:
        self._path = path
        self._reactor = reactor
        self._site = _site_of(orders, reactor)
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
        try:
            self._port = listen_unix(self._reactor, str(self._path), self._site, mode=MODE)
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
        return (None if port is None else port.stopListening()) or succeed(None)
