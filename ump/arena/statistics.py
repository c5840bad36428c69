"""Statistics of a player over blocks, with intervals by the bootstrap over whole blocks; as tables and as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from statistics import stdev

from ump.arena.blocks import FAULTS, Block, BlockGame, placement_points
from ump.arena.watched import ANSWERS_IN_CLASS, end_of_class
from ump.model.value import value
from ump.record.player_statistics import Z95
from ump.text.layout import columns, printable, shortened

RESAMPLES = 500
"""Resamples of a bootstrap."""


def bootstrap_half_widths(
    ratios: Sequence[tuple[Sequence[float], Sequence[float]]], generator: Random
) -> list[float | None]:
    """Return half of the 95 % interval of each ratio of two sums over blocks, by the bootstrap over whole blocks.

    Each ratio has a list of numerators and one of denominators, an entry for each block, all of the same length. All
    ratios are computed from the same resamples. The half width is that of a normal interval with the standard deviation
    of the resampled ratios (B. Efron 1979). It is None if there are fewer than two blocks, or nothing in a denominator.
    """
    blocks = len(ratios[0][0]) if ratios else 0
    found: list[list[float]] = [[] for _ in ratios]
    for _ in range(RESAMPLES if blocks > 1 else 0):
        drawn = generator.choices(range(blocks), k=blocks)
        for (numerators, denominators), values in zip(ratios, found, strict=True):
            total = sum(map(denominators.__getitem__, drawn))
            if total:
                values.append(sum(map(numerators.__getitem__, drawn)) / total)
    return [Z95 * stdev(values) if len(values) > RESAMPLES // 2 else None for values in found]


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
        faults = int(sum(total[name] for name in FAULTS))
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
            result = game.result
            place = result.places[seat]
            own: Sums = {"games": 1.0, "place": place, f"place_{place}": 1.0, "tobi": float(result.points[seat] < 0)}
            own["placement_points"] = placement_points(result.places, seat, points)
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


_TABLES: tuple[tuple[tuple[str, str, str, float], ...], ...] = (
    (
        ("place", "average_place", ".3f", 1),
        ("pt", "average_points", "+.1f", 1),
        *(
            (f"{place}{suffix}", f"place_{place}", ".1f", 100)
            for place, suffix in enumerate(("st", "nd", "rd", "th"), 1)
        ),
        ("tobi", "tobi", ".1f", 100),
    ),
    (
        ("win", "win_rate", ".1f", 100),
        ("tsumo", "tsumo_rate", ".1f", 100),
        ("deal-in", "deal_in_rate", ".1f", 100),
        ("riichi", "riichi_rate", ".1f", 100),
        ("call", "call_rate", ".1f", 100),
        ("tenpai", "tenpai_rate", ".1f", 100),
        ("avg win", "average_win", ",.0f", 1),
        ("avg loss", "average_loss", ",.0f", 1),
    ),
)
"""The columns of the tables: heading, name in ``RATIOS``, format, and factor. Shares are in percent."""

_FAULTS = ("crashes", "refused", "timeouts", "answers", "avg ms", "50 % ms", "99 % ms", "longest ms")
"""The columns of the table of faults and answer times."""


def player_data(player: PlayerResult) -> dict[str, object]:
    """Return the statistics of a player as a flat object, for JSON and CSV."""
    estimates: dict[str, object] = {}
    for name, estimate in player.estimates.items():
        estimates[name] = rounded(estimate.mean)
        estimates[f"{name}_half_width"] = rounded(estimate.half_width)
    return {
        "name": player.name,
        **estimates,
        "crashes": player.crashes,
        "refusals": player.refusals,
        "timeouts": player.timeouts,
        "answers": player.answers,
        "average_answer_milliseconds": rounded(player.average_answer),
        "answer_p50_milliseconds": rounded(player.answer_p50),
        "answer_p99_milliseconds": rounded(player.answer_p99),
        "longest_answer_milliseconds": rounded(player.longest_answer),
        "first_error": player.first_error,
    }


def statistics_lines(players: Sequence[PlayerResult]) -> Iterator[str]:
    """Yield three tables with a row for each player, and the first fault of each."""
    names = [shortened(printable(player.name), 30) for player in players]
    for table in _TABLES:
        yield ""
        head = ("", *(heading for heading, _, _, _ in table))
        rows = [(name, *_cells(player, table)) for name, player in zip(names, players, strict=True)]
        yield from columns([head, *rows], right=range(1, len(head)))
    yield ""
    rows = [(name, *_fault_cells(player)) for name, player in zip(names, players, strict=True)]
    yield from columns([("", *_FAULTS), *rows], right=range(1, len(_FAULTS) + 1))
    for name, player in zip(names, players, strict=True):
        if player.first_error:
            yield f"{name}: the first fault: {printable(player.first_error)}"


def _cells(player: PlayerResult, table: Sequence[tuple[str, str, str, float]]) -> Iterator[str]:
    for _, name, written, factor in table:
        yield _cell(player.estimates[name], written, factor)


def _cell(estimate: Estimate, written: str, factor: float) -> str:
    if estimate.mean is None:
        return "-"
    half = "" if estimate.half_width is None else f" ±{format(estimate.half_width * factor, written.lstrip('+'))}"
    return f"{format(estimate.mean * factor, written)}{half}"


def _fault_cells(player: PlayerResult) -> Iterator[str]:
    yield from map(str, (player.crashes, player.refusals, player.timeouts, player.answers))
    for milliseconds in (player.average_answer, player.answer_p50, player.answer_p99, player.longest_answer):
        yield "-" if milliseconds is None else f"{milliseconds:,.{0 if milliseconds >= 100 else 2}f}"


def rounded(number: float | None) -> float | None:
    """Return a number as reports in JSON have it, with four digits after the point."""
    return None if number is None else round(number, 4)
