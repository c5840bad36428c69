"""The link between the front and a worker: frames over a pair of sockets.

A frame is the number of a connection, the length of the content, and the content: one message of a client (to the
worker), or messages to a client that were sent together (to the front). Number 0 is for a value of
``messages.py``, pickled: both ends are the same version of the same program, nobody else can write to the
sockets, and what clients send is never unpickled.
"""

from __future__ import annotations

import pickle
from socket import socket
from struct import Struct
from typing import Any, Protocol

from twisted.internet.protocol import Protocol as StreamProtocol
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection as TCPConnection
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.net.connection_budget import Kind

_HEADER = Struct("!II")

_VALUE = 0
"""The number of the frames that hold values."""

_BETWEEN = "\0"
"""Stands between two messages of a frame. No dialect writes it."""


class LinkEnd(Protocol):
    """Takes the frames at one end."""

    def take_content(self, number: int, content: bytes) -> None:
        """Take the content of a connection's frame."""

    def take_value(self, received: object) -> None:
        """Take a value of ``ump.server.workers.messages``."""

    def lose_link(self) -> None:
        """Note that the other end is gone."""


class _First:
    """Tells the reactor that a link is served as early as players are."""

    kind = Kind.PLAYER


class Link(StreamProtocol):
    """One end of a link."""

    _log = Logger()
    transport: TCPConnection
    place = _First()

    def __init__(self, end: LinkEnd) -> None:
        self._end = end
        self._rest = b""
        """The beginning of a frame that has not arrived completely."""

    def send(self, number: int, content: bytes) -> None:
        """Send the content of a connection's frame."""
        self.transport.write(_HEADER.pack(number, len(content)) + content)

    def send_messages(self, number: int, messages: list[str]) -> None:
        """Send messages to a client in one frame; raises ValueError for a character that no dialect may write."""
        text = _BETWEEN.join(messages)
        if text.count(_BETWEEN) != len(messages) - 1:
            raise ValueError("a message has the character U+0000")
        self.send(number, text.encode())

    def tell(self, told: object) -> None:
        """Send a value."""
        self.send(_VALUE, pickle.dumps(told, pickle.HIGHEST_PROTOCOL))

    def dataReceived(self, data: bytes) -> None:
        """Take frames, and keep the beginning of the one that is not complete. A bug in one is logged."""
        data = self._rest + data if self._rest else data
        place, end = 0, len(data)
        while end - place >= _HEADER.size:
            number, length = _HEADER.unpack_from(data, place)
            begin = place + _HEADER.size
            if end - begin < length:
                break
            place = begin + length
            try:
                self._take(number, data[begin:place])
            except Exception:  # the connections and tables of the other frames are sound
                self._log.failure("internal error between the front and a worker")
        self._rest = data[place:]

    def _take(self, number: int, content: bytes) -> None:
        if number == _VALUE:
            self._end.take_value(pickle.loads(content))
        else:
            self._end.take_content(number, content)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Tell the end that the other one is gone."""
        self._end.lose_link()


class LinkTransport(TCPConnection):
    """Carries a link over a connected socket, from its creation on."""

    def __init__(self, connected: socket, link: Link, reactor: Any) -> None:
        connected.setblocking(False)
        super().__init__(connected, link, reactor)
        self.connected = True
        link.makeConnection(self)
        self.startReading()

    def logPrefix(self) -> str:
        """Return the name for Twisted's own log lines."""
        return "link"


def messages_of(content: bytes) -> list[str]:
    """Return the messages to a client in the content of a frame."""
    return content.decode().split(_BETWEEN)
