"""The program of a worker process. The front starts it; nobody else should."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.threads import deferToThreadPool
from twisted.logger import ILogObserver, LogEvent, formatEvent, globalLogPublisher
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.net.reactor import install
from ump.server.collector import spare_the_collector
from ump.server.status.turn_delay import TurnDelay
from ump.server.workers.link import Link, LinkTransport
from ump.server.workers.messages import Quit, Said, WorkerSettings
from ump.server.workers.process import LINK_DESCRIPTOR
from ump.server.workers.sent_counts import SentCounts
from ump.server.workers.shared_stream import SharedStreams
from ump.server.workers.sharing import CHANNEL_DESCRIPTOR, COUNTS_DESCRIPTOR
from ump.server.workers.worker_tables import WorkerTables


@implementer(ILogObserver)
class LinkedLog:
    """A log observer that lets the front write the lines."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def __call__(self, event: LogEvent) -> None:
        """Send a line."""
        text, failure, level = formatEvent(event), event.get("log_failure"), event.get("log_level")
        if not text and failure is None:
            return
        traceback = failure.getTraceback() if isinstance(failure, Failure) else None
        fields = {key: _plain(field) for key, field in event.items() if key in FIELDS}
        namespace = event.get("log_namespace", "-")
        self._link.tell(Said("info" if level is None else level.name, namespace, text, fields, traceback))


FIELDS = frozenset({"table", "seat", "player", "room", "peer", "path", "error", "who", "why", "name"})
"""The fields of a line that the front gets, besides the text."""


class WorkerProgram:
    """The worker's end of the link: it waits for the settings, then its tables take over."""

    def __init__(
        self,
        clock: IReactorTime,
        delay: TurnDelay,
        in_thread: Callable[..., Deferred[None]],
        stop: Callable[[], object],
        streams: SharedStreams | None = None,
    ) -> None:
        """``in_thread`` calls a function with its arguments in another thread; ``stop`` ends the process.

        ``streams`` are those of clients to which this process writes itself.
        """
        self._streams = streams
        self._clock = clock
        self._delay = delay
        self._in_thread = in_thread
        self._stop = stop
        self._tables: WorkerTables | None = None
        self.link = Link(self)

    def take_content(self, number: int, content: bytes) -> None:
        """Take a client's message."""
        assert self._tables is not None, "the settings come first"
        self._tables.take_content(number, content)

    def take_value(self, received: object) -> None:
        """Take what the front tells."""
        if isinstance(received, WorkerSettings):
            self._tables = WorkerTables(received, self.link, self._clock, self._delay, self._in_thread, self._streams)
        elif isinstance(received, Quit):
            self.link.transport.loseConnection()
        elif self._tables is not None:
            self._tables.take_value(received)

    def lose_link(self) -> None:
        """Interrupt all games, and end: the front is gone."""
        if self._tables is not None:
            self._tables.suspend()
        self._stop()


def _plain(field: object) -> str | int | float | None:
    return field if isinstance(field, str | int | float | None) else str(field)


def main() -> None:
    """Run a worker until the front ends it or is gone. It ignores the signals that end the front."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(each, signal.SIG_IGN)
    install()
    from twisted.internet import reactor as installed

    reactor: Any = installed
    reactor.callWhenRunning(_start, reactor)
    reactor.run(installSignalHandlers=False)


def _start(reactor: Any) -> None:
    """Begin to read the link."""
    delay = TurnDelay(reactor)
    in_thread = partial(deferToThreadPool, reactor, reactor.getThreadPool())
    program = WorkerProgram(reactor, delay, in_thread, reactor.stop, _shared_streams(reactor))
    LinkTransport(socket.socket(fileno=LINK_DESCRIPTOR), program.link, reactor)
    globalLogPublisher.addObserver(LinkedLog(program.link))
    delay.startService()
    spare_the_collector()


def _shared_streams(reactor: Any) -> SharedStreams | None:
    """Return the streams that the front shares, if it has left descriptors for them."""
    try:
        counts = SentCounts(COUNTS_DESCRIPTOR)
    except OSError:
        return None
    os.close(COUNTS_DESCRIPTOR)
    return SharedStreams(socket.socket(fileno=CHANNEL_DESCRIPTOR), counts, reactor)


if __name__ == "__main__":
    main()
