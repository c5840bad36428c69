"""The HTTP port in memory, with streams, WebSockets and clients that poll."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from support.memory_server import ReactorClock, proxied
from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IAddress
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from wsproto.connection import Connection as Frames
from wsproto.connection import ConnectionType
from wsproto.events import CloseConnection, Event, TextMessage

from ump.model.claims import Reason
from ump.model.seats import Seat
from ump.net.connection import Connection
from ump.net.connection_budget import LOOPBACK, NetworkList, read_network
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import DIALECTS
from ump.net.http.channel import Channel
from ump.net.http.forwarded import TrustedProxies
from ump.net.limits import SLICE_PAUSE, Limits
from ump.net.proxy_header import ProxyHeader
from ump.rules.presets import PRESETS
from ump.server.http.api import PageSources
from ump.server.http.operator_pages import status_pages
from ump.server.http.site import BoundedSite, make_site
from ump.server.status import ErrorCount, GameTotals, StatusSource, TurnDelay
from ump.wire.dialect import Caller, Dialect, RoomInfo
from ump.wire.session import (
    Farewell,
    InStep,
    Introduced,
    Introduction,
    OutgoingEvent,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Violated,
)

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
"""The key of the example in RFC 6455, and what proves that it was read."""
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

ROOMS = (RoomInfo("main", PRESETS["ump"], 3, 10.0, 20.0),)
"""The rules of the server's first room."""

UPGRADE = {
    "Host": "here.example:4615",
    "Upgrade": "websocket",
    "Connection": "keep-alive, Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": KEY,
}
"""The headers of a request for a WebSocket."""

POLLING = "/socket.io/?EIO=4&transport=polling"


class EchoSession(Session):
    """A session that repeats each message in JSON, and acts on a few of them: enough to test carriers."""

    __slots__ = ("_greeting", "_is_closing", "_room", "heard")
    MAX_MESSAGE = 1_000

    def __init__(self, greeting: list[Any] | None = None, room: str | None = None) -> None:
        super().__init__()
        self._greeting = greeting
        self._room = room
        self._is_closing = False
        self.heard: list[bytes] = []

    def receive(self, message: bytes, now: float) -> Received:
        """Repeat a message, or act on it."""
        if self._is_closing:
            return Stale(Staleness.CLOSING)
        self.heard.append(message)
        words: dict[bytes, Received] = {
            b'["hello"]': Introduced(Introduction(room=self._room)),
            b'["leave"]': Farewell(),
            b'["wrong"]': Violated("that is wrong"),
            b'["idle"]': Stale(Staleness.NO_QUESTION),
        }
        if message in words:
            return words[message]
        self._out.append(json.dumps(["you said", message.decode()]))
        return InStep()

    def say(self, *messages: str) -> None:
        """Send messages."""
        self._out += messages

    def greet(self) -> None:
        """Send the greeting."""
        if self._greeting is not None:
            self._out.append(json.dumps(self._greeting))

    def bye(self) -> None:
        """Send bye."""
        self._out.append('["bye"]')

    def error(self, message: str) -> None:
        """Send an error."""
        self._out.append(json.dumps(["error", message]))

    def close(self) -> None:
        """Ignore all further messages."""
        self._is_closing = True

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Ignore events."""

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ignore questions."""

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Ignore lapses."""

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Ignore refusals."""

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Ignore seats."""

    def stand(self) -> None:
        """Ignore seats."""


class RecordingLobby:
    """A host that records each connection, and gives it no place."""

    def __init__(self) -> None:
        self.came: list[tuple[Connection, Introduction]] = []

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Note a connection."""
        self.came.append((connection, introduction))


class WebTransport(StringTransport):
    """A transport in memory that closes at once unless it is stuck, and tells its producer when it is full."""

    def __init__(self, peer: IAddress) -> None:
        super().__init__(hostAddress=IPv4Address("TCP", "192.0.2.77", 4615), peerAddress=peer, lenient=True)
        self.is_stuck = False
        """Whether the client does not read the rest when the server closes."""
        self.was_aborted = False
        self.channel: Channel | None = None

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Ignore the setting."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Ignore the setting."""

    def unregisterProducer(self) -> None:
        """Forget the producer, if there is one: as real transports do."""
        self.producer = self.streaming = None

    def loseConnection(self) -> None:
        """Close, unless the client is stuck."""
        self.disconnecting = True
        if not self.is_stuck:
            self.lose()

    def abortConnection(self) -> None:
        """Close at once."""
        self.disconnecting = self.was_aborted = True
        self.lose()

    def lose(self) -> None:
        """Lose the connection."""
        if self.connected and self.channel is not None:
            channel, self.channel, self.producer = self.channel, None, None  # as a socket forgets both
            self.connected = False
            channel.connectionLost(Failure(ConnectionDone()))


