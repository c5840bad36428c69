"""Work in several processes: order, and what happens when nobody waits any more."""

from __future__ import annotations

from itertools import islice
from multiprocessing import Event

import pytest
from support.rows import each_row

from ump.record import record_files
from ump.record.record_files import RecordSource, results

NAMES = [str(number) for number in range(40)]


def name_of(source: RecordSource) -> str:
    """Return the name of a source."""
    return source.name


@each_row("processes", [1, 2])
def test_results_keep_the_order_and_may_be_left(processes: int) -> None:
    """All come in the order of the sources; who leaves early ends the workers."""
    sources = [RecordSource(name) for name in NAMES]
    assert list(results(name_of, sources, processes)) == NAMES
    assert list(islice(results(name_of, iter(sources), processes), 3)) == NAMES[:3]


def test_a_worker_leaves_out_what_nobody_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It finishes the record that it works on, and no more of its batch."""
    stop = Event()
    monkeypatch.setattr(record_files, "_stop", stop)

    def interrupted(source: RecordSource) -> str:
        stop.set()
        return source.name

    assert record_files._work_on(interrupted, [RecordSource("a"), RecordSource("b")]) == ["a"]
