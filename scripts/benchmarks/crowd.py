"""Many tables at once: CPU time per hanchan, the delay that the server adds, and memory per table."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from scripts.benchmarks.crowd_clients import SPREAD, THINKING
from scripts.benchmarks.figures import SEATS, Budget, Section, quantile
from scripts.benchmarks.processes import MeasuredProcess, Process, raise_descriptors
from ump.text.progress import show_progress

PROCESSES = 2
"""Processes that the clients are spread over."""

SETTLING, SETTLING_PER_TABLE = 2.0, 0.005
"""Seconds from the start of the last table to the measurement, until the queue of the first deals is gone."""

HANCHAN = 735
"""Answers in a hanchan of 8 kyoku with tsumogiri players, answers to ready? included."""

SPARE_DESCRIPTORS = 64
"""Files that a process opens besides its connections."""

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=300+0", "--seed=bench")

LIMITS = ("connections", "per-host", "newcomers", "waiting", "tables", "connection-rate", "login-rate", "game-rate")
"""The limits of the server that this many clients of one host would exceed."""

DELAY_TABLES, DELAY_MILLISECONDS = 100, 5.0
"""Budget: the 99th percentile of the delay that the server adds."""

MEMORY_KILOBYTES = 200.0
"""Budget: memory per table."""

FEW, MANY, MANY_TIMES = 10, 2_000, 1.3
"""Budget: CPU time per hanchan with many tables, as a multiple of that with few."""


@dataclass(frozen=True)
class CrowdResult:
    """The figures for one number of tables."""

    tables: int
    milliseconds: float
    """CPU time of the server per hanchan."""
    load: float
    """Share of the time in which the server computed."""
    waiting: float
    """Share of the time in which the server was ready to compute, and no core was free."""
    answers: float
    """Answers per second."""
    delays: tuple[float, ...]
    """Delays in milliseconds, ascending."""
    kilobytes: float
    """Memory of the server per table."""
    start_seconds: float
    """From the start of the server's process until it answered."""
    lost: int
    """Connections that were closed too early."""
    worker_milliseconds: float = 0.0
    """CPU time of the server's workers per hanchan."""


def crowd(tables: int, seconds: float, *, is_recorded: bool = False, workers: int = 0) -> CrowdResult:
    """Fill this many tables, and measure the server for ``seconds`` while they play; with journals if asked to.

    With ``workers`` the tables run in so many processes.
    """
    limits = tuple(f"--{limit}={8 * SEATS * tables}" for limit in LIMITS)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory()) if is_recorded else "none"
        server = MeasuredProcess("server", *OPTIONS, *limits, f"--record-dir={folder}", f"--workers={workers}")
        stack.callback(server.stop)
        clients: list[Process] = []
        parts = [(tables + number) // PROCESSES for number in range(PROCESSES)]
        for number, part in enumerate(parts):
            if part:
                first = SEATS * sum(parts[:number])
                clients.append(Process("crowd_clients", str(server.address[1]), str(part), str(first)))
                stack.callback(clients[-1].stop)
                clients[-1].receive()  # wait until all are seated, so that each table has players of one process
        send(clients, "go")
        time.sleep(SPREAD + SETTLING + SETTLING_PER_TABLE * tables)
        send(clients, "begin")
        before = server.request()
        time.sleep(seconds)
        send(clients, "end")
        after = server.request()
        counted = [client.receive() for client in clients]
    parsed = [each for each in counted if isinstance(each, dict)]
    questions = sum(each["questions"] for each in parsed)
    spent, lasted = after.seconds - before.seconds, after.instant - before.instant
    return CrowdResult(
        tables,
        spent / max(questions, 1) * HANCHAN * 1e3,
        spent / lasted,
        (after.waited - before.waited) / lasted,
        questions / lasted,
        tuple(sorted(delay * 1e3 for each in parsed for delay in each["delays"])),
        (after.memory - server.at_start.memory) / tables / 1e3,
        server.start_seconds,
        sum(each["lost"] for each in parsed),
        (after.children - before.children) / max(questions, 1) * HANCHAN * 1e3,
    )


def send(clients: Iterable[Process], word: str) -> None:
    """Send a word to all clients."""
    for client in clients:
        client.send(word)


def measure_crowds(sizes: Iterable[int], seconds: float) -> Section:
    """Measure each number of tables; skip, with a note, those that need more open files than the system allows."""
    section = Section(f"Crowd: tables at once, clients that answer after {THINKING * 1e3:g} ms, {seconds:g} s each")
    allowed = raise_descriptors()
    measured: dict[int, CrowdResult] = {}
    for size in sizes:
        needed = SEATS * size + SPARE_DESCRIPTORS
        if needed > allowed:
            section.notes.append(f"{size} tables skipped: {needed} open files needed, {allowed} allowed (ulimit -Hn)")
            continue
        show_progress(f"crowd of {size} tables")
        measured[size] = crowd(size, seconds)
        note(section, "no", measured[size])
        if size == DELAY_TABLES:
            show_progress(f"crowd of {size} tables with journals")
            note(section, "yes", crowd(size, seconds, is_recorded=True))
    judge(section, measured)
    section.notes.append("no core free: other work on the machine, which lengthens the delays; 0% if unknown")
    section.notes.append("memory: with few tables, most of it is loaded once, by the first game")
    section.notes.append(
        "if the server is busy all the time, there are more tables than a core can play, and the delay is its queue"
    )
    return section


def note(section: Section, journals: str, result: CrowdResult) -> None:
    """Add the line for one number of tables, with or without journals."""
    section.lines.append(
        {
            "tables": result.tables,
            "journals": journals,
            "ms/hanchan": result.milliseconds,
            "answers/s": result.answers,
            "server busy": f"{result.load:.0%}",
            "no core free": f"{result.waiting:.0%}",
            "delay ms: p50": quantile(result.delays, 0.5),
            "p99": quantile(result.delays, 0.99),
            "max": quantile(result.delays, 1.0),
            "kB/table": result.kilobytes,
            "start-up s": result.start_seconds,
            "connections lost": result.lost,
        }
    )


def judge(section: Section, measured: dict[int, CrowdResult]) -> None:
    """Compare the results with the budgets."""
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
