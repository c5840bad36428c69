"""WebSockets: checks the handshake, and carries a connection over text frames.

Twisted's own WebSockets put no limit on a message's length.
"""

from __future__ import annotations

import binascii
import dataclasses
import re
from base64 import b64decode
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias, assert_never, cast

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.web.server import NOT_DONE_YET, Request
from wsproto.connection import Connection as Frames
from wsproto.connection import ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, Pong, TextMessage
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import generate_accept_token

from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections, Said
from ump.net.http.channel import Channel
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    address_of,
    argument_of,
    headers_of,
    refuse_other_origins,
    session_of,
)
from ump.net.limits import CLOSE_SECONDS, MAX_LINES_FRAME, PING_INTERVAL, SLICE
from ump.net.turns import Intake
from ump.wire.dialect import Caller, Dialect, Framing, RoomInfo, TokenUse, WebSocketPath
from ump.wire.names import check_name
from ump.wire.session import Introduction, Session
from ump.wire.text import WireError

FrameEvent: TypeAlias = TextMessage | BytesMessage | Ping | Pong | CloseConnection
"""The events that ``Frames`` can return for a client's bytes after the handshake."""


class WebSocket:
    """Reads and writes frames. A client that does not read is kept waiting, then cut."""

    transport_name = "websocket"
    _log = Logger()

    def __init__(
        self,
        channel: Channel,
        address: tuple[str, str],
        connection: Connection,
        clock: IReactorTime,
        framing: Framing,
    ) -> None:
        """Take over a channel whose client has this host and this name in the log.

        ``framing`` says how many messages a frame holds.
        """
        self.host, self.peer = address
        self.connection = connection
        self.is_private = channel.is_private
        self._transport = channel.transport
        self._place = channel.place
        self._clock = clock
        self._framing = framing
        self._frames = Frames(ConnectionType.SERVER)
        self._intake = Intake(channel.turns, channel.transport, self._take_slice, connection.useless.pass_over)
        self._lines: deque[bytes] = deque()
        """The lines of a frame, as far as they have not been passed on."""
        self._text = bytearray()
        """The part that has arrived of an unfinished text."""
        self._unsent = bytearray()
        """Data kept while the client does not read."""
        self._is_paused = channel.is_full
        self._pong: Ping | None = None
        """The last ping that came while the client did not read. The earlier ones need no answer."""
        self._is_ending = False
        """Whether the closing frame has been sent, so that no message follows."""
        self._is_deaf = False
        """Whether all input is ignored, even the client's closing frame."""
        self._code = CloseReason.NORMAL_CLOSURE
        self._end: IDelayedCall | None = None
        self._ping: IDelayedCall | None = None
        self._is_silent = False
        """Whether nothing has come since the last ping, which every browser answers by itself."""

    def open(self) -> None:
        """Start the pings, and open the connection."""
        self._transport.setTcpKeepAlive(True)
        self._ping = self._clock.callLater(PING_INTERVAL, self._send_ping)
        self.connection.open(self, place=self._place)

    # Called by the channel

    def received(self, data: bytes) -> None:
        """Take bytes from the client."""
        self._is_silent = False
        if self._is_deaf:
            return
        self._frames.receive_data(data)
        self._intake.begin()

    def pause(self) -> None:
        """Keep data from now on: the transport is full."""
        self._is_paused = True

    def resume(self) -> None:
        """Send the data that was kept."""
        self._is_paused = False
        if self._unsent:
            data = bytes(self._unsent)
            self._unsent.clear()
            self._transport.write(data)
        if self._pong is not None and not self._is_ending:
            ping, self._pong = self._pong, None
            self._write(self._frames.send(ping.response()))

    def lost(self) -> None:
        """Clean up: the stream has gone."""
        self._is_ending = self._is_deaf = True
        self._intake.close()
        for call in (self._end, self._ping):
            if call is not None and call.active():
                call.cancel()
        self.connection.lost()

    # Called by the connection

    def send(self, messages: list[str]) -> None:
        """Send messages in one write: each in a separate frame, or all lines in one frame."""
        if self._is_ending:
            return
        texts = ["\n".join(messages)] if self._framing is Framing.LINES else messages
        self._write(b"".join(self._frames.send(TextMessage(text)) for text in texts))

    def stop_reading(self) -> None:
        """Read nothing more, not even the client's closing frame."""
        self._is_deaf = True
        self._intake.stop()
        self._lines.clear()

    def end(self) -> None:
        """Send the rest and a closing frame, and wait a while for the client's, unless nothing is read any more."""
        if not self._is_ending:
            self._unsent += self._frames.send(CloseConnection(self._code))
            self._stop()
            if self._is_deaf:
                self._transport.loseConnection()

    def cut(self) -> None:
        """Close at once."""
        self._is_ending = self._is_deaf = True
        self._transport.abortConnection()

    def _stop(self) -> None:
        """Hand the rest to the transport, and cut it if it does not close in time."""
        self._is_ending = True
        self._transport.unregisterProducer()  # with a producer TLS would never finish
        self.resume()
        self._end = self._clock.callLater(CLOSE_SECONDS, self._transport.abortConnection)

    def _write(self, data: bytes) -> None:
        if not self._is_paused:
            self._transport.write(data)
            return
        self._unsent += data
        if len(self._unsent) > self.connection.limits.unread:
            if self.connection.may_log(Said.CUT):
                self._log.info("{peer}: cut: the client does not read", peer=self.peer)
            self.connection.cut()

    def _send_ping(self) -> None:
        """Show proxies on the way that the connection is alive; cut a person who is not there any more.

        A program may be busy for longer than that.
        """
        if self._is_ending:
            return
        if self._is_silent and self.connection.session.is_person:
            self.connection.cut()
            return
        if not self._is_paused:
            self._transport.write(self._frames.send(Ping()))
            self._is_silent = True
        self._ping = self._clock.callLater(PING_INTERVAL, self._send_ping)

    # Frames

    def _take_slice(self) -> bool:
        """Take a few frames or lines; return whether there may be more."""
        events = cast("Iterator[FrameEvent]", self._frames.events())
        for _ in range(SLICE):
            if self._lines:
                self._take_line()
                continue
            event = None if self._is_deaf else next(events, None)
            if event is None:
                return False
            self._take(event)
        return True

    def _take(self, event: FrameEvent) -> None:
        match event:
            case TextMessage():
                self._take_text(event)
            case Ping():
                self._take_ping(event)
            case BytesMessage() | Pong():
                self._count_idle_frame()
            case CloseConnection():
                self._take_close(event)
            case _:
                assert_never(event)

    def _take_text(self, event: TextMessage) -> None:
        """Take a part of a text; pass the text on when it is complete."""
        if self._is_ending:
            return
        if not event.data and not event.message_finished:
            self._count_idle_frame()
        self._text += event.data.encode()
        is_message = self._framing is Framing.MESSAGE
        if len(self._text) > (self.connection.max_message if is_message else MAX_LINES_FRAME):
            self._exceed()
        elif event.message_finished:
            text = bytes(self._text)
            self._text.clear()
            if is_message:
                self.connection.receive(text)
            else:
                self._lines.extend(text.removesuffix(b"\n").split(b"\n"))

    def _take_line(self) -> None:
        """Pass on a line of a frame; ignore those after the end."""
        message = self._lines.popleft().removesuffix(b"\r")
        if self._is_ending:
            self._lines.clear()
        elif len(message) > self.connection.max_message:
            self._exceed()
        else:
            self.connection.receive(message)

    def _exceed(self) -> None:
        """Close the connection, because a message is too long."""
        self._text.clear()
        self._code = CloseReason.MESSAGE_TOO_BIG
        self.connection.exceed()

    def _take_ping(self, event: Ping) -> None:
        self._count_idle_frame()
        if self._is_ending:
            return
        if self._is_paused:
            self._pong = event
        else:
            self._transport.write(self._frames.send(event.response()))

    def _count_idle_frame(self) -> None:
        """Count a frame without a message. Too many of them end the connection, as too many lines do."""
        if self.connection.useless.are_too_many(self._clock.seconds()) and not self._is_ending:
            self.connection.violate("too many frames without a message")

    def _take_close(self, event: CloseConnection) -> None:
        """Answer the client's closing frame, or invalid bytes; or take the answer to ours. Then close the stream."""
        self._is_deaf = True
        if not self._is_ending:
            if self._frames.state is ConnectionState.OPEN:  # no closing frame of the client has come
                self.connection.count_violation()
            self._unsent += self._frames.send(event.response())
            self._stop()
        elif self._frames.state is not ConnectionState.CLOSED:
            self.cut()
            return
        self._transport.loseConnection()


