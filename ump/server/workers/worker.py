"""A worker as the front sees it: its link, the sessions that it has borrowed, and its tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Protocol

from twisted.logger import Logger, LogLevel

from ump.server.status.histogram import Histogram
from ump.server.status.sync_times import BOUNDS as SYNC_BOUNDS
from ump.server.status.turn_delay import BOUNDS
from ump.server.workers import messages
from ump.server.workers.lending import Lender
from ump.server.workers.link import Link, LinkEnd
from ump.server.workers.messages import Number
from ump.server.workers.remote_table import RemoteTable
from ump.server.workers.sharing import Sharing


class Process(Protocol):
    """A process at the other end of a link."""

    link: Link

    @property
    def sharing(self) -> Sharing | None:
        """How it gets streams to which it writes itself; None: it never does."""

    def kill(self) -> None:
        """End it at once. The function that was given for that is called when it has ended."""


class Spawn(Protocol):
    """Starts a worker."""

    def __call__(self, end: LinkEnd, ended: Callable[[str], None]) -> Process:
        """Start one, whose link leads to ``end``; call ``ended`` with the reason when the process has ended."""


class Worker:
    """One worker process."""

    _log = Logger()

    def __init__(
        self,
        number: int,
        spawn: Spawn,
        numbers: count[int],
        recorded: Callable[[messages.Recorded], None],
        died: Callable[[Worker, str], None],
    ) -> None:
        """Start it. ``recorded`` takes the journals of games that are over, ``died`` is called when it has ended."""
        self.number = number
        self.tables: dict[Number, RemoteTable] = {}
        self.pongs = 0
        """How many pings it has answered."""
        self.unanswered = 0
        """How many of the last pings it has not answered; the pool counts them."""
        self.delays = Histogram(BOUNDS)
        """How late its turns were."""
        self.syncs = Histogram(SYNC_BOUNDS)
        """How long its journals took to the disk."""
        self.memory = 0
        """Bytes of memory that it uses; 0: unknown."""
        self.ponged: Callable[[Worker, int], None] = lambda worker, number: None
        """Is called with the number of each answered ping."""
        self._died = died
        self._recorded = recorded
        self._process = spawn(self, self._end)
        self.lender = Lender(self._process.link, numbers, lambda: self.pongs, self._process.sharing)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    # From the worker

    def take_content(self, number: Number, content: bytes) -> None:
        """Send a client what its session says."""
        self.lender.take_content(number, content)

    def take_value(self, received: object) -> None:
        """Take what the worker tells; raises TypeError for anything else."""
        match received:
            case messages.Pong():
                self._take_pong(received)
            case messages.Said():
                self._say(received)
            case messages.Remarked():
                self._remark(received)
            case messages.Recorded():
                self._recorded(received)
            case messages.GameOver():
                self.tables[received.table].end(received)
            case messages.PlayersReturned():
                self.tables[received.table].take_back(received)
            case messages.ShowOver():
                self.tables[received.table].remote_show.end()
            case messages.SpectatorsReturned():  # nothing more comes of the table
                self.tables.pop(received.table).remote_show.take_back(received)
            case messages.StopReading() | messages.End() | messages.Cut():
                self._end_connection(received)
            case _:
                raise TypeError(f"a worker has told {received!r}")

    def lose_link(self) -> None:
        """End the process: without its link it is of no use, and its games must not go on twice."""
        self._process.kill()

    def _end(self, why: str) -> None:
        self._died(self, why)

    def _end_connection(self, given: messages.StopReading | messages.End | messages.Cut) -> None:
        connection = self.lender.connection(given.connection)
        if connection is None:
            return
        if isinstance(given, messages.StopReading):
            connection.carrier.stop_reading()
            return
        self.lender.forget(connection)
        if isinstance(given, messages.End):
            self.lender.send_rest(connection, given.rest)
        if isinstance(given, messages.Cut):
            connection.cut()
            return
        if given.is_violation:
            connection.count_violation()
        connection.leave()

    def _remark(self, given: messages.Remarked) -> None:
        connection = self.lender.connection(given.connection)
        if connection is not None and connection.trace is not None:
            connection.trace.remark(given.text)

    def _say(self, given: messages.Said) -> None:
        """Write a line of the worker to the log, under the worker's names."""
        log = Logger(namespace=given.namespace)
        text = given.text if given.traceback is None else f"{given.text}\n{given.traceback}"
        log.emit(LogLevel.lookupByName(given.level), "{said}", **{**given.fields, "said": text, "worker": self.number})

    def _take_pong(self, given: messages.Pong) -> None:
        self.pongs += 1
        self.unanswered = 0
        self.delays, self.syncs, self.memory = given.delays, given.syncs, given.memory
        self.ponged(self, given.number)
