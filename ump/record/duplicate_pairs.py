"""Differences between two players who have played the same walls from every seat.

A group of duplicate games is one sample: its games share their walls, so they are not independent of each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby
from math import sqrt
from operator import attrgetter
from statistics import fmean, stdev
from typing import TypeAlias

from ump.model.value import value
from ump.record.indexed_game import DuplicateResult
from ump.text.layout import printable, shortened
from ump.text.student import student_95
from ump.text.text import columns

Averages: TypeAlias = tuple[float, float, float]
"""The average place, points, and result in thousands, of one player over the games of one group."""


@value
class Difference:
    """The mean over groups of what one player has more than another."""

    mean: float
    half: float | None
    """Half of the 95 % interval of the mean, by Student's t; None for fewer than two groups."""

    @classmethod
    def of(cls, samples: Sequence[float]) -> Difference:
        """Return the mean of at least one sample, with its interval."""
        number = len(samples)
        half = student_95(number - 1) * stdev(samples) / sqrt(number) if number > 1 else None
        return cls(fmean(samples), half)


@value
class Pair:
    """Two players, with the differences of the first from the second."""

    first: str
    second: str
    groups: int
    games: int
    place: Difference
    """Below 0: the first player comes before the second."""
    points: Difference
    result: Difference
    """With uma and oka, in thousands of points."""


def pairs(results: Iterable[DuplicateResult], player: str | None = None) -> list[Pair]:
    """Return every pair of players who have completed a group together, those with most groups first.

    ``results`` has those of a group together. With ``player``, only the pairs of this player are returned, who comes
    first in them; else the first of a pair is the one with the better result.
    """
    samples: dict[tuple[str, str], list[tuple[Averages, int]]] = defaultdict(list)
    for _, found in groupby(results, attrgetter("group")):
        group = list(found)
        games = len({each.file for each in group})
        if games == group[0].games:
            for names, differences in _differences(group):
                samples[names].append((differences, games))
    made = [_oriented(_pair(*names, found), player) for names, found in samples.items()]
    chosen = [pair for pair in made if player is None or pair.first == player]
    return sorted(chosen, key=lambda pair: (-pair.groups, pair.first, pair.second))


def _differences(group: Sequence[DuplicateResult]) -> Iterator[tuple[tuple[str, str], Averages]]:
    """Yield each pair of names in a complete group, with the differences of their averages."""
    own: dict[str, list[DuplicateResult]] = defaultdict(list)
    for result in group:
        own[result.name].append(result)
    averages = {name: _averages(results) for name, results in sorted(own.items())}
    for first, second in combinations(averages, 2):
        own_place, own_points, own_result = averages[first]
        place, points, gained = averages[second]
        yield (first, second), (own_place - place, own_points - points, own_result - gained)


def _averages(results: Sequence[DuplicateResult]) -> Averages:
    return (
        fmean(each.place for each in results),
        fmean(each.points for each in results),
        fmean(each.result for each in results) / 10,
    )


def _pair(first: str, second: str, samples: Sequence[tuple[Averages, int]]) -> Pair:
    place, points, result = (Difference.of(each) for each in zip(*(found for found, _ in samples), strict=True))
    return Pair(first, second, len(samples), sum(games for _, games in samples), place, points, result)


def _oriented(pair: Pair, player: str | None) -> Pair:
    """Return a pair with the wanted player first, or else with the better one."""
    if pair.first == player or (pair.second != player and pair.result.mean >= 0):
        return pair
    turned = (Difference(-each.mean, each.half) for each in (pair.place, pair.points, pair.result))
    return Pair(pair.second, pair.first, pair.groups, pair.games, *turned)


def pair_data(pair: Pair) -> dict[str, object]:
    """Return a pair as a flat object, for JSON and CSV; docs/records.md defines each key."""
    data: dict[str, object] = {
        "player": pair.first,
        "against": pair.second,
        "groups": pair.groups,
        "games": pair.games,
    }
    for name in _MEASURES:
        difference: Difference = getattr(pair, name)
        low, high = _bounds(difference)
        data |= {name: round(difference.mean, 4), f"{name}_low": low, f"{name}_high": high}
    return data


def _bounds(difference: Difference) -> tuple[float | None, float | None]:
    if difference.half is None:
        return None, None
    return round(difference.mean - difference.half, 4), round(difference.mean + difference.half, 4)


_MEASURES = {"place": "+.3f", "points": "+,.0f", "result": "+.2f"}
"""The differences of a pair, with the form in which a terminal shows them."""


def pair_lines(found: Sequence[Pair]) -> Iterator[str]:
    """Yield a table with a row for each pair."""
    if not found:
        yield "no complete groups of duplicate games"
        return
    head = ["player", "against", "groups", "games"]
    for name in _MEASURES:
        head += [name, "from", "to"]
    yield from columns([head, *map(_cells, found)], right=range(2, len(head)))


def _cells(pair: Pair) -> list[str]:
    data = pair_data(pair)
    cells = [shortened(printable(pair.first)), shortened(printable(pair.second)), str(pair.groups), str(pair.games)]
    for name, form in _MEASURES.items():
        for key in (name, f"{name}_low", f"{name}_high"):
            cells.append("-" if data[key] is None else format(data[key], form))
    return cells
