"""Workers in memory: the values and frames of their links go through the test's clock, and the test kills them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from twisted.internet.defer import maybeDeferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from ump.net.limits import Limits
from ump.server.config import RoomSettings, ServerPlan
from ump.server.journal_folder import JournalFolder
from ump.server.journal_writer import Sync
from ump.server.status.turn_delay import TurnDelay
from ump.server.workers.link import Link, LinkEnd
from ump.server.workers.pool import WorkerPool
from ump.server.workers.sharing import Sharing
from ump.server.workers.worker import Worker
from ump.server.workers.worker_process import WorkerProgram


class MemoryPipe:
    """Carries what one end of a link writes to the other end, when the test's server settles."""

    def __init__(self, other: Link) -> None:
        self._other = other
        self._written: deque[bytes] = deque()
        self.is_open = True
        self.is_losing = False
        """Whether the link is to be closed when everything is sent."""

    def write(self, data: bytes) -> None:
        """Send data."""
        if self.is_open:
            self._written.append(data)

    def deliver(self) -> bool:
        """Let the other end take what was written; return whether there was something."""
        had_data = bool(self._written)
        while self._written:
            data = self._written.popleft()
            if self.is_open:
                self._other.dataReceived(data)
        return had_data

    def loseConnection(self) -> None:
        """Close both directions when everything is sent."""
        self.is_losing = True

    def abortConnection(self) -> None:
        """Close this direction."""
        self.is_open = False


class ProcessClock:
    """The test's clock, as a process sees it that may be killed: its calls end with it."""

    def __init__(self, clock: Clock) -> None:
        self.seconds = clock.seconds
        self._clock = clock
        self._calls: list[IDelayedCall] = []
        self._is_stopped = False

    def callLater(self, delay: float, call: Callable[..., object], *arguments: object, **named: object) -> IDelayedCall:
        """Call a function later, if the process still lives then."""
        delayed = self._clock.callLater(delay, call, *arguments, **named)
        if self._is_stopped:
            delayed.cancel()
        self._calls = [each for each in self._calls if each.active()] + [delayed]
        return delayed

    def stop(self) -> None:
        """Drop all calls, also further ones."""
        self._is_stopped = True
        for call in self._calls:
            if call.active():
                call.cancel()


class MemoryWorker:
    """One worker process in memory."""

    def __init__(self, clock: Clock, end: LinkEnd, ended: Callable[[str], None], number: int) -> None:
        self.number = number
        """Its number in the pool."""
        self._clock = clock
        self._ended = ended
        self._own_clock = ProcessClock(clock)
        own: Any = self._own_clock
        self.program = WorkerProgram(own, TurnDelay(own), maybeDeferred, self.kill)
        self.link = Link(end)
        self.sharing: Sharing | None = None
        """Nothing: in memory there are no sockets to share."""
        self._pipes = to_worker, to_front = MemoryPipe(self.program.link), MemoryPipe(self.link)
        self.link.makeConnection(to_worker)  # type: ignore[no-untyped-call]
        self.program.link.makeConnection(to_front)  # type: ignore[no-untyped-call]
        self.is_alive = True

    def kill(self) -> None:
        """End at once: nothing more is taken or sent."""
        if self.is_alive:
            self.is_alive = False
            self.hang()
            self._clock.callLater(0, self._ended, "killed")

    def hang(self) -> None:
        """Take and send nothing any more, but live."""
        self._own_clock.stop()
        for pipe in self._pipes:
            pipe.is_open = False

    def deliver(self) -> bool:
        """Carry data in both directions; return whether there was some."""
        had_data = sum(pipe.deliver() for pipe in self._pipes) > 0
        if not had_data and self.is_alive and any(pipe.is_losing for pipe in self._pipes):
            for pipe in self._pipes:
                pipe.is_open = False
            self.program.link.connectionLost(Failure(ConnectionDone()))  # type: ignore[no-untyped-call]
        return had_data


class MemoryWorkers:
    """The workers of a server in memory."""

    def __init__(
        self,
        size: int,
        rooms: Sequence[RoomSettings],
        clock: Clock,
        journals: JournalFolder | None,
        limits: Limits | None = None,
        logs: Path | None = None,
    ) -> None:
        self._clock: Any = clock
        self.started: list[MemoryWorker] = []
        """All workers that there have been, in the order of their starts."""
        plan = ServerPlan((), tuple(rooms), Limits() if limits is None else limits, sync=Sync.NEVER, log_folder=logs)
        self.pool = WorkerPool(replace(plan, workers=size), self._spawn, self._clock, journals)
        self.pool.start()

    def _spawn(self, end: LinkEnd, ended: Callable[[str], None]) -> MemoryWorker:
        number = end.number if isinstance(end, Worker) else 0
        worker = MemoryWorker(self._clock, end, ended, number)
        self.started.append(worker)
        return worker

    @property
    def living(self) -> list[MemoryWorker]:
        """The workers that live."""
        return [worker for worker in self.started if worker.is_alive]

    def settle(self) -> None:
        """Carry data until nothing more is written."""
        while sum(worker.deliver() for worker in self.started):
            pass

    def close(self) -> None:
        """End all workers."""
        stopped = self.pool.stop()
        self._clock.advance(0)
        self._clock.advance(0)
        assert stopped.called
