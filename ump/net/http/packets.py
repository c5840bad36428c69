"""Packets of Engine.IO 4 as polling carries them, and the Socket.IO messages in them. No input or output.

A body holds packets, separated by the byte 0x1e. A packet is a digit and its content. The content of a MESSAGE packet
is a Socket.IO message: another digit, an optional namespace with a comma, an optional number to acknowledge, and JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

from ump.model.value import value

SEPARATOR = "\x1e"

MAX_PACKETS = 64
"""Packets of one body. Clients send a few; the server reads all of them in one turn."""


class PayloadError(ValueError):
    """A body that does not consist of packets, or a packet whose content is not a message."""


class Kind(Enum):
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

    kind: Kind
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
        return Packet(Kind(piece[:1].decode("ascii")), piece[1:])
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
