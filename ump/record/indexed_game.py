"""Recorded games as the index knows them: filters, the list of ``ump records``, and pairs of duplicate games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby
from math import sqrt
from operator import attrgetter
from statistics import fmean, stdev
from typing import TypeAlias

from ump.model.value import value
from ump.record.journal import GameSummary
from ump.record.player_statistics import student_95
from ump.text.layout import columns, printable, shortened

DAY = 10
"""The length of a date in ISO 8601."""

ELSEWHERE = "/"
"""Stands between the id of another folder and the name of a journal."""

UNFINISHED = "unfinished"
"""Stands as ``end`` of a game without an end."""


@value
class GameFilter:
    """The games to list or count; None takes all."""

    player: str | None = None
    """Games with this player; reports about players then have this one alone."""
    since: str | None = None
    """Games that began on this date or later: the beginning of an instant in ISO 8601."""
    until: str | None = None
    """Games that began on this date or earlier."""
    room: str | None = None
    rules: str | None = None
    """The name of the rules."""
    end: str | None = None

    @property
    def is_within_days(self) -> bool:
        """Whether the games are chosen by instants within a day, which totals cannot tell apart."""
        return any(instant is not None and len(instant) > DAY for instant in (self.since, self.until))


EVERY_GAME = GameFilter()


@value
class IndexedPlayer:
    """A player of a recorded game."""

    name: str
    points: int | None
    place: int | None
    """None if the game was not completed."""
    result: int | None
    """With uma and oka, in tenths of a thousand points; None if the game was not completed."""
    kind: str = "client"
    """The value of its ``PlayerKind``."""
    speaks: str = ""
    """The dialect of a client or child, the policy of a built-in bot."""


@value
class IndexedGame:
    """A recorded game as the index knows it."""

    file: str
    """The name of its journal in the folder, with the id of the folder if that is another server's: ``ID/NAME``."""
    game: str
    room: str
    began: str
    """Date and time in UTC, in ISO 8601."""
    milliseconds: int
    end: str
    rules: str
    length: str
    players: tuple[IndexedPlayer, ...]


@value
class DuplicateResult:
    """The result of a player in a game of a duplicate group."""

    group: str
    games: int
    """The number of games in the complete group."""
    file: str
    name: str
    points: int
    place: int
    result: int
    """With uma and oka, in tenths of a thousand points."""


def indexed(file: str, summary: GameSummary) -> IndexedGame:
    """Return a finished game as the index knows it, by the name of its journal."""
    header, opening, result = summary.header, summary.header.opening, summary.result
    players = (
        IndexedPlayer(
            name,
            None if summary.points is None else summary.points[seat],
            None if result is None else result.places[seat],
            None if result is None else result.results[seat],
            header.players[seat].kind.value,
            header.players[seat].speaks,
        )
        for seat, name in enumerate(opening.players)
    )
    return IndexedGame(
        file=file,
        game=opening.name,
        room=header.room,
        began=header.began,
        milliseconds=summary.duration,
        end=UNFINISHED if summary.end is None else summary.end.value,
        rules=opening.ruleset.name,
        length=opening.ruleset.length.value,
        players=tuple(players),
    )


# The list of ``ump records``


def records_lines(games: Sequence[IndexedGame]) -> Iterator[str]:
    """Yield a line for each game: when, which, rules, how it ended, and its players from the first place on."""
    if not games:
        yield "no finished games"
        return
    yield from columns([_cells(game) for game in games])


def _cells(game: IndexedGame) -> tuple[str, ...]:
    ranked = sorted(game.players, key=lambda player: player.place or 0)
    return (
        game.began.replace("T", " ").removesuffix("Z"),
        game.game,
        f"{game.rules} {game.length}",
        game.end,
        ", ".join(map(_shown, ranked)),
        game.file,
    )


def _shown(player: IndexedPlayer) -> str:
    """Return a player with its points and, if the game was completed, its result."""
    name = "".join(char if char.isprintable() else "?" for char in player.name)
    points = "" if player.points is None else f" {player.points}"
    result = "" if player.result is None else f" ({player.result / 10:+.1f})"
    return f"{name}{points}{result}"


def records_data(games: Sequence[IndexedGame]) -> dict[str, object]:
    """Return the same list as data for JSON."""
    return {"games": [_data(game) for game in games]}


