"""One port of the server: opens it, logs where it listens, and knows how to reach it."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.application.internet import StreamServerEndpointService
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.logger import Logger

from ump.net.certificates import certificates_of
from ump.net.endpoints import with_backlog
from ump.net.port_trial import PortTrial
from ump.net.proxied import PREFIX, proxied
from ump.wire.dialect import Hint

LOCAL_ADDRESSES = ("0.0.0.0", "::", "127.0.0.1", "::1")
"""Addresses that a client on the same computer reaches as ``localhost``."""


class PortError(SystemExit, Exception):
    """A required port that cannot be opened; the message is one line.

    Python prints the message of a SystemExit that nobody catches, without a traceback, and ends with status 1. For
    ``twistd`` it must also be an Exception: only then it removes its pid file, and in the background reports the error
    to the process that waits for the start.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"ump-server: {reason}")
        self.reason = reason


class Listener(StreamServerEndpointService):
    """Listens while it runs. If a required port cannot be opened, the server ends with a message of one line."""

    _log = Logger()
    _raiseSynchronously = True  # as in strports.service: a server without its port must not go on

    def __init__(
        self,
        option: str,
        description: str,
        factory: IProtocolFactory,
        hints: tuple[Hint, ...],
        reactor: Any,
        gone: Callable[[], Deferred[None]] | None = None,
        *,
        is_needed: bool = True,
        backlog: int = 50,
    ) -> None:
        """Listen on the endpoint that ``option`` describes; ``hints`` say how to reach a TCP port.

        ``gone``: when the service stops, the port stays open until the Deferred of this function fires.
        ``is_needed``: end the server if the port cannot be opened, rather than go on without it.
        ``backlog``: the connections that may wait until the server accepts them.
        """
        inner = description.removeprefix(PREFIX)
        if inner != description:
            factory = proxied(factory)
        super().__init__(serverFromString(reactor, with_backlog(inner, backlog)), factory)
        self._reactor = reactor
        self._certificates = certificates_of(self.endpoint)
        self.option = option
        """The option of the command line that stands for the port."""
        self._description = description
        self._hints = hints
        self._gone = gone
        self._is_needed = is_needed
        self.address: tuple[str, int] | None = None
        """The host and the number of the port, when it is open; None for other endpoints than TCP."""
        self.reached: tuple[Hint, ...] = ()
        """What to type to reach the port, with its address, or why it is closed; filled by the first start."""

    def privilegedStartService(self) -> None:
        """Open the port."""
        try:
            super().privilegedStartService()
        except Exception as error:  # an endpoint may raise any exception
            if self._is_needed:
                raise PortError(self._reason(error)) from error
            self._log.warn("{why}", why=self._reason(error))
            self.reached = (Hint("not open", self._reason(error)),)
            return
        assert self._waitingForPort is not None
        self._waitingForPort.addCallback(self._note_address)

    def try_out(self, trial: PortTrial) -> None:
        """Raise PortError if the port is required and cannot be opened."""
        if self._is_needed:
            try:
                trial.open(self._description)
            except Exception as error:  # as above
                raise PortError(self._reason(error)) from error

    def renew_certificates(self) -> None:
        """Read the certificates of a TLS port again, for new connections. If they are not valid, keep those before."""
        if self._certificates is None:
            return
        try:
            self._certificates.renew(serverFromString(self._reactor, self._description))
        except Exception as error:  # an endpoint may raise any exception
            self._log.error("{option}: the certificates stay: {why}", option=f"--{self.option}", why=str(error))
        else:
            self._log.info("{option}: the certificates have been read again", option=f"--{self.option}")

    def stopService(self) -> Deferred[None]:
        """Close the port, at once or when its clients have gone; the reactor waits for the Deferred."""
        close: Callable[[], Deferred[None]] = super().stopService
        return close() if self._gone is None else self._gone().addCallback(lambda _: close())

    def _reason(self, error: Exception) -> str:
        """Return why the port cannot be opened, and what to do about it."""
        cause = error.socketError if isinstance(error, CannotListenError) else error
        if isinstance(error, CannotListenError) and getattr(cause, "errno", None) == errno.EADDRINUSE:
            taken = f"port {error.port}" if isinstance(error.port, int) else os.fsdecode(error.port)
            return f"{taken} is in use; another ump-server? choose one with --{self.option} PORT"
        reason = getattr(cause, "strerror", None) or cause
        return f"--{self.option}: {self._description!r} cannot be opened: {reason}"

    def _note_address(self, port: IListeningPort) -> IListeningPort:
        """Log where the port listens, and keep how to reach it."""
        address = port.getHost()
        if not isinstance(address, IPv4Address | IPv6Address):
            self._log.info("listening on {description}", description=self._description)
        else:
            self._log.info("listening on {host} port {port}", host=address.host, port=address.port)
            self.address = address.host, address.port
        if isinstance(address, IPv4Address | IPv6Address) and self._description.startswith("tcp"):
            host = "localhost" if address.host in LOCAL_ADDRESSES else address.host
            self.reached = tuple(Hint(hint.label, hint.at(host, address.port, _command())) for hint in self._hints)
        else:
            self.reached = (Hint(f"--{self.option}", self._description),)
        return port


def _command() -> str:
    """Return how to call the command ``ump`` here: by its name if it is on PATH, otherwise by its path."""
    if shutil.which("ump") is not None:
        return "ump"
    path = os.path.relpath(Path(sys.executable).with_name("ump"))
    return path if os.path.exists(path) else "python -m ump"
