"""Polling: carries a connection over requests that are held until there is something to say (Engine.IO 4)."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from ump.net.connection import Connection
from ump.net.http.endpoint import Refused
from ump.net.http.limits import MAX_UNPOLLED, PING_INTERVAL, PING_TIMEOUT
from ump.net.http.packets import Act, Kind, Message, Packet, PayloadError, read_message, write_payload
from ump.net.limits import CLOSE_SECONDS
from ump.wire import json_text

PING = Kind.PING.value
NOOP = Kind.NOOP.value
CONNECTED = Kind.MESSAGE.value + Act.CONNECT.value
DISCONNECT = Kind.MESSAGE.value + Act.DISCONNECT.value
EVENT = Kind.MESSAGE.value + Act.EVENT.value
ERROR = Kind.MESSAGE.value + Act.ERROR.value


class Polling:
    """One client that polls: what is to be said to it, the request that is held, and its heartbeat."""

    _log = Logger()

    def __init__(
        self, address: tuple[str, str], connection: Connection, clock: IReactorTime, leave: Callable[[], None]
    ) -> None:
        """The client has this host and name; ``leave`` is called once, when it is gone."""
        self.host, self.peer = address
        self.connection = connection
        self.is_over = False
        """Whether it is gone: whoever asks for it finds nobody."""
        self._clock = clock
        self._leave = leave
        self._packets: list[str] = []
        """What is to be said with the next poll."""
        self._early: list[str] = []
        """Events from before Socket.IO's own greeting."""
        self._kept = 0
        """Characters of both together."""
        self._poll: Request | None = None
        """The request that is held."""
        self._is_connected = False
        """Whether Socket.IO's greeting has come."""
        self._is_ending = False
        self._end: IDelayedCall | None = None
        self._heart: IDelayedCall | None = None
        """What is next: our ping, or the end where no answer to it comes."""
        self._is_pinged = False

    def open(self) -> None:
        """Begin; raises Refused where the connection is turned away."""
        self._await_silence()
        self.connection.open(self)
        if self._is_ending:
            self.drop()
            raise Refused(503, "too many connections")

    # The client's side

    def poll(self, request: Request) -> int:
        """Answer a request when there is something to say; an older one that is still held is refused."""
        if self._poll is not None:
            self._let_go(400, b"another poll has come\n")
        self._poll = request
        request.notifyFinish().addErrback(self._lose_poll, request)
        self._push()
        return NOT_DONE_YET

    def take(self, packets: tuple[Packet, ...]) -> None:
        """Take what a client has posted; raises PayloadError, and then it is over."""
        try:
            for packet in packets:
                if self.is_over:
                    return
                self._take_packet(packet)
        except PayloadError:
            self.drop()
            raise

    def replace(self) -> None:
        """Give way to a newer connection with the same login."""
        self.connection.fail("replaced by a newer connection with the same login")

    def drop(self) -> None:
        """It is over: the client left, or is not there any more."""
        if self.is_over:
            return
        self.is_over = self._is_ending = True
        for call in (self._heart, self._end):
            if call is not None and call.active():
                call.cancel()
        self._leave()
        if self._poll is not None:
            self._let_go(200, NOOP.encode())
        self.connection.lost()

    # The connection's side

    def send(self, messages: list[str]) -> None:
        """Say events with the next poll; who does not poll is kept waiting, then cut."""
        if self._is_ending:
            return
        too_many = self._kept > MAX_UNPOLLED
        events = [EVENT + message for message in messages]
        (self._packets if self._is_connected else self._early).extend(events)
        self._kept += sum(map(len, events))
        if too_many:
            self._log.info("{peer}: cut: it does not poll", peer=self.peer)
            self.connection.cut()
        else:
            self._push()

    def end(self) -> None:
        """Be over when everything is said, or after a while without."""
        if self._is_ending:
            return
        self._is_ending = True
        if self._heart is not None and self._heart.active():
            self._heart.cancel()
        self._end = self._clock.callLater(CLOSE_SECONDS, self.drop)
        if self._is_connected:
            self._packets.append(DISCONNECT)
            self._push()

    def cut(self) -> None:
        """Be over at once."""
        self.drop()

    # Packets that come

    def _take_packet(self, packet: Packet) -> None:
        if packet.kind is Kind.MESSAGE:
            self._take_message(read_message(packet.content))
        elif packet.kind is Kind.CLOSE:
            self.drop()
        elif packet.kind is Kind.PONG:
            self._take_pong()
        elif packet.kind not in (Kind.NOOP, Kind.BINARY):
            raise PayloadError("only servers send this")

    def _take_message(self, message: Message) -> None:
        if message.namespace != "/":
            if message.act is Act.CONNECT:
                told = json_text.write({"message": "Invalid namespace"})
                self._say(f"{ERROR}{message.namespace},{told}")
        elif message.act is Act.CONNECT:
            self._connect()
        elif message.act is Act.DISCONNECT:
            self.drop()
        elif message.act is Act.EVENT:
            self._take_event(message.content)

    def _take_event(self, content: bytes) -> None:
        if not self._is_connected:
            raise PayloadError("an event before the connection")
        if self._is_ending:
            return
        if len(content) > self.connection.max_message:
            self.connection.exceed()
        else:
            self.connection.receive(content)

    def _connect(self) -> None:
        """Greet as Socket.IO does, and say what was kept for after that."""
        if self._is_connected:
            return
        self._is_connected = True
        greeting = CONNECTED + json_text.write({"sid": secrets.token_hex(8)})
        self._packets += [greeting, *self._early]
        self._early.clear()
        if self._is_ending:
            self._packets.append(DISCONNECT)
        self._push()

    # The poll

    def _say(self, packet: str) -> None:
        self._packets.append(packet)
        self._kept += len(packet)
        self._push()

    def _push(self) -> None:
        """Say what there is, if somebody asks."""
        if self._poll is None or not self._packets:
            return
        body = write_payload(self._packets)
        self._packets.clear()
        self._kept = sum(map(len, self._early))
        self._let_go(200, body)
        if self._is_ending and self._is_connected:
            self.drop()

    def _let_go(self, code: int, body: bytes) -> None:
        """Answer the request that is held."""
        assert self._poll is not None
        request, self._poll = self._poll, None
        request.setResponseCode(code)
        request.setHeader("Content-Length", str(len(body)))
        request.write(body)
        request.finish()

    def _lose_poll(self, reason: Failure, request: Request) -> None:
        """The stream of a request is gone; another may come."""
        if self._poll is request:
            self._poll = None

    # The heartbeat

    def _await_silence(self) -> None:
        """Ping when there was nothing else to say for long."""
        self._is_pinged = False
        self._heart = self._clock.callLater(PING_INTERVAL, self._ping)

    def _ping(self) -> None:
        self._is_pinged = True
        self._heart = self._clock.callLater(PING_TIMEOUT, self._miss_pong)
        self._say(PING)

    def _take_pong(self) -> None:
        if self._is_pinged and self._heart is not None and self._heart.active():
            self._heart.cancel()
            self._await_silence()

    def _miss_pong(self) -> None:
        self._log.info("{peer}: cut: no answer to a ping in {seconds} s", peer=self.peer, seconds=PING_TIMEOUT)
        self.drop()
