"""Sequential tests of all pairs of an arena: which of two players is better, or that neither is by much."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import combinations

from ump.arena.blocks import Block, challenger_advantage
from ump.arena.sequential import Hypotheses, SequentialTest, Verdict
from ump.model.value import value

Pair = tuple[int, int]
"""Two players, the one with the lower index first."""


class PairVerdict(Enum):
    """What the blocks of a pair have shown."""

    OPEN = "open"
    FIRST = "first is better"
    SECOND = "second is better"
    NEITHER = "neither is better"


@value
class PairResult:
    """A pair and its blocks so far."""

    pair: Pair
    verdict: PairVerdict
    blocks: int
    lead: float
    """Placement points per game by which the first is ahead, as in ``Block.advantage``."""
    half_width: float | None
    """Half of the anytime interval of the lead."""


class PairTests:
    """Two tests for each pair: whether the first player is better by ``h1`` points, and whether the second is.

    The share of errors for each pair is 5 % divided by the number of pairs, so that it holds for all of them together.
    """

    ERRORS = 0.05

    def __init__(self, pairs: Sequence[Pair], h1: float, points: Sequence[float]) -> None:
        """``h1`` and ``points`` are placement points per game."""
        share = self.ERRORS / len(pairs)
        hypotheses = Hypotheses(0.0, h1, share / 2, share / 2)
        self._points = points
        self._tests = {pair: (SequentialTest(hypotheses), SequentialTest(hypotheses)) for pair in pairs}

    def add(self, block: Block) -> None:
        """Count a block in which one player was alone among copies of another."""
        challenger, other = block.games[0].seating[:2]
        lead = challenger_advantage(block, challenger, self._points)
        first, second = self._tests[min(challenger, other), max(challenger, other)]
        first.add(lead if challenger < other else -lead)
        second.add(-lead if challenger < other else lead)

    @property
    def undecided(self) -> list[Pair]:
        """The pairs that need more blocks."""
        return [pair for pair in self._tests if self._verdict(pair) is PairVerdict.OPEN]

    def results(self) -> list[PairResult]:
        """Return what is known of all pairs."""
        return [
            PairResult(pair, self._verdict(pair), test.blocks, test.mean, test.anytime_interval())
            for pair, (test, _) in self._tests.items()
        ]

    def _verdict(self, pair: Pair) -> PairVerdict:
        first, second = (test.verdict for test in self._tests[pair])
        if first is Verdict.BETTER:
            return PairVerdict.FIRST
        if second is Verdict.BETTER:
            return PairVerdict.SECOND
        return PairVerdict.OPEN if Verdict.OPEN in (first, second) else PairVerdict.NEITHER


def pairs_of(schedule: str, players: int) -> list[Pair]:
    """Return the pairs that meet in ``round-robin`` or ``gauntlet``; empty for another schedule."""
    everybody = list(combinations(range(players), 2))
    return {"round-robin": everybody, "gauntlet": [pair for pair in everybody if 0 in pair]}.get(schedule, [])
