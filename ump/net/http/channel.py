"""HTTP channels: one TCP connection each, with limits on its requests. A WebSocket may take a channel over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.python.failure import Failure
from twisted.web.http import RESPONSES, HTTPChannel
from twisted.web.resource import IResource
from twisted.web.server import Request, Site

from ump.net.connection_budget import HOST_SHARE, ConnectionKind, ConnectionPlace, host_of
from ump.net.connection_limits import OpenConnections
from ump.net.http.forwarded import NO_PROXIES, ForwardedClient, TrustedProxies
from ump.net.limits import (
    CLOSE_SECONDS,
    HTTP_SLICE,
    MAX_BODIES,
    MAX_BODY,
    MAX_HEAD,
    MAX_HEADERS,
    MAX_LENGTH_DIGITS,
    MOST_SPARE,
    REQUEST_SECONDS,
    SMALL_BODY,
)
from ump.net.proxy_header import is_encrypted, is_from_here
from ump.net.turns import Intake, Turns


class Bodies:
    """Counts the bytes of large bodies, of which one host may hold a quarter."""

    def __init__(self, most: int = MAX_BODIES) -> None:
        """Hold ``most`` bytes."""
        self._most = most
        self._held = 0
        self._hosts: Counter[str] = Counter()

    @property
    def held(self) -> int:
        """Bytes that are held now."""
        return self._held

    def take(self, host: str, size: int) -> bool:
        """Count bytes for a host ("" on a local socket has no limit of its own); return False if there is no room."""
        if self._held + size > self._most or (host and self._hosts[host] + size > self._most // HOST_SHARE):
            return False
        self._held += size
        self._hosts[host] += size
        return True

    def give_back(self, host: str, size: int) -> None:
        """Undo ``take``."""
        self._held -= size
        self._hosts[host] -= size
        if not self._hosts[host]:
            del self._hosts[host]


class SpareStreams:
    """The streams of this computer for which there was no room. They may ask for the pages of operators alone."""

    def __init__(self, paths: Collection[bytes] = ()) -> None:
        """Serve these paths."""
        self.paths = frozenset(paths)
        self._channels: dict[Channel, None] = {}

    def take(self, channel: Channel) -> None:
        """Serve a stream; the oldest one makes room for it."""
        if len(self._channels) >= MOST_SPARE:
            oldest = next(iter(self._channels))
            self.leave(oldest)
            oldest.transport.abortConnection()
        self._channels[channel] = None

    def leave(self, channel: Channel) -> None:
        """Forget a stream that is gone."""
        self._channels.pop(channel, None)

    def __contains__(self, channel: Channel) -> bool:
        return channel in self._channels


_END_OF_HEAD = b"\r\n\r\n"


class StreamOwner(Protocol):
    """An object that has taken a stream over from HTTP."""

    def received(self, data: bytes) -> None:
        """Take bytes from the client."""

    def pause(self) -> None:
        """Write no more for now: the transport is full."""

    def resume(self) -> None:
        """Write again."""

    def lost(self) -> None:
        """Clean up: the stream has gone."""


@dataclass(frozen=True)
class Bounds:
    """The common state of all channels of a port."""

    connections: OpenConnections
    clock: IReactorTime
    turns: Turns
    bodies: Bodies
    is_known: Callable[[Request], bool]
    """Returns whether a request comes from a client that has logged in."""
    body_limits: Mapping[bytes, int]
    """The longest body of each path that takes longer ones than the others."""
    proxies: TrustedProxies = NO_PROXIES
    """The peers whose headers name clients."""
    spare: SpareStreams = field(default_factory=SpareStreams)
    request_seconds: int = REQUEST_SECONDS
    """Time for a request to arrive."""


class Channel(HTTPChannel):
    """A TCP connection with HTTP requests, until one of them hands it over.

    Each request must arrive within a time that starts at the end of the request before it. A byte now and then does
    not extend that time.
    """

    transport: TCPConnection
    requests: list[BoundedRequest]
    maxHeaders = MAX_HEADERS
    totalHeadersSize = MAX_HEAD
    MAX_LENGTH = MAX_HEAD

    def __init__(self, site: Site, bounds: Bounds) -> None:
        """Serve a site, within its bounds."""
        super().__init__()
        self.factory = self.site = site
        self.requestFactory = site.requestFactory
        self.timeOut = bounds.request_seconds
        self.is_full = False
        """Whether the transport is full."""
        self.bounds = bounds
        self.place: ConnectionPlace | None = None
        """Its place among all connections, or None if there was none."""
        self._intake: Intake
        self._unread = b""
        """Bytes that have arrived, but have not been read as requests."""
        self._requests = 0
        """Complete requests so far."""
        self._is_responding = False
        """Whether a request is complete, and its response is not."""
        self._owner: StreamOwner | None = None
        self.is_refused = False
        """Whether the current request is refused, and nothing more is read."""
        self._end: IDelayedCall | None = None
        self._client: ForwardedClient | None = None
        """The client of the current request, if a trusted proxy names it."""

    def hand_over(self, owner: StreamOwner) -> None:
        """Pass all further input to another object, including bytes that have already arrived."""
        self._owner = owner
        self._intake.close()
        self.transport.resumeProducing()  # HTTP stops reading while it cannot write

    def refuse(self, code: int) -> None:
        """Respond with an error to a request that is not read any further, and close."""
        if self.is_refused:
            return
        self.is_refused = True
        self._unread = b""
        self._intake.stop()
        reason = RESPONSES[code]
        self.transport.write(
            b"HTTP/1.1 %d %s\r\nContent-Length: 0\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
            % (code, reason)
        )
        self.loseConnection()

    def loseConnection(self) -> None:
        """Close when everything is sent, or after a while."""
        if self._end is None:
            self._end = self.callLater(CLOSE_SECONDS, self.transport.abortConnection)
        super().loseConnection()

    def timeoutConnection(self) -> None:
        """Close without a log line: no request came in time, and browsers keep unused connections."""
        self.loseConnection()

    def callLater(self, period: float, func: Callable[[], object]) -> IDelayedCall:
        """Call a function after ``period`` seconds of the site's clock."""
        return self.site.reactor.callLater(period, func)

    # Called by the transport

    def connectionMade(self) -> None:
        """Wait for the first request, or close if there are too many connections."""
        self._intake = Intake(self.bounds.turns, _Reading(self), self._take_slice)
        super().connectionMade()
        seconds = self.bounds.clock.seconds()
        self.place = self.bounds.connections.enter(
            ConnectionKind.HTTP, self._counted_host, seconds, self.transport.abortConnection
        )
        if self.place is not None:
            self.place.rest()
        elif is_from_here(self.transport):
            self.bounds.spare.take(self)
        else:
            self._turn_away()

    @property
    def turns(self) -> Turns:
        """The turns in which input is read; an owner of the stream shares them."""
        return self.bounds.turns

    @property
    def _peer(self) -> str:
        """The address of the other end of the stream; "" on a local socket."""
        return getattr(self.transport.getPeer(), "host", None) or ""

    @property
    def _counted_host(self) -> str:
        """The host that is counted between two requests: none for the stream of a proxy, which many clients share."""
        return "" if self._peer in self.bounds.proxies else self._peer

    @property
    def host(self) -> str:
        """The address of the current request's client; "" on a local socket."""
        return self._peer if self._client is None else self._client.host

    @property
    def address(self) -> str:
        """The name of the current request's client in the log."""
        peer = self._peer
        shown = f"{peer}:{getattr(self.transport.getPeer(), 'port', '')}" if peer else "a local socket"
        return shown if self._client is None else f"{self._client.host} by {shown}"

    @property
    def is_encrypted(self) -> bool:
        """Whether the client's own connection is encrypted, as far as it is known."""
        return is_encrypted(self.transport) if self._client is None else self._client.is_encrypted

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read the current request."""
        return self.is_encrypted or (self._client is None and is_from_here(self.transport))

    @property
    def local_address(self) -> str:
        """The address of this computer that the client has connected to; "" on a local socket."""
        return getattr(self.transport.getHost(), "host", None) or ""

    @property
    def path(self) -> bytes:
        """The path of the request whose head has been read, without its arguments."""
        return bytes(self._path).partition(b"?")[0]

    def _turn_away(self) -> None:
        """Close at once."""
        self.bounds.connections.report_refused(self.address)
        self.transport.abortConnection()

    def _know_client(self) -> bool:
        """Learn who sends the request whose headers are complete, and count it; return False after a refusal."""
        if self in self.bounds.spare and self.path not in self.bounds.spare.paths:
            self.refuse(503)
        elif self._peer in self.bounds.proxies:
            self._ask_proxy()
        return not self.is_refused

    def _ask_proxy(self) -> None:
        """Learn the client from the headers of a proxy, or refuse the request. Its stream carries several clients."""
        headers = self.requests[-1].requestHeaders
        try:
            self._client = self.bounds.proxies.client(
                lambda name: [each.decode("latin-1") for each in headers.getRawHeaders(name.encode("ascii"), [])]
            )
        except ValueError:
            self.refuse(400)
            return
        place, connections = self.place, self.bounds.connections
        if self._client is None or place is None:
            return
        if not connections.name_host(place, self._client.host, self.bounds.clock.seconds()):
            connections.report_refused(self.address)
            self.refuse(503)

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the client."""
        if self._owner is not None:
            self._owner.received(data)
        elif not self.is_refused and (self.place is not None or self in self.bounds.spare):
            self._unread += data
            self._intake.begin()

    def _take_slice(self) -> bool:
        """Read until one request is complete, but at most HTTP_SLICE bytes; return whether more can be read."""
        left, requests = HTTP_SLICE, self._requests
        while self._unread and left > 0 and self._requests == requests and self._may_read():
            end = self._unread.find(_END_OF_HEAD, 0, left)
            size = left if end < 0 else end + len(_END_OF_HEAD)
            piece, self._unread = self._unread[:size], self._unread[size:]
            left -= size
            super().dataReceived(piece)
        if self._owner is not None:
            rest, self._unread = self._unread, b""
            self._owner.received(rest)
            return False
        if self._unread and self._may_read():
            return True
        self.read_if_possible()
        return False

    def _may_read(self) -> bool:
        """Return whether the next request may be read: not during a response, nor while the client does not read."""
        return not (self._is_responding or self.is_full or self.is_refused or self._end)

    def read_if_possible(self) -> None:
        """Read from the transport, unless earlier input waits or the client does not read."""
        if self._owner is None and self._end is None:
            if self._unread or self.is_full:
                self.transport.pauseProducing()
            else:
                self.transport.resumeProducing()

    def _go_on(self) -> None:
        """Read the requests that have waited."""
        if self._owner is None:
            self.read_if_possible()
            self._intake.begin()

    def resetTimeout(self) -> None:
        """Do not extend the time for a request."""

    def headerReceived(self, line: bytes) -> bool:
        """Take a header; refuse a length with too many digits, and codings of a body besides chunks."""
        name, _, content = line.partition(b":")
        kind = name.strip().lower()
        if len(content) > MAX_LENGTH_DIGITS + 1 and kind == b"content-length":
            self.refuse(413)
            return False
        if kind == b"transfer-encoding" and not _is_chunked(content):
            self.refuse(501)
            return False
        return not self.is_refused and bool(super().headerReceived(line))

    def allHeadersReceived(self) -> None:
        """Read the body, unless the request is refused."""
        if not self.is_refused and self._know_client():
            super().allHeadersReceived()

    def _send100Continue(self) -> None:
        """Ask for the body, unless the request is refused, or has none."""
        if not self.is_refused and self.length != 0:
            super()._send100Continue()

    def _respondToBadRequestAndDisconnect(self) -> None:
        """Refuse a request that cannot be read, as for two lengths, or for chunks twice."""
        self.refuse(400)

    def allContentReceived(self) -> None:
        """Respond to the request, unless it is refused."""
        if not self.is_refused:
            self._is_responding = True
            self._requests += 1
            if self.place is not None:
                self.place.wake()
            super().allContentReceived()

    def requestDone(self, request: BoundedRequest) -> None:
        """Go on to the next request."""
        self._is_responding = False
        request.release_body()
        if self.place is not None:
            if self._client is not None and self._owner is None:
                self._client = None
                self.place.name_host("")
            self.place.rest()
        super().requestDone(request)
        self._go_on()

    def lineLengthExceeded(self, line: bytes) -> None:
        """Refuse a header line that is too long."""
        self.refuse(400)

    def rawDataReceived(self, data: bytes) -> None:
        """Take bytes of a body, or bytes that arrived right after the request that handed over."""
        if self._owner is not None:
            self._owner.received(data)
        else:
            super().rawDataReceived(data)

    def pauseProducing(self) -> None:
        """Write no more for now: the transport is full."""
        self.is_full = True
        if self._owner is not None:
            self._owner.pause()
        else:
            super().pauseProducing()

    def resumeProducing(self) -> None:
        """Write again."""
        self.is_full = False
        if self._owner is not None:
            self._owner.resume()
        else:
            super().resumeProducing()
            self._go_on()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Clean up: the stream has gone."""
        self._intake.close()
        self.bounds.spare.leave(self)
        for request in self.requests:
            request.release_body()
        super().connectionLost(reason)
        if self._end is not None and self._end.active():
            self._end.cancel()
        if self._owner is not None:
            self._owner.lost()
        if self.place is not None:
            self.place.leave()


def _is_chunked(header: bytes) -> bool:
    """Return whether a body comes in chunks; more than once is not allowed, but no other coding either."""
    return {coding.strip().lower() for coding in header.split(b",")} == {b"chunked"}


class _Reading:
    """The reading side of a channel's transport."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def pauseProducing(self) -> None:
        """Read nothing for now."""
        self._channel.transport.pauseProducing()

    def resumeProducing(self) -> None:
        """Read again, if the channel can."""
        self._channel.read_if_possible()

    def abortConnection(self) -> None:
        """Close at once."""
        self._channel.transport.abortConnection()


