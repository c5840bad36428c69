"""The worth of points: themselves while many kyoku are left, and near the end of the game the places they lead to."""

from __future__ import annotations

from math import erf, sqrt

from ump.model.constants import STICK_POINTS
from ump.model.seats import Seat
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
from ump.rules.ruleset import ExtraRound, Length

ROUNDS = {Length.KYOKU: 0, Length.TONPU: 1, Length.HANCHAN: 2}

TRIED = 3_000.0
"""The change of the scores that shows how much a point is worth now."""

OTHERS_WIN = 5_000.0
"""An average win of another player."""

LEAST_SLOPE = 0.0004
"""A point is never worth less in place points, else a decided game would make others look important."""


class Stakes:
    """The worth of payments in one kyoku, all in points: a hundred points more at the present scores are worth 100."""

    def __init__(self, seen: Observation) -> None:
        self._points = list(map(float, seen.points))
        self._me = seen.me
        self._others = [seat for seat in range(len(self._points)) if seat != self._me]
        self._places = PLACE_POINTS[len(self._points)]
        self._honba = 100.0 * len(self._others) * seen.honba
        self._sticks = float(STICK_POINTS * seen.kyotaku)
        left = max(
            0, ROUNDS[seen.ruleset.length] * seen.ruleset.seats - 1 - seen.bakaze * seen.ruleset.seats - seen.dealer
        )
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
            return points + self._honba + self._sticks
        worth = self._known.get((points, tsumo, usual))
        if worth is None:
            losers = [None] if tsumo else self._others
            ways = [(self._me, self._won(points + self._honba, loser)) for loser in losers]
            worth = self._known[points, tsumo, usual] = self._gain(ways, SPREAD_WIN if usual else 0.0)
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
        """Return the expected worth of the final place, if differences of scores move by a normal distribution."""
        ways = [1.0] + [0.0] * len(self._others)
        for seat in self._others:
            ahead = self._ahead(points, seat, deviation)
            for place in range(len(ways) - 1, 0, -1):
                ways[place] = ways[place] * ahead + ways[place - 1] * (1 - ahead)
            ways[0] *= ahead
        return sum(chance * worth for chance, worth in zip(ways, self._places, strict=True))

    def _ahead(self, points: list[float], seat: Seat, deviation: float) -> float:
        """Return the chance to end ahead of a seat; with equal scores the first seat is ahead."""
        gap = points[self._me] - points[seat] + (0.5 if self._me < seat else -0.5)
        if not deviation:
            return 1.0 if gap > 0 else 0.0
        return 0.5 * (1 + erf(gap / (deviation * sqrt(2))))
