"""The worth of points: themselves while many kyoku are left, and near the end of the game the places they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, exp, sqrt

from ump.model.constants import STICK_POINTS
from ump.model.seats import Seat
from ump.model.value import value
from ump.players.observation import Observation
from ump.players.rates import (
    DEALER_STAYS,
    KYOKU_OF_PLACES,
    PLACE_POINTS,
    SPREAD,
    SPREAD_DRAW,
    SPREAD_MORE,
    SPREAD_PER_KYOKU,
    SPREAD_WIN,
)
from ump.rules.ruleset import ExtraRound, Length, Ruleset

ROUNDS = {Length.KYOKU: 0, Length.TONPU: 1, Length.HANCHAN: 2}

TRIED = 3_000.0
"""The change of the scores that shows how much a point is worth now."""

OTHERS_WIN = 5_000.0
"""An average win of another player."""

LEAST_SLOPE = 0.0004
"""A point is never worth less in place points, else a decided game would make others look important."""


class Stakes:
    """The worth of payments in one kyoku, all in points: a hundred points more at the present scores are worth 100."""

    def __init__(self, seen: Observation, win_bonus: float = 0.0) -> None:
        self.win_bonus = win_bonus
        """Points that any win brings besides: the chance to win is what one more point adds to a hand."""
        self._points = list(map(float, seen.points))
        self._me = seen.me
        self._others = [seat for seat in range(len(self._points)) if seat != self._me]
        self._place_points = PLACE_POINTS[len(self._points)]
        self._honba = 100.0 * len(self._others) * seen.honba
        self._sticks = float(STICK_POINTS * seen.kyotaku)
        left = kyoku_left(seen.ruleset, seen.bakaze, seen.dealer)
        self.by_place = left < KYOKU_OF_PLACES and seen.ruleset.length is not Length.KYOKU
        """Whether places count."""
        self._is_last = left == 0
        self._dealer = seen.dealer
        self._ruleset = seen.ruleset
        self._deviation = SPREAD * sqrt(SPREAD_PER_KYOKU * max(1, left) + SPREAD_MORE)
        """The deviation of differences of scores until the end of the game, if it goes on after this kyoku."""
        self._base, self._slope = 0.0, 1.0
        self._known: dict[tuple[float, bool, bool], float] = {}
        if self.by_place:
            self._base = self._after_draw(self._points, stays=DEALER_STAYS)
            now = SPREAD * sqrt(SPREAD_PER_KYOKU * left + SPREAD_MORE)
            rise = self._place(self._shared(TRIED), now) - self._place(self._shared(-TRIED), now)
            self._slope = max(LEAST_SLOPE, rise / (2 * TRIED))

    def win(self, points: float, *, tsumo: bool, usual: bool = False) -> float:
        """Return the worth of a win; honba and sticks come on top of these points. ``usual`` if they are an average."""
        if not self.by_place:
            return points + self._honba + self._sticks + self.win_bonus
        worth = self._known.get((points, tsumo, usual))
        if worth is None:
            losers = [None] if tsumo else self._others
            ways = [(self._me, self._won(points + self._honba, loser)) for loser in losers]
            gain = self._gain(ways, SPREAD_WIN if usual else 0.0)
            worth = self._known[points, tsumo, usual] = gain + self.win_bonus
        return worth

    def payment(self, points: float, seat: Seat | None = None) -> float:
        """Return the cost of paying points to a seat, by default to any one."""
        if not self.by_place:
            return points
        payees = self._others if seat is None else [seat]
        return -self._gain([(payee, self._paid(points, self._me, payee)) for payee in payees])

    def draw(self, points: float) -> float:
        """Return the worth of an exhaustive draw that brings these points: a hand that gains any is tenpai."""
        if not self.by_place:
            return points
        stays = DEALER_STAYS if self._me != self._dealer else 1.0 if points > 0 else 0.0
        return (self._after_draw(self._shared(points), stays) - self._base) / self._slope

    def stick(self) -> float:
        """Return the cost of a riichi stick that another player gets."""
        if not self.by_place:
            return float(STICK_POINTS)
        points = self._points[:]
        points[self._me] -= STICK_POINTS
        return (self._base - self._after_draw(points, DEALER_STAYS)) / self._slope

    def other_win(self, share: float) -> float:
        """Return the cost of another player's win, of which this seat pays a share in points on average."""
        if not self.by_place:
            return share
        rest = (OTHERS_WIN - share) / max(1, len(self._others) - 1)
        ways = []
        for winner in self._others:
            points = [each - rest for each in self._points]
            points[self._me] = self._points[self._me] - share
            points[winner] = self._points[winner] + OTHERS_WIN
            ways.append((winner, points))
        return -self._gain(ways)

    def _gain(self, ways: list[tuple[Seat, list[float]]], spread: float = SPREAD_WIN) -> float:
        """Return the worth of wins that are equally likely: the winners, and the scores, known to such a deviation."""
        return (sum(self._after_win(*way, spread) for way in ways) / len(ways) - self._base) / self._slope

    def _after_win(self, winner: Seat, points: list[float], spread: float) -> float:
        return self._place(points, spread if self._ends(points, stays=winner == self._dealer) else self._deviation)

    def _after_draw(self, points: list[float], stays: float) -> float:
        """Return the worth of the final place after a draw; ``stays`` is the chance that the dealer is tenpai."""
        ended = self._place(points, SPREAD_DRAW if self._ends(points, stays=False) else self._deviation)
        return (1 - stays) * ended + stays * self._place(points, self._deviation)

    def _ends(self, points: list[float], *, stays: bool) -> bool:
        """Tell whether the game ends with these scores; ``stays`` if the dealer does, which it may end (agari yame)."""
        if self._ruleset.tobi and min(points) < 0:
            return True
        if not self._is_last:
            return False
        reached = max(points) >= self._ruleset.target
        if stays:
            return reached and self._ruleset.agari_yame and points[self._dealer] == max(points)
        return reached or self._ruleset.extra_round is ExtraRound.NONE

    def _shared(self, change: float) -> list[float]:
        """Return the scores after all others have paid the same."""
        points = [each - change / len(self._others) for each in self._points]
        points[self._me] = self._points[self._me] + change
        return points

    def _won(self, points: float, loser: Seat | None) -> list[float]:
        """Return the scores after an own win by ron, or by tsumo without a loser: the dealer pays twice as much."""
        if loser is not None:
            scores = self._paid(points, loser, self._me)
        else:
            shares = dict.fromkeys(self._others, 1.0)
            if self._dealer in shares:
                shares[self._dealer] = 2.0
            part = points / sum(shares.values())
            scores = self._points[:]
            for payer, share in shares.items():
                scores[payer] -= part * share
            scores[self._me] += points
        scores[self._me] += self._sticks
        return scores

    def _paid(self, change: float, loser: Seat, winner: Seat) -> list[float]:
        points = self._points[:]
        points[loser] -= change
        points[winner] += change
        return points

    def _place(self, points: list[float], deviation: float) -> float:
        """Return the expected worth of the final place."""
        ahead = [_ahead(points, self._me, seat, deviation) for seat in self._others]
        return sum(chance * worth for chance, worth in zip(_places(ahead), self._place_points, strict=True))


