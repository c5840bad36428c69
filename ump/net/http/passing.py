"""Passes requests on to another server of the site, which answers them in place of this one.

The other server reads a header of the PROXY protocol first (version 2), as behind any proxy, so that it knows the
client. Then come the request, with a mark against a second passing, and whatever either side says until it closes:
WebSockets pass like everything else. Each stream carries one request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress, IDelayedCall
from twisted.internet.protocol import ClientFactory, Protocol, connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.net.http.channel import Channel
from ump.net.http.resources import REASONS, Response, headers_of
from ump.net.proxy_header import ClientAddress, ProxyHeader, write_proxy_header

MARK = "X-Ump-Passed"
"""The header of a request that has been passed on: the server that reads it answers it."""

CONNECT_SECONDS = 2.0
"""Time in which the other server must take a stream."""

ANSWER_SECONDS = 5.0
"""Time for the answer to a request of our own."""

MOST_ANSWER = 4 << 20
"""The longest answer to a request of our own, in bytes."""

_UNSENT = frozenset({b"connection", b"expect", b"transfer-encoding", b"content-length", MARK.lower().encode()})
"""Headers that are written anew."""

_UNASKED = frozenset({b"accept-encoding", b"if-none-match"})
"""Headers that a request of our own has not: its answer is whole, and plain."""


def _head_of(request: Request, sender: str, *, is_asked: bool) -> bytes:
    """Return the head of a request for the next server; ``is_asked``: its answer is for us."""
    is_upgrade = bool(headers_of(request, "upgrade"))
    version, unsent = request.clientproto, _UNSENT
    if is_asked:
        version, unsent = b"HTTP/1.0", _UNSENT | _UNASKED
    lines = [b"%s %s %s" % (request.method, request.uri, version)]
    for name, contents in request.requestHeaders.getAllRawHeaders():
        if name.lower() not in unsent:
            lines += [b"%s: %s" % (name, content) for content in contents]
    lines.append(b"Connection: " + (b"Upgrade" if is_upgrade else b"close"))
    lines.append(f"{MARK}: {sender}".encode("ascii"))
    return b"\r\n".join(lines)


class PassedStream(Protocol):
    """The stream to the other server, with the channel of the client at its other end."""

    transport: TCPConnection

    def __init__(self, channel: Channel, first: bytes) -> None:
        """Send ``first``, and then what the client says."""
        self._channel = channel
        self._waiting = first
        """Bytes for the other server that came before the stream was open."""
        self._is_open = False
        self._is_over = False

    # The other server

    def connectionMade(self) -> None:
        """Send what has waited, unless the client has gone meanwhile."""
        if self._is_over:
            self.transport.abortConnection()
            return
        self._is_open = True
        self._channel.transport.resumeProducing()
        self.transport.setTcpNoDelay(True)
        self.transport.setTcpKeepAlive(True)
        self.transport.registerProducer(_ClientReading(self._channel), True)
        self.transport.write(self._waiting)
        self._waiting = b""
        if self._channel.is_full:
            self.pause()

    def dataReceived(self, data: bytes) -> None:
        """Pass on what the other server says."""
        if not self._is_over:
            self._channel.transport.write(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Close the client's stream: the other server has said everything."""
        self._finish()

    def fail(self, answer: bytes) -> None:
        """Answer the client, because the other server cannot be reached."""
        if not self._is_over:
            self._channel.transport.write(answer)
        self._finish()

    def _finish(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._channel.transport.unregisterProducer()  # with a producer TLS would never finish
            self._channel.loseConnection()

    # The client

    def received(self, data: bytes) -> None:
        """Pass on what the client says."""
        if self._is_open:
            self.transport.write(data)
        else:
            self._waiting += data

    def pause(self) -> None:
        """Read nothing from the other server: the client does not read."""
        if self._is_open:
            self.transport.pauseProducing()

    def resume(self) -> None:
        """Read again."""
        if self._is_open:
            self.transport.resumeProducing()

    def lost(self) -> None:
        """Close the stream to the other server: the client has gone."""
        self._is_over = True
        if self._is_open:
            self.transport.unregisterProducer()
            self.transport.loseConnection()


class _ClientReading:
    """The reading side of the client's stream, for the transport to the other server."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def pauseProducing(self) -> None:
        """Read nothing from the client: the other server does not read."""
        self._channel.transport.pauseProducing()

    def resumeProducing(self) -> None:
        """Read again."""
        self._channel.transport.resumeProducing()

    def stopProducing(self) -> None:
        """Do nothing: the stream ends by itself."""


class _Connecting(ClientFactory):
    """Makes one stream to another server."""

    noisy = False

    def __init__(self, protocol: Protocol, failed: Callable[[], object]) -> None:
        self._protocol = protocol
        self._failed = failed

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        """Return the protocol."""
        return self._protocol

    def clientConnectionFailed(self, connector: object, reason: Failure) -> None:
        """Note that there is no stream."""
        self._failed()


def request_for(request: Request, sender: str, *, is_asked: bool = False) -> bytes:
    """Return what another server reads: the header of the proxy, and the request of its client.

    ``is_asked``: the answer is for us. Such a request is one of HTTP/1.0, so that its answer is not in chunks.
    """
    channel = request.channel
    assert isinstance(channel, Channel) and request.content is not None
    request.content.seek(0)
    body: bytes = request.content.read()
    head = _head_of(request, sender, is_asked=is_asked)
    if body or request.method in (b"POST", b"PUT", b"PATCH"):
        head += b"\r\nContent-Length: %d" % len(body)
    known = ProxyHeader(_client_of(channel), _target_of(channel), channel.is_encrypted)
    return write_proxy_header(known) + head + b"\r\n\r\n" + body


def _client_of(channel: Channel) -> ClientAddress | None:
    """Return the address of the client, as far as it is known."""
    if not channel.host:
        return None
    kind = IPv6Address if ":" in channel.host else IPv4Address
    return kind("TCP", channel.host, 0)


def _target_of(channel: Channel) -> ClientAddress | None:
    """Return the address to which the client has connected; its port is in the names of some cookies."""
    target = channel.transport.getHost()
    return target if isinstance(target, IPv4Address | IPv6Address) else None


class PassedOn(Resource):
    """A request that another server answers."""

    isLeaf = True

    def __init__(self, address: tuple[str, int], sender: str, reactor: Any, away: Response) -> None:
        """``sender`` names this server to the other one; ``away`` is the answer if that cannot be reached."""
        super().__init__()
        self._address = address
        self._sender = sender
        self._reactor = reactor
        self._away = away

    def render(self, request: Request) -> int:
        """Hand the stream of a request over."""
        channel = request.channel
        assert isinstance(channel, Channel)
        stream = PassedStream(channel, request_for(request, self._sender))
        channel.hand_over(stream)
        channel.transport.pauseProducing()  # until the stream to the other server is open
        failed = partial(stream.fail, _written(self._away))
        self._reactor.connectTCP(*self._address, _Connecting(stream, failed), timeout=CONNECT_SECONDS)
        return NOT_DONE_YET


def _written(response: Response) -> bytes:
    """Return a response as it stands in a stream that no request writes any more."""
    body = f"{response.text}\n".encode()
    lines = [f"HTTP/1.1 {response.code} {REASONS[response.code].decode()}", "Server: ump", "Cache-Control: no-store"]
    lines += [f"{name}: {content}" for name, content in response.headers]
    lines += ["Content-Type: text/plain; charset=UTF-8", f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + body


class _Answer(Protocol):
    """Reads the answer of another server to the end."""

    transport: TCPConnection

    def __init__(self, request: bytes, done: Deferred[bytes]) -> None:
        self._request = request
        self._done = done
        self._data = bytearray()

    def connectionMade(self) -> None:
        """Ask."""
        self.transport.write(self._request)

    def dataReceived(self, data: bytes) -> None:
        """Keep the answer, as far as it is not too long."""
        self._data += data
        if len(self._data) > MOST_ANSWER:
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Return the body of an answer with the code 200, else nothing."""
        head, _, body = bytes(self._data).partition(b"\r\n\r\n")
        is_ok = head.startswith((b"HTTP/1.0 200", b"HTTP/1.1 200"))
        if not self._done.called:
            self._done.callback(body if is_ok and len(self._data) <= MOST_ANSWER else b"")


def ask(address: tuple[str, int], request: bytes, reactor: Any) -> Deferred[bytes]:
    """Return a Deferred with what another server answers to a request; nothing if it refuses or is not there."""
    done: Deferred[bytes] = Deferred()

    def failed() -> None:
        if not done.called:
            done.callback(b"")

    answer = _Answer(request, done)
    reactor.connectTCP(*address, _Connecting(answer, failed), timeout=CONNECT_SECONDS)
    late = reactor.callLater(ANSWER_SECONDS, failed)
    return done.addBoth(_cancel, late)


def _cancel(found: bytes, late: IDelayedCall) -> bytes:
    if late.active():
        late.cancel()
    return found
