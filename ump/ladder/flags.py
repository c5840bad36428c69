"""Flags: what looks like help among players, or like play below one's strength. A person decides what it is.

Both tests look at residuals: the expected place of a player in a game, by the ratings of all, minus its real place. In
the Plackett-Luce model a player comes before another with the odds of their strengths, so the expected place is 1 plus
the probabilities of the others to come before.

- ``Help``: a player does better at tables with one other than elsewhere. The test permutes which of its games were with
  that player. The moments of all permutations are known (sampling without replacement), and from 50 common games on
  their tail is normal, so no permutation is drawn. Y. Benjamini and Y. Hochberg (1995) bound the share of false flags.
- ``Change``: a player plays for many games better, or worse, than its rating says: a CUSUM (E. S. Page 1954). A player
  that holds back and wins later does this; one that has been improved under its old name does it too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import erfc, sqrt
from statistics import fmean, pvariance

from ump.ladder.rated_game import Player, RatedGame
from ump.ladder.ratings import Rating
from ump.model.value import value

COMMON_GAMES = 50
"""Pairs with fewer common games are not tested."""

FALSE_SHARE = 0.01
"""The share of false flags among those for help."""

SLACK = 0.25
"""What the CUSUM takes off each residual, in standard deviations: half of the change that it looks for."""

LIMIT = 16.0
"""The CUSUM that flags: an even player reaches it once in 40,000 games, one that gains 0.5 in 64 (D. Siegmund 1985)."""


@value
class Help:
    """The player does better beside another one."""

    player: Player
    other: Player
    games: int
    """Games of both."""
    gain: float
    """Places that the player gains beside the other, against its games without it."""
    p: float
    """The one-sided p-value."""

    @property
    def text(self) -> str:
        """The flag as the pages show it."""
        return f"{self.gain:.2f} places better beside {self.other.name} in {self.games} games (p = {self.p:.1g})"


@value
class Change:
    """The player plays above or below its rating."""

    player: Player
    is_above: bool
    since: str
    """The record of the game with which it began."""

    @property
    def text(self) -> str:
        """The flag as the pages show it."""
        return f"plays {'above' if self.is_above else 'below'} its rating since {self.since}"


def expected_places(ratings: Sequence[float]) -> list[float]:
    """Return the expected place of each seat, from the ratings of the seats in Elo points."""
    return [
        1 + sum(1 / (1 + 10 ** ((own - other) / 400)) for number, other in enumerate(ratings) if number != seat)
        for seat, own in enumerate(ratings)
    ]


Residuals = dict[Player, list[tuple[RatedGame, float]]]


def residuals_of(games: Sequence[RatedGame], ratings: Mapping[Player, Rating]) -> Residuals:
    """Return the games of each player with its residual: the places by which it did better than expected."""
    found: Residuals = defaultdict(list)
    for game in games:
        expected = expected_places([ratings[player].elo for player in game.players])
        for player, place, mean in zip(game.players, game.places, expected, strict=True):
            if game.players.count(player) == 1:
                found[player].append((game, mean - place))
    return found


def flags(games: Sequence[RatedGame], ratings: Mapping[Player, Rating]) -> list[Help | Change]:
    """Return all flags of clients; ``games`` are in the order of their time."""
    residuals = {player: own for player, own in residuals_of(games, ratings).items() if not player.is_builtin}
    tested = [test for player, own in residuals.items() for test in _tests(player, own)]
    changes = [change for player, own in residuals.items() if (change := cusum(player, own)) is not None]
    return [*significant(tested), *changes]


def _tests(player: Player, own: Sequence[tuple[RatedGame, float]]) -> Iterator[Help]:
    """Yield a test for each other client with enough games beside this player, and enough without."""
    beside: dict[Player, list[float]] = defaultdict(list)
    for game, residual in own:
        for other in set(game.players) - {player}:
            if not other.is_builtin:
                beside[other].append(residual)
    total, spread = fmean([each for _, each in own]), pvariance([each for _, each in own])
    for other, common in beside.items():
        rest = len(own) - len(common)
        if len(common) < COMMON_GAMES or rest < COMMON_GAMES or not spread:
            continue
        # the variance of a mean of n drawn from N without replacement: spread / n · (N - n) / (N - 1)
        deviation = sqrt(spread / len(common) * rest / (len(own) - 1))
        shift = fmean(common) - total
        yield Help(player, other, len(common), shift * len(own) / rest, erfc(shift / deviation / sqrt(2)) / 2)


def significant(tests: Sequence[Help], share: float = FALSE_SHARE) -> list[Help]:
    """Return the tests that the procedure of Benjamini and Hochberg keeps, the clearest first."""
    ordered = sorted(tests, key=lambda test: test.p)
    last = max((rank for rank, test in enumerate(ordered, 1) if test.p <= share * rank / len(tests)), default=0)
    return ordered[:last]


def cusum(player: Player, own: Sequence[tuple[RatedGame, float]]) -> Change | None:
    """Return the last change of a player that the CUSUM finds, or None."""
    if len(own) < COMMON_GAMES:
        return None
    deviation = sqrt(pvariance([each for _, each in own]))
    found = None
    for sign in (1, -1) if deviation else ():
        level, start = 0.0, own[0][0]
        for game, residual in own:
            if level <= 0:
                start = game
            level = max(0.0, level + sign * residual / deviation - SLACK)
        if level > LIMIT:
            found = Change(player, sign > 0, start.file)
    return found
