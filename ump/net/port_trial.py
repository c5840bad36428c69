"""A trial of ports: whether they can be opened, found out before ``twistd`` goes into the background.

There an error could not be shown in full: ``twistd`` prints its beginning, and refers to the log.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from types import TracebackType
from typing import Any

from twisted.internet.endpoints import serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.python.failure import Failure


class _IsOpen(Exception):
    """The port is open already."""


class PortTrial:
    """Opens ports without accepting connections, and closes all of them at the end of a ``with`` block.

    To the endpoints it is a reactor.
    """

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> PortTrial:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close all ports."""
        for each in self._sockets:
            each.close()

    def open(self, description: str) -> None:
        """Open the port of an endpoint; raises what the endpoint would raise, such as CannotListenError."""
        failures: list[Failure] = []
        serverFromString(self, description).listen(Factory()).addErrback(failures.append)
        if failures and not failures[0].check(_IsOpen):
            failures[0].raiseException()

    def listenTCP(self, port: int, factory: object, backlog: int = 50, interface: str = "") -> None:
        """Open a port over TCP, as a reactor does."""
        opened = socket.socket(socket.AF_INET6 if ":" in interface else socket.AF_INET)
        self._sockets.append(opened)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((interface, port))
            opened.listen(1)
        except OSError as error:
            raise CannotListenError(interface, port, error) from error

    def listenSSL(self, port: int, factory: object, context: object, backlog: int = 50, interface: str = "") -> None:
        """Open a port over TLS, as a reactor does."""
        self.listenTCP(port, factory, backlog, interface)

    def listenUNIX(self, address: str, *arguments: Any, **options: Any) -> None:
        """Check whether a UNIX socket can be created. To create it would remove the traces of a crashed server."""
        if not os.access(os.path.dirname(address) or ".", os.W_OK | os.X_OK):
            folder = OSError(errno.EACCES, "the folder does not exist or is not writable")
            raise CannotListenError(None, address, folder)
        try:
            is_taken = not stat.S_ISSOCK(os.stat(address).st_mode) or _answers(address)
        except FileNotFoundError:
            is_taken = False
        if is_taken:
            raise CannotListenError(None, address, OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE)))

    def adoptStreamPort(self, *arguments: Any) -> None:
        """Leave a socket alone that systemd has opened; after a success the endpoint would close it."""
        raise _IsOpen


def _answers(address: str) -> bool:
    """Return whether a program listens on a UNIX socket."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(address) == 0
