"""A comparison of two players: its test and statistics so far, and its report as text, data and a page of HTML.

docs/arena.md defines each value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from math import sqrt
from statistics import fmean
from typing import assert_never

from ump.arena import page
from ump.arena.arena_setup import ArenaSetup, lineups
from ump.arena.blocks import Block, PlannedBlock
from ump.arena.sequential import FEWEST_BLOCKS, Hypotheses, SequentialTest, SequentialVerdict
from ump.arena.statistics import (
    PlayerFigures,
    PlayerStatistics,
    place_shares,
    player_data,
    short_name,
    statistics_lines,
)
from ump.record.figures import rounded, student_95

_CLEAR = 0.5
"""The log-likelihood ratio from which it shows a direction."""


class Comparison:
    """The blocks of a comparison in their order, and those that are still to be played."""

    def __init__(
        self,
        setup: ArenaSetup,
        hypotheses: Hypotheses,
        blocks: int | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        """Compare the two players of a setup in so many blocks; None: until the test decides.

        ``names`` are those of the report, by default their kinds.
        """
        self.setup = setup
        self.names = list(names or [entrant.kind for entrant in setup.entrants])
        self.test = SequentialTest(hypotheses)
        self.advantages: list[float] = []
        """x of each block."""
        self._one_way: tuple[list[float], list[float]] = ([], [])
        """The same for the blocks in which the first player is the challenger, and the second one."""
        self.ratios: list[float] = []
        """The log-likelihood ratio after each block."""
        self.anytime: list[tuple[float, float | None]] = []
        """The mean of x after each block, and half of its anytime interval."""
        self.upper: Counter[int] = Counter()
        """The number of blocks by the number of their games in which the first player did better than the others."""
        self.games = 0
        self._blocks = blocks
        self._players = tuple(PlayerStatistics(name, at, setup.points) for at, name in enumerate(self.names))

    def add(self, block: Block) -> None:
        """Count the next block."""
        self.advantages.append(block.advantage(self.setup.points))
        self._one_way[block.challenger].append(self.advantages[-1])
        self.test.add(self.advantages[-1])
        self.ratios.append(self.test.ratio)
        self.anytime.append((self.test.mean, self.test.anytime_interval()))
        self.upper[block.games_ahead] += 1
        self.games += len(block.games)
        for player in self._players:
            player.add(block)

    def needs_more(self) -> bool:
        """Return whether another block is needed."""
        if self._blocks is not None:
            return self.test.blocks < self._blocks
        return self.test.verdict is SequentialVerdict.OPEN

    def pending(self) -> Iterator[PlannedBlock]:
        """Yield the next blocks: the first player alone, and the second one, in turns."""
        directions = lineups(self.setup)
        numbers = count(self.test.blocks) if self._blocks is None else range(self.test.blocks, self._blocks)
        for number in numbers:
            yield PlannedBlock(number, directions[number % len(directions)])

    def expected_blocks(self) -> int | None:
        """Return how many blocks there will be if the ratio of the test goes on as so far; None before it is clear."""
        if self._blocks is not None:
            return self._blocks
        test, (low, high) = self.test, self.test.hypotheses.bounds
        if test.blocks < FEWEST_BLOCKS or abs(test.ratio) < _CLEAR:
            return None
        return round(test.blocks * (high if test.ratio > 0 else low) / test.ratio)

    @property
    def is_fixed(self) -> bool:
        """Whether the number of games was fixed beforehand."""
        return self._blocks is not None

    @property
    def half_width(self) -> float | None:
        """Half of the 95 % interval of the mean of x; None after too few blocks."""
        return self.test.interval() if self.is_fixed else self.test.anytime_interval()

    def one_way(self, challenger: int) -> float | None:
        """Return the mean x of the blocks in which this player is the challenger; None without such blocks."""
        listed = self._one_way[challenger]
        return fmean(listed) if listed else None

    def players(self) -> tuple[PlayerFigures, PlayerFigures]:
        """Return the statistics of both players; the bootstrap draws the same numbers at each call."""
        first, second = self._players
        return first.figures(), second.figures()


def comparison_data(comparison: Comparison) -> dict[str, object]:
    """Return the report for JSON."""
    test = comparison.test
    low, high = test.hypotheses.bounds
    return {
        "rules": comparison.setup.ruleset.name,
        "seed": comparison.setup.seed,
        "placement_points": list(comparison.setup.points),
        "blocks": test.blocks,
        "games": comparison.games,
        "advantage": rounded(test.mean),
        "advantage_half_width": rounded(comparison.half_width),
        "interval": "fixed" if comparison.is_fixed else "anytime",
        "pentanomial": pentanomial_data(comparison),
        "first_as_challenger": rounded(comparison.one_way(0)),
        "second_as_challenger": rounded(_negated(comparison.one_way(1))),
        "test": {
            "h0": test.hypotheses.h0,
            "h1": test.hypotheses.h1,
            "alpha": test.hypotheses.alpha,
            "beta": test.hypotheses.beta,
            "ratio": rounded(test.ratio),
            "bounds": [rounded(low), rounded(high)],
            "verdict": test.verdict.value,
        },
        "players": list(map(player_data, comparison.players())),
    }


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the report for a terminal: the verdict, tables, and faults."""
    if not comparison.games:
        yield "no block was played to its end"
        return
    setup = comparison.setup
    first, second = map(short_name, comparison.names)
    yield from _verdict_lines(comparison, first, second)
    yield ""
    yield f"{first} against {second}, both ways, {setup.ruleset.name} {setup.ruleset.length.value}"
    yield f"{comparison.test.blocks} blocks, {comparison.games} games; intervals are 95 %, shares in percent"
    yield from statistics_lines(comparison.players())


