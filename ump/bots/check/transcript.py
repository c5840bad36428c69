"""Transcripts: everything that the connections of a client send and receive, kept for reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from twisted.internet.interfaces import IReactorTime

from ump.net.limits import MAX_TRACED_TEXT
from ump.net.trace import shown

MAX_LINES = 20_000
"""Lines of a transcript that are kept: a client that floods the server is closed long before."""


class Transcript:
    """The transcript of one connection. Its lines are those of a trace (``ump.net.trace``)."""

    def __init__(self, clock: IReactorTime) -> None:
        self.lines: list[str] = []
        """An instant, a sign and a text each."""
        self.on_remark: Callable[[str], None] = lambda text: None
        """Called with each remark of the server."""
        self.on_close: Callable[[], None] = lambda: None
        """Called when the connection is gone."""
        self._clock = clock

    def received(self, message: bytes) -> None:
        """Keep a message of the client."""
        self._add("<", message.decode("utf-8", "backslashreplace"))

    def sent(self, messages: Iterable[str]) -> None:
        """Keep messages to the client."""
        for message in messages:
            self._add(">", message)

    def remark(self, text: str) -> None:
        """Keep a remark of the server, and pass it on."""
        self._add("#", text)
        self.on_remark(text)

    def close(self) -> None:
        """Note that the connection is gone."""
        self.on_close()

    def _add(self, sign: str, text: str) -> None:
        if len(self.lines) < MAX_LINES:
            now = datetime.fromtimestamp(self._clock.seconds(), UTC)
            instant = f"{now:%H:%M:%S}.{now.microsecond // 1_000:03}"
            self.lines.append(f"{instant} {sign} {shown(text, MAX_TRACED_TEXT)}")


class Transcripts:
    """Opens a transcript for each connection."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock

    def open(self, peer: str) -> Transcript:
        """Begin the transcript of a connection."""
        return Transcript(self._clock)