def _data(game: IndexedGame) -> dict[str, object]:
    return {
        "file": game.file,
        "game": game.game,
        "room": game.room,
        "began": game.began,
        "milliseconds": game.milliseconds,
        "end": game.end,
        "rules": game.rules,
        "length": game.length,
        "players": [
            {"name": player.name, "points": player.points, "place": player.place, "result": player.result}
            for player in game.players
        ],
    }


def records_rows(games: Sequence[IndexedGame]) -> Iterator[dict[str, object]]:
    """Yield the same list for CSV: a row for each player of each game, in the order of seats."""
    for game in games:
        data = _data(game)
        del data["players"]
        for seat, player in enumerate(game.players):
            seated = {"name": player.name, "points": player.points, "place": player.place, "result": player.result}
            yield {**data, "seat": seat, **seated}


# Differences between two players who have played the same walls from every seat
#
# A group of duplicate games is one sample: its games share their walls, so they are not independent of each other.


Averages: TypeAlias = tuple[float, float, float]
"""The average place, points, and result in thousands, of one player over the games of one group."""


@value
class MeanDifference:
    """The mean over groups of what one player has more than another."""

    mean: float
    half: float | None
    """Half of the 95 % interval of the mean, by Student's t; None for fewer than two groups."""

    @classmethod
    def of(cls, samples: Sequence[float]) -> MeanDifference:
        """Return the mean of at least one sample, with its interval."""
        number = len(samples)
        half = student_95(number - 1) * stdev(samples) / sqrt(number) if number > 1 else None
        return cls(fmean(samples), half)


@value
class PlayerPair:
    """Two players, with the differences of the first from the second."""

    first: str
    second: str
    groups: int
    games: int
    place: MeanDifference
    """Below 0: the first player comes before the second."""
    points: MeanDifference
    result: MeanDifference
    """With uma and oka, in thousands of points."""


def pairs(results: Iterable[DuplicateResult], player: str | None = None) -> list[PlayerPair]:
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


def _pair(first: str, second: str, samples: Sequence[tuple[Averages, int]]) -> PlayerPair:
    place, points, result = (MeanDifference.of(each) for each in zip(*(found for found, _ in samples), strict=True))
    return PlayerPair(first, second, len(samples), sum(games for _, games in samples), place, points, result)


def _oriented(pair: PlayerPair, player: str | None) -> PlayerPair:
    """Return a pair with the wanted player first, or else with the better one."""
    if pair.first == player or (pair.second != player and pair.result.mean >= 0):
        return pair
    turned = (MeanDifference(-each.mean, each.half) for each in (pair.place, pair.points, pair.result))
    return PlayerPair(pair.second, pair.first, pair.groups, pair.games, *turned)


def pair_data(pair: PlayerPair) -> dict[str, object]:
    """Return a pair as a flat object, for JSON and CSV; docs/records.md defines each key."""
    data: dict[str, object] = {
        "player": pair.first,
        "against": pair.second,
        "groups": pair.groups,
        "games": pair.games,
    }
    for name in _MEASURES:
        difference: MeanDifference = getattr(pair, name)
        low, high = _bounds(difference)
        data |= {name: round(difference.mean, 4), f"{name}_low": low, f"{name}_high": high}
    return data


def _bounds(difference: MeanDifference) -> tuple[float | None, float | None]:
    if difference.half is None:
        return None, None
    return round(difference.mean - difference.half, 4), round(difference.mean + difference.half, 4)


_MEASURES = {"place": "+.3f", "points": "+,.0f", "result": "+.2f"}
"""The differences of a pair, with the form in which a terminal shows them."""


def pair_lines(found: Sequence[PlayerPair]) -> Iterator[str]:
    """Yield a table with a row for each pair."""
    if not found:
        yield "no complete groups of duplicate games"
        return
    head = ["player", "against", "groups", "games"]
    for name in _MEASURES:
        head += [name, "from", "to"]
    yield from columns([head, *map(_pair_cells, found)], right=range(2, len(head)))


def _pair_cells(pair: PlayerPair) -> list[str]:
    data = pair_data(pair)
    cells = [shortened(printable(pair.first)), shortened(printable(pair.second)), str(pair.groups), str(pair.games)]
    for name, form in _MEASURES.items():
        for key in (name, f"{name}_low", f"{name}_high"):
            cells.append("-" if data[key] is None else format(data[key], form))
    return cells
