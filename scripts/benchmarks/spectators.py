"""The cost of spectators for the players: added delay and CPU time of the server, with and without spectators."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scripts.benchmarks.crowd import LIMITS, OPTIONS, SETTLING, SPARE_DESCRIPTORS
from scripts.benchmarks.crowd_clients import SPREAD, THINKING
from scripts.benchmarks.figures import SEATS, Budget, Section, quantile
from scripts.benchmarks.processes import MeasuredProcess, Process, raise_descriptors
from ump.text.progress import show_progress

TABLES = 20
COUNTS = (0, 200, 1_000)
"""Spectators of all tables together."""

TIMES = 1.2
"""Budget: the p99 of the delay with spectators, as a multiple of that without."""


@dataclass(frozen=True)
class Watched:
    """The figures of one run."""

    delays: tuple[float, ...]
    """Delays of players in milliseconds, ascending."""
    load: float
    """Share of the time in which the server computed."""
    waiting: float
    """Share of the time in which the server was ready to compute, and no core was free."""
    answers: float
    """Answers of players per second."""
    megabytes: float
    """What the spectators received, per second."""
    turn: float
    """CPU milliseconds of the server in a turn of its reactor: the 99th percentile."""
    lost: int
    """Connections that were closed."""

    @property
    def p99(self) -> float:
        """The 99th percentile of the delays."""
        return quantile(self.delays, 0.99)


def watched(spectators: int, seconds: float) -> Watched:
    """Let the players of all tables play for some seconds beside this many spectators, and measure the server."""
    most = 8 * (SEATS * TABLES + spectators)
    with ExitStack() as stack:
        rooms = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "rooms.toml"
        rooms.write_text("".join(f"[rooms.r{number}]\n" for number in range(TABLES)), encoding="ascii")
        limits = [f"--{limit}={most}" for limit in (*LIMITS, "spectators")]
        server = MeasuredProcess("server", *OPTIONS, *limits, "--record-dir=none", f"--config={rooms}")
        stack.callback(server.stop)
        port = str(server.address[1])
        players = Process("watched_clients", port, str(TABLES))
        stack.callback(players.stop)
        players.receive()
        watchers = Process("watchers", port, str(TABLES), str(spectators))
        stack.callback(watchers.stop)
        watchers.receive()
        players.send("go")
        time.sleep(SPREAD + SETTLING)
        first = _counted(watchers)
        players.send("begin")
        before = server.request()
        time.sleep(seconds)
        players.send("end")
        after = server.request()
        counted = players.receive()
        last = _counted(watchers)
    assert isinstance(counted, dict)
    lasted = after.instant - before.instant
    return Watched(
        tuple(sorted(delay * 1e3 for delay in counted["delays"])),
        (after.seconds - before.seconds) / lasted,
        (after.waited - before.waited) / lasted,
        counted["questions"] / lasted,
        (last["bytes"] - first["bytes"]) / lasted / 1e6,
        after.turn * 1e3,
        counted["lost"] + last["lost"],
    )


def _counted(watchers: Process) -> dict[str, int]:
    watchers.send("count")
    counted = watchers.receive()
    assert isinstance(counted, dict)
    return counted


def measure_spectators(runs: int, seconds: float) -> Section:
    """Measure each number of spectators in turns; the ratios are taken within each turn."""
    section = Section(f"Spectators of {TABLES} tables, clients that answer after {THINKING * 1e3:g} ms, {runs} runs")
    if SEATS * TABLES + max(COUNTS) + SPARE_DESCRIPTORS > raise_descriptors():
        section.notes.append("skipped: more open files needed than allowed (ulimit -Hn)")
        return section
    found: dict[int, list[Watched]] = {count: [] for count in COUNTS}
    for run in range(runs):
        for count in COUNTS:
            show_progress(f"{count} spectators, run {run + 1} of {runs}")
            found[count].append(watched(count, seconds))
    for count, each in found.items():
        section.lines.append(
            {
                "spectators": count,
                "answers/s": median(one.answers for one in each),
                "server busy": f"{median(one.load for one in each):.0%}",
                "no core free": f"{median(one.waiting for one in each):.0%}",
                "delay ms: p50": median(quantile(one.delays, 0.5) for one in each),
                "p99": median(one.p99 for one in each),
                "turn, CPU ms: p99": median(one.turn for one in each),
                "CPU ms/answer": median(one.load / one.answers * 1e3 for one in each),
                "for spectators": _share(each, found[0]),
                "sent MB/s": median(one.megabytes for one in each),
                "connections lost": sum(one.lost for one in each),
            }
        )
        section.runs[f"p99, {count} spectators"] = [one.p99 for one in each]
        if count:
            ratios = [one.p99 / bare.p99 for one, bare in zip(each, found[0], strict=True)]
            section.runs[f"times, {count} spectators"] = ratios
            section.budgets.append(
                Budget(f"p99 of delay with {count} spectators beside none", median(ratios), TIMES, "times")
            )
    return section


def _share(watched: list[Watched], alone: list[Watched]) -> str:
    """Return the part of the server's CPU time that it would not need without spectators."""
    parts = [
        1 - (bare.load / bare.answers) / (one.load / one.answers) for one, bare in zip(watched, alone, strict=True)
    ]
    return f"{median(parts):.0%}"
