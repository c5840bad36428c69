"""A port of the server, and what a person types to reach it."""

from __future__ import annotations

from typing import Any

from twisted.application.internet import StreamServerEndpointService
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.endpoints import serverFromString
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.logger import Logger

HELLO = "hello name=me _offer=1 _explain=1 _hand=1"
"""What a person types first."""

THIS_MACHINE = ("0.0.0.0", "::", "127.0.0.1", "::1")
"""Addresses under which somebody at this machine says ``localhost``."""


class Listener(StreamServerEndpointService):
    """Listens while it runs; where it cannot, the server ends with one line."""

    _log = Logger()
    _raiseSynchronously = True  # as strports.service has it: a server without its port must not stay

    def __init__(self, description: str, factory: IProtocolFactory, reactor: Any) -> None:
        super().__init__(serverFromString(reactor, description), factory)
        self._description = description

    def privilegedStartService(self) -> None:
        """Open the port, and say where it is."""
        try:
            super().privilegedStartService()
        except Exception as error:  # endpoints raise whatever they like
            raise SystemExit(f"ump-server: --listen={self._description}: {error}") from error
        assert self._waitingForPort is not None
        self._waitingForPort.addCallback(self._announce)

    def _announce(self, port: IListeningPort) -> IListeningPort:
        address = port.getHost()
        if isinstance(address, IPv4Address | IPv6Address):
            self._log.info("listening on {host} port {port}", host=address.host, port=address.port)
            if self._description.startswith("tcp"):
                host = "localhost" if address.host in THIS_MACHINE else address.host
                self._log.info("to play, type:  telnet {host} {port}  (or nc)", host=host, port=address.port)
                self._log.info("and then:       {hello}", hello=HELLO)
        else:
            self._log.info("listening on {description}", description=self._description)
        return port
