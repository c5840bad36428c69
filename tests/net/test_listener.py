"""Ports: tried before the server starts, behind a proxy, and with certificates of a folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from OpenSSL.SSL import TLS_CLIENT_METHOD, Connection, Context, WantReadError
from support.certificates import certificate
from support.memory_server import room, settings_of
from support.rows import each_row
from twisted.internet.address import IPv4Address as ClientAddress
from twisted.internet.endpoints import serverFromString
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import capturedLogs
from twisted.python.systemd import ListenFDs

from twisted.plugins import twisted_core
from ump.net.endpoints import read_endpoint
from ump.net.keep_alive import KEEP_ALIVE, PROBE_INTERVAL, keep_alive
from ump.net.limits import Limits
from ump.net.listener import Listener, PortError, certificate_ends, certificates_of
from ump.net.proxy_header import (
    BINARY,
    MAX_PROXY_HEADER,
    OF_PROXY,
    PROXY_SECONDS,
    ProxiedFactory,
    ProxyHeader,
    is_encrypted,
    is_from_here,
    read_proxy_header,
    write_proxy_header,
)
from ump.server.service import Server
from ump.server.settings import ListeningPort


@pytest.fixture
def port() -> Iterator[int]:
    """A port that is in use."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        yield taken.getsockname()[1]


def refusal(*endpoints: str, is_needed: bool = True) -> str | None:
    """Try the ports of a server, and return its error."""
    ports = tuple(ListeningPort("listen", endpoint, is_needed=is_needed) for endpoint in endpoints)
    try:
        Server(settings_of(ports, rooms=(room(),), limits=Limits()), MemoryReactorClock()).try_ports()
    except PortError as error:
        return str(error)
    return None


def test_tcp_ports(port: int) -> None:
    """A port in use is refused if it is required, alone, behind a proxy or over IPv6."""
    error = f"ump-server: port {port} is in use; another ump-server? choose one with --listen PORT"
    assert refusal(f"tcp:{port}:interface=127.0.0.1") == error
    assert refusal(f"haproxy:tcp:{port}") == error
    assert refusal(f"tcp6:{port}") == error
    assert refusal(f"tcp:{port}", is_needed=False) is None
    assert refusal("tcp:0", "tcp:0", "tcp6:0:interface=\\:\\:1") is None


def test_a_connection_finds_out_that_its_peer_has_gone() -> None:
    """Accepted connections have the probes of the port, and lose a peer that does not acknowledge."""
    with socket.create_server(("127.0.0.1", 0)) as opened:
        keep_alive(opened)
        with socket.create_connection(opened.getsockname()), opened.accept()[0] as accepted:
            probes = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
            idle = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert idle + probes * PROBE_INTERVAL == KEEP_ALIVE
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == KEEP_ALIVE * 1_000


def test_two_ports_that_exclude_each_other() -> None:
    """The same port on all addresses and on one of them is refused, and no port stays open."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    assert refusal(f"tcp:{port}") is None
    assert refusal(f"tcp:{port}", f"tcp:{port}:interface=127.0.0.1") is not None
    assert refusal(f"tcp:{port}") is None


def test_other_errors() -> None:
    """The message has the endpoint and the reason."""
    assert refusal("tcp:0:interface=203.0.113.9") == (
        "ump-server: --listen: 'tcp:0:interface=203.0.113.9' cannot be opened: Cannot assign requested address"
    )
    assert refusal("tcp:port=99999") == (
        "ump-server: --listen: 'tcp:port=99999' cannot be opened: bind(): port must be 0-65535."
    )


def test_unix_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is refused if a program listens there, a file is there, or its folder is missing; what is in use stays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert refusal("unix:file") == "ump-server: file is in use; another ump-server? choose one with --listen PORT"
    assert refusal("unix:no/socket") == (
        "ump-server: --listen: 'unix:no/socket' cannot be opened: No such file or directory"
    )
    assert "AF_UNIX path too long" in (refusal(f"unix:{'x' * 110}") or "")
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind("socket")
        server.listen()
        assert refusal("unix:socket") is not None
        assert sorted(name for name in os.listdir() if not name.startswith(".")) == ["file", "socket"]
    assert refusal("unix:socket") is None
    assert refusal("unix:new") is None
    assert refusal("unix:new", "unix:new") is not None
    assert sorted(name for name in os.listdir() if not name.startswith(".")) == ["file"]


def test_systemd_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket that systemd has opened stays open."""
    with closing(socket.create_server(("127.0.0.1", 0))) as opened:
        monkeypatch.setattr(twisted_core.systemdEndpointParser, "_sddaemon", ListenFDs([opened.fileno()]))
        assert refusal("systemd:domain=INET:index=0") is None
        assert os.fstat(opened.fileno())


