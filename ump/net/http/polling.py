"""Polling: carries a connection over requests that are held until there is something to send (Engine.IO 4).

A body holds packets, separated by the byte 0x1e. A packet is a digit and its content. The content of a MESSAGE packet
is a Socket.IO message: another digit, an optional namespace with a comma, an optional number to acknowledge, and JSON.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable
from enum import Enum
from typing import assert_never

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from ump.model.value import value
from ump.net.connection import Connection
from ump.net.connection_limits import Said
from ump.net.http.resources import RequestRefused
from ump.net.limits import CLOSE_SECONDS, MAX_UNPOLLED, PACKET_COST, PING_INTERVAL
from ump.wire import json_text

# Packets

SEPARATOR = "\x1e"

MAX_PACKETS = 64
"""Packets of one body. Clients send a few; the server reads all of them in one turn."""


class PayloadError(ValueError):
    """A body that does not consist of packets, or a packet whose content is not a message."""


class PacketKind(Enum):
    """The kind of a packet."""

    OPEN = "0"
    CLOSE = "1"
    PING = "2"
    PONG = "3"
    MESSAGE = "4"
    UPGRADE = "5"
    NOOP = "6"
    BINARY = "b"


@value
class Packet:
    """One packet."""

    kind: PacketKind
    content: bytes = b""


class Act(Enum):
    """The kind of a Socket.IO message."""

    CONNECT = "0"
    DISCONNECT = "1"
    EVENT = "2"
    ACKNOWLEDGE = "3"
    ERROR = "4"
    BINARY_EVENT = "5"
    BINARY_ACKNOWLEDGE = "6"


@value
class Message:
    """One Socket.IO message."""

    act: Act
    namespace: str
    """``/`` if the message names none."""
    content: bytes
    """The JSON text; it may be empty."""


_MESSAGE = re.compile(
    rb"(?P<act>[0-6])(?:[0-9]{1,4}-)?(?P<namespace>/[A-Za-z0-9_./-]{0,64}(?=,|\Z))?,?(?:[0-9]{1,15})?(?P<content>.*)",
    re.DOTALL,
)


def read_payload(body: bytes) -> tuple[Packet, ...]:
    """Read the packets of a body; raises PayloadError."""
    pieces = body.split(SEPARATOR.encode(), MAX_PACKETS)
    if len(pieces) > MAX_PACKETS:
        raise PayloadError(f"more than {MAX_PACKETS} packets")
    return tuple(map(_read_packet, pieces))


def _read_packet(piece: bytes) -> Packet:
    try:
        return Packet(PacketKind(piece[:1].decode("ascii")), piece[1:])
    except ValueError as error:
        raise PayloadError("not a packet") from error


def write_payload(packets: Iterable[str]) -> bytes:
    """Write packets, each with its digit, as one body."""
    return SEPARATOR.join(packets).encode()


def read_message(content: bytes) -> Message:
    """Read the content of a MESSAGE packet; raises PayloadError."""
    found = _MESSAGE.fullmatch(content)
    if found is None:
        raise PayloadError("not a message")
    act, namespace, rest = found["act"], found["namespace"], found["content"]
    return Message(Act(act.decode()), "/" if namespace is None else namespace.decode(), rest)


# The client

PING = PacketKind.PING.value
NOOP = PacketKind.NOOP.value
CONNECTED = PacketKind.MESSAGE.value + Act.CONNECT.value
DISCONNECT = PacketKind.MESSAGE.value + Act.DISCONNECT.value
EVENT = PacketKind.MESSAGE.value + Act.EVENT.value
ERROR = PacketKind.MESSAGE.value + Act.ERROR.value


class Polling:
    """One client that polls: the packets for it, the request that is held, and its heartbeat."""

    transport_name = "polling"
    _log = Logger()

    def __init__(
        self,
        address: tuple[str, str],
        connection: Connection,
        clock: IReactorTime,
        leave: Callable[[], None],
        *,
        is_private: bool,
    ) -> None:
        """Serve a client with this host and this name in the log; ``leave`` is called once, when it has gone.

        ``is_private``: whether nobody on the way can read what the client has posted to open the connection.
        """
        self.host, self.peer = address
        self.is_private = is_private
        self.connection = connection
        self.is_over = False
        """Whether the client has gone, so that its id is not valid any more."""
        self._clock = clock
        self._leave = leave
        self._packets: list[str] = []
        """Packets to send with the next poll."""
        self._early: list[str] = []
        """Events kept until Socket.IO's own greeting."""
        self._kept = 0
        """Characters of packets and early events together, with PACKET_COST for each of them."""
        self._poll: Request | None = None
        """The request that waits for packets."""
        self._is_connected = False
        """Whether Socket.IO's greeting has come."""
        self._is_ending = False
        self._is_deaf = False
        """Whether the packets of the client are ignored, because it has broken the protocol."""
        self._end: IDelayedCall | None = None
        self._heart: IDelayedCall | None = None
        """The next ping, or the end if the last ping is not answered."""
        self._is_pinged = False

    def open(self) -> None:
        """Open the connection; raises RequestRefused if there are too many connections."""
        self._restart_heartbeat()
        self.connection.open(self)
        if self._is_ending:
            self.drop()
            raise RequestRefused(503, "too many connections")

    # Called for the client's requests

    def poll(self, request: Request) -> int:
        """Respond to a request as soon as there are packets; refuse an older request that is still held."""
        if self._poll is not None:
            self._respond(400, b"another poll has come\n")
        self._poll = request
        request.notifyFinish().addErrback(self._lose_poll, request)
        self._flush()
        return NOT_DONE_YET

    def take(self, packets: tuple[Packet, ...]) -> None:
        """Take the packets of a post; raises PayloadError after closing, if one of them cannot be read."""
        try:
            for packet in packets:
                if self.is_over or self._is_deaf:
                    return
                self._take_packet(packet)
        except PayloadError:
            self.drop()
            raise

    def replace(self) -> None:
        """Close, because the client has opened a newer connection with the same login."""
        self.connection.fail("replaced by a newer connection with the same login")

    def leave(self) -> None:
        """Leave the place, and close at once: the client has logged out."""
        self.connection.left()
        self.drop()

    def drop(self) -> None:
        """Close at once: the client does not respond any more, or has left."""
        if self.is_over:
            return
        self.is_over = self._is_ending = True
        for call in (self._heart, self._end):
            if call is not None and call.active():
                call.cancel()
        self._leave()
        if self._poll is not None:
            self._respond(200, NOOP.encode())
        self.connection.lost()

    # Called by the connection

    def send(self, messages: list[str]) -> None:
        """Send events with the next poll. A client that does not poll is kept waiting, then cut."""
        if self._is_ending:
            return
        self._keep([EVENT + message for message in messages], self._packets if self._is_connected else self._early)

    def stop_reading(self) -> None:
        """Ignore further packets, but not polls."""
        self._is_deaf = True

    def end(self) -> None:
        """Close when everything is sent, or after a while."""
        if self._is_ending:
            return
        self._is_ending = True
        if self._heart is not None and self._heart.active():
            self._heart.cancel()
        self._end = self._clock.callLater(CLOSE_SECONDS, self.drop)
        if self._is_connected:
            self._packets.append(DISCONNECT)
            self._flush()

    def cut(self) -> None:
        """Close at once."""
        self.drop()

    # Packets from the client

    def _take_packet(self, packet: Packet) -> None:
        match packet.kind:
            case PacketKind.MESSAGE:
                self._take_message(read_message(packet.content))
            case PacketKind.CLOSE:
                self.drop()
            case PacketKind.PONG:
                self._take_pong()
            case PacketKind.NOOP | PacketKind.BINARY:
                pass
            case PacketKind.OPEN | PacketKind.PING | PacketKind.UPGRADE:
                raise PayloadError("only servers send this kind of packet")
            case _:
                assert_never(packet.kind)

    def _take_message(self, message: Message) -> None:
        if message.namespace != "/":
            if message.act is Act.CONNECT:
                refusal = json_text.write({"message": "Invalid namespace"})
                self._keep([f"{ERROR}{message.namespace},{refusal}"], self._packets)
            return
        match message.act:
            case Act.CONNECT:
                self._connect()
            case Act.DISCONNECT:
                self.drop()
            case Act.EVENT:
                self._take_event(message.content)
            case Act.ACKNOWLEDGE | Act.ERROR | Act.BINARY_EVENT | Act.BINARY_ACKNOWLEDGE:
                pass
            case _:
                assert_never(message.act)

    def _take_event(self, content: bytes) -> None:
        if not self._is_connected:
            raise PayloadError("an event came before Socket.IO's greeting")
        if self._is_ending:
            return
        if len(content) > self.connection.max_message:
            self.connection.exceed()
        else:
            self.connection.receive(content)

    def _connect(self) -> None:
        """Send Socket.IO's greeting, and the events that were kept until now."""
        if self._is_connected:
            return
        self._is_connected = True
        greeting = CONNECTED + json_text.write({"sid": secrets.token_hex(8)})
        self._packets += [greeting, *self._early]
        self._early.clear()
        if self._is_ending:
            self._packets.append(DISCONNECT)
        self._flush()

    # Responses to polls

    def _keep(self, packets: list[str], line: list[str]) -> None:
        """Keep packets in one of the two lines, and send them if a request is held; cut a client that does not poll."""
        too_many = self._kept > MAX_UNPOLLED
        line += packets
        self._kept += sum(len(packet) + PACKET_COST for packet in packets)
        if too_many:
            if self.connection.may_log(Said.CUT):
                self._log.info("{peer}: cut: the client does not poll", peer=self.peer)
            self.connection.cut()
        else:
            self._flush()

    def _flush(self) -> None:
        """Send all packets, if a request is held."""
        if self._poll is None or not self._packets:
            return
        body = write_payload(self._packets)
        self._packets.clear()
        self._kept = sum(len(packet) + PACKET_COST for packet in self._early)
        self._respond(200, body)
        if self._is_ending and self._is_connected:
            self.drop()

    def _respond(self, code: int, body: bytes) -> None:
        """Respond to the request that is held."""
        assert self._poll is not None
        request, self._poll = self._poll, None
        request.setResponseCode(code)
        request.setHeader("Content-Length", str(len(body)))
        request.write(body)
        request.finish()

    def _lose_poll(self, reason: Failure, request: Request) -> None:
        """Forget a request whose stream has gone. The client may poll again."""
        if self._poll is request:
            self._poll = None

    # The heartbeat

    def _restart_heartbeat(self) -> None:
        """Send a ping after an interval."""
        self._is_pinged = False
        self._heart = self._clock.callLater(PING_INTERVAL, self._ping)

    def _ping(self) -> None:
        self._is_pinged = True
        self._heart = self._clock.callLater(self.connection.limits.pong_seconds, self._miss_pong)
        self._keep([PING], self._packets)

    def _take_pong(self) -> None:
        if self._is_pinged and self._heart is not None and self._heart.active():
            self._heart.cancel()
            self._restart_heartbeat()

    def _miss_pong(self) -> None:
        if self.connection.may_log(Said.CUT):
            wait = self.connection.limits.pong_seconds
            self._log.info("{peer}: cut: no answer to a ping for {wait} seconds", peer=self.peer, wait=wait)
        self.drop()
