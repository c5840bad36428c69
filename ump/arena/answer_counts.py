"""How a player answered: the number of its answers, their times by class, and its faults."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

Clock = Callable[[], float]
"""A function that returns seconds."""

SHORTEST = 1e-5
"""Seconds: no class of answer times is below this one."""

CLASSES_PER_TENFOLD = 10
"""Each class of answer times ends 26 % above the one before."""

SLOWEST_CLASS = 80
"""The last class: 1,000 seconds and more."""


ANSWERS_IN_CLASS = "answers_in_class_"
"""Begins the names of the counts of answers by class; the number of the class follows."""


def end_of_class(number: int) -> float:
    """Return the upper bound of a class of answer times, in seconds; it belongs to the class."""
    return float(SHORTEST * 10 ** (number / CLASSES_PER_TENFOLD))


ENDS = tuple(map(end_of_class, range(SLOWEST_CLASS)))
"""The upper bounds of all classes but the last one."""


def class_of(seconds: float) -> int:
    """Return the number of the class of an answer time."""
    return bisect_left(ENDS, seconds)


class AnswerCounts:
    """How a player answered in one seat of one game."""

    def __init__(self) -> None:
        self.times: list[float] = []
        """The seconds of each answer."""
        self.refusals = 0
        self.timeouts = 0
        """Questions whose time ran out; a policy in process has no limit."""
        self.crashes = 0
        self.first_error = ""
        """The first crash in words."""

    def add_answer(self, seconds: float) -> None:
        """Count an answer that took so many seconds."""
        self.times.append(seconds)

    def crash(self, error: str) -> None:
        """Count a crash."""
        self.crashes += 1
        self.first_error = self.first_error or error[:200]

    def named(self) -> dict[str, int]:
        """Return the counts by name, as a block has them; times in microseconds. Some may be 0."""
        times = sorted(self.times)
        named = {
            "answers": len(times),
            "answer_microseconds": round(sum(times) * 1e6),
            "longest_answer_microseconds": round(times[-1] * 1e6) if times else 0,
            "refusals": self.refusals,
            "timeouts": self.timeouts,
            "crashes": self.crashes,
        }
        done = 0
        while done < len(times):
            number = class_of(times[done])
            end = len(times) if number == SLOWEST_CLASS else bisect_right(times, ENDS[number], done)
            named[f"{ANSWERS_IN_CLASS}{number}"] = end - done
            done = end
        return named
