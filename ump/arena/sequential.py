"""Decide between players while games are played: a generalised sequential probability ratio test on blocks.

A block is a group of games on one seed, and counts as one number, x: by how many placement points per game the first
player was better than a player who is as strong as the others. The numbers of different blocks are independent; the
games of one block are not. For the test see A. Wald, "Sequential Analysis" (1947), and M. Van den Bergh, "A practical
introduction to the GSPRT" (official-stockfish/fishtest); for the interval I. Waudby-Smith et al., "Time-uniform central
limit theory and asymptotic confidence sequences" (2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import combinations
from math import log, sqrt

from ump.arena.blocks import Block, challenger_advantage
from ump.model.value import value
from ump.record.figures import student_95

PSEUDO_BLOCK = 45.0
"""In placement points: a block so far from the mean is added to the variance, which would be 0 after equal blocks."""

FEWEST_BLOCKS = 32
FEWEST_DIFFERENT = 10
"""Before so many blocks, and so many with x other than 0, the test does not decide: the normal form needs them."""

SAME_PLAY_BLOCKS = 400
"""After so many blocks of 0 alone, the two play the same."""

FIRST_ANYTIME = 25
"""The anytime interval begins at this block."""

ANYTIME_SCALE = 0.053
"""The square of rho: the interval is tightest around block 50."""

ANYTIME_ERROR = 0.05


class SequentialVerdict(Enum):
    """The verdict of a test."""

    OPEN = "open"
    """Undecided: more blocks are needed."""
    H0 = "H0"
    H1 = "H1"
    SAME_PLAY = "same play"
    """Every block was 0: the two play the same."""


@value
class Hypotheses:
    """The hypotheses that a test decides between, and how often it may be wrong."""

    h0: float = 0.0
    """By how many placement points per game the first player is ahead."""
    h1: float = 5.0
    """The same, more than ``h0``."""
    alpha: float = 0.05
    """The greatest share of wrong H1."""
    beta: float = 0.05
    """The greatest share of wrong H0."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test accepts H0 and H1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


class SequentialTest:
    """The test over blocks in their order. Once it has decided, further blocks do not change the verdict."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.verdict = SequentialVerdict.OPEN
        self.blocks = 0
        self._sum = 0.0
        self._squares = 0.0
        self._different = 0

    def add(self, x: float) -> SequentialVerdict:
        """Take the next block, and return the verdict."""
        self.blocks += 1
        self._sum += x
        self._squares += x * x
        self._different += x != 0
        if self.verdict is SequentialVerdict.OPEN:
            self.verdict = self._judged()
        return self.verdict

    @property
    def mean(self) -> float:
        """The mean of x; 0 before the first block."""
        return self._sum / self.blocks if self.blocks else 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of x in the sample; 0 before the second block."""
        if self.blocks < 2:
            return 0.0
        return sqrt(max(0.0, (self._squares - self.blocks * self.mean**2) / (self.blocks - 1)))

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio of H1 to H0, each with the variance that fits best; 0 before the first block."""
        if not self.blocks:
            return 0.0
        mean, number, test = self.mean, self.blocks, self.hypotheses
        variance = self._squares / number - mean**2 + PSEUDO_BLOCK**2 / number
        return number / 2 * log((variance + (mean - test.h0) ** 2) / (variance + (mean - test.h1) ** 2))

    def interval(self) -> float | None:
        """Return half of the 95 % interval of the mean for a number of blocks fixed beforehand; None before two."""
        if self.blocks < 2:
            return None
        return student_95(self.blocks - 1) * self.deviation / sqrt(self.blocks)

    def anytime_interval(self) -> float | None:
        """Return half of the 95 % interval of the mean that holds whenever one looks; None before FIRST_ANYTIME."""
        number = self.blocks
        if number < FIRST_ANYTIME:
            return None
        spread = number * ANYTIME_SCALE + 1
        width = 2 * spread / (number**2 * ANYTIME_SCALE) * log(sqrt(spread) / ANYTIME_ERROR)
        return self.deviation * sqrt(width)

    def _judged(self) -> SequentialVerdict:
        if not self._different and self.blocks >= SAME_PLAY_BLOCKS:
            return SequentialVerdict.SAME_PLAY
        if self.blocks < FEWEST_BLOCKS or self._different < FEWEST_DIFFERENT:
            return SequentialVerdict.OPEN
        low, high = self.hypotheses.bounds
        if self.ratio >= high:
            return SequentialVerdict.H1
        return SequentialVerdict.H0 if self.ratio <= low else SequentialVerdict.OPEN


Pair = tuple[int, int]
"""Two players, the one with the lower index first."""


class PairVerdict(Enum):
    """The verdict of a pair's blocks."""

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
    """Half of the 95 % interval of the lead: the anytime one, or that of a fixed number of games."""


class PairTests:
    """Two tests for each pair: whether the first player is better by ``h1`` points, and whether the second is.

    The share of errors for each pair is 5 % divided by the number of pairs, so that it holds for all of them together.
    Without ``h1`` they only count the leads of a number of games that is fixed beforehand.
    """

    ERRORS = 0.05

    def __init__(self, pairs: Sequence[Pair], h1: float | None, points: Sequence[float]) -> None:
        """``h1`` and ``points`` are placement points per game."""
        share = self.ERRORS / len(pairs)
        hypotheses = Hypotheses(0.0, 5.0 if h1 is None else h1, share / 2, share / 2)
        self.is_fixed = h1 is None
        """Whether the number of games was fixed beforehand; then there are no verdicts."""
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
        results = []
        for pair, (test, _) in self._tests.items():
            if self.is_fixed:
                verdict, half = PairVerdict.OPEN, test.interval()
            else:
                verdict, half = self._verdict(pair), test.anytime_interval()
            results.append(PairResult(pair, verdict, test.blocks, test.mean, half))
        return results

    def _verdict(self, pair: Pair) -> PairVerdict:
        first, second = self._tests[pair]
        if first.verdict is SequentialVerdict.H1:
            return PairVerdict.FIRST
        if second.verdict is SequentialVerdict.H1:
            return PairVerdict.SECOND
        return PairVerdict.OPEN if SequentialVerdict.OPEN in (first.verdict, second.verdict) else PairVerdict.NEITHER


def pairs_of(schedule: str, players: int) -> list[Pair]:
    """Return the pairs that meet in ``round-robin``, ``gauntlet`` or ``challenge``; empty for another schedule."""
    everybody = list(combinations(range(players), 2))
    if schedule in ("gauntlet", "challenge"):
        return [pair for pair in everybody if 0 in pair]
    return everybody if schedule == "round-robin" else []
