"""Ratings from ranked games: the maximum likelihood of the Plackett-Luce model, with intervals by the block bootstrap.

The model (R. L. Plackett 1975) ranks the players of a game one after the other: each of those who are left comes next
with a probability proportional to its strength, exp(s). The fit is the MM algorithm of D. R. Hunter (2004). Players
that share a place are each chosen from all who are left (N. Breslow 1974). A player may sit in several seats of a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import exp, log
from random import Random
from statistics import fmean, stdev
from typing import TypeAlias

from ump.model.value import value
from ump.record.figures import Z95

ELO = 400 / log(10)
"""Elo points of one unit of s: 173.7."""

ANCHOR_RATING = 1500.0
"""The rating of the anchor."""

RESAMPLES = 200
"""Resamples of the bootstrap."""

_PRIOR = 0.5
"""Wins, and as many losses, against the others that the weak prior gives each player: ratings stay finite."""

_TOLERANCE = 1e-5
"""The fit ends when no s changes by more than this: 0.002 Elo."""
_MOST_ROUNDS = 2_000


Group: TypeAlias = tuple[Sequence[tuple[int, float]], float]
"""The players of whom one was chosen, each with its seats, and how often one was, or how much that counts."""


@value
class AnchoredRating:
    """The rating of a player, in Elo points relative to the anchor's ``ANCHOR_RATING``."""

    elo: float
    half_width: float | None
    """Half of the 95 % interval; 0 for the anchor, None below two blocks."""


class Choices:
    """The data of ranked games for a fit: how often each player was chosen, and from which groups."""

    def __init__(self) -> None:
        self.chosen: Counter[int] = Counter()
        self.groups: Counter[tuple[int, ...]] = Counter()
        """The players of those seats that were left, sorted, with the number of choices from them."""

    def add_game(self, seating: Sequence[int], places: Sequence[int]) -> None:
        """Count a game by the player and the place of each seat; equal places are shared."""
        for place, player in zip(places, seating, strict=True):
            left = _left(seating, places, place)
            if len(set(left)) > 1:  # a choice among copies of one player says nothing
                self.chosen[player] += 1
                self.groups[left] += 1

    @classmethod
    def joined(cls, parts: Iterable[Choices]) -> Choices:
        """Return the sum of all parts."""
        total = cls()
        for part in parts:
            total.chosen.update(part.chosen)
            total.groups.update(part.groups)
        return total


def _left(seating: Sequence[int], places: Sequence[int], place: int) -> tuple[int, ...]:
    """Return the players of the seats from this place on, sorted."""
    players = []
    for player, own in zip(seating, places, strict=True):
        if own >= place:
            players.append(player)
    return tuple(sorted(players))


def fit_groups(chosen: Sequence[float], groups: Sequence[Group], begin: Sequence[float] | None = None) -> list[float]:
    """Return s of each player, with a mean of 0.

    ``chosen`` says how often each player was chosen from ``groups``; with a prior, everybody was chosen at least once,
    in part. ``begin`` is a guess, which only saves time.
    """
    s = list(begin or [0.0] * len(chosen))
    for _ in range(_MOST_ROUNDS):
        strengths = list(map(exp, s))
        divisors = [0.0] * len(s)
        for group, times in groups:
            share = times / sum(strengths[player] * seats for player, seats in group)
            for player, seats in group:
                divisors[player] += share * seats
        after = [log(times / divisor) for times, divisor in zip(chosen, divisors, strict=True)]
        middle = fmean(after)
        after = [each - middle for each in after]
        change = max(abs(new - old) for new, old in zip(after, s, strict=True))
        s = after
        if change < _TOLERANCE:
            break
    return s


def fit(choices: Choices, players: int, begin: Sequence[float] | None = None) -> list[float]:
    """Return s of each player, with a mean of 0: ``fit_groups`` with a weak prior against each other player."""
    if players < 2:
        return [0.0] * players
    share = _PRIOR / (players - 1)
    groups: list[Group] = []
    for one, other in combinations(range(players), 2):
        groups.append((((one, 1), (other, 1)), 2 * share))
    for group, times in choices.groups.items():
        groups.append((tuple(Counter(group).items()), times))
    return fit_groups([choices.chosen[player] + _PRIOR for player in range(players)], groups, begin)


def ratings(
    blocks: Sequence[Choices], players: int, anchor: int, generator: Random, resamples: int = RESAMPLES
) -> list[AnchoredRating]:
    """Return the rating of each player, with the interval of its difference to the anchor.

    The half width is that of a normal interval with the standard deviation over resamples of whole blocks (B. Efron
    1979): games of a block depend on each other.
    """
    best = fit(Choices.joined(blocks), players)
    found: list[list[float]] = []
    for _ in range(resamples if len(blocks) > 1 else 0):
        drawn = generator.choices(blocks, k=len(blocks))
        s = fit(Choices.joined(drawn), players, best)
        found.append([ELO * (each - s[anchor]) for each in s])
    rated = []
    for player in range(players):
        width = Z95 * stdev(elo[player] for elo in found) if found else None
        rated.append(AnchoredRating(ANCHOR_RATING + ELO * (best[player] - best[anchor]), width))
    return rated
