"""Figures of a measurement: the cost of one game, tables for printing, and budgets."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

SEATS = 4
LOOPBACK = "127.0.0.1"
PATIENCE = 30.0
"""Seconds of silence after which a process or a connection counts as failed."""


@dataclass(frozen=True)
class Cost:
    """The cost of one hanchan."""

    seconds: float
    """CPU time."""
    questions: int
    """Answered questions; over TCP including hello, ready? and bye."""
    kyoku: int


def milliseconds(cost: Cost) -> float:
    """Return the CPU time per hanchan, in milliseconds."""
    return cost.seconds * 1e3


def per_kyoku(cost: Cost) -> float:
    """Return the CPU time per kyoku, in milliseconds."""
    return cost.seconds / cost.kyoku * 1e3


def per_question(cost: Cost) -> float:
    """Return the CPU time per question, in microseconds."""
    return cost.seconds / cost.questions * 1e6


def middle(costs: Sequence[Cost], measure: Callable[[Cost], float]) -> float:
    """Return the median of a measure over several runs."""
    return median(map(measure, costs))


def spread(values: Sequence[float], digits: int) -> str:
    """Format the minimum and the maximum of several runs, with this many decimal places."""
    return f"{min(values):.{digits}f} .. {max(values):.{digits}f}"


def quantile(ordered: Sequence[float], part: float) -> float:
    """Return the value below which this part (0..1) of ascending values lies; 0 without values."""
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0.0


@dataclass(frozen=True)
class Budget:
    """A goal and the measured value."""

    what: str
    measured: float
    limit: float
    unit: str
    at_least: bool = False
    """Whether the limit is a lower limit."""

    @property
    def met(self) -> bool:
        """Whether the measured value is within the limit."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def __str__(self) -> str:
        sign = "at least" if self.at_least else "at most"
        verdict = "met" if self.met else "NOT MET"
        return f"{self.what}: {self.measured:.3g} {self.unit}, budget {sign} {self.limit:g}: {verdict}"


Cell = str | int | float | None
Line = Mapping[str, Cell]
"""One line of a table: its cells by the heading of their column."""


@dataclass
class Section:
    """One table with its notes and budgets."""

    title: str
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    budgets: list[Budget] = field(default_factory=list)
    runs: dict[str, list[float]] = field(default_factory=dict)
    """The figures of all runs, for JSON."""


def shown(cell: Cell) -> str:
    """Format a cell; floats with about three digits."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.0f}" if abs(cell) >= 100 else f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"
    return str(cell)


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
    """Return the processor, its cores, the system and the version of Python."""
    cpuinfo = Path("/proc/cpuinfo")
    names = [
        line.partition(":")[2].strip()
        for line in (cpuinfo.read_text("utf-8").splitlines() if cpuinfo.exists() else ())
        if line.startswith("model name")
    ]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def load() -> str:
    """Return the load of the last minute: other work on the machine makes figures worse."""
    return f"load average {os.getloadavg()[0]:.1f}"
