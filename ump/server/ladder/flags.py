"""Flags: what looks like help among players, or like play below one's strength. A person decides what it is.

Three tests compare what a player does beside one other player with what it does elsewhere (``beside.py``): its
places, the points that it deals in to the other, and its faults. Y. Benjamini and Y. Hochberg (1995) bound the share of
false flags among all of them. A fourth one finds a change: a player that for many games plays better, or worse, than
it usually does, by a CUSUM (E. S. Page 1954). A player that holds back and wins later does this; one that has been
improved under its old name does it too.

Places are looked at as residuals: the expected place of a player in a game, by the ratings of all, minus its real
place. In the Plackett-Luce model a player comes before another with the odds of their strengths, so the expected place
is 1 plus the probabilities of the others to come before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, pvariance

from ump.model.value import value
from ump.server.ladder.beside import COMMON_GAMES, Beside, Sign, deal_in_tests, fault_tests, tests_of
from ump.server.ladder.rated_game import Player, RatedGame
from ump.server.ladder.ratings import Rating

FALSE_SHARE = 0.01
"""The share of false flags among those of the tests beside another player."""

SLACK = 0.25
"""What the CUSUM takes off each residual, in standard deviations: half of the change that it looks for."""

LIMIT = 16.0
"""The CUSUM that flags: an even player reaches it once in 40,000 games, one that gains 0.5 in 64 (D. Siegmund 1985)."""


@value
class Change:
    """The player plays above or below its usual strength."""

    player: Player
    is_above: bool
    since: str
    """The record of the game with which it began."""

    @property
    def text(self) -> str:
        """The flag as the pages show it."""
        return f"plays {'above' if self.is_above else 'below'} its usual strength since {self.since}"


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


def flags(games: Sequence[RatedGame], ratings: Mapping[Player, Rating]) -> list[Beside | Change]:
    """Return all flags of clients; ``games`` are in the order of their time."""
    residuals = {player: own for player, own in residuals_of(games, ratings).items() if not player.is_builtin}
    tests = [*tests_of(Sign.HELP, residuals), *deal_in_tests(games), *fault_tests(games)]
    changes = [change for player, own in residuals.items() if (change := cusum(player, own)) is not None]
    return [*significant(tests), *changes]


def significant(tests: Sequence[Beside], share: float = FALSE_SHARE) -> list[Beside]:
    """Return the tests that the procedure of Benjamini and Hochberg keeps, the clearest first."""
    ordered = sorted(tests, key=lambda test: test.p)
    last = max((rank for rank, test in enumerate(ordered, 1) if test.p <= share * rank / len(tests)), default=0)
    return ordered[:last]


def cusum(player: Player, own: Sequence[tuple[RatedGame, float]]) -> Change | None:
    """Return the last change of a player that the CUSUM finds, or None.

    Residuals are taken from their own mean: the model does not fit everybody, and a player that is nearly always the
    last has worse places than its rating says in all its games, without a change.
    """
    if len(own) < COMMON_GAMES:
        return None
    usual = fmean([each for _, each in own])
    deviation = sqrt(pvariance([each for _, each in own]))
    found = None
    for sign in (1, -1) if deviation else ():
        level, start = 0.0, own[0][0]
        for game, residual in own:
            if level <= 0:
                start = game
            level = max(0.0, level + sign * (residual - usual) / deviation - SLACK)
        if level > LIMIT:
            found = Change(player, sign > 0, start.file)
    return found
