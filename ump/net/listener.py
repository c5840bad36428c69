"""One port of the server. It logs where it listens, and what to type to reach it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.application.internet import StreamServerEndpointService
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.logger import Logger

from ump.wire.dialect import Hint

LOCAL_ADDRESSES = ("0.0.0.0", "::", "127.0.0.1", "::1")
"""Addresses that a client on the same computer reaches as ``localhost``."""

LABEL_WIDTH = 16
"""Characters that the label of a hint takes in the log."""


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
        is_needed: bool = True,
    ) -> None:
        """Listen on the endpoint that ``option`` describes; ``hints`` are logged for TCP ports.

        ``gone``: when the service stops, the port stays open until the Deferred of this function fires.
        ``is_needed``: end the server if the port cannot be opened, rather than go on without it.
        """
        super().__init__(serverFromString(reactor, description), factory)
        self._option = option
        self._description = description
        self._hints = hints
        self._gone = gone
        self._is_needed = is_needed

    def privilegedStartService(self) -> None:
        """Open the port."""
        try:
            super().privilegedStartService()
        except Exception as error:  # an endpoint may raise any exception
            if self._is_needed:
                raise SystemExit(f"ump-server: --{self._option} {self._description}: {error}") from error
            self._log.warn(
                "no port for --{option}: {error} To choose other ports, name all of them, as in --listen 19000.",
                option=self._option,
                error=error,
            )
            return
        assert self._waitingForPort is not None
        self._waitingForPort.addCallback(self._announce)

    def stopService(self) -> Deferred[None]:
        """Close the port, at once or when its clients have gone; the reactor waits for the Deferred."""
        close: Callable[[], Deferred[None]] = super().stopService
        return close() if self._gone is None else self._gone().addCallback(lambda _: close())

    def _announce(self, port: IListeningPort) -> IListeningPort:
        """Log where the port listens, and for TCP ports what to type to reach it."""
        address = port.getHost()
        if not isinstance(address, IPv4Address | IPv6Address):
            self._log.info("listening on {description}", description=self._description)
            return port
        self._log.info("listening on {host} port {port}", host=address.host, port=address.port)
        if self._description.startswith("tcp"):
            host = "localhost" if address.host in LOCAL_ADDRESSES else address.host
            for hint in self._hints:
                label = f"{hint.label}:".ljust(LABEL_WIDTH)
                self._log.info("{label}{typed}", label=label, typed=hint.at(host, address.port))
        return port
