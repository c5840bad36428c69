"""Totals over the games that are over: how they ended, and the answers that did not count."""

from __future__ import annotations

from collections import Counter

from ump.model.claims import Reason
from ump.model.value import value
from ump.table.outcomes import End


@value
class GameSummary:
    """The numbers that one game adds to the totals."""

    end: End
    seconds: float
    """How long the game has been played, on this server."""
    refusals: Counter[Reason]
    timeouts: int
    """Questions whose time ran out."""
    stale: int
    """Answers to questions that were no longer open."""


class GameTotals:
    """Sums over all games that have ended since the server started."""

    def __init__(self) -> None:
        self.ends: Counter[End] = Counter()
        self.refusals: Counter[Reason] = Counter()
        self.seconds = 0.0
        self.timeouts = 0
        self.stale = 0

    @property
    def games(self) -> int:
        """How many games have ended, however they did."""
        return self.ends.total()

    def add(self, game: GameSummary) -> None:
        """Count a game that is over."""
        self.ends[game.end] += 1
        self.refusals.update(game.refusals)
        self.seconds += game.seconds
        self.timeouts += game.timeouts
        self.stale += game.stale