def kyoku_left(ruleset: Ruleset, bakaze: int, dealer: Seat) -> int:
    """Return how many kyoku follow the present one, if no dealer stays and no round is added."""
    return max(0, ROUNDS[ruleset.length] * ruleset.seats - 1 - bakaze * ruleset.seats - dealer)


def _ahead(points: Sequence[float], seat: Seat, other: Seat, deviation: float) -> float:
    """Return the chance of a seat to end ahead of another; with equal scores the first seat is ahead."""
    gap = points[seat] - points[other] + (0.5 if seat < other else -0.5)
    if not deviation:
        return 1.0 if gap > 0 else 0.0
    return _normal(gap / deviation)


def _normal(value: float) -> float:
    """Return how likely a number of the standard normal distribution is below a value."""
    return 0.5 * (1 + erf(value / sqrt(2)))


def _places(ahead: Sequence[float]) -> list[float]:
    """Return the chance of each place, from the chances to be ahead of each other seat."""
    ways = [1.0] + [0.0] * len(ahead)
    for chance in ahead:
        for place in range(len(ways) - 1, 0, -1):
            ways[place] = ways[place] * chance + ways[place - 1] * (1 - chance)
        ways[0] *= chance
    return ways


@value
class PlaceChances:
    """The chances of one seat to end the game in each place."""

    chances: tuple[float, ...]
    """The chance of the first place, the second and so on, 0..1; they add up to 1."""

    @property
    def expected(self) -> float:
        """The mean place: 1 is the first."""
        return sum(place * chance for place, chance in enumerate(self.chances, 1))


def place_chances(given: Observation | Sequence[float], kyoku: int | None = None) -> tuple[PlaceChances, ...]:
    """Return the chances of each seat to end the game in each place, before the hands of the next kyoku are known.

    ``given`` is an observation, or the scores in points by seat, the first dealer first; ``kyoku`` is the number of
    kyoku that are to be played, without those of dealers who stay: 1 in the last one, which is the default for scores.
    The final scores are taken to be normally distributed, as differences of scores are in recorded games. Raises
    ValueError if no kyoku is left.
    """
    if isinstance(given, Observation):
        points: Sequence[float] = given.points
        usual = kyoku_left(given.ruleset, given.bakaze, given.dealer) + 1
    else:
        points, usual = given, 1
    left = usual if kyoku is None else kyoku
    if left < 1:
        raise ValueError("expected at least one kyoku to play")
    deviation = SPREAD * sqrt((SPREAD_PER_KYOKU * left + SPREAD_MORE) / 2)
    return tuple(PlaceChances(_chances_of(points, seat, deviation)) for seat in range(len(points)))


STEPS = [step / 4 for step in range(-16, 17)]
"""The places in deviations at which a final score is tried."""


def _chances_of(points: Sequence[float], seat: Seat, deviation: float) -> tuple[float, ...]:
    """Return the chances of a seat, summed over its final score."""
    total = 0.0
    chances = [0.0] * len(points)
    for step in STEPS:
        weight = exp(-step * step / 2)
        total += weight
        ahead = []
        for other, score in enumerate(points):
            if other != seat:
                ahead.append(_normal(step + (points[seat] - score) / deviation))
        for place, chance in enumerate(_places(ahead)):
            chances[place] += weight * chance
    return tuple(chance / total for chance in chances)
