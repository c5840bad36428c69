"""Totals over the games that are over: how they ended, the answers that did not count, and how long answers took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from ump.model.claims import Reason
from ump.model.value import value
from ump.server.status.histogram import Histogram
from ump.table.outcomes import End

ANSWER_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 120.0)
"""Upper bounds of the classes of answer times, in seconds."""


class AnswerTimes:
    """The questions of the game to the clients of one dialect, and how long their answers took."""

    __slots__ = ("questions", "times")

    def __init__(self) -> None:
        self.questions = 0
        """How many questions were asked; an answer that is refused may let the same one be asked again."""
        self.times = Histogram(ANSWER_BOUNDS)
        """From when a question was first asked until the answer that counted."""

    def add_all(self, other: AnswerTimes) -> None:
        """Count the questions and answers of another game."""
        self.questions += other.questions
        self.times.add_all(other.times)


@value
class GameSummary:
    """The numbers that one game adds to the totals."""

    end: End
    seconds: float
    """How long the game has been played, on this server."""
    refusals: Counter[tuple[Reason, str]]
    """Refused answers, by reason and dialect."""
    timeouts: int
    """Questions whose time ran out."""
    stale: int
    """Answers to questions that were no longer open."""
    answers: Mapping[str, AnswerTimes] = field(default_factory=dict)
    """Questions and answers by dialect."""


class GameTotals:
    """Sums over all games that have ended since the server started."""

    def __init__(self) -> None:
        self.ends: Counter[End] = Counter()
        self.rooms: dict[str, Counter[End]] = {}
        """The same by room."""
        self.refusals: Counter[tuple[Reason, str]] = Counter()
        """Refused answers, by reason and dialect."""
        self.seconds = 0.0
        self.timeouts: Counter[str] = Counter()
        """Questions whose time ran out, by room."""
        self.stale = 0
        self.answers: dict[str, AnswerTimes] = {}
        """Questions and answers by dialect."""

    @property
    def games(self) -> int:
        """How many games have ended, however they did."""
        return self.ends.total()

    @property
    def refusals_by_reason(self) -> Counter[Reason]:
        """Refused answers of all dialects, by reason."""
        sums: Counter[Reason] = Counter()
        for (reason, _), count in self.refusals.items():
            sums[reason] += count
        return sums

    def add(self, game: GameSummary, room: str) -> None:
        """Count a game of a room that is over."""
        self.ends[game.end] += 1
        self.rooms.setdefault(room, Counter())[game.end] += 1
        self.refusals.update(game.refusals)
        self.seconds += game.seconds
        self.timeouts[room] += game.timeouts
        self.stale += game.stale
        for dialect, answers in game.answers.items():
            self.answers.setdefault(dialect, AnswerTimes()).add_all(answers)
