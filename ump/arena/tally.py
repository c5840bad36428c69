"""What a series of games comes to, player by player."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from ump.model.events import Event, GameEnded, HandWon, KyokuDrawn, KyokuStarted
from ump.model.value import value

Z95 = 1.959964
"""Standard normal quantile of a 95 % interval."""


@value
class Share:
    """How many of how many."""

    count: int
    total: int

    @property
    def rate(self) -> float:
        """The share itself, 0..1; 0 of nothing is 0."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson score interval (E. B. Wilson 1927); it also holds near 0 and 1, and of nothing it is all."""
        if not self.total:
            return 0.0, 1.0
        scale = 1 + Z95**2 / self.total
        middle = (self.rate + Z95**2 / (2 * self.total)) / scale
        reach = Z95 / scale * sqrt(self.rate * (1 - self.rate) / self.total + (Z95 / (2 * self.total)) ** 2)
        return max(0.0, middle - reach), min(1.0, middle + reach)


class Tally:
    """Counts over many games in which the same players sit in changing seats."""

    def __init__(self, players: int) -> None:
        self.games = 0
        self.kyoku = 0
        self.drawn = 0
        """Kyoku without a winner."""
        self._firsts = [0] * players
        self._won = [0] * players

    def note(self, events: Iterable[Event], seating: Sequence[int]) -> None:
        """Count one game; ``seating`` says by seat which player sits there."""
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
                        self._firsts[seating[seat]] += place == 1
                case _:
                    pass

    def firsts(self, player: int) -> Share:
        """How many of the games the player has won; a shared first place counts for all who share it."""
        return Share(self._firsts[player], self.games)

    def won(self, player: int) -> Share:
        """In how many of the kyoku the player has won; of two who win on one tile both have."""
        return Share(self._won[player], self.kyoku)

    def draws(self) -> Share:
        """How many of the kyoku had no winner."""
        return Share(self.drawn, self.kyoku)
