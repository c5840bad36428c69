"""Connections that are refused before anything is made for them."""

from __future__ import annotations

import pytest
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock

from ump.net.connection_budget import Kind, TurnedAway
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits, Rates
from ump.net.network_list import NetworkList
from ump.server.admission import AdmittingFactory, admitting


class Making(Factory):
    """Counts the protocols that it makes."""

    noisy = False

    def __init__(self) -> None:
        self.made = 0

    def logPrefix(self) -> str:
        """Return a name."""
        return "making"

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        """Make one."""
        self.made += 1
        return Protocol()


V4, V6 = IPv4Address("TCP", "192.0.2.7", 1), IPv6Address("TCP", "2001:db8::1", 1)


@pytest.mark.parametrize(
    ("limits", "address", "why"),
    [
        (Limits(deny=NetworkList.parse("192.0.2.0/24")), V4, TurnedAway.DENIED),
        (Limits(deny=NetworkList.parse("2001:db8::/32")), V6, TurnedAway.DENIED),
        (Limits(rates=Rates(connections=1)), V4, TurnedAway.RATE),
        (Limits(rates=Rates(violations=1)), V4, TurnedAway.VIOLATIONS),
    ],
)
def test_nothing_is_made_for_a_host_that_may_not_connect(limits: Limits, address: IAddress, why: TurnedAway) -> None:
    """The reason is counted, and other hosts are let in."""
    connections, clock, inner = OpenConnections(limits), Clock(), Making()
    factory = AdmittingFactory(inner, connections, clock)
    if why is TurnedAway.RATE:
        assert factory.buildProtocol(address) is not None
        assert connections.enter(Kind.NEWCOMER, "192.0.2.7", clock.seconds(), lambda: None) is not None
    elif why is TurnedAway.VIOLATIONS:
        connections.violations.take("192.0.2.7", clock.seconds())
    made = inner.made
    assert factory.buildProtocol(address) is None
    assert inner.made == made
    assert dict(connections.refused) == {why: 1}
    assert factory.buildProtocol(IPv4Address("TCP", "198.51.100.1", 1)) is not None
    assert factory.buildProtocol(UNIXAddress("")) is not None
    clock.advance(60)
    assert (factory.buildProtocol(address) is None) is (why is TurnedAway.DENIED)


def test_the_look_takes_no_token() -> None:
    """Only the connection itself counts as a new connection of its host."""
    connections, clock = OpenConnections(Limits(rates=Rates(connections=1))), Clock()
    factory = AdmittingFactory(Making(), connections, clock)
    for _ in range(3):
        assert factory.buildProtocol(V4) is not None
    assert connections.enter(Kind.NEWCOMER, "192.0.2.7", clock.seconds(), lambda: None) is not None
    assert factory.buildProtocol(V4) is None


def test_the_inner_factory_starts_and_stops() -> None:
    """The port starts and stops both, and has the name of the inner one."""
    inner = Making()
    factory = AdmittingFactory(inner, OpenConnections(Limits()), Clock())
    assert factory.logPrefix() == "making"
    factory.doStart()
    assert inner.numPorts == 1
    factory.doStop()
    assert inner.numPorts == 0


@pytest.mark.parametrize(
    ("endpoint", "is_early"),
    [("tcp:19000", True), ("tcp6:0", True), ("systemd:domain=INET:index=0", True)]
    + [(each, False) for each in ("ssl:19000", "tls:certs:19443", "haproxy:tcp:19000", "unix:ump.sock")],
)
def test_endpoints_that_wrap_are_left_alone(endpoint: str, is_early: bool) -> None:
    """What TLS and the PROXY header wrap must be a protocol, and a proxied client has no address yet."""
    inner = Making()
    assert isinstance(admitting(endpoint, inner, OpenConnections(Limits()), Clock()), AdmittingFactory) is is_early
