"""A client with any session and any program behind it, whose connection is in memory; it can break and be made anew."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from support.memory_server import MemoryServer

from ump.net.connection import Connection
from ump.wire.session import Session

Hear = Callable[[str], Sequence[str | bytes]]
"""Takes a message, and returns the replies to it."""


class CarriedClient:
    """Carries a connection to a program."""

    host = "192.0.2.1"
    is_private = False
    transport_name = "test"

    def __init__(self, server: MemoryServer, session: Session, hear: Hear, first: Sequence[str | bytes] = ()) -> None:
        """Connect, and send the ``first`` messages."""
        self.peer = session.DIALECT
        self.heard: list[str] = []
        """Every message that the client has read."""
        self.is_open = True
        self.is_stalled = False
        """Whether the client reads, but does not answer."""
        self._hear = hear
        self._waiting: deque[str] = deque()
        self.connection = Connection(session, server.lobby, server.connections, server.clock)
        self.connection.open(self)
        self.say(first)

    def say(self, messages: Sequence[str | bytes]) -> None:
        """Send messages."""
        for message in messages:
            if self.is_open:
                self.connection.receive(message if isinstance(message, bytes) else message.encode())

    def send(self, messages: list[str]) -> None:
        """Keep messages until the client reads them."""
        self._waiting += messages

    def stop_reading(self) -> None:
        """Do nothing: the connection ignores what comes after a violation."""

    def end(self) -> None:
        """Close; the client may still read what has come before."""
        if self.is_open:
            self.is_open = False
            self.connection.lost()

    def cut(self) -> None:
        """Lose the connection, with everything that is on its way."""
        if self.is_open:
            self._waiting.clear()
            self.end()

    def hear(self) -> bool:
        """Read one message, and answer it; return whether there was one."""
        if not self._waiting:
            return False
        message = self._waiting.popleft()
        self.heard.append(message)
        replies = self._hear(message)
        if not self.is_stalled:
            self.say(replies)
        return True

    def play(self, most: int | None = None) -> bool:
        """Read and answer until nothing comes, or this many messages have come; return whether there was any."""
        before = len(self.heard)
        while (most is None or len(self.heard) < most) and self.hear():
            pass
        return len(self.heard) > before


def play(server: MemoryServer, client: CarriedClient, most: int | None = None) -> None:
    """Let a client and the built-in bots play until the connection is over, or this many messages have come."""
    for _ in range(5_000):
        has_read = client.play(most)
        if not client.is_open or (most is not None and len(client.heard) >= most):
            return
        server.clock.advance(0 if has_read else 0.1)
    raise AssertionError("the game does not end")
