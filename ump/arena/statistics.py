"""Statistics of a player over blocks, with intervals by the bootstrap over whole blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random

from ump.arena.answer_counts import ANSWERS_IN_CLASS, end_of_class
from ump.arena.blocks import Block, BlockGame, placement_points
from ump.arena.quantiles import bootstrap_half_widths
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
class Running:
    """A few figures of one player while games are played, without intervals: quickly."""

    place: float | None
    """The mean place; None before the first game."""
    points: float | None
    """Placement points per game."""
    faults: int
    """Crashes, refusals and timeouts together."""


@value
class PlayerResult:
    """The statistics of one player."""

    name: str
    estimates: dict[str, Estimate]
    """By the names of ``RATIOS``."""
    crashes: int
    refusals: int
    timeouts: int
    answers: int
    average_answer: float
    """Milliseconds."""
    answer_p50: float | None
    """Milliseconds within which half of the answers came, up to 26 % too much; None if nobody has measured it."""
    answer_p99: float | None
    """The same for 99 % of the answers."""
    longest_answer: float
    """Milliseconds."""
    first_error: str


class PlayerStatistics:
    """The deeds of one player in the blocks so far."""

    def __init__(self, name: str, player: int, points: Sequence[float]) -> None:
        self._name = name
        self._player = player
        self._points = points
        self._sums: list[Sums] = []
        self._total: defaultdict[str, float] = defaultdict(float)
        self._error = ""
        self._longest = 0.0

    def add(self, block: Block) -> None:
        """Count the next block; the player need not have taken part in it."""
        self._sums.append(_block_sums(block, self._player, self._points))
        _add(self._total, self._sums[-1])
        self._error = self._error or block.errors[self._player]
        for game in block.games:
            for seat in _seats(game, self._player):
                self._longest = max(self._longest, game.counts[seat].get("longest_answer_microseconds", 0) / 1e3)

    def running(self) -> Running:
        """Return a few figures."""
        total = self._total
        faults = int(total["crashes"] + total["refusals"] + total["timeouts"])
        return Running(
            _ratio(total["place"], total["games"]), _ratio(total["placement_points"], total["games"]), faults
        )

    def result(self) -> PlayerResult:
        """Return the statistics; the bootstrap draws the same numbers at each call."""
        sums = self._sums
        columns = {name: [block.get(name, 0.0) for block in sums] for pair in RATIOS.values() for name in pair}
        pairs = [(columns[numerator], columns[denominator]) for numerator, denominator in RATIOS.values()]
        widths = bootstrap_half_widths(pairs, Random(f"bootstrap/{self._player}"))
        estimates = {
            name: Estimate(_ratio(sum(above), sum(below)), width)
            for name, (above, below), width in zip(RATIOS, pairs, widths, strict=True)
        }
        total = self._total
        answers = int(total["answers"])
        average = (_ratio(total["answer_microseconds"], answers) or 0.0) / 1e3
        faults = int(total["crashes"]), int(total["refusals"]), int(total["timeouts"])
        within = (answer_quantile(total, share) for share in (0.5, 0.99))
        median, slow = (None if each is None else min(each, self._longest) for each in within)
        return PlayerResult(self._name, estimates, *faults, answers, average, median, slow, self._longest, self._error)


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
        _add(total, sums)
    return total


def _add(total: defaultdict[str, float], sums: Sums) -> None:
    for name, number in sums.items():
        total[name] += number


def answers_in_classes(counts: Mapping[str, float]) -> dict[int, float]:
    """Return the numbers of answers by their classes of times, in order, from the counts of games."""
    start = len(ANSWERS_IN_CLASS)
    return dict(sorted((int(name[start:]), n) for name, n in counts.items() if name.startswith(ANSWERS_IN_CLASS)))


def answer_quantile(counts: Mapping[str, float], share: float) -> float | None:
    """Return the milliseconds within which this share of the answers came, or None if no game has their classes."""
    classes = answers_in_classes(counts)
    wanted = share * sum(classes.values())
    ends = zip(classes, accumulate(classes.values()), strict=True)
    number = next((number for number, so_far in ends if so_far >= wanted), None)
    return None if number is None else end_of_class(number) * 1e3


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None