class HttpResponse:
    """One HTTP response, as read from a stream."""

    def __init__(self, code: int, headers: dict[str, str], body: bytes) -> None:
        self.code = code
        self.headers = headers
        """The headers by name, in lower case."""
        self.body = body

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


class HttpStream:
    """One TCP connection to the site."""

    def __init__(self, channel: Channel, wire: WebTransport, clock: ReactorClock) -> None:
        self.channel = channel
        self._clock = clock
        self.wire = wire
        self._unread = b""

    @property
    def is_connected(self) -> bool:
        """Whether the server has not closed."""
        return bool(self.wire.connected) and not self.wire.disconnecting

    def send(self, data: bytes, *, bytewise: bool = False) -> None:
        """Send bytes, as far as the server still reads, and let it read them all."""
        for piece in [data[i : i + 1] for i in range(len(data))] if bytewise else [data]:
            if self.is_connected:
                self.channel.dataReceived(piece)
                while self.channel.turns:
                    self._clock.advance(SLICE_PAUSE)

    def send_at_once(self, data: bytes) -> None:
        """Send bytes, of which the server reads no more than the first slice before its next turn."""
        self.channel.dataReceived(data)

    def take(self) -> bytes:
        """Return what the server has written since the last call."""
        written = bytes(self.wire.value())
        self.wire.clear()
        return written

    def ask(
        self,
        path: str,
        headers: dict[str, str] | None = None,
        *,
        method: str = "GET",
        body: bytes | None = None,
        bytewise: bool = False,
    ) -> None:
        """Send a request."""
        self.send(request(path, headers, method=method, body=body), bytewise=bytewise)

    def answers(self) -> list[HttpResponse]:
        """Return the complete responses received since the last call."""
        self._unread += self.take()
        answers = []
        while b"\r\n\r\n" in self._unread:
            head, _, rest = self._unread.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): content for name, _, content in (line.partition(": ") for line in lines)}
            headers |= _cookies_of(lines)
            length = int(headers.get("content-length", "0"))
            if len(rest) < length:
                break
            answers.append(HttpResponse(int(first.split()[1]), headers, rest[:length]))
            self._unread = rest[length:]
        return answers

    def fetch(
        self,
        path: str,
        headers: dict[str, str] | None = None,
        *,
        method: str = "GET",
        body: bytes | None = None,
        bytewise: bool = False,
    ) -> HttpResponse:
        """Send a request, and return its response, which must be the only one."""
        self.ask(path, headers, method=method, body=body, bytewise=bytewise)
        (answer,) = self.answers()
        return answer


def _cookies_of(lines: Iterable[str]) -> dict[str, str]:
    """Return all cookies that the lines of a response set, as one header."""
    prefix = "set-cookie: "
    cookies = [line[len(prefix) :] for line in lines if line.lower().startswith(prefix)]
    return {"set-cookie": "; ".join(cookies)} if cookies else {}


def request(
    path: str, headers: dict[str, str] | None = None, *, method: str = "GET", body: bytes | None = None
) -> bytes:
    """Return the bytes of a request."""
    said = {"Host": "here.example:4615"} | (headers or {})
    if body is not None:
        said["Content-Length"] = str(len(body))
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {content}" for name, content in said.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + (body or b"")


class WebSocketClient:
    """A client with a WebSocket."""

    def __init__(self, stream: HttpStream) -> None:
        self.stream = stream
        self._frames = Frames(ConnectionType.CLIENT)

    def send(self, *events: Event, bytewise: bool = False) -> None:
        """Send frames in one write."""
        self.stream.send(b"".join(self._frames.send(event) for event in events), bytewise=bytewise)

    def say(self, *messages: str, bytewise: bool = False) -> None:
        """Send messages in one write."""
        self.send(*(TextMessage(message) for message in messages), bytewise=bytewise)

    def events(self) -> list[Event]:
        """Return the frames received since the last call."""
        self._frames.receive_data(self.stream.take())
        return list(self._frames.events())

    def heard(self) -> list[Any]:
        """Return the messages received since the last call, parsed; a close as its code."""
        return [
            json.loads(event.data) if isinstance(event, TextMessage) else event.code
            for event in self.events()
            if isinstance(event, TextMessage | CloseConnection)
        ]


class PollingClient:
    """A client that polls, with a new stream for each request."""

    def __init__(self, web: MemorySite, cookie: str | None) -> None:
        self._web = web
        self.headers = {} if cookie is None else {"Cookie": f"a=b; MAJIANG={cookie}"}
        self.sid = ""

    def open(self) -> HttpResponse:
        """Send the first request; note the id."""
        answer = self._web.fetch(POLLING, self.headers)
        if answer.code == 200:
            self.sid = json.loads(answer.text[1:])["sid"]
        return answer

    def post(self, body: str | bytes) -> HttpResponse:
        """Post packets."""
        data = body.encode() if isinstance(body, str) else body
        return self._web.fetch(f"{POLLING}&sid={self.sid}", self.headers, method="POST", body=data)

    def poll(self) -> HttpStream:
        """Poll; return the stream that will have the response."""
        stream = self._web.stream()
        stream.ask(f"{POLLING}&sid={self.sid}", self.headers)
        return stream

    def packets(self) -> list[str]:
        """Poll, and return the packets of an immediate response."""
        stream = self.poll()
        (answer,) = stream.answers()
        stream.wire.lose()
        return answer.text.split("\x1e")

    def connect(self) -> list[str]:
        """Open and connect; return the packets after the server's greeting."""
        self.open()
        assert self.post("40").text == "ok"
        greeting, *rest = self.packets()
        assert greeting.startswith('40{"sid":')
        return rest


