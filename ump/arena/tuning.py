"""Tuning of named constants of a policy by SPSA: games between two copies that differ in all constants at once.

Each step draws a sign for each constant, and lets the policy with all constants moved by their signs play against the
one with all moved the other way, on equal walls. The constants then follow the difference (J. C. Spall 1992, with the
exponents of his guidelines of 1998). Steps cost the same for any number of constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean
from typing import Any

from ump.arena import page
from ump.arena.arena_setup import ArenaSetup, comparison_setup_data, lineups
from ump.arena.block_play import with_constants
from ump.arena.blocks import ArenaPlayer, Block, PlannedBlock
from ump.model.value import value
from ump.record.figures import rounded
from ump.rules.ruleset import Ruleset
from ump.text.layout import columns

SPREAD_DECAY, RATE_DECAY = 0.101, 0.602
"""The exponents by which what is tried, and what follows from it, shrink from step to step."""

STABLE_STEPS = 20
"""The steps before that of the rate begins."""

USUAL_LEAD = 25.0
"""Placement points per game: about the deviation of the difference in a step of eight games."""

MOST_ROWS = 12
"""The steps that the report lists."""


@value
class TunedConstant:
    """A constant of a policy, where it begins, and its range."""

    name: str
    start: float
    low: float
    high: float

    def part(self, number: float) -> float:
        """Return the place of a number in the range, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)

    def number(self, part: float) -> float:
        """Return the number at a place in the range."""
        return self.low + part * (self.high - self.low)


@value
class Tuning:
    """The settings of a tuning."""

    kind: str
    constants: tuple[TunedConstant, ...]
    ruleset: Ruleset
    seed: str
    points: tuple[float, ...]
    pairs: int = 1
    """The pairs of blocks of a step; in a pair each of the two copies sits alone in one block."""
    spread: float = 0.1
    """The part of its range by which a constant is moved each way, in the first step."""
    rate: float = 0.05
    """The part of its range by which a constant follows a difference of ``USUAL_LEAD``, in the first step."""

    def setup(self, kinds: Sequence[str]) -> ArenaSetup:
        """Return the setup of blocks between two copies."""
        entrants = tuple(ArenaPlayer(name, kind) for name, kind in zip(("plus", "minus"), kinds, strict=True))
        return ArenaSetup(entrants, self.ruleset, self.seed, self.points, "round-robin")


def tuning_setup_data(tuning: Tuning) -> dict[str, Any]:
    """Return the settings as JSON, with all rules."""
    listed = [[each.name, each.start, each.low, each.high] for each in tuning.constants]
    own = {"constants": listed, "pairs": tuning.pairs, "spread": tuning.spread, "rate": tuning.rate}
    return comparison_setup_data(tuning.setup((tuning.kind, tuning.kind))) | {"tune": own}


