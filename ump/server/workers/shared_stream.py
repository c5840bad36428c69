"""Writes to the socket of a client that the front reads from: both processes have it open.

A message then passes through one process less. The front counts on ``SentCounts`` to know what was sent.
"""

from __future__ import annotations

from socket import recv_fds, socket
from typing import Any

from twisted.internet.interfaces import IWriteDescriptor
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.server.workers.sent_counts import SentCounts


@implementer(IWriteDescriptor)
class SharedStream:
    """The writing side of one client's stream, in a worker."""

    def __init__(self, stream: socket, ending: str, place: int, counts: SentCounts, reactor: Any) -> None:
        """``ending`` ends each message; ``place`` is that of the client in ``counts``."""
        self._stream: socket | None = stream
        self._ending = ending
        self._place = place
        self._counts = counts
        self._reactor = reactor
        self._rest = b""
        """What the client has not read yet."""

    @property
    def unread(self) -> int:
        """The bytes that wait until the client reads."""
        return len(self._rest)

    def send(self, messages: list[str]) -> None:
        """Send messages in one write, or keep what the client does not read."""
        data = (self._ending.join(messages) + self._ending).encode("utf-8", "replace")
        if self._rest:
            self._rest += data
            self._counts.count(self._place, len(messages))
        else:
            self._write(data, len(messages))

    def _write(self, data: bytes, messages: int = 0) -> None:
        """Write data, in which so many messages begin, and keep what the client does not read."""
        if self._stream is None:
            return
        had_rest = bool(self._rest)
        self._counts.mark(self._place)
        try:
            sent = self._stream.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:  # the front notices that the stream is broken
            sent = len(data)
        self._rest = data[sent:]
        self._counts.count(self._place, messages)
        if not self._rest:
            self._counts.clear(self._place)
        if bool(self._rest) != had_rest:
            change = self._reactor.removeWriter if had_rest else self._reactor.addWriter
            change(self)

    def release(self) -> bytes:
        """Leave the stream to the front; return what it has to send first."""
        rest, self._rest = self._rest, b""
        if self._stream is not None:
            if rest:
                self._reactor.removeWriter(self)
            self._stream.close()
            self._stream = None
        return rest

    # What the reactor calls

    def fileno(self) -> int:
        """Return the descriptor."""
        return -1 if self._stream is None else self._stream.fileno()

    def doWrite(self) -> None:
        """Send what was kept: the client reads again."""
        self._write(self._rest)

    def connectionLost(self, reason: Failure) -> None:
        """Send nothing more; the front notices the loss too."""
        self.release()

    def logPrefix(self) -> str:
        """Return the name for Twisted's own log lines."""
        return "shared stream"


class SharedStreams:
    """The streams that the front shares with this worker. The socket of each comes before the value that names it."""

    def __init__(self, channel: socket, counts: SentCounts, reactor: Any) -> None:
        self._channel = channel
        self._counts = counts
        self._reactor = reactor

    def take(self, ending: str, place: int) -> SharedStream | None:
        """Return the stream that was sent for a place; raises OSError if there is none.

        None: this process may open no more files, so the front has to write.
        """
        while True:
            sent, descriptors, _, _ = recv_fds(self._channel, 4, 1)
            stream = socket(fileno=descriptors[0]) if descriptors else None
            if int.from_bytes(sent, "big") == place:
                break
            if stream is not None:
                stream.close()
        return None if stream is None else SharedStream(stream, ending, place, self._counts, self._reactor)
