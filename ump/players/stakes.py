"""The worth of points: themselves while many kyoku are left, and near the end of the game the places they lead to."""

from __future__ import annotations

from math import erf, sqrt

from ump.model.constants import STICK_POINTS
from ump.model.seats import Seat
from ump.players.observation import Observation
from ump.players.rates import KYOKU_OF_PLACES, PLACE_POINTS, SPREAD, SPREAD_LAST, SPREAD_PER_KYOKU
from ump.rules.ruleset import Length

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
        self._points = [float(points) for points in seen.points]
        self._me = seen.me
        self._others = [seat for seat in range(len(self._points)) if seat != self._me]
        self._places = PLACE_POINTS[len(self._points)]
        self._bonus = 100.0 * len(self._others) * seen.honba + STICK_POINTS * seen.kyotaku
        left = max(
            0, ROUNDS[seen.ruleset.length] * seen.ruleset.seats - 1 - seen.bakaze * seen.ruleset.seats - seen.dealer
        )
        self.by_place = left < KYOKU_OF_PLACES and seen.ruleset.length is not Length.KYOKU
        """Whether places count."""
        self._deviation = SPREAD * sqrt(SPREAD_PER_KYOKU * left + SPREAD_LAST)
        self._base, self._slope = 0.0, 1.0
        self._known: dict[tuple[float, bool], float] = {}
        if self.by_place:
            self._base = self._place(self._points)
            rise = self._place(self._shared(TRIED)) - self._place(self._shared(-TRIED))
            self._slope = max(LEAST_SLOPE, rise / (2 * TRIED))

    def win(self, points: float, *, tsumo: bool) -> float:
        """Return the worth of a win; honba and sticks come on top of these points."""
        points += self._bonus
        if not self.by_place:
            return points
        worth = self._known.get((points, tsumo))
        if worth is None:
            if tsumo:
                worth = self._gain([self._shared(points)])
            else:
                worth = self._gain([self._paid(points, seat, self._me) for seat in self._others])
            self._known[points, tsumo] = worth
        return worth

    def payment(self, points: float, seat: Seat | None = None) -> float:
        """Return the cost of paying points to a seat, by default to any one."""
        if not self.by_place:
            return points
        return -self._gain([self._paid(points, self._me, to) for to in self._others if seat in (None, to)])

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
            ways.append(points)
        return -self._gain(ways)

    def _gain(self, ways: list[list[float]]) -> float:
        """Return the worth of scores that are equally likely, against the present ones."""
        return (sum(map(self._place, ways)) / len(ways) - self._base) / self._slope

    def _shared(self, change: float) -> list[float]:
        """Return the scores after all others have paid the same."""
        points = [each - change / len(self._others) for each in self._points]
        points[self._me] = self._points[self._me] + change
        return points

    def _paid(self, change: float, loser: Seat, winner: Seat) -> list[float]:
        points = self._points[:]
        points[loser] -= change
        points[winner] += change
        return points

    def _place(self, points: list[float]) -> float:
        """Return the expected worth of the final place, if differences of scores move by a normal distribution."""
        ways = [1.0] + [0.0] * len(self._others)
        for seat in self._others:
            ahead = self._ahead(points, seat)
            for place in range(len(ways) - 1, 0, -1):
                ways[place] = ways[place] * ahead + ways[place - 1] * (1 - ahead)
            ways[0] *= ahead
        return sum(chance * worth for chance, worth in zip(ways, self._places, strict=True))

    def _ahead(self, points: list[float], seat: Seat) -> float:
        """Return the chance to end ahead of a seat; with equal scores the first seat is ahead."""
        gap = points[self._me] - points[seat] + (0.5 if self._me < seat else -0.5)
        return 0.5 * (1 + erf(gap / (self._deviation * sqrt(2))))