ADDRESS = ClientAddress("TCP", "192.0.2.66", 40_000)
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
    reactor, inner, wire = MemoryReactorClock(), Inner(), StringTransport(peerAddress=ADDRESS)
    listener = Listener("listen", "haproxy:tcp:19000", cast(Factory, Factory.forProtocol(lambda: inner)), (), reactor)
    listener.privilegedStartService()
    outer = reactor.tcpServers[0][1].buildProtocol(ADDRESS)
    assert outer is not None
    outer.makeConnection(wire)
    for piece in pieces:
        if not wire.disconnecting:
            outer.dataReceived(piece)
    assert wire.disconnecting or (inner.transport is None) is (PROXY_SECONDS in due(reactor))
    reactor.advance(PROXY_SECONDS)
    assert wire.disconnecting is (inner.transport is None)
    return inner, wire


def due(clock: Clock) -> list[float]:
    """Return when the calls of a clock are due."""
    return [call.getTime() for call in clock.getDelayedCalls()]


def binary(command: int, family: int, rest: bytes) -> bytes:
    """Return a header of version 2."""
    return BINARY + bytes([command, family]) + len(rest).to_bytes(2) + rest


def field(kind: int, content: bytes) -> bytes:
    """Return a further field of version 2."""
    return bytes([kind]) + len(content).to_bytes(2) + content


V4 = b"\xc0\0\x02\x07\x7f\0\0\x01\x9c\x40\x4a\x38"
V6 = bytes.fromhex("20010db8000000000000000000000007") + bytes(15) + b"\x01\x9c\x40\x4a\x38"


@each_row(
    ("header", "host", "encrypted"),
    [
        (b"PROXY TCP4 192.0.2.7 127.0.0.1 40000 19000\r\n", "192.0.2.7", False),
        (b"PROXY TCP6 2001:0db8::7 ::1 40000 19000\r\n", "2001:db8::7", False),
        (b"PROXY UNKNOWN\r\n", "192.0.2.66", False),
        (b"PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", "192.0.2.66", False),
        (binary(0x21, 0x11, V4), "192.0.2.7", False),
        (binary(0x21, 0x21, V6), "2001:db8::7", False),
        (binary(0x21, 0x11, V4 + field(0x20, b"\x01\0\0\0\0")), "192.0.2.7", True),
        (binary(0x21, 0x21, V6 + field(0x20, b"\x07\0\0\0\0" + field(0x21, b"TLSv1.3"))), "2001:db8::7", True),
        (binary(0x21, 0x11, V4 + field(0x20, b"\0\0\0\0\0")), "192.0.2.7", False),
        (binary(0x21, 0x11, V4 + field(0x02, b"\x20\0\x05\x01\0\0\0\0")), "192.0.2.7", False),
        (binary(0x21, 0x31, bytes(216)), "192.0.2.66", False),
        (binary(0x21, 0x00, b""), "192.0.2.66", False),
        (binary(0x20, 0x11, V4 + field(0x20, b"\x01\0\0\0\0")), "192.0.2.66", False),
        (binary(0x20, 0x00, b""), "192.0.2.66", False),
    ],
)
def test_the_client_of_a_header(header: bytes, host: str, encrypted: bool) -> None:
    """A proxy that speaks for itself has its own address; a field for TLS says whether there is some."""
    inner, _ = behind_a_proxy(header + b"0 hello\r\n")
    assert (inner.received, inner.host, is_encrypted(inner.transport)) == (b"0 hello\r\n", host, encrypted)
    assert not is_from_here(inner.transport)
    inner, _ = behind_a_proxy(*(bytes([each]) for each in header + b"0 hello\r\n"))
    assert (inner.received, inner.host, is_encrypted(inner.transport)) == (b"0 hello\r\n", host, encrypted)
    inner, _ = behind_a_proxy(header[:-1])
    assert inner.transport is None