def progress_text(comparison: Comparison) -> str:
    """Return what a progress line says of a comparison."""
    test = comparison.test
    half = test.anytime_interval()
    width = "" if half is None else f" ±{half:.1f}"
    low, high = test.hypotheses.bounds
    return f"{comparison.games} games: {test.mean:+.1f}{width} pt, LLR {test.ratio:.2f} ({low:.2f}, {high:.2f})"


def _verdict_lines(comparison: Comparison, first: str, second: str) -> Iterator[str]:
    test, points, half = comparison.test, comparison.test.hypotheses, comparison.half_width
    width = "" if half is None else f" ±{half:.1f}"
    kind = "" if half is None or comparison.is_fixed else " (anytime)"
    if comparison.is_fixed:
        yield fixed_verdict(test.mean, half, first, second)
        yield f"{first} is ahead by {test.mean:+.1f}{width} pt per game"
    else:
        low, high = points.bounds
        given = f"{points.h0:g} against {points.h1:g} pt, {points.alpha:.0%} / {points.beta:.0%}"
        yield f"LLR {test.ratio:.2f} ({low:.2f}, {high:.2f}): {verdict_in_words(test.verdict, points, first)} ({given})"
        yield f"{first} is ahead by {test.mean:+.1f}{width} pt per game{kind}"
    one, other = comparison.one_way(0), _negated(comparison.one_way(1))
    if one is not None and other is not None:
        yield f"{first} among copies of {second} {one:+.1f}, {second} among copies of {first} {other:+.1f}"
    share, width_of_share = games_ahead(comparison.upper, comparison.setup.ruleset.seats)
    if share is not None:
        counts = " ".join(map(str, _pentanomial(comparison)))
        spread = "" if width_of_share is None else f" ±{100 * width_of_share:.1f}"
        yield f"{first} is ahead in {100 * share:.1f}{spread} % of the games; blocks by such games, from 0: {counts}"


def fixed_verdict(mean: float, half: float | None, first: str, second: str) -> str:
    """Return what the interval of a number of games that was fixed beforehand says."""
    if half is None:
        return "one block says nothing about the difference"
    if half == 0 == mean:
        return "no difference is shown: every block is 0"
    if abs(mean) <= half:
        return f"no difference is shown: 0 is within {mean:+.1f} ±{half:.1f} pt"
    return f"{first if mean > 0 else second} is better"


def games_ahead(counts: Mapping[int, int], games: int) -> tuple[float | None, float | None]:
    """Return the share of games in which the first player is ahead, and half of its 95 % interval.

    ``counts`` are pentanomial, as in tests of chess engines: the games of a block depend on each other, and its number
    from 0 to 4 stands for all of them. Three players have no upper half of places; then both are None.
    """
    blocks = sum(counts.values())
    if games != 4 or not blocks:
        return None, None
    mean = fmean(counts, counts.values())
    if blocks == 1:
        return mean / games, None
    squares = 0.0
    for number, times in counts.items():
        squares += times * (number - mean) ** 2
    variance = squares / (blocks - 1)
    return mean / games, student_95(blocks - 1) * sqrt(variance / blocks) / games


