"""Many tables at once: CPU time per hanchan, delay that the server adds, memory; alone and beside spectators."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from scripts.lab.crowd import OPTIONS, THINKING, Phase, Players
from scripts.lab.figures import SEATS, Budget, Section, in_turns, quantile, ratio
from scripts.lab.processes import Child, raise_descriptors
from scripts.lab.server import MeasuredServer
from ump.cli.command_line import show_progress

HANCHAN = 735  # answers in a hanchan of 8 kyoku with tsumogiri players, answers to ready? included
SPARE_DESCRIPTORS = 64  # files that a process opens besides its connections

LIMITS = ("connections", "per-host", "newcomers", "waiting", "tables", "connection-rate", "login-rate", "game-rate")
"""The limits of the server that this many clients of one host would exceed."""

DELAY_TABLES, DELAY_MILLISECONDS = 100, 5.0  # budget: the 99th percentile of the delay that the server adds
MEMORY_KILOBYTES = 200.0  # budget: memory per table
FEW, MANY, MANY_TIMES = 10, 2_000, 1.3  # budget: CPU time per hanchan with many tables, as a multiple of that with few


@dataclass(frozen=True)
class CrowdResult:
    """The figures for one number of tables."""

    phase: Phase
    kilobytes: float  # memory of the server per table
    start_seconds: float  # from the start of the server's process until it answered
    lost: int  # connections that were closed too early

    @property
    def milliseconds(self) -> float:
        """CPU time of the server per hanchan."""
        return self.phase.load / max(self.phase.answers, 1e-9) * HANCHAN * 1e3


def crowd(tables: int, seconds: float, *, is_recorded: bool = False) -> CrowdResult:
    """Fill this many tables, and measure the server for ``seconds`` while they play; with journals if asked to."""
    what = f"crowd of {tables} tables{' with journals' if is_recorded else ''}"
    show_progress(what)
    limits = tuple(f"--{limit}={8 * SEATS * tables}" for limit in LIMITS)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory()) if is_recorded else "none"
        options = (*OPTIONS, "--seed=bench", *limits, f"--record-dir={folder}")
        server = stack.enter_context(MeasuredServer("server", *options))
        players = stack.enter_context(Players("crowd", server, tables, processes=2))
        players.begin()
        phase, lost = players.measure(server, seconds, what)
    memory = (phase.memory - server.at_start.memory) / tables / 1e3
    return CrowdResult(phase, memory, server.start_seconds, lost)


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
        measured[size] = crowd(size, seconds)
        note(section, size, "no", measured[size])
        if size == DELAY_TABLES:
            note(section, size, "yes", crowd(size, seconds, is_recorded=True))
    judge(section, measured)
    section.notes += [
        "no core free: other work on the machine, which lengthens the delays; 0% if unknown",
        "memory: with few tables, most of it is loaded once, by the first game",
        "if the server is busy all the time, there are more tables than a core can play, and the delay is its queue",
    ]
    return section


def note(section: Section, tables: int, journals: str, result: CrowdResult) -> None:
    phase = result.phase
    section.lines.append(
        {
            "tables": tables,
            "journals": journals,
            "ms/hanchan": result.milliseconds,
            "answers/s": phase.answers,
            "server busy": f"{phase.load:.0%}",
            "no core free": f"{phase.waiting:.0%}",
            "delay ms: p50": quantile(phase.delays, 0.5),
            "p99": phase.p99,
            "max": quantile(phase.delays, 1.0),
            "kB/table": result.kilobytes,
            "start-up s": result.start_seconds,
            "connections lost": result.lost,
        }
    )


def judge(section: Section, measured: dict[int, CrowdResult]) -> None:
    if DELAY_TABLES in measured:
        delay = measured[DELAY_TABLES].phase.p99
        section.budgets.append(Budget(f"p99 of delay, {DELAY_TABLES} tables", delay, DELAY_MILLISECONDS, "ms"))
    if measured:
        most = max(measured)
        what = f"memory per table, {most} tables"
        section.budgets.append(Budget(what, measured[most].kilobytes, MEMORY_KILOBYTES, "kB"))
    if FEW in measured and MANY in measured:
        times = measured[MANY].milliseconds / measured[FEW].milliseconds
        section.budgets.append(Budget(f"CPU per hanchan, {MANY} beside {FEW} tables", times, MANY_TIMES, "times"))


# Spectators

TABLES = 20
COUNTS = (0, 200, 1_000)  # spectators of all tables together
TIMES = 1.2  # budget: the p99 of the delay with spectators, as a multiple of that without


@dataclass(frozen=True)
class WatchedPhase:
    """The figures of one run."""

    players: Phase
    megabytes: float  # what the spectators received, per second
    lost: int  # connections that were closed

    @property
    def cost(self) -> float:
        """CPU seconds of the server for an answer."""
        return self.players.load / self.players.answers


def watched(spectators: int, seconds: float, run: int) -> WatchedPhase:
    """Let the players of all tables play for some seconds beside this many spectators, and measure the server."""
    what = f"{spectators} spectators, run {run}"
    show_progress(what)
    most = 8 * (SEATS * TABLES + spectators)
    with ExitStack() as stack:
        rooms = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "rooms.toml"
        rooms.write_text("".join(f"[rooms.r{number}]\n" for number in range(TABLES)), encoding="ascii")
        limits = [f"--{limit}={most}" for limit in (*LIMITS, "spectators")]
        options = (*OPTIONS, "--seed=bench", *limits, f"--config={rooms}")
        server = stack.enter_context(MeasuredServer("server", *options))
        players = stack.enter_context(Players("watched", server, TABLES))
        watchers = stack.enter_context(Child.of("scripts.lab.crowd", "spectators", server.port, TABLES, spectators))
        watchers.receive()
        players.begin()
        first = watchers.request("mark")
        phase, lost = players.measure(server, seconds, what)
        last = watchers.request("mark")
    return WatchedPhase(phase, (last["bytes"] - first["bytes"]) / seconds / 1e6, lost + last["lost"])


def measure_spectators(runs: int, seconds: float) -> Section:
    """Measure each number of spectators in turns; the ratios are taken within each turn."""
    section = Section(f"Spectators of {TABLES} tables, clients that answer after {THINKING * 1e3:g} ms, {runs} runs")
    if SEATS * TABLES + max(COUNTS) + SPARE_DESCRIPTORS > raise_descriptors():
        section.notes.append("skipped: more open files needed than allowed (ulimit -Hn)")
        return section
    works = {count: partial(watched, count, seconds) for count in COUNTS}
    watched_phases = in_turns(works, runs, "spectators, run", warms_up=False)
    for count, measured in watched_phases.items():
        phases = [one.players for one in measured]
        p99 = [phase.p99 for phase in phases]
        shares = [1 - bare.cost / one.cost for one, bare in zip(measured, watched_phases[0], strict=True)]
        section.lines.append(
            {
                "spectators": count,
                "answers/s": median(phase.answers for phase in phases),
                "server busy": f"{median(phase.load for phase in phases):.0%}",
                "no core free": f"{median(phase.waiting for phase in phases):.0%}",
                "delay ms: p50": median(quantile(phase.delays, 0.5) for phase in phases),
                "p99": median(p99),
                "turn, CPU ms: p99": median(phase.turn for phase in phases),
                "CPU ms/answer": median(one.cost * 1e3 for one in measured),
                "for spectators": f"{median(shares):.0%}",
                "sent MB/s": median(one.megabytes for one in measured),
                "connections lost": sum(one.lost for one in measured),
            }
        )
        section.runs[f"p99, {count} spectators"] = p99
        if count:
            times = ratio(p99, section.runs["p99, 0 spectators"])
            section.budgets.append(Budget(f"p99 of delay with {count} spectators beside none", times, TIMES, "times"))
    return section
