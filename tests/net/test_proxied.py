"""Ports behind a proxy: a PROXY header names a real address, or closes the connection without a word."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import MemoryReactorClock, StringTransport

from ump.net.listener import Listener
from ump.net.proxied import ProxiedProtocol

ADDRESS = IPv4Address("TCP", "192.0.2.66", 40_000)
"""That of the proxy."""


class Inner(Protocol):
    """Keeps what it receives, and from whom."""

    def __init__(self) -> None:
        self.received = b""

    def dataReceived(self, data: bytes) -> None:
        """Keep data."""
        self.received += data

    @property
    def host(self) -> str:
        """The address of the peer."""
        assert self.transport is not None
        return str(getattr(self.transport.getPeer(), "host", ""))


def behind_a_proxy(*pieces: bytes) -> tuple[Inner, StringTransport]:
    """Let a proxy send these bytes to a port; return the protocol behind the header, and the stream."""
    reactor = MemoryReactorClock()
    listener = Listener("listen", "haproxy:tcp:19000", Factory.forProtocol(Inner), (), reactor)
    listener.privilegedStartService()
    outer, wire = reactor.tcpServers[0][1].buildProtocol(ADDRESS), StringTransport(peerAddress=ADDRESS)
    assert isinstance(outer, ProxiedProtocol)
    outer.makeConnection(wire)
    for piece in pieces:
        if not wire.disconnecting:
            outer.dataReceived(piece)
    inner = outer.wrappedProtocol
    assert isinstance(inner, Inner)
    return inner, wire


@pytest.mark.parametrize(
    ("header", "host"),
    [
        (b"PROXY TCP4 192.0.2.7 127.0.0.1 40000 19000\r\n", "192.0.2.7"),
        (b"PROXY TCP6 2001:db8::7 ::1 40000 19000\r\n", "2001:db8::7"),
        (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x07\x7f\0\0\x01\x9c\x40\x4a\x38", "192.0.2.7"),
        (b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", "192.0.2.66"),
    ],
)
def test_the_address_of_the_client(header: bytes, host: str) -> None:
    """It is that of the header; a proxy that speaks for itself has its own."""
    inner, wire = behind_a_proxy(header + b"0 hello\r\n")
    assert (inner.received, inner.host, wire.disconnecting) == (b"0 hello\r\n", host, False)


def test_a_header_in_pieces() -> None:
    """The network may cut a header anywhere behind its first word."""
    inner, _ = behind_a_proxy(b"PROXY", b" TCP4 192.0.2.7 127.0.", b"0.1 1 2\r", b"\n0 hello")
    assert (inner.received, inner.host) == (b"0 hello", "192.0.2.7")


@pytest.mark.parametrize(
    "header",
    [
        b"0 hello name=me\r\n",
        b"PROXY TCP4 192.0.2.7 127.0.0.1 x y\r\n",
        b"PROXY TCP4 nowhere.example 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 192.0.2.7\n2026-11-25 a_line_of_the_log 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 \xff 127.0.0.1 1 2\r\n",
        b"PROXY TCP4\r\n",
        b"PROXY " + b"1" * 200,
    ],
)
def test_what_is_no_header(header: bytes) -> None:
    """The connection is closed, and nothing that stands behind it is read."""
    inner, wire = behind_a_proxy(header, b"0 hello\r\n")
    assert (inner.received, wire.disconnecting) == (b"", True)


@given(st.lists(st.one_of(st.binary(max_size=30), st.sampled_from([b"PROXY TCP4 ", b"192.0.2.7 ", b"1 2", b"\r\n"]))))
def test_any_bytes(pieces: list[bytes]) -> None:
    """Nothing raises, and what gets through comes from an address."""
    inner, _ = behind_a_proxy(*pieces)
    assert ip_address(inner.host)
