"""Many tables at once: what a hanchan costs then, what delay the server adds, and how much memory a table takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from scripts.benchmarks.crowd_clients import SPREAD, THINKING
from scripts.benchmarks.figures import SEATS, Budget, Section, quantile
from scripts.benchmarks.processes import Measured, Process, raise_descriptors
from ump.report.progress import show_progress

PROCESSES = 2
"""That the clients are spread over."""

SETTLING, SETTLING_PER_TABLE = 2.0, 0.005
"""Seconds from the last table's beginning until it is measured: the queue of all that deal at once is gone then."""

HANCHAN = 735
"""Answers in a hanchan of 8 kyoku whose players discard what they draw, ready? included."""

SPARE_DESCRIPTORS = 64
"""For what a process opens besides its connections."""

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=300+0", "--seed=bench")

DELAY_TABLES, DELAY_MILLISECONDS = 100, 5.0
"""Budget: the delay that the server adds, at the 99th percentile."""

MEMORY_KILOBYTES = 200.0
"""Budget: per table."""

FEW, MANY, MANY_TIMES = 10, 2_000, 1.3
"""Budget: CPU time per hanchan with many tables, in times that with few."""


@dataclass(frozen=True)
class Crowded:
    """What was measured with one number of tables."""

    tables: int
    milliseconds: float
    """CPU time of the server per hanchan."""
    load: float
    """Part of the time that the server computed."""
    waiting: float
    """Part of the time that it would have computed, had a core been free."""
    answers: float
    """Per second."""
    delays: tuple[float, ...]
    """Milliseconds, ascending."""
    kilobytes: float
    """Memory of the server per table."""
    start_seconds: float
    lost: int
    """Connections that broke."""


def crowd(tables: int, seconds: float) -> Crowded:
    """Seat so many tables, and measure the server for so long while they play."""
    seats = str(SEATS * tables)
    limits = (f"--connections={seats}", f"--per-host={seats}", f"--unseated={seats}")
    with ExitStack() as stack:
        server = Measured("server", *OPTIONS, *limits)
        stack.callback(server.stop)
        clients: list[Process] = []
        parts = [(tables + number) // PROCESSES for number in range(PROCESSES)]
        for number, part in enumerate(parts):
            if part:
                first = SEATS * sum(parts[:number])
                clients.append(Process("crowd_clients", str(server.address[1]), str(part), str(first)))
                stack.callback(clients[-1].stop)
                clients[-1].hear()  # it says that all are seated; so no table has players of two processes
        tell(clients, "go")
        time.sleep(SPREAD + SETTLING + SETTLING_PER_TABLE * tables)
        tell(clients, "begin")
        before = server.request(None)
        time.sleep(seconds)
        tell(clients, "end")
        after = server.request(None)
        counted = [client.hear() for client in clients]
    parsed = [each for each in counted if isinstance(each, dict)]
    questions = sum(each["questions"] for each in parsed)
    spent, lasted = after.seconds - before.seconds, after.instant - before.instant
    return Crowded(
        tables,
        spent / max(questions, 1) * HANCHAN * 1e3,
        spent / lasted,
        (after.waited - before.waited) / lasted,
        questions / lasted,
        tuple(sorted(delay * 1e3 for each in parsed for delay in each["delays"])),
        (after.memory - server.at_start.memory) / tables / 1e3,
        server.start_seconds,
        sum(each["lost"] for each in parsed),
    )


def tell(clients: Iterable[Process], word: str) -> None:
    """Say a word to all of them."""
    for client in clients:
        client.say(word)


def measure_crowds(sizes: Iterable[int], seconds: float) -> Section:
    """Measure each number of tables in turn; one that this system does not let in is skipped, with a line."""
    section = Section(f"Crowd: tables at once, clients that answer after {THINKING * 1e3:g} ms, {seconds:g} s each")
    allowed = raise_descriptors()
    measured: dict[int, Crowded] = {}
    for size in sizes:
        needed = SEATS * size + SPARE_DESCRIPTORS
        if needed > allowed:
            section.notes.append(f"{size} tables skipped: {needed} open files needed, {allowed} allowed (ulimit -Hn)")
            continue
        show_progress(f"crowd of {size} tables")
        measured[size] = crowd(size, seconds)
        note(section, measured[size])
    judge(section, measured)
    section.notes.append(
        "no core free: other work on the machine, which lengthens the delays; 0% where it is not known"
    )
    section.notes.append("memory: with few tables most of it is what the first game loads, once for all")
    section.notes.append("where the server is busy all the time, the delay is its queue: more tables than a core plays")
    return section


def note(section: Section, found: Crowded) -> None:
    """Add a line for one number of tables."""
    section.lines.append(
        {
            "tables": found.tables,
            "ms/hanchan": found.milliseconds,
            "answers/s": found.answers,
            "server busy": f"{found.load:.0%}",
            "no core free": f"{found.waiting:.0%}",
            "delay ms: p50": quantile(found.delays, 0.5),
            "p99": quantile(found.delays, 0.99),
            "max": quantile(found.delays, 1.0),
            "kB/table": found.kilobytes,
            "start-up s": found.start_seconds,
            "connections lost": found.lost,
        }
    )


def judge(section: Section, measured: dict[int, Crowded]) -> None:
    """Hold what was measured against the budgets."""
    if DELAY_TABLES in measured:
        delay = quantile(measured[DELAY_TABLES].delays, 0.99)
        section.budgets.append(Budget(f"p99 of delay, {DELAY_TABLES} tables", delay, DELAY_MILLISECONDS, "ms"))
    if measured:
        most = max(measured)
        what = f"memory per table, {most} tables"
        section.budgets.append(Budget(what, measured[most].kilobytes, MEMORY_KILOBYTES, "kB"))
    if FEW in measured and MANY in measured:
        times = measured[MANY].milliseconds / measured[FEW].milliseconds
        section.budgets.append(Budget(f"CPU per hanchan, {MANY} beside {FEW} tables", times, MANY_TIMES, "times"))
