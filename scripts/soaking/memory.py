"""The memory of a server over its life."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ump.model.value import value

WARM_UP = 0.2
"""The first part of a life, in which the server loads what it needs; it does not count."""

HOUR = 3600.0


@value
class Sample:
    """What a server used at an instant."""

    instant: float
    """Seconds since it was started."""
    memory: int
    """Resident bytes."""
    seconds: float
    """CPU time so far."""


def sample(process: int, instant: float) -> Sample | None:
    """Return what a process uses; None without /proc, or if it has ended."""
    with suppress(OSError, IndexError, ValueError):
        folder = Path("/proc") / str(process)
        pages = int((folder / "statm").read_text("ascii").split()[1])
        fields = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return Sample(instant, pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK"))
    return None


def settled(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Return the samples after the warm-up."""
    return [each for each in samples if each.instant >= WARM_UP * samples[-1].instant]


def slope(samples: Sequence[Sample]) -> float:
    """Return the bytes an hour by which memory grows after the warm-up: the line of least squares; 0 if unknown."""
    counted = settled(samples)
    if not counted:
        return 0.0
    count = len(counted)
    middle = sum(each.instant for each in counted) / count
    level = sum(each.memory for each in counted) / count
    spread = sum((each.instant - middle) ** 2 for each in counted)
    if not spread:
        return 0.0
    return sum((each.instant - middle) * (each.memory - level) for each in counted) / spread * HOUR
