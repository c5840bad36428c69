"""Statistics of a player over blocks, with intervals by the bootstrap over whole blocks; as tables and as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from random import Random
from statistics import stdev
from typing import TypeAlias

from ump.arena.blocks import FAULTS, Block, BlockGame, placement_points
from ump.arena.watched import ANSWERS_IN_CLASS, end_of_class
from ump.model.value import value
from ump.record.figures import AVERAGE_PLACE, LAST_PLACE, PLAY, Z95, FigureForm, PlayerFigure, rate, rounded
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
    return list(map(_half_width, found))


def _half_width(resampled: Sequence[float]) -> float | None:
    return Z95 * stdev(resampled) if len(resampled) > RESAMPLES // 2 else None


_AVERAGE_POINTS = PlayerFigure("average_points", "pt", "placement_points", "completed", FigureForm.SIGNED_POINTS)

FIGURES: tuple[PlayerFigure, ...] = (
    AVERAGE_PLACE,
    _AVERAGE_POINTS,
    rate("place_1", "1st", "place_1", "completed"),
    rate("place_2", "2nd", "place_2", "completed"),
    rate("place_3", "3rd", "place_3", "completed"),
    rate("place_4", "4th", "place_4", "completed"),
    rate("tobi", "tobi", "tobi", "completed"),
    *PLAY,
)
"""The figures of a player. docs/arena.md defines those that other reports do not have."""

_TABLES = (FIGURES[: -len(PLAY)], PLAY)
"""The figures of each table."""

BlockSums: TypeAlias = dict[str, float]
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
class PlayerFigures:
    """The statistics of one player."""

    name: str
    estimates: dict[str, Estimate]
    """By the keys of ``FIGURES``."""
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
    longest_start: float | None
    """Milliseconds until a program said hello, or gave its first answer, which no other figure has.

    None if no program was started.
    """
    first_error: str


class PlayerStatistics:
    """The deeds of one player in the blocks so far."""

    def __init__(self, name: str, player: int, points: Sequence[float]) -> None:
        self._name = name
        self._player = player
        self._points = points
        self._sums: list[BlockSums] = []
        self._total: defaultdict[str, float] = defaultdict(float)
        self._error = ""
        self._longest = self._longest_start = 0.0
        """Milliseconds."""

    def add(self, block: Block) -> None:
        """Count the next block; the player need not have taken part in it."""
        self._sums.append(_block_sums(block, self._player, self._points))
        _add(self._total, self._sums[-1])
        self._error = self._error or block.errors[self._player]
        for game in block.games:
            for seat in _seats(game, self._player):
                counts = game.counts[seat]
                self._longest = max(self._longest, counts.get("longest_answer_microseconds", 0) / 1e3)
                self._longest_start = max(self._longest_start, counts.get("longest_start_microseconds", 0) / 1e3)

    def running(self) -> Running:
        """Return a few figures."""
        total = self._total
        faults = int(sum(total[name] for name in FAULTS))
        return Running(AVERAGE_PLACE.of(total), _AVERAGE_POINTS.of(total), faults)

    def figures(self) -> PlayerFigures:
        """Return the statistics; the bootstrap draws the same numbers at each call."""
        total = self._total
        pairs = [(self._by_block(figure.above), self._by_block(figure.below)) for figure in FIGURES]
        widths = bootstrap_half_widths(pairs, Random(f"bootstrap/{self._player}"))
        estimates = {}
        for figure, width in zip(FIGURES, widths, strict=True):
            estimates[figure.key] = Estimate(figure.of(total), width)
        answers = int(total["answers"])
        average = (_ratio(total["answer_microseconds"], answers) or 0.0) / 1e3
        faults = int(total["crashes"]), int(total["refusals"]), int(total["timeouts"])
        median, slow = self._answer_quantile(0.5), self._answer_quantile(0.99)
        return PlayerFigures(
            self._name,
            estimates,
            *faults,
            answers,
            average,
            median,
            slow,
            self._longest,
            self._longest_start or None,
            self._error,
        )

    def _answer_quantile(self, share: float) -> float | None:
        """Return the milliseconds within which this share of the answers came; None if nobody has measured them."""
        within = answer_quantile(self._total, share)
        return None if within is None else min(within, self._longest)

    def _by_block(self, name: str) -> list[float]:
        """Return a sum in each block."""
        return [sums.get(name, 0.0) for sums in self._sums]


def _seats(game: BlockGame, player: int) -> list[int]:
    return [seat for seat, seated in enumerate(game.seating) if seated == player]


def _block_sums(block: Block, player: int, points: Sequence[float]) -> BlockSums:
    """Return what a player did in a block, over all of its seats."""
    listed: list[BlockSums] = []
    for game in block.games:
        for seat in _seats(game, player):
            result = game.result
            place = result.places[seat]
            own: BlockSums = {"completed": 1.0, "place": place, f"place_{place}": 1.0}
            own["tobi"] = float(result.points[seat] < 0)
            own["placement_points"] = placement_points(result.places, seat, points)
            listed.append(own | game.counts[seat])
    return dict(_added(listed))


def _added(listed: Sequence[BlockSums]) -> defaultdict[str, float]:
    total: defaultdict[str, float] = defaultdict(float)
    for sums in listed:
        _add(total, sums)
    return total


def _add(total: defaultdict[str, float], sums: BlockSums) -> None:
    for name, number in sums.items():
        total[name] += number


def answers_in_classes(counts: Mapping[str, float]) -> dict[int, float]:
    """Return the numbers of answers by their classes of times, in order, from the counts of games."""
    classes = {}
    for name, number in counts.items():
        if name.startswith(ANSWERS_IN_CLASS):
            classes[int(name.removeprefix(ANSWERS_IN_CLASS))] = number
    return dict(sorted(classes.items()))


def answer_quantile(counts: Mapping[str, float], share: float) -> float | None:
    """Return the milliseconds within which this share of the answers came, or None if no game has their classes."""
    classes = answers_in_classes(counts)
    wanted = share * sum(classes.values())
    for number, so_far in zip(classes, accumulate(classes.values()), strict=True):
        if so_far >= wanted:
            return end_of_class(number) * 1e3
    return None


def _ratio(above: float, below: float) -> float | None:
    return above / below if below else None


_FAULTS = ("crashes", "refused", "timeouts", "answers", "avg ms", "50 % ms", "99 % ms", "longest ms", "start ms")
"""The columns of the table of faults and answer times."""


def place_shares(player: PlayerFigures) -> list[float]:
    """Return the shares of first to last places, for a plot."""
    return [player.estimates[f"place_{place}"].mean or 0.0 for place in range(1, LAST_PLACE + 1)]


def player_data(player: PlayerFigures) -> dict[str, object]:
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
        "longest_start_milliseconds": rounded(player.longest_start),
        "first_error": player.first_error,
    }


def short_name(name: str) -> str:
    """Return the name of a player as tables show it."""
    return shortened(printable(name), 30)


def statistics_lines(players: Sequence[PlayerFigures]) -> Iterator[str]:
    """Yield three tables with a row for each player, and the first fault of each."""
    names = [short_name(player.name) for player in players]
    for table in _TABLES:
        yield ""
        rows: list[tuple[str, ...]] = [("", *(figure.heading for figure in table))]
        for name, player in zip(names, players, strict=True):
            rows.append((name, *_cells(player, table)))
        yield from columns(rows, right=range(1, len(table) + 1))
    yield ""
    rows = [("", *_FAULTS)]
    for name, player in zip(names, players, strict=True):
        rows.append((name, *_fault_cells(player)))
    yield from columns(rows, right=range(1, len(_FAULTS) + 1))
    for name, player in zip(names, players, strict=True):
        if player.first_error:
            yield f"{name}: the first fault: {printable(player.first_error)}"


def _cells(player: PlayerFigures, table: Sequence[PlayerFigure]) -> Iterator[str]:
    for figure in table:
        yield _cell(player.estimates[figure.key], figure.form)


def _cell(estimate: Estimate, form: FigureForm) -> str:
    """Return an estimate with its interval; a share is in percent, without the sign."""
    if estimate.mean is None:
        return "-"
    cell = format(estimate.mean, form.value).removesuffix("%")
    if estimate.half_width is not None:
        cell += f" ±{format(estimate.half_width, form.value.lstrip('+')).removesuffix('%')}"
    return cell


def _fault_cells(player: PlayerFigures) -> Iterator[str]:
    yield from map(str, (player.crashes, player.refusals, player.timeouts, player.answers))
    answers = player.average_answer, player.answer_p50, player.answer_p99, player.longest_answer
    for milliseconds in (*answers, player.longest_start):
        yield "-" if milliseconds is None else f"{milliseconds:,.{0 if milliseconds >= 100 else 2}f}"
