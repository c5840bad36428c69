"""HTTP channels: one TCP connection each, with limits on its requests. A WebSocket may take a channel over."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any, Protocol

from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.python.failure import Failure
from twisted.web.http import RESPONSES, HTTPChannel
from twisted.web.http import Request as HTTPRequest
from twisted.web.resource import IResource
from twisted.web.server import Request, Site

from ump.net.limits import (
    CLOSE_SECONDS,
    HTTP_SLICE,
    MAX_BODY,
    MAX_HEAD,
    MAX_HEADERS,
    MAX_LENGTH_DIGITS,
    REQUEST_SECONDS,
)
from ump.net.turns import Intake, Turns

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

    def __init__(self, site: Site, turns: Turns, leave: Callable[[], None]) -> None:
        """Serve a site, in its turns; ``leave`` is called once, when the stream has gone."""
        super().__init__()
        self.factory = self.site = site
        self.requestFactory = site.requestFactory
        self.timeOut = REQUEST_SECONDS
        self.is_full = False
        """Whether the transport is full."""
        self.turns = turns
        """The turns in which input is read; an owner of the stream shares them."""
        self._leave = leave
        self._intake: Intake
        self._unread = b""
        """Bytes that have arrived, but have not been read as requests."""
        self._requests = 0
        """Complete requests so far."""
        self._is_responding = False
        """Whether a request is complete, and its response is not."""
        self._owner: StreamOwner | None = None
        self._is_refused = False
        self._end: IDelayedCall | None = None

    def hand_over(self, owner: StreamOwner) -> None:
        """Pass all further input to another object, including bytes that have already arrived."""
        self._owner = owner
        self._intake.close()
        self.transport.resumeProducing()  # HTTP stops reading while it cannot write

    def refuse(self, code: int) -> None:
        """Respond with an error to a request that is not read any further, and close."""
        if self._is_refused:
            return
        self._is_refused = True
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
        """Wait for the first request."""
        self._intake = Intake(self.turns, _Reading(self), self._take_slice)
        super().connectionMade()

    def dataReceived(self, data: bytes) -> None:
        """Take bytes from the client."""
        if self._owner is not None:
            self._owner.received(data)
        elif not self._is_refused:
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
        return not (self._is_responding or self.is_full or self._is_refused or self._end)

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
        """Take a header; refuse a length with too many digits."""
        name, _, content = line.partition(b":")
        if len(content) > MAX_LENGTH_DIGITS + 1 and name.strip().lower() == b"content-length":
            self.refuse(413)
            return False
        return not self._is_refused and bool(super().headerReceived(line))

    def allHeadersReceived(self) -> None:
        """Read the body, unless the request is refused."""
        if not self._is_refused:
            super().allHeadersReceived()

    def allContentReceived(self) -> None:
        """Respond to the request, unless it is refused."""
        if not self._is_refused:
            self._is_responding = True
            self._requests += 1
            super().allContentReceived()

    def requestDone(self, request: HTTPRequest) -> None:
        """Go on to the next request."""
        self._is_responding = False
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
        super().connectionLost(reason)
        if self._end is not None and self._end.active():
            self._end.cancel()
        if self._owner is not None:
            self._owner.lost()
        self._leave()


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

    def gotLength(self, length: int | None) -> None:
        """Prepare for a body of this length, or refuse it. The length is None if the body comes in chunks."""
        self.content = BytesIO()
        if length is not None and length > MAX_BODY:
            self.channel.refuse(413)

    def handleContentChunk(self, data: bytes) -> None:
        """Take a part of the body."""
        if self.content.tell() + len(data) > MAX_BODY:
            self.channel.refuse(413)
        else:
            super().handleContentChunk(data)

    def render(self, resrc: IResource) -> Any:
        """Respond, with the headers of every response."""
        self.setHeader(b"Server", b"ump")
        self.setHeader(b"Cache-Control", b"no-store")
        self.setHeader(b"X-Content-Type-Options", b"nosniff")
        self.setHeader(b"Content-Type", b"text/plain; charset=UTF-8")
        return super().render(resrc)
