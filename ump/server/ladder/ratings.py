"""Ratings of the ladder: the Plackett-Luce model with one fixed anchor, and weights that fall with the age of a game.

The fit is that of ``ump.arena.ratings``. Two things differ. Games have weights, those of Floodgate
(shogi-server/shogi-server). And the prior compares each player with the anchor alone, so that a step takes time in
proportion to players and games; a newcomer without games gets the anchor's rating from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from typing import TypeAlias

from ump.arena.ratings import ANCHOR_RATING, ELO, Group, fit_groups
from ump.model.value import value
from ump.server.ladder.rated_games import LadderPlayer, RatedGame

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
