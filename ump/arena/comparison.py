"""What a comparison of two players has found so far: the sequential test, and statistics with intervals by blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from ump.arena.blocks import Block, BlockGame, Setup, placement_points
from ump.arena.quantiles import bootstrap_half_widths
from ump.arena.sequential import Hypotheses, SequentialTest
from ump.model.value import value

RATIOS: dict[str, tuple[str, str]] = {
    "average_place": ("place", "games"),
    "average_points": ("placement_points", "games"),
    **{f"place_{place}": (f"place_{place}", "games") for place in range(1, 5)},
    "tobi": ("tobi", "games"),
    "win_rate": ("wins", "kyoku"),
    "tsumo_rate": ("tsumo", "wins"),
    "deal_in_rate": ("deal_ins", "kyoku"),
    "riichi_rate": ("riichi", "kyoku"),
    "call_rate": ("calls", "kyoku"),
    "tenpai_rate": ("tenpai", "draws"),
    "average_win": ("win_points", "wins"),
    "average_loss": ("deal_in_points", "deal_ins"),
}
"""Statistics of a player: each is the ratio of two sums. docs/arena.md defines them."""

Sums = dict[str, float]
"""The results and counts of one player in the games of one block."""


@value
class Estimate:
    """A statistic with its 95 % interval."""

    mean: float | None
    """None if nothing was counted."""
    half_width: float | None
    """None if the interval is unknown."""


@value
class PlayerResult:
    """The statistics of one player."""

    name: str
    estimates: dict[str, Estimate]
    """By the names of ``RATIOS``."""
    crashes: int
    refusals: int
    answers: int
    average_answer: float
    """Milliseconds."""
    longest_answer: float
    """Milliseconds."""
    first_error: str


class Comparison:
    """The blocks of a comparison in their order."""

    def __init__(self, setup: Setup, hypotheses: Hypotheses) -> None:
        self.setup = setup
        self.test = SequentialTest(hypotheses)
        self.advantages: list[float] = []
        """x of each block."""
        self.ratios: list[float] = []
        """The log-likelihood ratio after each block."""
        self.anytime: list[tuple[float, float | None]] = []
        """The mean of x after each block, and half of its anytime interval."""
        self.games = 0
        self._sums: tuple[list[Sums], list[Sums]] = ([], [])
        self._errors = ["", ""]
        self._longest = [0.0, 0.0]

    def add(self, block: Block) -> None:
        """Count the next block."""
        self.advantages.append(block.advantage(self.setup.points))
        self.test.add(self.advantages[-1])
        self.ratios.append(self.test.ratio)
        self.anytime.append((self.test.mean, self.test.anytime_interval()))
        self.games += len(block.games)
        for player in range(2):
            self._sums[player].append(_block_sums(block, player, self.setup.points))
            self._errors[player] = self._errors[player] or block.errors[player]
            times = [
                game.counts[seat].get("longest_answer_microseconds", 0) / 1e3
                for game in block.games
                for seat in _seats(game, player)
            ]
            self._longest[player] = max(self._longest[player], *times)

    def one_way(self, challenger: int) -> float | None:
        """Return the mean x of the blocks in which this player is the challenger; None without such blocks."""
        listed = self.advantages[challenger::2]
        return sum(listed) / len(listed) if listed else None

    def players(self) -> tuple[PlayerResult, PlayerResult]:
        """Return the statistics of both players; the bootstrap draws the same numbers at each call."""
        first, second = (self._player(player) for player in range(2))
        return first, second

    def _player(self, player: int) -> PlayerResult:
        sums = self._sums[player]
        columns = {name: [block.get(name, 0.0) for block in sums] for pair in RATIOS.values() for name in pair}
        pairs = [(columns[numerator], columns[denominator]) for numerator, denominator in RATIOS.values()]
        widths = bootstrap_half_widths(pairs, Random(f"bootstrap/{player}"))
        estimates = {
            name: Estimate(_ratio(sum(above), sum(below)), width)
            for name, (above, below), width in zip(RATIOS, pairs, widths, strict=True)
        }
        total = _added(sums)
        answers = int(total["answers"])
        average = (_ratio(total["answer_microseconds"], answers) or 0.0) / 1e3
        faults = int(total["crashes"]), int(total["refusals"])
        name, longest, error = self.setup.players[player], self._longest[player], self._errors[player]
        return PlayerResult(name, estimates, *faults, answers, average, longest, error)


def _seats(game: BlockGame, player: int) -> list[int]:
    return [seat for seat, seated in enumerate(game.seating) if seated == player]


def _block_sums(block: Block, player: int, points: Sequence[float]) -> Sums:
    """Return what a player did in a block, over all of its seats."""
    listed: list[Sums] = []
    for game in block.games:
        for seat in _seats(game, player):
            place = game.places[seat]
            own: Sums = {"games": 1.0, "place": place, f"place_{place}": 1.0, "tobi": float(game.points[seat] < 0)}
            own["placement_points"] = placement_points(game.places, seat, points)
            listed.append(own | game.counts[seat])
    return dict(_added(listed))


def _added(listed: Sequence[Sums]) -> defaultdict[str, float]:
    total: defaultdict[str, float] = defaultdict(float)
    for sums in listed:
        for name, number in sums.items():
            total[name] += number
    return total


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None
