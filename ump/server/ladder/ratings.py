"""Rated games, and the ratings of the ladder that follow from them.

The model is Plackett-Luce with one fixed anchor. The fit is that of ``ump.arena.ratings``. Two things differ. Games
have weights that fall with their age, those of Floodgate (shogi-server/shogi-server). And the prior compares each
player with the anchor alone, so that a step takes time in proportion to players and games; a newcomer without games
gets the anchor's rating from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import exp, sqrt
from pathlib import Path
from typing import TypeAlias

from twisted.logger import Logger

from ump.arena.ratings import ANCHOR_RATING, ELO, Group, fit_groups
from ump.model.events import HandWon
from ump.model.value import value
from ump.record.indexed_game import ELSEWHERE, IndexedGame, IndexedPlayer
from ump.record.journal import Journal, JournalError, PlayerKind, played, read_journal
from ump.record.record_files import unpacked
from ump.record.recorded_game import RecordError
from ump.table.journal_entries import ActionTaken, AnswerRefused, Cause, End, Entry, SeatDropped

# Rated games: who has played, in which places, and what players did to each other; from the index and records.

AT_ONCE = 50
"""The games that are played again for each round of a room: a hanchan takes some 30 ms in another thread."""


@value
class LadderPlayer:
    """A player of the ladder. All built-in bots of one kind are one player."""

    name: str
    """The name of a client, or the policy of a built-in bot."""
    is_builtin: bool = False


@value
class Conduct:
    """The payments and faults of the seats of a game."""

    paid: tuple[tuple[int, ...], ...]
    """By payer and winner: the points that the one paid for rons of the other, with honba."""
    faults: tuple[int, ...]
    """By seat: refused answers, timeouts and lost connections."""


@value
class RatedGame:
    """The result of a game in a rated room."""

    file: str
    """The id of its record."""
    began: float
    """Seconds since 1970."""
    players: tuple[LadderPlayer, ...]
    """By seat; a built-in bot may have several seats."""
    places: tuple[int, ...]
    """By seat, 1 is the best; players that share a place are not compared."""
    points: tuple[int, ...] = ()
    """The final points by seat, for the pages."""
    conduct: Conduct | None = None
    """The players' payments to each other, and their faults; None if the record has not been played again yet."""


def rated_games(games: Iterable[IndexedGame]) -> Iterator[RatedGame]:
    """Yield those games that count, in the same order.

    A completed game counts, also for players that have left it: the table has played their seats to the end. A game
    that all clients have left counts by ``places_after_leaving``. Games that the server or its operator has broken off
    do not count, nor do those with programs that the server has started.
    """
    for game in games:
        places = _places(game)
        if places is not None:
            yield RatedGame(
                file=game.file,
                began=datetime.fromisoformat(game.began).timestamp(),
                players=tuple(map(_player, game.players)),
                places=places,
                points=tuple(player.points or 0 for player in game.players),
            )


def _places(game: IndexedGame) -> tuple[int, ...] | None:
    """Return the places by seat, or None if the game does not count."""
    kinds = [player.kind for player in game.players]
    if PlayerKind.CHILD.value in kinds or PlayerKind.CLIENT.value not in kinds:
        return None
    if game.end == End.ABANDONED.value:
        return places_after_leaving(tuple(kind == PlayerKind.CLIENT.value for kind in kinds))
    places = tuple(player.place for player in game.players if player.place is not None)
    return places if game.end == End.COMPLETED.value and len(places) == len(kinds) else None


def places_after_leaving(is_client: tuple[bool, ...]) -> tuple[int, ...]:
    """Return the places of a game that all clients have left: built-in bots share the first, clients the last.

    So a player that leaves a lost game beside built-in bots loses as much as by the worst result.
    """
    return tuple(len(is_client) if each else 1 for each in is_client)


def _player(player: IndexedPlayer) -> LadderPlayer:
    """Return the player of the ladder that sat at a seat."""
    if player.kind == PlayerKind.BOT.value:
        return LadderPlayer(player.speaks, is_builtin=True)
    return LadderPlayer(player.name)


def conduct_of(journal: Journal) -> Conduct:
    """Play a recorded game and return what its players did; raises JournalError if the record does not fit."""
    seats = len(journal.header.players)
    paid = [[0] * seats for _ in range(seats)]
    faults = [0] * seats
    for step, events, _ in played(journal):
        for entry in step.entries:
            seat = _seat_at_fault(entry)
            if seat is not None:
                faults[seat] += 1
        for event in events:
            if isinstance(event, HandWon) and event.loser is not None:
                paid[event.loser][event.seat] -= event.changes[event.loser]
    return Conduct(tuple(map(tuple, paid)), tuple(faults))


def _seat_at_fault(entry: Entry) -> int | None:
    """Return the seat that an entry is a fault of; None for other entries."""
    match entry:
        case AnswerRefused(seat=seat) | SeatDropped(seat=seat) | ActionTaken(seat=seat, cause=Cause.TIMEOUT):
            return seat
        case _:
            return None


