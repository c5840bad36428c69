"""Work on records in several processes; the results keep the order of the records."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import Event
from multiprocessing.synchronize import Event as EventType
from typing import TypeVar

from ump.record.record_files import Source

BATCH = 4
"""Records that a process receives at a time."""

AHEAD = 4
"""Batches that wait for each process. The limit keeps a large archive out of memory."""

Result = TypeVar("Result")


def results(work: Callable[[Source], Result], sources: Iterable[Source], processes: int) -> Iterator[Result]:
    """Yield what ``work`` returns for each source, in order; one process means this one.

    ``work`` goes to other processes, so it is a function of a module, or a ``partial`` of one.
    """
    if processes == 1:
        yield from map(work, sources)
        return
    batches = _batches(sources)
    stop = Event()
    with ProcessPoolExecutor(processes, initializer=_start, initargs=(stop,)) as pool:
        try:
            waiting: deque[Future[list[Result]]] = deque()
            for batch in batches:
                waiting.append(pool.submit(_work_on, work, batch))
                if len(waiting) > AHEAD * processes:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _work_on(work: Callable[[Source], Result], batch: Sequence[Source]) -> list[Result]:
    return [work(source) for source in batch if _stop is None or not _stop.is_set()]


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    waiting = iter(sources)
    while batch := list(islice(waiting, BATCH)):
        yield batch


_stop: EventType | None = None
"""In a worker, set when nobody waits for results any more: a worker then leaves out the rest of its batch."""


def _start(stop: EventType) -> None:
    """Begin in a worker. It ignores Ctrl-C, which reaches all processes of a terminal; the parent ends the workers."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