# The handshake

VERSION = "13"
"""The version of the WebSocket protocol."""

_BEARER = re.compile(r"bearer +([\x21-\x7e]+)", re.IGNORECASE)


class RoomHost:
    """A host that sends clients to the room in their URL if they name none themselves."""

    def __init__(self, host: Host, room: str) -> None:
        self._host = host
        self._room = room

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Pass a connection on to the host, with the room."""
        if introduction.room is None and introduction.watch is None:
            introduction = dataclasses.replace(introduction, room=self._room)
        self._host.welcome(connection, introduction)


class WebSocketResource(LeafResource):
    """A path whose requests become WebSockets of one dialect, with the client's name, room and token."""

    def __init__(
        self,
        dialect: Dialect,
        path: WebSocketPath,
        rooms: Sequence[RoomInfo],
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
    ) -> None:
        """Serve a dialect at one of its paths. ``rooms`` are those of the server."""
        super().__init__()
        self._dialect = dialect
        self._path = path
        self._rooms = rooms
        self._host = host
        self._connections = connections
        self._clock = clock

    def respond(self, request: Request) -> int:
        """Turn a request into a WebSocket; raises RequestRefused."""
        accept = _accept_token(request)
        refuse_other_origins(request)
        caller = self._caller(request)
        host = self._host if caller.room is None else RoomHost(self._host, caller.room)
        cookie = session_of(request)
        connection = Connection(self._session_of(caller), host, self._connections, self._clock, cookie)
        channel = request.channel
        assert isinstance(channel, Channel)
        channel.transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + self._subprotocol(request) + b"\r\n\r\n"
        )
        socket = WebSocket(channel, address_of(request), connection, self._clock, self._path.framing)
        channel.hand_over(socket)
        socket.open()
        return NOT_DONE_YET

    def _caller(self, request: Request) -> Caller:
        """Return the facts in a request about its client; raises RequestRefused."""
        return Caller(
            tuple(self._rooms),
            name=_name_in(request, "name"),
            room=self._path.room or _name_in(request, "room"),
            token=self._token(request),
            riichienv=argument_of(request, "riichienv"),
            wants_advice=argument_of(request, "advice") == "1",
        )

    def _session_of(self, caller: Caller) -> Session:
        try:
            return self._dialect.open_session(caller)
        except WireError as error:
            raise RequestRefused(400, str(error)) from error

    def _subprotocol(self, request: Request) -> bytes:
        """Return the header that confirms the path's subprotocol, if the client offers it; others are not confirmed."""
        name = self._path.subprotocol
        if name is None or name not in _words(headers_of(request, "sec-websocket-protocol")):
            return b""
        return b"\r\nSec-WebSocket-Protocol: " + name.encode("ascii")

    def _token(self, request: Request) -> str | None:
        """Return the bearer token of a request, and behind a space the session that its URL names, if any."""
        use = self._path.token
        if use is TokenUse.IGNORED or (use is TokenUse.OPTIONAL and not headers_of(request, "authorization")):
            return None
        session = _name_in(request, "session")
        token = _token_of(request)
        return token if session is None else f"{token} {session}"


