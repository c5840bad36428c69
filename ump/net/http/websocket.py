"""WebSockets: carries a connection over one, each message a text frame. Twisted's own keeps messages of any length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from wsproto.connection import Connection as Frames
from wsproto.connection import ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage
from wsproto.frame_protocol import CloseReason

from ump.net.connection import Connection
from ump.net.http.channel import Channel
from ump.net.http.limits import PING_INTERVAL
from ump.net.limits import CLOSE_SECONDS, IDLE_PER_SECOND, MAX_UNSENT


class WebSocket:
    """Reads and writes frames; a peer that does not read is kept waiting, then cut."""

    _log = Logger()

    def __init__(
        self,
        channel: Channel,
        address: tuple[str, str],
        connection: Connection,
        clock: IReactorTime,
        leave: Callable[[], None],
    ) -> None:
        """Take over this channel, whose client has this host and name; ``leave`` is called when it is gone."""
        self.host, self.peer = address
        self.connection = connection
        self._transport = channel.transport
        self._clock = clock
        self._leave = leave
        self._frames = Frames(ConnectionType.SERVER)
        self._message = bytearray()
        """What has come of a message that is not whole yet."""
        self._unsent: list[bytes] = []
        """What is kept while the peer does not read."""
        self._is_paused = channel.is_full
        self._pong: Ping | None = None
        """The last ping that came while the peer did not read: the others need no answer."""
        self._is_ending = False
        """Whether the end was said; nothing is sent any more."""
        self._is_deaf = False
        """Whether nothing that comes counts any more, not even the peer's end."""
        self._code = CloseReason.NORMAL_CLOSURE
        self._end: IDelayedCall | None = None
        self._ping: IDelayedCall | None = None
        self._idle_frames = 0
        self._idle_since = 0.0

    def open(self) -> None:
        """Begin."""
        self._transport.setTcpKeepAlive(True)
        self._ping = self._clock.callLater(PING_INTERVAL, self._send_ping)
        self.connection.open(self)

    # The channel's side

    def received(self, data: bytes) -> None:
        """Take bytes."""
        if self._is_deaf:
            return
        self._frames.receive_data(data)
        for event in self._frames.events():
            _TAKE[type(event)](self, event)
            if self._is_deaf:
                return

    def pause(self) -> None:
        """Keep what is said: the transport is full."""
        self._is_paused = True

    def resume(self) -> None:
        """Send what was kept."""
        self._is_paused = False
        if self._unsent:
            data = b"".join(self._unsent)
            self._unsent.clear()
            self._transport.write(data)
        if self._pong is not None and not self._is_ending:
            ping, self._pong = self._pong, None
            self._write(self._frames.send(ping.response()))

    def lost(self) -> None:
        """It is over."""
        self._is_ending = self._is_deaf = True
        for call in (self._end, self._ping):
            if call is not None and call.active():
                call.cancel()
        self._leave()
        self.connection.lost()

    # The connection's side

    def send(self, messages: list[str]) -> None:
        """Send messages in one write, each in a frame."""
        if not self._is_ending:
            self._write(b"".join(self._frames.send(TextMessage(message)) for message in messages))

    def end(self) -> None:
        """Say the end when everything is sent, and wait a while for the peer's."""
        if not self._is_ending:
            self._unsent.append(self._frames.send(CloseConnection(self._code)))
            self._stop()

    def cut(self) -> None:
        """Close at once."""
        self._is_ending = self._is_deaf = True
        self._transport.abortConnection()

    def _stop(self) -> None:
        """Give the transport what is left, and only so much time for it."""
        self._is_ending = True
        self._transport.unregisterProducer()  # with a producer TLS would never finish
        self.resume()
        self._end = self._clock.callLater(CLOSE_SECONDS, self._transport.abortConnection)

    def _write(self, data: bytes) -> None:
        if not self._is_paused:
            self._transport.write(data)
            return
        self._unsent.append(data)
        if sum(map(len, self._unsent)) > MAX_UNSENT:
            self._log.info("{peer}: cut: it does not read", peer=self.peer)
            self.connection.cut()

    def _send_ping(self) -> None:
        """Show proxies on the way that somebody is there."""
        if not self._is_ending:
            if not self._is_paused:
                self._transport.write(self._frames.send(Ping()))
            self._ping = self._clock.callLater(PING_INTERVAL, self._send_ping)

    # What is made of a frame

    def _take_text(self, event: TextMessage) -> None:
        if self._is_ending:
            return
        if not event.data and not event.message_finished:
            self._take_idle(event)
        self._message += event.data.encode()
        if len(self._message) > self.connection.max_message:
            self._message.clear()
            self._code = CloseReason.MESSAGE_TOO_BIG
            self.connection.exceed()
        elif event.message_finished:
            message = bytes(self._message)
            self._message.clear()
            self.connection.receive(message)

    def _take_ping(self, event: Ping) -> None:
        self._take_idle(event)
        if self._is_ending:
            return
        if self._is_paused:
            self._pong = event
        else:
            self._transport.write(self._frames.send(event.response()))

    def _take_idle(self, event: Event) -> None:
        """Drop a frame that says nothing; a flood of them ends the connection, as one of lines does."""
        now = self._clock.seconds()
        if now - self._idle_since >= 1.0:
            self._idle_since, self._idle_frames = now, 0
        self._idle_frames += 1
        if self._idle_frames > IDLE_PER_SECOND and not self._is_ending:
            self.connection.fail("too many frames that say nothing")

    def _take_close(self, event: CloseConnection) -> None:
        """Answer the peer's end, or what was no frame; or take the answer to ours. Then the stream is closed."""
        self._is_deaf = True
        if not self._is_ending:
            self._unsent.append(self._frames.send(event.response()))
            self._stop()
        elif self._frames.state is not ConnectionState.CLOSED:
            self.cut()
            return
        self._transport.loseConnection()


_TAKE: dict[type[Event], Callable[[WebSocket, Any], None]] = {
    TextMessage: WebSocket._take_text,
    BytesMessage: WebSocket._take_idle,
    Ping: WebSocket._take_ping,
    Pong: WebSocket._take_idle,
    CloseConnection: WebSocket._take_close,
}
"""What is made of each kind of frame; binary ones say nothing to us."""
