"""Wins and first places over many games, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from ump.model.events import Event, GameEnded, HandWon, KyokuDrawn, KyokuStarted
from ump.model.value import value

Z95 = 1.959964
"""Standard normal quantile of a 95 % interval."""


@value
class Share:
    """A count out of a total."""

    count: int
    total: int

    @property
    def rate(self) -> float:
        """The count divided by the total, 0..1; 0 if the total is 0."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson score interval (E. B. Wilson 1927), also valid near 0 and 1; (0, 1) if the total is 0."""
        if not self.total:
            return 0.0, 1.0
        scale = 1 + Z95**2 / self.total
        middle = (self.rate + Z95**2 / (2 * self.total)) / scale
        half_width = Z95 / scale * sqrt(self.rate * (1 - self.rate) / self.total + (Z95 / (2 * self.total)) ** 2)
        return max(0.0, middle - half_width), min(1.0, middle + half_width)


class Tally:
    """Counts over many games in which the same players sit in changing seats."""

    def __init__(self, players: int) -> None:
        self.games = 0
        """Games that were played to their end."""
        self.kyoku = 0
        self.drawn = 0
        """Kyoku without a winner."""
        self._firsts = [0] * players
        self._won = [0] * players

    def add(self, events: Iterable[Event], seating: Sequence[int]) -> None:
        """Count one game; ``seating`` holds the index of the player in each seat."""
        for event in events:
            match event:
                case KyokuStarted():
                    self.kyoku += 1
                case HandWon(seat=seat):
                    self._won[seating[seat]] += 1
                case KyokuDrawn():
                    self.drawn += 1
                case GameEnded(places=places):
                    self.games += 1
                    for seat, place in enumerate(places):
                        if place == 1:
                            self._firsts[seating[seat]] += 1
                case _:
                    pass  # other events count for nothing here

    def firsts(self, player: int) -> Share:
        """Return the share of games in which the player came first; a shared first place counts for all who share."""
        return Share(self._firsts[player], self.games)

    def won(self, player: int) -> Share:
        """Return the share of kyoku that the player won; after a double ron both winners count."""
        return Share(self._won[player], self.kyoku)

    def draws(self) -> Share:
        """Return the share of kyoku without a winner."""
        return Share(self.drawn, self.kyoku)