def _accept_token(request: Request) -> bytes:
    """Return the header that accepts a handshake; raises RequestRefused if the request is not a handshake."""
    upgrade, connection = (_words(headers_of(request, name)) for name in ("upgrade", "connection"))
    if request.clientproto != b"HTTP/1.1" or "websocket" not in upgrade or "upgrade" not in connection:
        raise RequestRefused(426, "expected a WebSocket handshake", ("Upgrade", "websocket"), ("Connection", "Upgrade"))
    if headers_of(request, "sec-websocket-version") != [VERSION]:
        raise RequestRefused(426, f"expected WebSocket version {VERSION}", ("Sec-WebSocket-Version", VERSION))
    keys = headers_of(request, "sec-websocket-key")
    try:
        is_key = len(keys) == 1 and len(b64decode(keys[0], validate=True)) == 16
    except (binascii.Error, ValueError):
        is_key = False
    if not is_key:
        raise RequestRefused(400, "Sec-WebSocket-Key: expected 16 bytes in base64")
    return generate_accept_token(keys[0].encode())


def _words(headers: list[str]) -> list[str]:
    return [word.strip().lower() for header in headers for word in header.split(",")]


def _name_in(request: Request, argument: str) -> str | None:
    """Return the name of a player or a room in the URL, or None; raises RequestRefused if it is not a valid name."""
    name = argument_of(request, argument)
    try:
        return None if name is None else check_name(name, argument)
    except WireError as error:
        raise RequestRefused(400, str(error)) from error


def _token_of(request: Request) -> str:
    """Return the bearer token of a request; raises RequestRefused if it has none."""
    headers = headers_of(request, "authorization")
    found = _BEARER.fullmatch(headers[0]) if len(headers) == 1 else None
    if found is None:
        raise RequestRefused(401, "expected Authorization: Bearer TOKEN", ("WWW-Authenticate", "Bearer"))
    return found.group(1)
