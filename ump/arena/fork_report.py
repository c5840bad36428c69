"""The report of a fork test: the gain of each class of decision with its interval, as text, data and a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import TypeAlias

from ump.arena import page
from ump.arena.blocks import Block, DecisionClass, Fork, PlannedBlock
from ump.arena.forks import MAIN, ForkTest
from ump.arena.statistics import Estimate
from ump.model.value import value
from ump.record.figures import rounded, student_95
from ump.text.layout import columns

Gain: TypeAlias = Callable[[Fork], float]
"""A function that returns what a fork gains."""


def _after_two_turns(fork: Fork) -> float:
    return fork.opinions[0]


def _after_three_turns(fork: Fork) -> float:
    return fork.opinions[1]


def _points(fork: Fork) -> float:
    return float(fork.points)


def _places(fork: Fork) -> float:
    return fork.places


GAINS: dict[str, Gain] = {
    "after_2_turns": _after_two_turns,
    "after_3_turns": _after_three_turns,
    "points": _points,
    "places": _places,
}
"""The ways to measure what a fork gains, by their names in reports."""

HEADINGS = ("2 turns, pt", "3 turns, pt", "end, pt", "placement pt")
"""The headings of these columns."""

PLACES, EARLIEST = "places", "after_2_turns"


@value
class ClassGain:
    """The forks of one class of decision."""

    decision: DecisionClass
    count: int
    gains: dict[str, Estimate]
    """The gain of one of them on average, by the name of the measure."""


class ForkGains:
    """The games of a fork test, in their order, and what the new policy gains in them."""

    def __init__(self, test: ForkTest, games: int | None, changed: int | None) -> None:
        """Play so many games, or so many that there are this many forks."""
        self.test = test
        self.games: list[tuple[Fork, ...]] = []
        """The forks of each game."""
        self.forks = 0
        self._most_games = games
        self._enough = changed

    def add(self, block: Block) -> None:
        """Count the next game."""
        self.games.append(block.forks)
        self.forks += len(block.forks)

    def needs_more(self) -> bool:
        """Return whether another game is needed."""
        if self._enough is not None and self.forks >= self._enough:
            return False
        return self._most_games is None or len(self.games) < self._most_games

    def pending(self) -> Iterator[PlannedBlock]:
        """Yield the games that are still to be played."""
        number = len(self.games)
        lineup = (MAIN,) * self.test.match.ruleset.seats
        while self._most_games is None or number < self._most_games:
            yield PlannedBlock(number, lineup)
            number += 1

    def expected_games(self) -> int | None:
        """Return about how many games there will be; None before that is known."""
        if self._enough is None or not self.forks:
            return self._most_games
        needed = round(len(self.games) * self._enough / self.forks)
        return needed if self._most_games is None else min(needed, self._most_games)

    def of_class(self, decision: DecisionClass | None) -> dict[str, Estimate]:
        """Return the gain of one fork of a class, or of any, by each measure."""
        chosen = []
        for forks in self.games:
            chosen.append([fork for fork in forks if decision in (None, fork.decision)])
        return {name: clustered([[*map(gain, forks)] for forks in chosen]) for name, gain in GAINS.items()}

    def classes(self) -> list[ClassGain]:
        """Return the classes that have forks, in their order."""
        counts: defaultdict[DecisionClass, int] = defaultdict(int)
        for forks in self.games:
            for fork in forks:
                counts[fork.decision] += 1
        return [ClassGain(each, counts[each], self.of_class(each)) for each in DecisionClass if counts[each]]

    def per_game(self) -> dict[str, Estimate]:
        """Return what all forks of a seat gain in a game, by each measure."""
        seats = self.test.match.ruleset.seats
        return {name: _mean([sum(map(gain, forks)) / seats for forks in self.games]) for name, gain in GAINS.items()}


def clustered(games: Sequence[Sequence[float]]) -> Estimate:
    """Return the mean of numbers that depend on each other within a game, with half of its 95 % interval.

    The deviation is that of the sums over whole games (a ratio estimate, as of W. G. Cochran 1977, 6.3).
    """
    chosen = [numbers for numbers in games if numbers]
    count = sum(map(len, chosen))
    if not count:
        return Estimate(None, None)
    mean = sum(map(sum, chosen)) / count
    if len(chosen) < 2:
        return Estimate(mean, None)
    squares = 0.0
    for numbers in chosen:
        squares += (sum(numbers) - mean * len(numbers)) ** 2
    deviation = sqrt(squares * len(chosen) / (len(chosen) - 1)) / count
    return Estimate(mean, student_95(len(chosen) - 1) * deviation)


def _mean(numbers: Sequence[float]) -> Estimate:
    return clustered([[number] for number in numbers])


# The report


def forks_progress(gains: ForkGains) -> str:
    """Return what a progress line says of a fork test."""
    if not gains.forks:
        return f"{len(gains.games)} games, no forks"
    seen = gains.of_class(None)[EARLIEST]
    half = "" if seen.half_width is None else f" ±{seen.half_width:.0f}"
    return f"{len(gains.games)} games, {gains.forks} forks: {seen.mean:+.0f}{half} pt after 2 turns"


def forks_lines(gains: ForkGains) -> Iterator[str]:
    """Yield the report for a terminal."""
    old, new = (entrant.name for entrant in gains.test.match.entrants)
    if not gains.games:
        yield "no game was played to its end"
        return
    if not gains.forks:
        yield f"{new} answers like {old} in all of {len(gains.games)} games"
        return
    yield from _verdicts(gains, old, new)
    yield f"{gains.forks} forks in {len(gains.games)} games of {old}: the gain of {new}; intervals are 95 %"
    yield ""
    yield from columns([["decision", "forks", *HEADINGS], *_rows(gains)], right=range(1, 2 + len(HEADINGS)))


def _verdicts(gains: ForkGains, old: str, new: str) -> Iterator[str]:
    """Yield what the results say, and what the reviewer says earlier."""
    per_game = gains.per_game()
    yield _verdict(per_game[PLACES], old, new, "placement pt for a seat and game", 2)
    yield _verdict(per_game[EARLIEST], old, new, "pt after 2 turns, as the reviewer sees it", 0)


def _verdict(gain: Estimate, old: str, new: str, unit: str, digits: int) -> str:
    assert gain.mean is not None  # there are forks
    amount = f"{gain.mean:+.{digits}f}"
    if gain.half_width is None:
        return f"one game says nothing about the difference: {amount} {unit}"
    shown = f"{amount} ±{gain.half_width:.{digits}f} {unit}"
    if abs(gain.mean) <= gain.half_width:
        return f"no difference is shown: {shown}"
    return f"{new if gain.mean > 0 else old} is better: {shown}"


def _rows(gains: ForkGains) -> Iterator[list[str]]:
    for each in gains.classes():
        yield [each.decision.value, str(each.count), *_cells(each.gains)]
    yield ["all", str(gains.forks), *_cells(gains.of_class(None))]
    per_game = gains.forks / len(gains.games) / gains.test.match.ruleset.seats
    yield ["for a seat and game", f"{per_game:.1f}", *_cells(gains.per_game())]


def _cells(gains: dict[str, Estimate]) -> Iterator[str]:
    for name, estimate in gains.items():
        digits = 2 if name == PLACES else 0
        half = "" if estimate.half_width is None else f" ±{estimate.half_width:.{digits}f}"
        yield f"{estimate.mean:+.{digits}f}{half}"


def forks_data(gains: ForkGains) -> dict[str, object]:
    """Return the report for JSON."""
    match = gains.test.match
    old, new = match.entrants
    return {
        "old": old.kind,
        "new": new.kind,
        "reviewer": gains.test.reviewer,
        "rules": match.ruleset.name,
        "seed": match.seed,
        "placement_points": list(gains.test.points),
        "games": len(gains.games),
        "forks": gains.forks,
        "classes": [
            {"decision": each.decision.value, "forks": each.count} | _gain_data(each.gains) for each in gains.classes()
        ],
        "all": _gain_data(gains.of_class(None)),
        "for_a_seat_and_game": _gain_data(gains.per_game()),
    }


def _gain_data(gains: dict[str, Estimate]) -> dict[str, object]:
    data: dict[str, object] = {}
    for name, estimate in gains.items():
        data[name] = rounded(estimate.mean)
        data[f"{name}_half_width"] = rounded(estimate.half_width)
    return data


_LARGEST = 20
"""The forks with the greatest differences that the page lists."""


def forks_page(gains: ForkGains, records: str | None = None) -> str:
    """Return the page; ``records`` is the folder of the records relative to it, for links to the games."""
    old, new = (entrant.name for entrant in gains.test.match.entrants)
    figures = []
    classes = gains.classes()
    for name, title in zip(GAINS, HEADINGS, strict=True):
        shown = [(each.decision.value, each.gains[name]) for each in classes]
        intervals = [(estimate.mean or 0.0, estimate.half_width or 0.0) for _, estimate in shown]
        if intervals:
            form = "+.2f" if name == PLACES else "+.0f"
            plot = page.forest([decision for decision, _ in shown], intervals, title, form)
            figures.append(page.Figure(f"Gain of one decision: {title}", plot))
    return page.page(f"Forks: {new} in place of {old}", forks_lines(gains), figures, _largest(gains, records))


def _largest(gains: ForkGains, records: str | None) -> str:
    """Return a table of the forks with the greatest differences after two turns."""
    listed = [(fork, number) for number, forks in enumerate(gains.games) for fork in forks]
    listed.sort(key=lambda each: -abs(each[0].opinions[0]))
    rows = []
    for fork, number in listed[:_LARGEST]:
        cells = [fork.decision.value, fork.old, fork.new, f"{fork.opinions[0]:+.0f}", f"{fork.points:+d}"]
        place = f"kyoku {fork.kyoku + 1}, {'ABCD'[fork.seat]}, {fork.left} left"
        link = f"<td>{page.record_link(records, number, 0)}</td>"
        rows.append((link, page.text_cell(place), *map(page.text_cell, cells)))
    head = ("game", "place", "decision", "old answer", "new answer", "2 turns, pt", "end, pt")
    return f"<h2>Forks with the greatest differences</h2>\n{page.table(head, rows)}\n" if rows else ""
