"""The processes of a batch: each plays some of its tables, and all write into shared memory.

A step pickles nothing: actions, observations, masks and rewards stand in the shared arrays, and a byte on a pipe each
way says that they are ready. A process that ends closes its pipe, so that neither side waits for the other in vain.

The program plays no tables itself: while it plays, it can neither choose actions nor pass them on to the others.
"""

from __future__ import annotations

import gc
import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.shared_memory import SharedMemory

from ump.env.batch_tables import ArrayForm, BatchArrays, BatchTables, Beginning
from ump.env.episode import Task
from ump.env.opponents import Opponents
from ump.model.value import value

STEP, RESET, SEEDS, END = b"s", b"r", b"n", b"e"
"""The orders to a process."""

DONE, FAILED = b"d", b"f"
"""The answers; a traceback follows the second one."""

PATIENCE = 5.0
"""Seconds that a process has to end by itself."""


class _Shared(SharedMemory):
    """Shared memory that stays as long as an array is in it."""

    def close(self) -> None:
        """Close the memory; if an array is in it, it ends with the array."""
        with suppress(BufferError):
            super().close()


@value
class _Share:
    """The part of a batch that one process plays."""

    memory: str
    """The name of the shared memory."""
    tables: int
    """The tables of the whole batch."""
    first: int
    last: int
    """The tables of the process are those from ``first`` to the one before ``last``."""
    task: Task
    opponents: Opponents
    form: ArrayForm


class BatchProcesses:
    """Processes that play the tables of a batch, until ``end``. If one fails, all of them end."""

    def __init__(self, count: int, tables: int, task: Task, opponents: Opponents, form: ArrayForm) -> None:
        """Start so many processes, and wait until they are ready."""
        self._shared = _Shared(create=True, size=BatchArrays.size_of(tables, form))
        self.arrays = BatchArrays(tables, form, self._shared.buf)
        self._workers: list[tuple[BaseProcess, Connection]] = []
        bounds = [tables * number // count for number in range(count + 1)]
        self._parts = [slice(first, last) for first, last in pairwise(bounds)]
        """The tables of each process."""
        self._ready: list[int] = []
        """The processes whose tables ``receive`` may return, in the order in which they were found ready."""
        self._playing: list[int] = []
        """The processes that carry out actions, in the order in which they were sent."""
        self._is_open = True
        try:
            with self._all_or_none():
                for part in self._parts:
                    self._start(_Share(self._shared.name, tables, part.start, part.stop, task, opponents, form))
                self._await(range(count))
        finally:
            self._shared.unlink()  # nobody else needs the name; the memory stays until the last process ends

    def _start(self, share: _Share) -> None:
        context = get_context()
        ours, theirs = context.Pipe()
        inherited = [ours, *(connection for _, connection in self._workers)]
        process = context.Process(target=_work, args=(theirs, share, inherited), daemon=True, name="ump batch")
        process.start()
        theirs.close()  # from now on the pipe ends with the process
        self._workers.append((process, ours))

    def step(self) -> None:
        """Take the actions in the arrays at all tables."""
        self._order(STEP)

    def reset(self, seed: int, starts: Sequence[Beginning]) -> None:
        """Begin episodes at all tables (see ``Batch.reset``)."""
        self._order(RESET, [(seed, starts[part]) for part in self._parts])

    def _order(self, order: bytes, arguments: Sequence[object] = ()) -> None:
        """Have all processes carry out an order, each with its argument, and wait for them."""
        with self._all_or_none():
            self._await(self._playing)
            for number, (_, connection) in enumerate(self._workers):
                connection.send_bytes(order)
                if arguments:
                    connection.send(arguments[number])
            self._await(range(len(self._workers)))
            self._ready = [*range(len(self._workers))]

    @property
    def are_playing(self) -> bool:
        """Whether a process was sent actions, and nobody has received its tables since."""
        return len(self._playing) > 0

    def receive(self) -> slice:
        """Return the tables of a process that has carried out its orders (see ``Batch.receive``)."""
        if not self._ready and not self._playing:
            raise ValueError("no process is playing: send actions first")
        with self._all_or_none():
            if not self._ready:
                answered = wait([self._workers[number][1] for number in self._playing])
                self._await([number for number in self._playing if self._workers[number][1] in answered])
        return self._parts[self._ready.pop(0)]

    def send(self, tables: slice) -> None:
        """Have the actions in the arrays carried out at these tables, which were received."""
        number = self._parts.index(tables)
        with self._all_or_none():
            self._workers[number][1].send_bytes(STEP)
            self._playing.append(number)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the walls of the current episodes."""
        found: list[str] = []
        with self._all_or_none():
            self._await(self._playing)
            for _, connection in self._workers:
                connection.send_bytes(SEEDS)
                found += connection.recv()
                _check(connection.recv_bytes())
        return tuple(found)

    @contextmanager
    def _all_or_none(self) -> Iterator[None]:
        """End all processes if an order fails or is interrupted: some have carried it out, and others have not.

        Raises ChildProcessError if a process has ended, or if the batch was closed.
        """
        if not self._is_open:
            raise ChildProcessError("the processes of the batch have ended")
        try:
            yield
        except (EOFError, ConnectionError):
            codes = self.end()
            raise ChildProcessError(f"a process of the batch has ended; exit codes: {codes}") from None
        except BaseException:
            self.end()
            raise

    def _await(self, numbers: Sequence[int]) -> None:
        """Wait until these processes have carried out an order; ``receive`` may return their tables then."""
        for number in numbers:
            _check(self._workers[number][1].recv_bytes())
        self._ready += [number for number in numbers if number not in self._ready]
        self._playing = [number for number in self._playing if number not in numbers]

    def end(self) -> list[int | None]:
        """End the processes, and return their exit codes: negative for a signal."""
        self._is_open = False
        workers, self._workers = self._workers, []
        for _, connection in workers:
            with suppress(OSError):
                connection.send_bytes(END)  # processes of a later batch hold the pipe open
            connection.close()
        for process, _ in workers:
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()
        self._shared.close()
        return [process.exitcode for process, _ in workers]


def _check(answer: bytes) -> None:
    """Raise ChildProcessError if a process answers that it has failed."""
    if answer[:1] == FAILED:
        raise ChildProcessError(f"a process of the batch has failed:\n{answer[1:].decode()}")


def _work(connection: Connection, share: _Share, inherited: Sequence[Connection]) -> None:
    """Play tables in a process of their own, until the program ends it or ends itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program, which then closes the pipe
    for each in inherited:
        each.close()  # else the pipes of the program would not end with it
    shared = _Shared(name=share.memory)
    arrays = BatchArrays(share.tables, share.form, shared.buf).part(share.first, share.last)
    try:
        tables = BatchTables(share.task, share.opponents, arrays, share.form.extras, share.first)
        gc.freeze()  # a collection of all that the program has made would keep the others waiting
        connection.send_bytes(DONE)
        while (order := connection.recv_bytes()) != END:
            _carry_out(order, tables, connection)
            connection.send_bytes(DONE)
    except (EOFError, ConnectionError):
        return
    except Exception:
        with suppress(ConnectionError):
            connection.send_bytes(FAILED + traceback.format_exc().encode())


def _carry_out(order: bytes, tables: BatchTables, connection: Connection) -> None:
    """Carry out one order."""
    if order == STEP:
        tables.step()
    elif order == RESET:
        tables.reset(*connection.recv())
    else:
        connection.send(tables.seeds)
