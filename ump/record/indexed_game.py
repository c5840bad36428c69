"""Recorded games as the index knows them: filters, the list of ``ump records``, and pairs of duplicate games."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations, groupby
from math import sqrt
from statistics import fmean, stdev
from typing import TypeAlias

from ump.model.commitments import DuplicateGame
from ump.model.game_result import GameResult, SeatResult
from ump.model.seats import Seat
from ump.model.setting import setting
from ump.model.value import value
from ump.record.figures import student_95
from ump.record.journal import GameSummary
from ump.table.journal_entries import End
from ump.text.layout import columns, printable, shortened

DAY = 10
"""The length of a date in ISO 8601."""

ELSEWHERE = "/"
"""Stands between the id of another folder and the name of a journal."""

UNFINISHED = "unfinished"
"""Stands as ``end`` of a game without an end."""

_INSTANT = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T\d\d(:\d\d(:\d\dZ?)?)?)?)?)?")
"""A date or an instant as journals write it, or the beginning of one."""


def read_beginning(text: str) -> str:
    """Return the beginning of an instant in ISO 8601, at least a year; raises ValueError."""
    if _INSTANT.fullmatch(text) is None:
        raise ValueError(f"{text!a} is no date such as 2026-11-22")
    return text


@value
class GameFilter:
    """The games to list or count; None takes all."""

    player: str | None = setting(None, "Choose the games, or the statistics, of this player.", metavar="NAME")
    """Reports about players have this one alone."""
    since: str | None = setting(
        None, "Choose games that began on this date (UTC) or later.", metavar="DATE", read=read_beginning
    )
    until: str | None = setting(
        None, "Choose games that began on this date or earlier.", metavar="DATE", read=read_beginning
    )
    room: str | None = setting(None, "Choose the games of this room.", metavar="NAME")
    rules: str | None = setting(None, "Choose the games by these rules.", metavar="NAME")
    end: str | None = setting(
        None,
        "Choose the games that ended so.",
        choices={end: end for end in (*(end.value for end in End), UNFINISHED)},
    )

    @property
    def is_within_days(self) -> bool:
        """Whether the games are chosen by instants within a day, which totals cannot tell apart."""
        return any(instant is not None and len(instant) > DAY for instant in (self.since, self.until))


EVERY_GAME = GameFilter()


@value
class IndexedPlayer:
    """A player of a recorded game."""

    name: str
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
    result: GameResult
    """Without places if the game was not completed; empty if it has no end."""
    is_annulled: bool = False
    """Whether it counts for no ladder, because the operator has said so."""


@value
class OwnGame:
    """A game of somebody who is known again."""

    game: IndexedGame
    seat: Seat
    known: Mapping[Seat, str]
    """The hashes by which its players are known, by seat."""


def indexed(file: str, summary: GameSummary) -> IndexedGame:
    """Return a finished game as the index knows it, by the name of its journal."""
    header, opening = summary.header, summary.header.opening
    seated = zip(opening.players, header.players, strict=True)
    return IndexedGame(
        file=file,
        game=opening.name,
        room=header.room,
        began=header.began,
        milliseconds=summary.duration,
        end=UNFINISHED if summary.end is None else summary.end.value,
        rules=opening.ruleset.name,
        length=opening.ruleset.length.value,
        players=tuple(IndexedPlayer(name, player.kind.value, player.speaks) for name, player in seated),
        result=summary.result,
    )


# The list of ``ump records``


def records_lines(games: Sequence[IndexedGame]) -> Iterator[str]:
    """Yield a line for each game: when, which, rules, how it ended, and its players from the first place on."""
    if not games:
        yield "no finished games"
        return
    yield from columns(map(_cells, games))


def _cells(game: IndexedGame) -> tuple[str, ...]:
    seats: Sequence[Seat] = range(len(game.players))
    if game.result.places:
        seats = sorted(seats, key=game.result.places.__getitem__)
    return (
        game.began.replace("T", " ").removesuffix("Z"),
        game.game,
        f"{game.rules} {game.length}",
        game.end,
        ", ".join(_shown(game.players[seat], game.result.of(seat)) for seat in seats),
        game.file,
    )


def _shown(player: IndexedPlayer, own: SeatResult) -> str:
    """Return a player with its points and, if the game was completed, its result."""
    shown = "".join(char if char.isprintable() else "?" for char in player.name)
    if own.points is not None:
        shown += f" {own.points}"
    if own.result is not None:
        shown += f" ({own.result / 10:+.1f})"
    return shown


def records_data(games: Sequence[IndexedGame]) -> dict[str, object]:
    """Return the same list as data for JSON."""
    return {"games": list(map(_data, games))}


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
        "players": players_data(game),
    }


def players_data(game: IndexedGame) -> list[dict[str, object]]:
    """Return the players of a game by seat, each with its part of the result, as data for JSON."""
    return [{"name": player.name, **asdict(game.result.of(seat))} for seat, player in enumerate(game.players)]


def records_rows(games: Sequence[IndexedGame]) -> Iterator[dict[str, object]]:
    """Yield the same list for CSV: a row for each player of each game, in the order of seats."""
    for game in games:
        data = _data(game)
        del data["players"]
        for seat, player in enumerate(players_data(game)):
            yield {**data, "seat": seat, **player}


# Differences between two players who have played the same walls from every seat
#
# A group of duplicate games is one sample: its games share their walls, so they are not independent of each other.


DuplicatePlayed: TypeAlias = tuple[DuplicateGame, IndexedGame]
"""A completed game of a duplicate group, with its place in the group."""

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

    def turned(self) -> MeanDifference:
        """Return what the other player has more."""
        return MeanDifference(-self.mean, self.half)


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


def pairs(played: Iterable[DuplicatePlayed], player: str | None = None) -> list[PlayerPair]:
    """Return every pair of players who have completed a group together, those with most groups first.

    ``played`` has the completed games, those of a group together. With ``player``, only the pairs of this player are
    returned, who comes first in them; else the first of a pair is the one with the better result.
    """
    samples: dict[tuple[str, str], list[tuple[Averages, int]]] = defaultdict(list)
    for _, same_group in groupby(played, key=_group_of):
        places, games = zip(*same_group, strict=True)
        if len(games) == places[0].games:
            for names, differences in _differences(games):
                samples[names].append((differences, len(games)))
    chosen = []
    for names, of_groups in samples.items():
        pair = _oriented(_pair(*names, of_groups), player)
        if player is None or pair.first == player:
            chosen.append(pair)
    return sorted(chosen, key=_order)


def _group_of(played: DuplicatePlayed) -> str:
    place, _ = played
    return place.group


def _order(pair: PlayerPair) -> tuple[int, str, str]:
    """Return the key by which the pair with most groups comes first."""
    return -pair.groups, pair.first, pair.second


def _differences(games: Sequence[IndexedGame]) -> Iterator[tuple[tuple[str, str], Averages]]:
    """Yield each pair of names in a complete group, with the differences of their averages."""
    own: dict[str, list[SeatResult]] = defaultdict(list)
    for game in games:
        for seat, player in enumerate(game.players):
            own[player.name].append(game.result.of(seat))
    averages = {name: _averages(results) for name, results in sorted(own.items())}
    for first, second in combinations(averages, 2):
        own_place, own_points, own_result = averages[first]
        place, points, gained = averages[second]
        yield (first, second), (own_place - place, own_points - points, own_result - gained)


def _averages(results: Sequence[SeatResult]) -> Averages:
    """Return the averages over completed games."""
    return (
        fmean(own.place or 0 for own in results),
        fmean(own.points or 0 for own in results),
        fmean(own.result or 0 for own in results) / 10,
    )


def _pair(first: str, second: str, samples: Sequence[tuple[Averages, int]]) -> PlayerPair:
    differences, games = zip(*samples, strict=True)
    place, points, result = map(MeanDifference.of, zip(*differences, strict=True))
    return PlayerPair(first, second, len(samples), sum(games), place, points, result)


def _oriented(pair: PlayerPair, player: str | None) -> PlayerPair:
    """Return a pair with the wanted player first, or else with the better one."""
    if pair.first == player or (pair.second != player and pair.result.mean >= 0):
        return pair
    turned = pair.place.turned(), pair.points.turned(), pair.result.turned()
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