@each_row(
    "header",
    [
        b"0 hello name=me\r\n",
        b"PROXY TCP4 192.0.2.7 127.0.0.1 x y\r\n",
        b"PROXY TCP4 192.0.2.7 127.0.0.1 1 65536\r\n",
        b"PROXY TCP4 192.0.2.7 127.0.0.1 1\r\n",
        b"PROXY TCP4 192.0.2.7 127.0.0.1 1 2 3\r\n",
        b"PROXY TCP4 2001:db8::7 127.0.0.1 1 2\r\n",
        b"PROXY TCP6 fe80::1%\x1b[31m ::1 1 2\r\n",
        b"PROXY UDP4 192.0.2.7 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 nowhere.example 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 192.0.2.7\n2026-11-25 a_line_of_the_log 127.0.0.1 1 2\r\n",
        b"PROXY TCP4 \xff 127.0.0.1 1 2\r\n",
        b"PROXY TCP4\r\n",
        b"PROXY \r\n",
        b"PROXY " + b"1" * 200,
        b"PROXY UNKNOWN " + b"1" * 200 + b"\r\n",
        binary(0x31, 0x11, V4),
        binary(0x22, 0x11, V4),
        binary(0x21, 0x11, V4[:-1]),
        binary(0x21, 0x11, V4 + b"\x20\0"),
        binary(0x21, 0x11, V4 + b"\x20\0\x06\x01\0\0\0\0"),
        binary(0x21, 0x11, V4 + field(0x20, b"\x01")),
        binary(0x21, 0x11, V4 + field(0x04, bytes(MAX_PROXY_HEADER))),
    ],
)
def test_what_is_no_header(header: bytes) -> None:
    """The connection is closed, and nothing that stands behind it is read."""
    inner, wire = behind_a_proxy(header, b"0 hello\r\n")
    assert (inner.received, inner.transport, wire.disconnecting) == (b"", None, True)


def test_connections_without_a_header_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is closed for a new one; what it has begun is over with it."""
    monkeypatch.setattr("ump.net.proxy_header.MAX_UNNAMED", 2)
    clock, wires = Clock(), [StringTransport(peerAddress=ADDRESS) for _ in range(3)]
    factory = ProxiedFactory(Factory.forProtocol(Inner), clock)
    streams = [factory.buildProtocol(ADDRESS) for _ in wires]
    for stream, wire in zip(streams, wires, strict=True):
        stream.makeConnection(wire)
    assert [wire.disconnecting for wire in wires] == [True, False, False]
    streams[1].dataReceived(b"PROXY UNKNOWN\r\n")
    for stream in streams:
        stream.connectionLost()
    assert (factory.waiting, clock.getDelayedCalls()) == ({}, [])


PIECES = [b"PROXY TCP4 ", b"192.0.2.7 ", b"1 2", b"\r\n", BINARY, b"\x21\x11\0", b"\x0c", b"\x14", V4, b"\x20\0\x05"]


@given(st.lists(st.one_of(st.binary(max_size=30), st.sampled_from(PIECES)), max_size=8))
def test_any_bytes(pieces: list[bytes]) -> None:
    """Nothing raises, a header does not depend on how it is cut, and what gets through comes from an address."""
    inner, _ = behind_a_proxy(*pieces)
    whole, _ = behind_a_proxy(b"".join(pieces))
    assert inner.received == whole.received
    if inner.transport is not None:
        assert ip_address(inner.host)
        assert is_encrypted(inner.transport) is is_encrypted(whole.transport)


@given(
    st.ip_addresses(), st.integers(0, 65_535), st.booleans(), st.lists(st.binary(max_size=20), max_size=3), st.binary()
)
def test_every_header_is_read(
    host: IPv4Address | IPv6Address, port: int, is_ssl: bool, others: list[bytes], rest: bytes
) -> None:
    """All that HAProxy can write is read, whatever other fields there are and whatever follows."""
    size, family = (4, 0x11) if host.version == 4 else (16, 0x21)
    fields = b"".join(field(0x04, each) for each in others)
    content = (
        host.packed + bytes(size) + port.to_bytes(2) + bytes(2) + fields + field(0x20, bytes([is_ssl, 0, 0, 0, 0]))
    )
    header = binary(0x21, family, content + fields)
    found = read_proxy_header(header + rest)
    assert found is not None
    assert (found[1], found[0].is_encrypted) == (len(header), is_ssl)
    assert found[0].source is not None
    assert (found[0].source.host, found[0].source.port) == (str(host), port)


def unmapped(host: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return an address of IPv4 that is written as one of IPv6 in its own form."""
    return getattr(host, "ipv4_mapped", None) or host