class ConductReader:
    """The conduct in the games of each room that it was asked for last, as far as it is known."""

    _log = Logger()

    def __init__(self, folder: Path, at_once: int = AT_ONCE) -> None:
        """Read journals in a folder, at most ``at_once`` of them for each call."""
        self._folder = folder
        self._at_once = at_once
        self._known: dict[str, dict[str, Conduct | None]] = {}
        """By room and record; None for a record that cannot be read."""

    def added_to(self, room: str, newest_first: Iterable[RatedGame]) -> list[RatedGame]:
        """Return the games of a room, the oldest first, with their conduct; the newest unknown ones are read.

        Records that another server has are left out.

        It may be called in another thread.
        """
        before, known = self._known.get(room, {}), dict[str, Conduct | None]()
        games: list[RatedGame] = []
        left = self._at_once
        for game in newest_first:
            if game.file in before:
                known[game.file] = before[game.file]
            elif left and ELSEWHERE not in game.file:
                left -= 1
                known[game.file] = self._read(game.file)
            games.append(replace(game, conduct=known.get(game.file)))
        self._known[room] = known
        return games[::-1]

    def _read(self, file: str) -> Conduct | None:
        """Play the game of a record again; None if it cannot be read."""
        try:
            return conduct_of(read_journal(unpacked((self._folder / file).read_bytes())))
        except (OSError, JournalError, RecordError) as error:
            self._log.warn("{file} is left out of the flags: {error}", file=file, error=str(error))
            return None


ANCHOR = LadderPlayer("efficiency", is_builtin=True)
"""The player whose rating is fixed."""

FULL_WEIGHT_DAYS = 7.0
HALF_LIFE_DAYS = 60.0
"""A game counts in full for a week, and then half as much after each 60 days."""

PROVISIONAL_GAMES = 60
"""Below so many games a rating is provisional: its standard deviation is above 180 / sqrt(60) = 23 Elo."""

Weighted: TypeAlias = tuple[float, list[dict[int, float]]]
"""The weight of a game, and its choices."""

_PRIOR = 0.5
"""Wins, and as many losses, of each player against the anchor: ratings stay finite."""

_Z95 = 1.96
_DAY = 86_400.0


@value
class Rating:
    """The rating of a player in Elo points."""

    elo: float
    half_width: float
    """Half of the 95 % interval; 0 for the anchor."""


def weight_of(age: float) -> float:
    """Return how much a game counts that began ``age`` seconds ago."""
    days = max(0.0, age / _DAY - FULL_WEIGHT_DAYS)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def fit(
    games: Sequence[RatedGame], now: float, begin: Mapping[LadderPlayer, Rating] | None = None
) -> dict[LadderPlayer, Rating]:
    """Return the ratings of all players in these games, and of the anchor, at an instant in seconds since 1970.

    ``begin`` are earlier ratings, which only save time.
    """
    players = list(dict.fromkeys((ANCHOR, *(player for game in games for player in game.players))))
    index = {player: number for number, player in enumerate(players)}
    results = [(weight_of(now - game.began), _groups(game, index)) for game in games]
    weighted = [(weight, _choices(groups)) for weight, groups in results]
    known = begin or {}
    s = [(known[each].elo - ANCHOR_RATING) / ELO if each in known else 0.0 for each in players]
    won = [_PRIOR] * len(players)
    won[0] += _PRIOR * (len(players) - 2)
    for weight, groups in results:
        for group in groups[:-1]:
            for player in group:
                won[player] += weight
    prior: list[Group] = [(((0, 1), (player, 1)), 2 * _PRIOR) for player in range(1, len(players))]
    chosen_from = [(tuple(left.items()), weight) for weight, choices in weighted for left in choices]
    s = fit_groups(won, [*prior, *chosen_from], s) if prior else [0.0]
    widths = _half_widths(s, weighted)
    return {
        player: Rating(ANCHOR_RATING + ELO * (s[number] - s[0]), ELO * widths[number])
        for player, number in index.items()
    }


def _groups(game: RatedGame, index: Mapping[LadderPlayer, int]) -> list[list[int]]:
    """Return the players of a game from the first place to the last; those that share a place are one group."""
    return [
        [index[player] for player, own in zip(game.players, game.places, strict=True) if own == place]
        for place in sorted(set(game.places))
    ]


def _choices(groups: Sequence[Sequence[int]]) -> list[dict[int, float]]:
    """Return the choices that a result consists of: each player that was left, with how many times.

    Of players that share a place each is chosen once, in an unknown order; so those of them that are left count in
    part (B. Efron 1977). The last ones are no choice.
    """
    found = []
    for number, group in enumerate(groups[:-1]):
        for chosen in range(len(group)):
            left: dict[int, float] = {}
            for player in group:
                left[player] = left.get(player, 0.0) + 1 - chosen / len(group)
            for player in (each for later in groups[number + 1 :] for each in later):
                left[player] = left.get(player, 0.0) + 1
            found.append(left)
    return found


def _half_widths(s: Sequence[float], games: Sequence[Weighted]) -> list[float]:
    """Return half of the 95 % interval of the difference between each s and that of the anchor.

    Both variances are those of one s while all others are known. A game of weight w adds w of its
    information, but w² to the variance of the score (H. White 1982).
    """
    strengths = [exp(each) for each in s]
    prior = [2 * _PRIOR * own * strengths[0] / (own + strengths[0]) ** 2 for own in strengths]
    information, variance = list(prior), list(prior)
    for weight, choices in games:
        for left in choices:
            total = sum(strengths[player] * times for player, times in left.items())
            for player, times in left.items():
                share = strengths[player] * times / total
                information[player] += weight * share * (1 - share)
                variance[player] += weight * weight * share * (1 - share)
    each = [own / known**2 if known else 0.0 for own, known in zip(variance, information, strict=True)]
    return [0.0, *(_Z95 * sqrt(own + each[0]) for own in each[1:])]
