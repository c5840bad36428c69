"""One stream of HTTP: its requests are bounded before they are read, and it may become something else."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any, Protocol

from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.python.failure import Failure
from twisted.web.http import RESPONSES, HTTPChannel
from twisted.web.resource import IResource
from twisted.web.server import Request, Site

from ump.net.http.limits import MAX_BODY, MAX_HEAD, MAX_HEADERS, MAX_LENGTH_DIGITS, REQUEST_SECONDS
from ump.net.limits import CLOSE_SECONDS


class Successor(Protocol):
    """What has taken a stream over from HTTP."""

    def received(self, data: bytes) -> None:
        """Take bytes."""

    def pause(self) -> None:
        """The transport has enough for now."""

    def resume(self) -> None:
        """The transport takes more."""

    def lost(self) -> None:
        """The stream is gone."""


class Channel(HTTPChannel):
    """A stream that speaks HTTP, until a request hands it over.

    Time is counted from the end of one request to the end of the next: a byte now and then gains nothing.
    """

    transport: TCPConnection
    requests: list[BoundedRequest]
    maxHeaders = MAX_HEADERS
    totalHeadersSize = MAX_HEAD
    MAX_LENGTH = MAX_HEAD

    def __init__(self, site: Site, leave: Callable[[], None]) -> None:
        """``leave`` is called once, when the stream is gone."""
        super().__init__()
        self.factory = self.site = site
        self.requestFactory = site.requestFactory
        self.timeOut = REQUEST_SECONDS
        self.is_full = False
        """Whether the transport has enough for now."""
        self._leave = leave
        self._successor: Successor | None = None
        self._is_refused = False
        self._end: IDelayedCall | None = None

    def hand_over(self, successor: Successor) -> None:
        """Let another take everything that comes from now on, and what has come already."""
        self._successor = successor
        self.transport.resumeProducing()  # HTTP stops reading while it cannot write

    def refuse(self, code: int) -> None:
        """Answer what cannot be read any further, and close."""
        if self._is_refused:
            return
        self._is_refused = True
        reason = RESPONSES[code]
        self.transport.write(
            b"HTTP/1.1 %d %s\r\nContent-Length: 0\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
            % (code, reason)
        )
        self.loseConnection()

    def loseConnection(self) -> None:
        """Close when everything is sent, or after a while without."""
        if self._end is None:
            self._end = self.callLater(CLOSE_SECONDS, self.transport.abortConnection)
        super().loseConnection()

    def timeoutConnection(self) -> None:
        """Close: no request came in time. Browsers keep streams for later, so this is nothing for the log."""
        self.loseConnection()

    def callLater(self, period: float, func: Callable[[], object]) -> IDelayedCall:
        """Call in so many seconds of the site's clock."""
        return self.site.reactor.callLater(period, func)

    # The stream's side

    def dataReceived(self, data: bytes) -> None:
        """Take bytes."""
        if self._successor is not None:
            self._successor.received(data)
        elif not self._is_refused:
            super().dataReceived(data)

    def resetTimeout(self) -> None:
        """Gain no time by a few bytes."""

    def headerReceived(self, line: bytes) -> bool:
        """Take a header, unless it is a length that nothing has."""
        name, _, content = line.partition(b":")
        if len(content) > MAX_LENGTH_DIGITS + 1 and name.strip().lower() == b"content-length":
            self.refuse(413)
            return False
        return not self._is_refused and bool(super().headerReceived(line))

    def allHeadersReceived(self) -> None:
        """Go on, unless the request is refused."""
        if not self._is_refused:
            super().allHeadersReceived()

    def allContentReceived(self) -> None:
        """Answer the request, unless it is refused."""
        if not self._is_refused:
            super().allContentReceived()

    def lineLengthExceeded(self, line: bytes) -> None:
        """Refuse: no header is as long."""
        self.refuse(400)

    def rawDataReceived(self, data: bytes) -> None:
        """Take what is no line: a body, or what came behind the request that handed over."""
        if self._successor is not None:
            self._successor.received(data)
        else:
            super().rawDataReceived(data)

    def pauseProducing(self) -> None:
        """Write no more for now."""
        self.is_full = True
        if self._successor is not None:
            self._successor.pause()
        else:
            super().pauseProducing()

    def resumeProducing(self) -> None:
        """Write again."""
        self.is_full = False
        if self._successor is not None:
            self._successor.resume()
        else:
            super().resumeProducing()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """It is over."""
        super().connectionLost(reason)
        if self._end is not None and self._end.active():
            self._end.cancel()
        if self._successor is not None:
            self._successor.lost()
        self._leave()


class BoundedRequest(Request):
    """A request whose body is refused where it becomes too long, before it is kept."""

    channel: Channel
    content: BytesIO

    def gotLength(self, length: int | None) -> None:
        """Begin with the body, or refuse it; the length is None where the body comes in chunks."""
        self.content = BytesIO()
        if length is not None and length > MAX_BODY:
            self.channel.refuse(413)

    def handleContentChunk(self, data: bytes) -> None:
        """Take some of the body."""
        if self.content.tell() + len(data) > MAX_BODY:
            self.channel.refuse(413)
        else:
            super().handleContentChunk(data)

    def render(self, resrc: IResource) -> Any:
        """Answer, with the headers that every answer has."""
        self.setHeader(b"Server", b"ump")
        self.setHeader(b"Cache-Control", b"no-store")
        self.setHeader(b"X-Content-Type-Options", b"nosniff")
        self.setHeader(b"Content-Type", b"text/plain; charset=UTF-8")
        return super().render(resrc)
