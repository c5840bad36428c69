"""The header of the PROXY protocol, with which a proxy names the client of each connection, and whether it encrypts.

Both versions of the protocol are read:
https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt. Twisted has a reader, too, but it takes any text as an
address, wants the first 16 bytes at once, and skips the field that says whether the client's connection is encrypted.
"""

from __future__ import annotations

import struct
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, TypeAlias

from twisted.internet import address
from twisted.internet.interfaces import (
    IAddress,
    IDelayedCall,
    IProtocolFactory,
    IReactorTime,
    ISSLTransport,
    ITransport,
)
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.python.failure import Failure
from zope.interface import directlyProvides, providedBy

from ump.model.value import value
from ump.net.connection_budget import is_local

PROXY_SECONDS = 10
"""Time for the header of a proxy, which sends it at once."""

MAX_PROXY_HEADER = 4 * 1024
"""Bytes of such a header: a client's address, and all that HAProxy can say of its TLS."""

MAX_UNNAMED = 1_000
"""Connections whose header has not come. A proxy that works has none for longer than a millisecond."""

ClientAddress: TypeAlias = address.IPv4Address | address.IPv6Address


@value
class ProxyHeader:
    """The words of a proxy about a connection. One that it opens for itself, such as a check, has no addresses."""

    source: ClientAddress | None
    """The client."""
    target: ClientAddress | None
    """The address of the proxy to which the client has connected."""
    is_encrypted: bool
    """Whether the client's own connection is encrypted."""


OF_PROXY = ProxyHeader(None, None, is_encrypted=False)
"""The header of a connection that a proxy opens for itself."""

# Reading

TEXT = b"PROXY "
"""The first bytes of version 1."""

MOST_TEXT = 107
"""The longest header of version 1, in bytes."""

BINARY = b"\r\n\r\n\0\r\nQUIT\n"
"""The first bytes of version 2."""

_LENGTH_AT = 14
"""The place of the length of the rest in version 2, behind those bytes, the command and the family."""

_REST_AT = 16

_LOCAL, _PROXY = 0x20, 0x21
"""Version 2 with its commands."""

_START = struct.Struct("!BBH")
"""The command, the family and the length of the rest."""

_TCP4, _TCP6 = 0x11, 0x21
"""The families of TCP."""

_ADDRESSES = {
    _TCP4: struct.Struct("!4s4s2H"),
    0x12: struct.Struct("!4s4s2H"),
    _TCP6: struct.Struct("!16s16s2H"),
    0x22: struct.Struct("!16s16s2H"),
}
"""The addresses and ports of each family and transport that has some."""

_FIELD = struct.Struct("!BH")
"""The type and the length of a further field."""

_SSL = 0x20
"""The field about the client's TLS."""

_SSL_VALUE = 5
"""The least length of its value: one byte of bits, and the result of a check."""

_IS_ENCRYPTED = 1
"""The bit that says that there is TLS. HAProxy sends the field for every connection."""


def read_proxy_header(data: bytes) -> tuple[ProxyHeader, int] | None:
    """Return the header with which a stream begins, and its length; None if it is not complete yet.

    Raises ValueError if the stream begins with something else.
    """
    if data.startswith(BINARY):
        return _read_binary(data)
    if data.startswith(TEXT):
        return _read_text(data)
    if BINARY.startswith(data) or TEXT.startswith(data):
        return None
    raise ValueError("no PROXY header")


def _read_text(data: bytes) -> tuple[ProxyHeader, int] | None:
    line, end, _ = data[:MOST_TEXT].partition(b"\r\n")
    if not end:
        if len(data) >= MOST_TEXT:
            raise ValueError("the PROXY header is too long")
        return None
    length = len(line) + len(end)
    words = line.decode("ascii").split(" ")
    if words[1] == "UNKNOWN":
        return OF_PROXY, length
    kind, source, target, source_port, target_port = words[1:]
    if kind not in ("TCP4", "TCP6"):
        raise ValueError("the PROXY header has an unknown protocol")
    version = int(kind[-1])
    client = _client_address(_address(source, version), _port(source_port))
    return ProxyHeader(
        client, _client_address(_address(target, version), _port(target_port)), is_encrypted=False
    ), length


def _address(text: str, version: int) -> IPv4Address | IPv6Address:
    found = ip_address(text)
    if found.version != version or "%" in text:  # a scope may be any text, and no other computer knows it
        raise ValueError("the PROXY header has an address of another kind")
    return found


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > 5 or int(text) > 65_535:
        raise ValueError("the PROXY header has no port")
    return int(text)


def _client_address(host: IPv4Address | IPv6Address, port: int) -> ClientAddress:
    kind = address.IPv4Address if host.version == 4 else address.IPv6Address
    return kind("TCP", str(host), port)


def _read_binary(data: bytes) -> tuple[ProxyHeader, int] | None:
    if len(data) < _REST_AT:
        return None
    command, family = data[12], data[13]
    end = _REST_AT + int.from_bytes(data[_LENGTH_AT:_REST_AT])
    if command not in (_LOCAL, _PROXY) or end > MAX_PROXY_HEADER:
        raise ValueError("the PROXY header cannot be read")
    if len(data) < end:
        return None
    if command == _LOCAL:
        return OF_PROXY, end
    return _read_fields(family, data[_REST_AT:end]), end


def _read_fields(family: int, rest: bytes) -> ProxyHeader:
    """Return the header of a client; ``rest`` is what follows the length."""
    addresses = _ADDRESSES.get(family)
    if addresses is None:  # UNIX sockets, or nothing that the proxy knows
        return OF_PROXY
    if len(rest) < addresses.size:
        raise ValueError("the PROXY header has no addresses")
    source, target, source_port, target_port = addresses.unpack_from(rest)
    return ProxyHeader(
        _client_address(ip_address(source), source_port),
        _client_address(ip_address(target), target_port),
        is_encrypted=_says_encrypted(rest[addresses.size :]),
    )