each_end = st.tuples(st.ip_addresses(), st.integers(0, 65_535))


@given(each_end, each_end, st.booleans(), st.binary(max_size=8))
def test_a_written_header_is_read_again(
    source: tuple[IPv4Address | IPv6Address, int],
    target: tuple[IPv4Address | IPv6Address, int],
    is_ssl: bool,
    rest: bytes,
) -> None:
    """Another server of a site reads what this one writes; an IPv4 address beside one of IPv6 is mapped."""
    ends = [ClientAddress("TCP", str(host), port) for host, port in (source, target)]
    header = write_proxy_header(ProxyHeader(ends[0], ends[1], is_ssl))
    found = read_proxy_header(header + rest)
    assert found is not None and found[1] == len(header) and found[0].is_encrypted is is_ssl
    for end, (host, port) in zip((found[0].source, found[0].target), (source, target), strict=True):
        assert end is not None
        read = ip_address(end.host)
        assert (getattr(read, "ipv4_mapped", None) or read, end.port) == (
            getattr(host, "ipv4_mapped", None) or host,
            port,
        )
    assert read_proxy_header(write_proxy_header(OF_PROXY)) == (OF_PROXY, 16)


HOSTS = ("a.example", "b.example", "*.c.example")


def shown(folder: Path, name: bytes | None) -> str:
    """Return the host in the certificate that a client gets who names this host."""
    certificates = certificates_of(serverFromString(object(), f"tls:{folder}:0"))
    assert certificates is not None
    server, client = certificates.serverConnectionForTLS(None), Connection(Context(TLS_CLIENT_METHOD), None)
    if name is not None:
        client.set_tlsext_host_name(name)
    server.set_accept_state()
    client.set_connect_state()
    for _ in range(4):
        for end, other in ((client, server), (server, client)):
            with suppress(WantReadError):
                end.do_handshake()
            with suppress(WantReadError):
                other.bio_write(end.bio_read(65_536))
    found = client.get_peer_certificate()
    assert found is not None
    return str(found.get_subject().CN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with certificates of three hosts."""
    for number, host in enumerate(HOSTS):
        (tmp_path / f"{number}.pem").write_bytes(certificate(host))
    return tmp_path


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Twisted does
@pytest.mark.parametrize(
    ("name", "host"), [(b"a.example", "a.example"), (b"b.example", "b.example"), (b"x.c.example", "*.c.example")]
)
def test_the_certificate_of_the_named_host(folder: Path, name: bytes, host: str) -> None:
    """A certificate may be for all names of a domain."""
    assert shown(folder, name) == host


def test_the_ends_of_certificates(folder: Path) -> None:
    """Operators see them before their players do; plain ports have none."""
    ends = certificate_ends(f"tls:{folder}:0")
    assert sorted(ends) == ["0", "1", "2"]
    assert certificate_ends(f"ssl:0:privateKey={folder}/1.pem:certKey={folder}/1.pem") == {"1": ends["1"]}
    ahead = ends["1"] - datetime.now(UTC).timestamp()
    assert 0 < ahead < 400 * 86_400
    assert certificate_ends("tcp:0") == {}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # as above
@pytest.mark.parametrize("name", [None, b"nowhere.example", b"\xff\xfe.example", b"a\nb", b"...", b"x" * 250])
def test_other_names_write_no_log(folder: Path, name: bytes | None) -> None:
    """A client that names no host, or another one, gets a certificate that it may refuse."""
    with capturedLogs() as events:
        assert shown(folder, name) in HOSTS
    assert not events


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # as above
def test_a_certificate_without_names(folder: Path) -> None:
    """It is refused in our words alone, also when the certificates are read again; those before stay."""
    listener = Listener("listen", f"tls:{folder}:0", Factory(), (), MemoryReactorClock())
    for file in folder.iterdir():
        file.write_bytes(certificate(has_names=False))
    why = "no file has a private key and its certificate with a host name as subjectAltName"
    with capturedLogs() as events:
        with pytest.raises(ValueError, match=why):
            read_endpoint(f"tls:{folder}:0")
        listener.renew_certificates()
    assert [event["why"] for event in events] == [why]
