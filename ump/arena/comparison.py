"""A comparison of two players: its test and statistics so far, and its report as text, data and a page of HTML.

docs/arena.md defines each value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import assert_never

from ump.arena.arena_setup import ArenaSetup, lineups
from ump.arena.blocks import Block, PlannedBlock
from ump.arena.page import Figure, Line, histogram, line_plot, page, stacked_bars, table, text_cell
from ump.arena.sequential import Hypotheses, SequentialTest, SequentialVerdict
from ump.arena.statistics import PlayerResult, PlayerStatistics, player_data, rounded, statistics_lines
from ump.text.layout import printable, shortened


class Comparison:
    """The blocks of a comparison in their order, and those that are still to be played."""

    def __init__(self, setup: ArenaSetup, hypotheses: Hypotheses, blocks: int | None = None) -> None:
        """Compare the two players of a setup in so many blocks; None: until the test decides."""
        self.setup = setup
        self.names = [entrant.kind for entrant in setup.entrants]
        self.test = SequentialTest(hypotheses)
        self.advantages: list[float] = []
        """x of each block."""
        self.ratios: list[float] = []
        """The log-likelihood ratio after each block."""
        self.anytime: list[tuple[float, float | None]] = []
        """The mean of x after each block, and half of its anytime interval."""
        self.games = 0
        self._blocks = blocks
        self._players = tuple(PlayerStatistics(name, at, setup.points) for at, name in enumerate(self.names))

    def add(self, block: Block) -> None:
        """Count the next block."""
        self.advantages.append(block.advantage(self.setup.points))
        self.test.add(self.advantages[-1])
        self.ratios.append(self.test.ratio)
        self.anytime.append((self.test.mean, self.test.anytime_interval()))
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
        listed = self.advantages[challenger::2]
        return sum(listed) / len(listed) if listed else None

    def players(self) -> tuple[PlayerResult, PlayerResult]:
        """Return the statistics of both players; the bootstrap draws the same numbers at each call."""
        first, second = (player.result() for player in self._players)
        return first, second


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
        "players": [player_data(player) for player in comparison.players()],
    }


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Yield the report for a terminal: tables, faults, and the verdict."""
    if not comparison.games:
        yield "no block was played to its end"
        return
    setup, players = comparison.setup, comparison.players()
    first, second = (shortened(printable(player.name), 30) for player in players)
    yield f"{first} against {second}, both ways, {setup.ruleset.name} {setup.ruleset.length.value}"
    yield f"{comparison.test.blocks} blocks, {comparison.games} games; intervals are 95 %, shares in percent"
    yield from statistics_lines(players)
    yield ""
    yield from _verdict_lines(comparison, first, second)


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
    yield f"{first} is ahead by {test.mean:+.1f}{width} pt per game{kind}"
    one, other = comparison.one_way(0), _negated(comparison.one_way(1))
    if one is not None and other is not None:
        yield f"{first} among copies of {second} {one:+.1f}, {second} among copies of {first} {other:+.1f}"
    if not comparison.is_fixed:
        low, high = points.bounds
        said = _in_words(test.verdict, points, first)
        given = f"{points.h0:g} against {points.h1:g} pt, {points.alpha:.0%} / {points.beta:.0%}"
        yield f"LLR {test.ratio:.2f} ({low:.2f}, {high:.2f}): {said} ({given})"


def _in_words(verdict: SequentialVerdict, hypotheses: Hypotheses, first: str) -> str:
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


def comparison_page(comparison: Comparison) -> str:
    """Return the page."""
    first, second = comparison.names
    figures = _figures(comparison) if comparison.games else []
    return page(f"{first} against {second}", comparison_lines(comparison), figures, _largest(comparison))


def _figures(comparison: Comparison) -> list[Figure]:
    low, high = comparison.test.hypotheses.bounds
    means = [mean for mean, _ in comparison.anytime]
    upper = [None if half is None else mean + half for mean, half in comparison.anytime]
    lower = [None if half is None else mean - half for mean, half in comparison.anytime]
    players = comparison.players()
    shares = [[player.estimates[f"place_{place}"].mean or 0.0 for place in range(1, 5)] for player in players]
    return [
        Figure(
            "Log-likelihood ratio, and the bounds at which the test decides",
            line_plot([Line("#1f5fa8", comparison.ratios)], (low, high)),
        ),
        Figure(
            "Mean advantage of the first player in placement points per game, with the anytime interval",
            line_plot([Line("#1f5fa8", means), Line("#9bbbe0", upper), Line("#9bbbe0", lower)], (0.0,)),
        ),
        Figure("Places", stacked_bars([player.name for player in players], shares)),
        Figure("Advantage by block", histogram(comparison.advantages)),
    ]


def _largest(comparison: Comparison) -> str:
    """Return a table of the blocks with the greatest differences."""
    order = sorted(range(comparison.test.blocks), key=lambda number: -abs(comparison.advantages[number]))[:_LARGEST]
    rows = [(text_cell(f"{number}"), text_cell(f"{comparison.advantages[number]:+.2f}")) for number in order]
    return f"<h2>Blocks with the greatest differences</h2>\n{table(('block', 'pt per game'), rows)}\n"
