"""Flags: what looks like help among players, or like play below one's strength. A person decides what it is.

Three tests compare what a player does beside one other player with what it does elsewhere: its places, the points that
it deals in to the other, and its faults. Y. Benjamini and Y. Hochberg (1995) bound the share of false flags among all
of them. A fourth one finds a change: a player that for many games plays better, or worse, than it usually does, by a
CUSUM (E. S. Page 1954). A player that holds back and wins later does this; one that has been improved under its old
name does it too.

Each test beside a player has a number for each game, and asks whether the mean over some of the games, those with the
other player, is higher than that of as many games drawn by lot. The moments of all draws are known (sampling without
replacement), so nothing is drawn. Points paid and faults are mostly 0 and sometimes large; their means over some 50
games are not normal yet. So the tail is that of the Pearson type III distribution with the same three moments
(P. W. Mielke and K. J. Berry, Permutation Methods, 2001), by the transformation of E. B. Wilson and M. M. Hilferty
(1931).

Places are looked at as residuals: the expected place of a player in a game, by the ratings of all, minus its real
place. In the Plackett-Luce model a player comes before another with the odds of their strengths, so the expected place
is 1 plus the probabilities of the others to come before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from math import copysign, erfc, sqrt
from statistics import fmean, pvariance
from typing import TypeAlias

from ump.model.value import value
from ump.server.ladder.ratings import LadderPlayer, RatedGame, Rating

FALSE_SHARE = 0.01
"""The share of false flags among those of the tests beside another player."""

COMMON_GAMES = 50
"""Pairs with fewer common games are not tested, nor players with fewer others."""

USUAL_GAMES = 10
"""Games with the average payments that are added to those of a player, so that few games make no factor."""

SLACK = 0.25
"""The number that the CUSUM takes off each residual, in standard deviations: half of the change that it looks for."""

LIMIT = 16.0
"""The CUSUM that flags: an even player reaches it once in 40,000 games, one that gains 0.5 in 64 (D. Siegmund 1985)."""

Numbered: TypeAlias = Mapping[LadderPlayer, Sequence[tuple[RatedGame, float]]]
"""The games of each player, each with a number."""


class Sign(Enum):
    """A quantity that is greater beside one other player than elsewhere."""

    HELP = "help"
    """The places that the player gains, against those that the ratings predict."""
    DEAL_INS = "deal-ins"
    """The points that the player pays for the other's rons, against what everybody pays to either."""
    FAULTS = "faults"
    """The refused answers, timeouts and lost connections of the player."""


_TEXTS = {
    Sign.HELP: "{excess:.2f} places better",
    Sign.DEAL_INS: "{excess:.0f} points a game more dealt in",
    Sign.FAULTS: "{excess:.2f} faults a game more",
}


@value
class Beside:
    """A player does something more beside another one."""

    sign: Sign
    player: LadderPlayer
    other: LadderPlayer
    games: int
    """Games of both."""
    excess: float
    """The excess in each of these games."""
    p: float
    """The one-sided p-value."""

    @property
    def text(self) -> str:
        """The flag in English."""
        what = _TEXTS[self.sign].format(excess=self.excess)
        return f"{what} beside {self.other.name} in {self.games} games (p = {self.p:.1g})"


@value
class Change:
    """The player plays above or below its usual strength."""

    player: LadderPlayer
    is_above: bool
    since: str
    """The record of the game with which it began."""

    @property
    def text(self) -> str:
        """The flag as the pages show it."""
        return f"plays {'above' if self.is_above else 'below'} its usual strength since {self.since}"


def flags(games: Sequence[RatedGame], ratings: Mapping[LadderPlayer, Rating]) -> list[Beside | Change]:
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