class BoundedRequest(Request):
    """A request whose body is refused as soon as it is too long."""

    channel: Channel
    content: BytesIO
    came_from: tuple[str, str] = "", ""
    """The client's host ("" on a local socket) and its name in the log, also after it has gone."""

    def __init__(self, channel: Channel, *args: object, **kwargs: object) -> None:
        super().__init__(channel, *args, **kwargs)
        self._most = SMALL_BODY
        """The longest body that is read."""
        self._counted = 0
        """Bytes of the body that count against the budget for all bodies."""

    def gotLength(self, length: int | None) -> None:
        """Prepare for a body of this length, or refuse it. The length is None if the body comes in chunks."""
        self.came_from = self.channel.host, self.channel.address
        self.content = BytesIO()
        if self.channel.bounds.is_known(self):
            self._most = MAX_BODY
        self._most = self.channel.bounds.body_limits.get(self.channel.path, self._most)
        if length is not None and length > self._most:
            self.channel.refuse(413)

    def handleContentChunk(self, data: bytes) -> None:
        """Take a part of the body. Bodies beyond a small one need room for all of their bytes."""
        if self.content.closed or self.channel.is_refused:  # the decoder of chunks goes on regardless
            return
        length = self.content.tell() + len(data)
        if length > self._most:
            self.channel.refuse(413)
        elif length > SMALL_BODY and not self._count(length - self._counted):
            self.channel.refuse(503)
        else:
            super().handleContentChunk(data)

    def _count(self, size: int) -> bool:
        is_counted = self.channel.bounds.bodies.take(host_of(self.channel.host), size)
        if is_counted:
            self._counted += size
        return is_counted

    def release_body(self) -> None:
        """Stop counting the body: the request is answered, or will never be complete."""
        self.channel.bounds.bodies.give_back(host_of(self.channel.host), self._counted)
        self._counted = 0

    def render(self, resrc: IResource) -> Any:
        """Respond, with the headers of every response."""
        self.setHeader(b"Server", b"ump")
        self.setHeader(b"Cache-Control", b"no-store")
        self.setHeader(b"X-Content-Type-Options", b"nosniff")
        if self.isSecure():  # before a proxy, only the proxy knows whether its host also serves without TLS
            self.setHeader(b"Strict-Transport-Security", b"max-age=31536000")
        self.setHeader(b"Content-Type", b"text/plain; charset=UTF-8")
        return super().render(resrc)
