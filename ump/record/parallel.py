"""Work on records, or other pieces of work, in several processes; the results keep the order of the pieces."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import Event
from multiprocessing.synchronize import Event as EventType
from typing import TypeVar

BATCH = 4
"""Pieces that a process receives at a time."""

AHEAD = 4
"""Batches that wait for each process. The limit keeps a large archive out of memory."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def results(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], processes: int, batch: int = BATCH
) -> Generator[Result, None, None]:
    """Yield what ``work`` returns for each piece, in order; one process means this one.

    The processes receive ``batch`` pieces at a time.

    ``work`` goes to other processes, so it is a function of a module, or a ``partial`` of one.
    """
    if processes == 1:
        yield from map(work, pieces)
        return
    batches = _batches(pieces, batch)
    stop = Event()
    with ProcessPoolExecutor(processes, initializer=_start, initargs=(stop,)) as pool:
        try:
            waiting: deque[Future[list[Result]]] = deque()
            for some in batches:
                waiting.append(pool.submit(_work_on, work, some))
                if len(waiting) > AHEAD * processes:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _work_on(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    return [work(piece) for piece in pieces if _stop is None or not _stop.is_set()]


def _batches(pieces: Iterable[Piece], size: int) -> Iterator[list[Piece]]:
    waiting = iter(pieces)
    while batch := list(islice(waiting, size)):
        yield batch


_stop: EventType | None = None
"""In a worker, set when nobody waits for results any more: a worker then leaves out the rest of its batch."""


def _start(stop: EventType) -> None:
    """Begin in a worker. It ignores Ctrl-C, which reaches all processes of a terminal; the parent ends the workers."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
