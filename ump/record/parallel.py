"""Records verified by several processes, in the order in which they lie."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice

from ump.record.record_files import Source, read_source
from ump.record.recorded_game import RecordError
from ump.record.verify import Outcome, Verdict, verify

BATCH = 4
"""Records that a process takes at a time."""

AHEAD = 4
"""Batches that wait for each process: archives must not be read into memory faster than they are verified."""


def verdicts(sources: Iterable[Source], processes: int) -> Iterator[Verdict]:
    """Yield the verdict on each source in order; with one process, in this one."""
    if processes == 1:
        yield from map(verify_source, sources)
        return
    batches = _batches(sources)
    with ProcessPoolExecutor(processes, initializer=_leave_interrupts_to_the_parent) as pool:
        try:
            waiting: deque[Future[list[Verdict]]] = deque()
            for batch in batches:
                waiting.append(pool.submit(_verdicts_on, batch))
                if len(waiting) > AHEAD * processes:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def verify_source(source: Source) -> Verdict:
    """Read one source and verify it."""
    try:
        data = read_source(source)
    except RecordError as error:
        return Verdict(source.name, Outcome.DAMAGED, damage=str(error))
    return verify(source.name, data)


def _verdicts_on(batch: Sequence[Source]) -> list[Verdict]:
    return [verify_source(source) for source in batch]


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    waiting = iter(sources)
    while batch := list(islice(waiting, BATCH)):
        yield batch


def _leave_interrupts_to_the_parent() -> None:
    """Let Ctrl-C, which reaches all processes of a terminal, end only the one that waits for them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