class IdleRoom:
    """A room with two games and three players who wait."""

    name, running, waiting, next_round = "main", 2, 3, None


class MemorySite:
    """A site in memory. All of its dialects have EchoSessions, and its host is a RecordingLobby."""

    def __init__(self, limits: Limits | None = None, *, sources: PageSources | None = None) -> None:
        self.clock = ReactorClock()
        self.connections = OpenConnections(limits or Limits())
        self.totals, self.errors, self.delay = GameTotals(), ErrorCount(), TurnDelay(self.clock)
        self.status = StatusSource(
            lambda: [IdleRoom()], self.connections, self.totals, self.errors, self.delay, self.clock, None
        )
        readers = NetworkList(map(read_network, (*LOOPBACK, "198.51.100.0/24")))
        self.usher = RecordingLobby()
        self.sessions: list[EchoSession] = []
        self.callers: list[Caller] = []
        dialects = [replace(dialect, open_session=partial(self._open, dialect)) for dialect in DIALECTS]
        self.site: BoundedSite = make_site(
            ROOMS,
            self.usher,
            self.connections,
            self.clock,
            dialects,
            names=("here.example",),
            proxies=TrustedProxies(self.connections.limits.trusted_proxies),
            pages=status_pages(self.status, readers),
            sources=sources,
        )
        self.streams: list[HttpStream] = []

    def _open(self, dialect: Dialect, caller: Caller) -> Session:
        dialect.open_session(caller)  # may refuse the caller
        self.callers.append(caller)
        self.sessions.append(EchoSession(None if caller.login is None else ["HELLO", caller.login.name]))
        return self.sessions[-1]

    def stream(self, host: str = "192.0.2.1", header: ProxyHeader | None = None) -> HttpStream:
        """Let a client connect; ``header`` is that of a proxy before the site."""
        channel = self.site.buildProtocol(None)
        wire = WebTransport(IPv4Address("TCP", host, 40_000 + len(self.streams)))
        wire.channel = channel
        channel.makeConnection(wire if header is None else proxied(wire, header))
        stream = HttpStream(channel, wire, self.clock)
        self.streams.append(stream)
        return stream

    def socket(self, path: str = "/mjai", headers: dict[str, str] | None = None) -> WebSocketClient:
        """Let a client open a WebSocket."""
        stream = self.stream()
        stream.ask(path, UPGRADE | (headers or {}))
        head, _, rest = stream.take().partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 "), head
        stream.wire.write(rest)
        return WebSocketClient(stream)

    def fetch(
        self, path: str, headers: dict[str, str] | None = None, *, method: str = "GET", body: bytes | None = None
    ) -> HttpResponse:
        """Send a request over a stream of its own, and return its response."""
        stream = self.stream()
        answer = stream.fetch(path, headers, method=method, body=body)
        stream.wire.lose()
        return answer

    def log_in(self, name: str = "bot") -> str:
        """Log in; return the cookie."""
        body = urlencode({"name": name, "passwd": "*"}).encode()
        answer = self.fetch("/server/auth/", method="POST", body=body)
        assert answer.code == 302
        return answer.headers["set-cookie"].partition(";")[0].removeprefix("MAJIANG=")

    def client(self, name: str = "bot") -> PollingClient:
        """Return a client that has logged in and will poll."""
        return PollingClient(self, self.log_in(name))

    def say(self, which: int, *messages: str) -> None:
        """Let a session send messages."""
        self.sessions[which].say(*messages)
        for connection in self.connections:
            if isinstance(connection, Connection) and connection.session is self.sessions[which]:
                connection.flush()

    def close(self) -> None:
        """Close all streams, and check that no timer and no connection is left."""
        for stream in self.streams:
            stream.wire.lose()
        for connection in self.connections:  # clients that poll outlive their streams
            connection.cut()
        self.connections.log.close()
        assert not self.clock.getDelayedCalls()
        assert not len(self.connections)


@contextmanager
def memory_site(limits: Limits | None = None, *, sources: PageSources | None = None) -> Iterator[MemorySite]:
    """Open a site; after the test, close it and check that nothing is left."""
    opened = MemorySite(limits, sources=sources)
    yield opened
    opened.close()
