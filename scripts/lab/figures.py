"""Figures of a measurement: tables for printing, budgets, and the progress until then, on a terminal only."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from pathlib import Path
from statistics import median
from typing import TypeVar

from ump.cli.command_line import clear_progress as clear_progress
from ump.cli.command_line import show_progress as show_progress

SEATS = 4

Name = TypeVar("Name")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Cost:
    """The cost of one hanchan."""

    seconds: float  # CPU time
    questions: int  # answered questions; over TCP including hello, ready? and bye
    kyoku: int

    @property
    def milliseconds(self) -> float:
        return self.seconds * 1e3

    @property
    def per_kyoku(self) -> float:
        """The CPU time per kyoku, in milliseconds."""
        return self.seconds / self.kyoku * 1e3

    @property
    def per_question(self) -> float:
        """The CPU time per question, in microseconds."""
        return self.seconds / self.questions * 1e6


def ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """Return the median of the ratios within each run."""
    return median(one / other for one, other in zip(ones, others, strict=True))


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the bounds between which the true median lies with at least 95 %, by the signs of the differences.

    With fewer than six values they are the least and the greatest, and promise less.
    """
    ordered = sorted(values)
    size = len(ordered)
    outside = 0.0
    for place in range(size // 2):
        outside += 2 * comb(size, place) / 2**size
        if outside > 0.05:
            return ordered[max(place - 1, 0)], ordered[-max(place, 1)]
    return ordered[0], ordered[-1]


def spread(values: Sequence[float], digits: int) -> str:
    """Format the minimum and the maximum of several runs, with this many decimal places."""
    return f"{min(values):.{digits}f} .. {max(values):.{digits}f}"


def quantile(ordered: Sequence[float], part: float) -> float:
    """Return the value below which this part (0..1) of ascending values lies; 0 without values."""
    if not ordered:
        return 0.0
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)]


@dataclass(frozen=True)
class Budget:
    """A goal and the measured value."""

    what: str
    measured: float
    limit: float
    unit: str
    at_least: bool = False  # whether the limit is a lower limit

    @property
    def met(self) -> bool:
        if self.at_least:
            return self.measured >= self.limit
        return self.measured <= self.limit

    def __str__(self) -> str:
        sign = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "NOT MET"
        return f"{self.what}: {self.measured:.3g} {self.unit}, budget {sign} {self.limit:g}: {verdict}"


Cell = str | int | float | None
Line = Mapping[str, Cell]  # one line of a table: its cells by the heading of their column


@dataclass
class Section:
    """One table with its notes and budgets."""

    title: str
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    budgets: list[Budget] = field(default_factory=list)
    runs: dict[str, list[float]] = field(default_factory=dict)  # the figures of all runs, for JSON


def shown(cell: Cell) -> str:
    """Format a cell; floats with about three digits."""
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return str(cell)
    if abs(cell) >= 100:
        return f"{cell:.0f}"
    if abs(cell) >= 10:
        return f"{cell:.1f}"
    return f"{cell:.2f}"


def print_section(section: Section) -> None:
    """Print a section as text; the table is valid Markdown."""
    print(f"\n{section.title}\n")
    heads = list(dict.fromkeys(head for line in section.lines for head in line))
    rows = [[shown(line.get(head)) for head in heads] for line in section.lines]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, ["-" * width for width in widths], *rows):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
    for text in (*section.notes, *map(str, section.budgets)):
        print(f"- {text}")


def machine() -> str:
    """Return the processor, its cores, the system, the version of Python, and the load of the last minute.

    Other work on the machine makes figures worse.
    """
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    system = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    return f"{processor}, {system}; load average {os.getloadavg()[0]:.1f}"


def counted(count: int, what: str, first: int = 1) -> Iterator[int]:
    """Yield the numbers from ``first`` to ``count``; show each, and the time that the rest will take, on a terminal."""
    try:
        for number in range(first, count + 1):
            show_progress(f"{what} {number} of {count}", number - first, count + 1 - first)
            yield number
    finally:
        clear_progress()


def in_turns(
    works: Mapping[Name, Callable[[int], Result]], runs: int, what: str, *, warms_up: bool = True
) -> dict[Name, list[Result]]:
    """Do every work once in each run, so that a slow minute of the machine slows all of them; return their results.

    A work gets the number of the run. The first turn only warms up. Every second turn goes backwards, so that none is
    always the first of its neighbours.
    """
    results: dict[Name, list[Result]] = {name: [] for name in works}
    for run in counted(runs, what, first=0 if warms_up else 1):
        names = [*works]
        if run % 2:
            names.reverse()
        for name in names:
            result = works[name](run)
            if run:
                results[name].append(result)
    return results


def pause(seconds: float, what: str) -> None:
    """Wait; show how many seconds are over on a terminal."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        show_progress(f"{what}: {seconds - left:.0f} of {seconds:g} s")
        time.sleep(min(1.0, left))
