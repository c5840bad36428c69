"""The workers of a server: which one runs a table, and what becomes of the tables of one that dies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.model.seats import Seat
from ump.record.journal.header import JournalHeader
from ump.server.config import ServerPlan
from ump.server.journal_folder import JournalFolder
from ump.server.journal_writer import aside
from ump.server.player_connection import PlayerConnection
from ump.server.prepared_game import PreparedGame
from ump.server.status.histogram import Histogram, sum_of
from ump.server.status.server_status import WorkerStatus
from ump.server.status.sync_times import BOUNDS as SYNC_BOUNDS
from ump.server.status.turn_delay import BOUNDS
from ump.server.workers import messages
from ump.server.workers.messages import Number, WorkerSettings
from ump.server.workers.remote_table import RemoteTable
from ump.server.workers.worker import Spawn, Worker

PING_SECONDS = 1.0
"""Seconds between two pings."""

MOST_UNANSWERED = 5
"""A worker is healthy that has answered one of the last pings."""

HUNG = 30
"""A worker that has not answered so many pings is killed, and its tables go on in others if they have journals.

Pings are counted, not seconds: a server that was stopped for a minute (SIGSTOP) finds its workers healthy.
"""

HUNG_AT_START = 60
"""The same for a new worker, which has not answered yet."""

TRIED_SECONDS = 60.0
"""A table that was in two workers that died within so many seconds is closed: it may have killed them."""

LONGEST_WAIT = 60.0
"""The most seconds before a worker is started again, if it dies again and again."""

STOP_SECONDS = 5.0
"""Seconds in which the workers must end with the server."""

KILLED_TWO = "this table is closed, because it could not go on"
"""The error for players whose table was in two workers that died."""


@dataclass
class _Move:
    """How a table came to its worker after the death of another one."""

    instant: float
    pongs: int
    """How many pings the worker had answered by then. A ping precedes the table: a worker that was alive answers it."""
    was_tried: bool = False
    """Whether the worker got the table, and died after that."""


class WorkerPool:
    """The workers of a server. A worker that dies is started again, and its recorded tables go on in the others."""

    _log = Logger()

    def __init__(self, plan: ServerPlan, spawn: Spawn, clock: IReactorTime, journals: JournalFolder | None) -> None:
        """Run the workers of a plan. Without ``journals`` the games of a worker that dies are over."""
        self._size = plan.workers
        self._settings = WorkerSettings(plan.limits, plan.sync, plan.log_folder)
        self._spawn = spawn
        self._clock = clock
        self._journals = journals
        self._workers: dict[int, Worker] = {}
        """The workers that run, by their numbers, which are 1, 2, and so on."""
        self._started: dict[int, float] = {}
        """When each worker was started the last time, in clock seconds."""
        self._starts: Counter[int] = Counter()
        """How often each worker was started."""
        self._waits: dict[int, float] = {}
        """Seconds to wait before a worker is started again, after each early death twice as many."""
        self._calls: dict[int, IDelayedCall] = {}
        self._connections = count(1)
        self._table_numbers = count(1)
        self._moves: dict[Number, _Move] = {}
        """The last move of each table that had to go on in another worker."""
        self._homeless: list[RemoteTable] = []
        """Tables that wait for a worker."""
        self._past_delays = Histogram(BOUNDS)
        """The delays of workers that are dead: sums never fall."""
        self._past_syncs = Histogram(SYNC_BOUNDS)
        self._pings = count(1)
        self._settling: dict[int, tuple[set[int], Deferred[None]]] = {}
        """The workers that must still answer a ping, by its number, and the Deferred that fires then."""
        self._ping: IDelayedCall | None = None
        self._is_stopping = False
        self._stopped: Deferred[None] | None = None

    # The state

    @property
    def status(self) -> tuple[WorkerStatus, ...]:
        """The state of each worker, also of one that is being started again."""
        return tuple(map(self._status, range(1, self._size + 1)))

    @property
    def delays(self) -> Histogram:
        """How late the turns of all workers were."""
        return sum_of(self._past_delays, *(worker.delays for worker in self._workers.values()))

    @property
    def syncs(self) -> Histogram:
        """How long the journals of all workers took to the disk."""
        return sum_of(self._past_syncs, *(worker.syncs for worker in self._workers.values()))

    def _status(self, number: int) -> WorkerStatus:
        worker, starts = self._workers.get(number), self._starts[number]
        if worker is None:
            return WorkerStatus(number, False, 0, starts, 0)
        is_up = worker.unanswered <= MOST_UNANSWERED
        return WorkerStatus(number, is_up, len(worker.tables), starts, worker.memory)

    # Tables

    def create(
        self,
        game: PreparedGame,
        players: Mapping[Seat, PlayerConnection],
        finished: Callable[[RemoteTable], None],
    ) -> RemoteTable:
        """Return the table of a new game in the worker with the fewest tables; raises OSError if it has no record."""
        journal: Path | None = None
        if self._journals is not None:
            record = self._journals.create(game.header)
            record.suspend()
            journal = record.path
        table = self._table(game.header, journal, finished)
        table.create(game, players)
        return table

    def restore(self, header: JournalHeader, journal: Path, finished: Callable[[RemoteTable], None]) -> RemoteTable:
        """Return the table of a recorded game that goes on with ``resume``."""
        return self._table(header, journal, finished)

    def _table(
        self, header: JournalHeader, journal: Path | None, finished: Callable[[RemoteTable], None]
    ) -> RemoteTable:
        worker = self._least()
        assert worker is not None, "no worker runs"
        table = RemoteTable(next(self._table_numbers), header, worker.lender, finished, journal=journal)
        worker.tables[table.number] = table
        return table

    @property
    def can_begin(self) -> bool:
        """Whether a worker runs that can take a table."""
        return bool(self._workers)

    def _least(self) -> Worker | None:
        """Return the worker with the fewest tables."""
        return min(self._workers.values(), key=lambda worker: len(worker.tables), default=None)

    def lift(self, group: str) -> None:
        """Let the workers name the logs of a duplicate group that is over."""
        for worker in self._workers.values():
            worker.lender.tell(messages.LiftSeals(group))

    # The workers

    def start(self) -> None:
        """Start all workers."""
        for number in range(1, self._size + 1):
            self._start(number)
        self._ping = self._clock.callLater(PING_SECONDS, self._ping_all)

    def _start(self, number: int) -> None:
        self._calls.pop(number, None)
        worker = Worker(number, self._spawn, self._connections, self._take_record, self._bury)
        worker.ponged = self._take_pong
        self._workers[number] = worker
        self._started[number] = self._clock.seconds()
        self._starts[number] += 1
        worker.lender.tell(self._settings)
        homeless, self._homeless = self._homeless, []
        for table in homeless:
            self._move(table, worker)

    def _take_record(self, given: messages.Recorded) -> None:
        if self._journals is not None:
            self._journals.finish(given.journal, given.summary)

    def _ping_all(self) -> None:
        """Ask every worker for a sign of life, and kill those that gave none for too long."""
        self._ping = self._clock.callLater(PING_SECONDS, self._ping_all)
        number = next(self._pings)
        for worker in tuple(self._workers.values()):
            if worker.unanswered >= (HUNG if worker.pongs else HUNG_AT_START):
                self._log.error("worker {worker} does not answer: it is killed", worker=worker.number)
                worker.kill()
            else:
                worker.unanswered += 1
                worker.lender.tell(messages.Ping(number))

    def _take_pong(self, worker: Worker, number: int) -> None:
        self._settle(worker.number, number)

    def settled(self) -> Deferred[None]:
        """Return a Deferred that fires when all workers have taken everything that they were told, and answered."""
        number = next(self._pings)
        waiting, done = set(self._workers), Deferred[None]()
        if not waiting:
            return succeed(None)
        self._settling[number] = waiting, done
        for worker in self._workers.values():
            worker.lender.tell(messages.Ping(number))
        return done

    def _settle(self, worker: int, answered: int | None = None) -> None:
        """Note that a worker has answered all pings up to a number, or is dead (None)."""
        for number, (waiting, done) in tuple(self._settling.items()):
            if answered is None or number <= answered:
                waiting.discard(worker)
            if not waiting:
                del self._settling[number]
                done.callback(None)

    # The death of a worker

    def _bury(self, worker: Worker, why: str) -> None:
        """Let the tables of a worker go on in others, if they have journals: its process has ended."""
        number = worker.number
        del self._workers[number]
        self._past_delays.add_all(worker.delays)
        self._past_syncs.add_all(worker.syncs)
        self._settle(number)
        if self._is_stopping:
            self._end_stop()
            return
        self._log.error(
            "worker {worker} has ended: {why}; {tables}", worker=number, why=why, tables=self._prospects(worker)
        )
        self._start_later(number)
        now = self._clock.seconds()
        self._moves = {table: move for table, move in self._moves.items() if now - move.instant < TRIED_SECONDS}
        for table in worker.tables.values():
            if table.number in self._moves:
                self._moves[table.number].was_tried = worker.pongs > self._moves[table.number].pongs
            other = self._least()
            if other is None:
                self._homeless.append(table)
            else:
                self._move(table, other)

    def _prospects(self, worker: Worker) -> str:
        """Return for the log what becomes of the tables of a dead worker."""
        running = sum(not table.is_over for table in worker.tables.values())
        if not running:
            return "it had no running table"
        tables = "its table" if running == 1 else f"its {running} tables"
        if self._journals is None:
            return f"{tables} cannot go on, because games are not recorded (--record-dir none)"
        return f"{tables} will go on in another process"

    def _start_later(self, number: int) -> None:
        """Start a worker again: at once, or after some time if it has died soon after its start."""
        early = self._clock.seconds() - self._started[number] < TRIED_SECONDS
        wait = self._waits.get(number, 0.0) if early else 0.0
        self._waits[number] = min(LONGEST_WAIT, max(1.0, 2 * wait))
        self._calls[number] = self._clock.callLater(wait, self._start, number)

    def _move(self, table: RemoteTable, worker: Worker) -> None:
        """Let a table go on in a worker, unless it may have killed two."""
        last = self._moves.get(table.number)
        if table.is_over:
            table.end_without_worker()
        elif table.journal is None:
            table.break_down("internal error, this table is closed")
        elif last is not None and last.was_tried:
            self._log.error("{table} was in two workers that ended: it is closed", table=table.name)
            self._set_aside(table.journal)
            table.break_down(KILLED_TWO)
        else:
            worker.tables[table.number] = table
            self._moves[table.number] = _Move(self._clock.seconds(), worker.pongs)
            worker.lender.tell(messages.Ping(next(self._pings)))
            table.move_to(worker.lender)
            table.resume()

    def _set_aside(self, journal: Path) -> None:
        try:
            journal.rename(aside(journal))
        except OSError as error:
            self._log.error("{path}: {error}", path=str(journal), error=error.strerror or error)

    # The end

    def stop(self) -> Deferred[None]:
        """End all workers; the Deferred fires when their processes have ended."""
        self._is_stopping = True
        for call in filter(None, (self._ping, *self._calls.values())):
            if call.active():
                call.cancel()
        self._stopped = Deferred()
        for worker in self._workers.values():
            worker.lender.tell(messages.Quit())
        kill = self._clock.callLater(STOP_SECONDS, self._kill_all)
        self._stopped.addBoth(lambda _: kill.cancel() if kill.active() else None)
        stopped = self._stopped
        self._end_stop()
        return stopped

    def _kill_all(self) -> None:
        for worker in tuple(self._workers.values()):
            worker.kill()

    def _end_stop(self) -> None:
        if not self._workers and self._stopped is not None:
            stopped, self._stopped = self._stopped, None
            stopped.callback(None)
