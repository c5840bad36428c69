"""Ports behind a proxy: Twisted's reader of the PROXY header, which also refuses an address that is none.

Twisted takes any text as an address in a header of version 1. It would become the host that limits count, and stand in
the log as it is; a port that is no number would raise.
"""

from __future__ import annotations

from ipaddress import ip_address

from twisted.internet.interfaces import IProtocolFactory
from twisted.protocols.haproxy._exceptions import InvalidProxyHeader
from twisted.protocols.haproxy._info import ProxyInfo
from twisted.protocols.haproxy._v1parser import V1Parser
from twisted.protocols.haproxy._wrapper import HAProxyProtocolWrapper, HAProxyWrappingFactory

PREFIX = "haproxy:"
"""How the endpoints of such ports begin."""


class CheckedParser(V1Parser):
    """Reads a header of version 1."""

    @classmethod
    def parse(cls, line: bytes) -> ProxyInfo:
        """Return what a header says; raises InvalidProxyHeader."""
        try:
            info = super().parse(line)
            if info.source is not None:
                ip_address(info.source.host)  # type: ignore[attr-defined]  # TCP4 or TCP6
        except ValueError as error:
            raise InvalidProxyHeader from error
        return info


class ProxiedProtocol(HAProxyProtocolWrapper):
    """Closes a connection without a word if its header cannot be read."""

    def dataReceived(self, data: bytes) -> None:
        """Read the header; pass on what follows it."""
        if self._parser is None and data.startswith(V1Parser.PROXYSTR):
            self._parser = CheckedParser()
        super().dataReceived(data)


class ProxiedFactory(HAProxyWrappingFactory):
    """Makes the protocols of a port behind a proxy from those of another factory."""

    noisy = False
    protocol = ProxiedProtocol  # type: ignore[assignment]  # Twisted names its own class


def proxied(factory: IProtocolFactory) -> IProtocolFactory:
    """Return a factory that reads the PROXY header before the protocols of another one."""
    made: IProtocolFactory = ProxiedFactory(factory)
    return made