def _pentanomial(comparison: Comparison) -> list[int]:
    """Return the number of blocks by the number of games in which the first player is ahead, from 0 on."""
    return [comparison.upper[number] for number in range(comparison.setup.ruleset.seats + 1)]


def pentanomial_data(comparison: Comparison) -> dict[str, object] | None:
    """Return the same for JSON; None with three players."""
    share, half = games_ahead(comparison.upper, comparison.setup.ruleset.seats)
    if share is None:
        return None
    return {"counts": _pentanomial(comparison), "ahead": rounded(share), "ahead_half_width": rounded(half)}


def verdict_in_words(verdict: SequentialVerdict, hypotheses: Hypotheses, first: str) -> str:
    """Return a verdict in words; a player that is ahead by more than H0 is better only if H0 is not below 0."""
    match verdict:
        case SequentialVerdict.OPEN:
            return "undecided"
        case SequentialVerdict.SAME_PLAY:
            return "both play the same: every block is 0"
        case SequentialVerdict.H1 if hypotheses.h0 >= 0:
            return f"H1: {first} is better"
        case SequentialVerdict.H1:
            return f"H1: {first} is ahead by more than {hypotheses.h0:g} pt"
        case SequentialVerdict.H0 if hypotheses.h1 <= 0:
            return f"H0: {first} is worse"
        case SequentialVerdict.H0 if hypotheses.h0 == 0:
            return f"H0: {first} is not better"
        case SequentialVerdict.H0:
            return f"H0: {first} is ahead by less than {hypotheses.h1:g} pt"
        case _:
            assert_never(verdict)


def _negated(number: float | None) -> float | None:
    return None if number is None else 0.0 - number  # not -0.0


_LARGEST = 10
"""Blocks with the greatest differences that the page lists."""


def comparison_page(comparison: Comparison, records: str | None = None) -> str:
    """Return the page; ``records`` is the folder of the records relative to it, for links to the games."""
    first, second = comparison.names
    figures = _figures(comparison) if comparison.games else []
    return page.page(f"{first} against {second}", comparison_lines(comparison), figures, _largest(comparison, records))


def _figures(comparison: Comparison) -> list[page.Figure]:
    low, high = comparison.test.hypotheses.bounds
    means, upper, lower = [], [], []
    for mean, half in comparison.anytime:
        means.append(mean)
        upper.append(None if half is None else mean + half)
        lower.append(None if half is None else mean - half)
    shares = list(map(place_shares, comparison.players()))
    return [
        page.Figure(
            "Log-likelihood ratio, and the bounds at which the test decides",
            page.line_plot([page.Line("#1f5fa8", comparison.ratios)], (low, high), page.Axes("blocks", "LLR")),
        ),
        page.Figure(
            "Mean advantage of the first player in placement points per game, with the anytime interval",
            page.line_plot(
                [page.Line("#1f5fa8", means), page.Line("#9bbbe0", upper), page.Line("#9bbbe0", lower)],
                (0.0,),
                page.Axes("blocks", "placement points per game"),
            ),
        ),
        page.Figure("Places", page.stacked_bars(comparison.names, shares)),
        page.Figure(
            "Advantage by block",
            page.histogram(comparison.advantages, page.Axes("placement points per game", "blocks")),
        ),
    ]


def _largest(comparison: Comparison, records: str | None) -> str:
    """Return a table of the blocks with the greatest differences, and their games."""
    differences = list(map(abs, comparison.advantages))
    order = sorted(range(comparison.test.blocks), key=differences.__getitem__, reverse=True)
    rows = []
    for number in order[:_LARGEST]:
        links = [page.record_link(records, number, game) for game in range(comparison.setup.ruleset.seats)]
        advantage = f"{comparison.advantages[number]:+.2f}"
        rows.append((page.text_cell(f"{number}"), page.text_cell(advantage), f"<td>{' '.join(links)}</td>"))
    listed = page.table(("block", "pt per game", "games"), rows)
    return f"<h2>Blocks with the greatest differences</h2>\n{listed}\n{page.HOW_TO_SHOW if records else ''}"