class Moments:
    """The number of some values, their sum, and the sums of their squares and cubes."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        """Begin with some values."""
        self.count = 0
        self.sums = [0.0, 0.0, 0.0]
        for each in values:
            self.add(each)

    def add(self, number: float) -> None:
        """Take one more value."""
        self.count += 1
        self.sums[0] += number
        self.sums[1] += number * number
        self.sums[2] += number * number * number

    @property
    def mean(self) -> float:
        """The mean of the values."""
        return self.sums[0] / self.count

    @property
    def variance(self) -> float:
        """The variance of the values."""
        return self.sums[1] / self.count - self.mean**2


def tail(drawn: Moments, everything: Moments, doubt: float = 0.0) -> float:
    """Return the probability that a mean of so many values, drawn by lot from all, is as high as this or higher.

    ``doubt`` is more variance of the mean, if its values are themselves estimates.
    """
    total, count = everything.count, drawn.count
    mean, square, cube = (each / total for each in everything.sums)
    spread = square - mean**2
    if total <= count or spread <= 1e-9 * square:
        return 1.0
    third = cube - 3 * mean * square + 2 * mean**3
    # the second and the third central moment of a mean of values drawn without replacement
    variance = spread / count * (total - count) / (total - 1) + doubt
    moment = third / count**2 * (total - count) * (total - 2 * count) / ((total - 1) * (total - 2))
    return _upper_tail((drawn.mean - mean) / sqrt(variance), moment / variance**1.5)


def _upper_tail(z: float, skewness: float) -> float:
    """Return the upper tail of the Pearson type III distribution with mean 0 and variance 1."""
    if abs(skewness) > 1e-6:
        inner = 1 + skewness * z / 2
        root = copysign(abs(inner) ** (1 / 3), inner)
        z = 6 / skewness * (root - 1) + skewness / 6
    return erfc(z / sqrt(2)) / 2


def tests_of(sign: Sign, numbered: Numbered) -> Iterator[Beside]:
    """Yield a test for each client and each other one with enough games beside it, and enough without it."""
    for player, own in numbered.items():
        everything = Moments(each for _, each in own)
        beside: dict[LadderPlayer, Moments] = defaultdict(Moments)
        for game, number in own:
            for other in set(game.players) - {player}:
                if not other.is_builtin:
                    beside[other].add(number)
        for other, common in beside.items():
            rest = everything.count - common.count
            if min(common.count, rest) >= COMMON_GAMES:
                without = (everything.sums[0] - common.sums[0]) / rest
                yield Beside(sign, player, other, common.count, common.mean - without, tail(common, everything))


def fault_tests(games: Iterable[RatedGame]) -> Iterator[Beside]:
    """Yield the tests of faults, from the games whose conduct is known."""
    numbered: dict[LadderPlayer, list[tuple[RatedGame, float]]] = defaultdict(list)
    for game in games:
        for seat, player in enumerate(game.players):
            if game.conduct is not None and not player.is_builtin:
                numbered[player].append((game, float(game.conduct.faults[seat])))
    return tests_of(Sign.FAULTS, numbered)


def deal_in_tests(games: Iterable[RatedGame]) -> Iterator[Beside]:
    """Yield the tests of points paid for rons, from the games whose conduct is known.

    Some players deal in often, and some win often. So what a player pays to another one in a game is divided by what
    the same player pays to others on average, and compared with the same ratios of everybody who met that winner.
    """
    payments: dict[LadderPlayer, list[tuple[LadderPlayer, int]]] = defaultdict(list)  # by winner
    for payer, winner, points in _payments(games):
        payments[winner].append((payer, points))
    sums: dict[LadderPlayer, Moments] = defaultdict(Moments)
    to_winner: dict[tuple[LadderPlayer, LadderPlayer], Moments] = defaultdict(Moments)
    for winner, paid in payments.items():
        for payer, points in paid:
            sums[payer].add(points)
            to_winner[payer, winner].add(points)
    count = sum(each.count for each in sums.values())
    usual = sum(each.sums[0] for each in sums.values()) / count if count else 0.0
    for winner, paid in payments.items():
        if not winner.is_builtin and usual:
            yield from _deal_ins_to(winner, paid, sums, to_winner, usual)


def _payments(games: Iterable[RatedGame]) -> Iterator[tuple[LadderPlayer, LadderPlayer, int]]:
    """Yield for each game, each payer and each winner what the one paid to the other, mostly 0."""
    for game in games:
        for payer, row in zip(game.players, game.conduct.paid if game.conduct else (), strict=False):
            for winner, points in zip(game.players, row, strict=True):
                if winner != payer:
                    yield payer, winner, points


def _deal_ins_to(
    winner: LadderPlayer,
    paid: Sequence[tuple[LadderPlayer, int]],
    sums: Mapping[LadderPlayer, Moments],
    to_winner: Mapping[tuple[LadderPlayer, LadderPlayer], Moments],
    usual: float,
) -> Iterator[Beside]:
    """Yield the tests of all clients that have met a winner often enough."""
    elsewhere = {}
    for payer in {payer for payer, _ in paid}:
        own, here = sums[payer], to_winner[payer, winner]
        games = own.count - here.count + USUAL_GAMES
        elsewhere[payer] = (own.sums[0] - here.sums[0] + USUAL_GAMES * usual) / games
    everything = Moments(points / elsewhere[payer] for payer, points in paid)
    for payer, mean in elsewhere.items():
        common = to_winner[payer, winner]
        rest = everything.count - common.count
        if payer.is_builtin or min(common.count, rest, sums[payer].count - common.count) < COMMON_GAMES:
            continue
        ratios = Moments()
        ratios.count = common.count
        ratios.sums = [each / mean**power for power, each in enumerate(common.sums, 1)]
        others = (everything.sums[0] - ratios.sums[0]) / rest
        excess = (ratios.mean - others) * mean
        doubt = (everything.mean / mean) ** 2 * sums[payer].variance / (sums[payer].count - common.count)
        yield Beside(Sign.DEAL_INS, payer, winner, common.count, excess, tail(ratios, everything, doubt))


def expected_places(ratings: Sequence[float]) -> list[float]:
    """Return the expected place of each seat, from the ratings of the seats in Elo points."""
    return [
        1 + sum(1 / (1 + 10 ** ((own - other) / 400)) for number, other in enumerate(ratings) if number != seat)
        for seat, own in enumerate(ratings)
    ]


Residuals: TypeAlias = dict[LadderPlayer, list[tuple[RatedGame, float]]]


def residuals_of(games: Sequence[RatedGame], ratings: Mapping[LadderPlayer, Rating]) -> Residuals:
    """Return the games of each player with its residual: the places by which it did better than expected."""
    found: Residuals = defaultdict(list)
    for game in games:
        expected = expected_places([ratings[player].elo for player in game.players])
        for player, place, mean in zip(game.players, game.places, expected, strict=True):
            if game.players.count(player) == 1:
                found[player].append((game, mean - place))
    return found


def cusum(player: LadderPlayer, own: Sequence[tuple[RatedGame, float]]) -> Change | None:
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
