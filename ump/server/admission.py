"""Refuses connections as soon as they are accepted, before anything is made for them.

A session, a transport and their first event of epoll cost about ten times as much as the look at the address. So a host
that may not connect, or connects too fast, is closed without a word; the other limits are checked by the connection
itself, which says why.
"""

from __future__ import annotations

from typing import Any

from twisted.internet.interfaces import IAddress, IProtocolFactory, IReactorTime
from twisted.internet.protocol import Factory

from ump.net.connection_limits import OpenConnections

PLAIN = ("tcp", "tcp6", "systemd")
"""The kinds of endpoints whose port asks the factory itself. Those with TLS or a proxy wrap what the factory makes."""


class AdmittingFactory(Factory):
    """Lets another factory build the protocols of hosts that may connect now."""

    noisy = False

    def __init__(self, factory: IProtocolFactory, connections: OpenConnections, clock: IReactorTime) -> None:
        self.factory = factory
        """The other factory."""
        self._connections = connections
        self._clock = clock

    def logPrefix(self) -> str:
        """Return the name for Twisted's own log lines."""
        return str(getattr(self.factory, "logPrefix", lambda: "port")())

    def startFactory(self) -> None:
        """Start the other factory."""
        self.factory.doStart()

    def stopFactory(self) -> None:
        """Stop the other factory."""
        self.factory.doStop()

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return the protocol of a new connection; None closes it at once."""
        host: str | None = getattr(addr, "host", None)
        if host and not self._connections.admits(host, self._clock.seconds()):
            self._connections.report_refused(f"{host}:{getattr(addr, 'port', '')}")
            return None
        return self.factory.buildProtocol(addr)  # type: ignore[arg-type]  # None for some transports, in Twisted too


def admitting(
    endpoint: str, factory: IProtocolFactory, connections: OpenConnections, clock: IReactorTime
) -> IProtocolFactory:
    """Return the factory for the port of an endpoint, one that refuses early if the endpoint allows it."""
    if endpoint.partition(":")[0] in PLAIN:
        return AdmittingFactory(factory, connections, clock)
    return factory
