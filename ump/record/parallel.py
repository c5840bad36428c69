"""Verify records in several processes; the verdicts keep the order of the records."""

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
"""Records that a process receives at a time."""

AHEAD = 4
"""Batches that wait for each process. The limit keeps a large archive out of memory."""


def verdicts(sources: Iterable[Source], processes: int) -> Iterator[Verdict]:
    """Yield the verdict on each source, in order; one process means this one."""
    if processes == 1:
        yield from map(verify_source, sources)
        return
    batches = _batches(sources)
    with ProcessPoolExecutor(processes, initializer=_ignore_interrupts) as pool:
        try:
            waiting: deque[Future[list[Verdict]]] = deque()
            for batch in batches:
                waiting.append(pool.submit(_verify_batch, batch))
                if len(waiting) > AHEAD * processes:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def verify_source(source: Source) -> Verdict:
    """Read one record and verify it; an unreadable one gets a verdict, too."""
    try:
        data = read_source(source)
    except RecordError as error:
        return Verdict(source.name, Outcome.DAMAGED, damage=str(error))
    return verify(source.name, data)


def _verify_batch(batch: Sequence[Source]) -> list[Verdict]:
    return [verify_source(source) for source in batch]


def _batches(sources: Iterable[Source]) -> Iterator[list[Source]]:
    waiting = iter(sources)
    while batch := list(islice(waiting, BATCH)):
        yield batch


def _ignore_interrupts() -> None:
    """Ignore Ctrl-C in a worker: it reaches all processes of a terminal, and the parent ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