def _says_encrypted(fields: bytes) -> bool:
    """Return whether one of the further fields says that the client's connection is encrypted."""
    is_encrypted = False
    while fields:
        if len(fields) < _FIELD.size:
            raise ValueError("the PROXY header has half a field")
        kind, length = _FIELD.unpack_from(fields)
        content, fields = fields[_FIELD.size : _FIELD.size + length], fields[_FIELD.size + length :]
        if len(content) < length or (kind == _SSL and length < _SSL_VALUE):
            raise ValueError("the PROXY header has half a field")
        if kind == _SSL:
            is_encrypted = bool(content[0] & _IS_ENCRYPTED)
    return is_encrypted


# Writing


def write_proxy_header(header: ProxyHeader) -> bytes:
    """Return a header of version 2, with the field about TLS."""
    if header.source is None or header.target is None:
        return BINARY + _START.pack(_LOCAL, 0, 0)
    ends = [ip_address(end.host) for end in (header.source, header.target)]
    family = _TCP4
    if any(end.version == 6 for end in ends):
        family, ends = _TCP6, [_as_v6(end) for end in ends]
    source, target = (end.packed for end in ends)
    rest = _ADDRESSES[family].pack(source, target, header.source.port, header.target.port)
    bits = _IS_ENCRYPTED if header.is_encrypted else 0
    rest += _FIELD.pack(_SSL, _SSL_VALUE) + bytes([bits]) + bytes(_SSL_VALUE - 1)
    return BINARY + _START.pack(_PROXY, family, len(rest)) + rest


def _as_v6(end: IPv4Address | IPv6Address) -> IPv6Address:
    return end if isinstance(end, IPv6Address) else IPv6Address(f"::ffff:{end}")


# Streams


class ProxiedStream(Protocol):
    """A stream from a proxy: the transport of a protocol that begins when the header has come.

    A stream whose header cannot be read is closed without a word.
    """

    transport: TCPConnection

    def __init__(self, factory: ProxiedFactory) -> None:
        self._factory = factory
        self.header = OF_PROXY
        """The words of the proxy about the client."""
        self._received = b""
        """The part of the header that has come."""
        self._end: IDelayedCall | None = None
        self._inner: Any = None
        """The protocol behind the header, when that has come."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def logPrefix(self) -> str:
        """Return the name for Twisted's own log lines."""
        return self._factory.logPrefix()

    def makeConnection(self, transport: ITransport) -> None:
        """Wait for the header."""
        directlyProvides(self, providedBy(transport))
        super().makeConnection(transport)
        self._end = self._factory.clock.callLater(PROXY_SECONDS, self.transport.abortConnection)
        self._factory.wait(self)

    def dataReceived(self, data: bytes) -> None:
        """Pass data on, behind the header."""
        if self._inner is not None:
            self._inner.dataReceived(data)
            return
        if self.transport.disconnecting:
            return
        self._received += data
        try:
            found = read_proxy_header(self._received)
        except ValueError:
            self.transport.abortConnection()
            return
        if found is not None:
            self.header, length = found
            self._begin(self._received[length:])

    def _begin(self, rest: bytes) -> None:
        """Connect the protocol; ``rest`` came behind the header."""
        self._received = b""
        self._stop_waiting()
        self._inner = self._factory.factory.buildProtocol(self.getPeer())
        self._inner.makeConnection(self)
        if rest and self._inner is not None:
            self._inner.dataReceived(rest)

    def _stop_waiting(self) -> None:
        self._factory.waiting.pop(self, None)
        if self._end is not None and self._end.active():
            self._end.cancel()

    def getPeer(self) -> IAddress:
        """Return the client's address, or else that of the proxy."""
        return self.header.source or self.transport.getPeer()

    def getHost(self) -> IAddress:
        """Return the address to which the client has connected, or else that to which the proxy has."""
        return self.header.target or self.transport.getHost()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Clean up: the stream has gone."""
        self._stop_waiting()
        inner, self._inner = self._inner, None
        if inner is not None:
            inner.connectionLost(reason)


class ProxiedFactory(Factory):
    """Lets another factory build the protocol of each stream when a proxy has named its client."""

    noisy = False

    def __init__(self, factory: IProtocolFactory, clock: IReactorTime) -> None:
        self.factory = factory
        """The other factory."""
        self.clock = clock
        self.waiting: dict[ProxiedStream, None] = {}
        """The streams whose header has not come, the oldest first."""

    def wait(self, stream: ProxiedStream) -> None:
        """Keep a stream until its header comes; the oldest one makes room for it."""
        if len(self.waiting) >= MAX_UNNAMED:
            oldest = next(iter(self.waiting))
            del self.waiting[oldest]
            oldest.transport.abortConnection()
        self.waiting[stream] = None

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
        """Return a stream that waits for its header."""
        return ProxiedStream(self)


def is_encrypted(transport: Any) -> bool:
    """Return whether a client's connection is encrypted; before a proxy, as far as the proxy says so."""
    if isinstance(transport, ProxiedStream):
        return transport.header.is_encrypted
    return bool(ISSLTransport.providedBy(transport))


def is_from_here(transport: Any) -> bool:
    """Return whether a stream comes from this computer. What is before a proxy is not known."""
    host = getattr(transport.getPeer(), "host", None) or ""
    return not isinstance(transport, ProxiedStream) and is_local(host)