class TuningCourse:
    """The constants after each step. It follows from the differences alone, so a tuning that is resumed goes on."""

    def __init__(self, tuning: Tuning) -> None:
        self.tuning = tuning
        self.course: list[tuple[float, ...]] = [tuple(constant.start for constant in tuning.constants)]
        """The constants before the first step and after each one."""
        self.leads: list[float] = []
        """The difference in each step, in placement points per game."""

    @property
    def steps(self) -> int:
        """The steps that were taken."""
        return len(self.leads)

    def tried(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the two sets of constants that the next step compares."""
        spread = self._spread()
        plus, minus = [], []
        for constant, number, sign in zip(self.tuning.constants, self.course[-1], self._signs(), strict=True):
            part = constant.part(number)
            plus.append(constant.number(_within(part + sign * spread)))
            minus.append(constant.number(_within(part - sign * spread)))
        return tuple(plus), tuple(minus)

    def take(self, lead: float) -> None:
        """Take the next step: the first set was ahead by so many placement points per game."""
        decay = ((STABLE_STEPS + 1) / (STABLE_STEPS + self.steps + 1)) ** RATE_DECAY
        move = self.tuning.rate * decay * lead / USUAL_LEAD * self.tuning.spread / self._spread()
        after = []
        for constant, number, sign in zip(self.tuning.constants, self.course[-1], self._signs(), strict=True):
            after.append(constant.number(_within(constant.part(number) + sign * move)))
        self.course.append(tuple(after))
        self.leads.append(lead)

    def averages(self) -> tuple[float, ...]:
        """Return the mean of each constant over the second half of the steps: the result."""
        later = self.course[len(self.course) // 2 :]
        return tuple(map(fmean, zip(*later, strict=True)))

    def _spread(self) -> float:
        return self.tuning.spread / float((self.steps + 1) ** SPREAD_DECAY)

    def _signs(self) -> list[int]:
        generator = Random(f"tune/{self.tuning.seed}/{self.steps}")
        return [generator.choice((-1, 1)) for _ in self.tuning.constants]


def _within(part: float) -> float:
    return min(1.0, max(0.0, part))


class TuningBlocks:
    """The blocks of a tuning in their order."""

    def __init__(self, course: TuningCourse, steps: int) -> None:
        """Play until so many steps have been taken."""
        self.course = course
        self._steps = steps
        self._advantages: list[float] = []
        """x of each block of the step."""

    @property
    def number(self) -> int:
        """The number of the next block."""
        return 2 * self.course.tuning.pairs * self.course.steps + len(self._advantages)

    def setup(self) -> ArenaSetup:
        """Return the players of the step."""
        tuning = self.course.tuning
        names = [constant.name for constant in tuning.constants]
        kinds = []
        for numbers in self.course.tried():
            kinds.append(with_constants(tuning.kind, dict(zip(names, numbers, strict=True))))
        return tuning.setup(kinds)

    def add(self, block: Block) -> None:
        """Count the next block; take the step after its last one."""
        self._advantages.append(block.advantage(self.course.tuning.points))
        if len(self._advantages) == 2 * self.course.tuning.pairs:
            self.course.take(fmean(self._advantages))
            self._advantages.clear()

    def needs_more(self) -> bool:
        """Return whether another block is needed."""
        return self.course.steps < self._steps

    def pending(self) -> Iterator[PlannedBlock]:
        """Yield the blocks that are left of the step."""
        directions = lineups(self.course.tuning.setup(("", "")))
        for number in range(self.number, 2 * self.course.tuning.pairs * (self.course.steps + 1)):
            yield PlannedBlock(number, directions[number % len(directions)])

    def expected_blocks(self) -> int:
        """Return how many blocks there will be."""
        return 2 * self.course.tuning.pairs * self._steps


# The report


def tuning_progress(course: TuningCourse) -> str:
    """Return what a progress line says."""
    return f"{course.steps} steps: {_written(course, course.course[-1])}"


def _written(course: TuningCourse, numbers: Sequence[float]) -> str:
    names = [constant.name for constant in course.tuning.constants]
    return ", ".join(f"{name} {number:.4g}" for name, number in zip(names, numbers, strict=True))


def tuned_kind(course: TuningCourse) -> str:
    """Return the kind of the policy with the result."""
    names = [constant.name for constant in course.tuning.constants]
    rounded_ones = [float(f"{number:.4g}") for number in course.averages()]
    return with_constants(course.tuning.kind, dict(zip(names, rounded_ones, strict=True)))


def tuning_lines(course: TuningCourse) -> Iterator[str]:
    """Yield the report for a terminal: the result, and the course."""
    tuning = course.tuning
    games = course.steps * 2 * tuning.pairs * tuning.ruleset.seats
    yield f"{course.steps} steps, {games} games of {tuning.kind}, {tuning.ruleset.name}"
    yield ""
    rows = [["constant", "start", "now", "second half", "range"]]
    for constant, now, average in zip(tuning.constants, course.course[-1], course.averages(), strict=True):
        numbers = [f"{number:.4g}" for number in (constant.start, now, average)]
        rows.append([constant.name, *numbers, f"{constant.low:g} to {constant.high:g}"])
    yield from columns(rows, right=(1, 2, 3))
    if not course.steps:
        return
    yield ""
    yield from columns(
        [["step", "lead, pt", *(each.name for each in tuning.constants)], *_rows(course)], right=range(9)
    )
    yield ""
    yield f"a duel says whether it is better: ump arena queue add duels tuned={tuned_kind(course)} {tuning.kind}"


def _rows(course: TuningCourse) -> Iterator[list[str]]:
    """Yield some of the steps, with the mean difference since the one before."""
    stride = -(-course.steps // MOST_ROWS)
    for last in range(stride, course.steps + 1, stride):
        lead = fmean(course.leads[last - stride : last])
        yield [str(last), f"{lead:+.1f}", *(f"{number:.4g}" for number in course.course[last])]


def tuning_data(course: TuningCourse) -> dict[str, object]:
    """Return the report for JSON."""
    tuning = course.tuning
    constants = []
    for at, constant in enumerate(tuning.constants):
        constants.append(
            {
                "name": constant.name,
                "start": constant.start,
                "low": constant.low,
                "high": constant.high,
                "average": rounded(course.averages()[at]),
                "course": [rounded(numbers[at]) for numbers in course.course],
            }
        )
    return {
        "kind": tuning.kind,
        "tuned": tuned_kind(course),
        "rules": tuning.ruleset.name,
        "seed": tuning.seed,
        "steps": course.steps,
        "leads": [rounded(lead) for lead in course.leads],
        "constants": constants,
    }


def tuning_page(course: TuningCourse) -> str:
    """Return the page: a plot of each constant over the steps."""
    figures = []
    for at, constant in enumerate(course.tuning.constants):
        line = page.Line("#1f5fa8", [numbers[at] for numbers in course.course])
        plot = page.line_plot([line], (constant.low, constant.start, constant.high), page.Axes("steps", constant.name))
        figures.append(page.Figure(f"{constant.name}: its course, its start and its range", plot))
    return page.page(f"Tuning of {course.tuning.kind}", tuning_lines(course), figures, "")
