"""A chair at a table: who sits there as far as answering goes, and what it has been asked."""

from __future__ import annotations

from collections import Counter

from ump.game.questions import Question
from ump.model.claims import Reason
from ump.model.phases import Phase
from ump.table.clock import Clock, TimeControl

MAX_SILENT = 3
"""After so many questions in a row without an answer in time a seat is not waited for any more."""

BANKED = (Phase.TURN, Phase.CALL, Phase.ROB)
"""The questions for which the bank may be used; ``tenpai?`` and ``ready?`` have the time of the move alone."""


class OpenAsk:
    """A question as it was asked: again with a new number, but with the deadline of the first asking."""

    __slots__ = ("asked", "deadline", "number", "question", "retries")

    def __init__(self, number: int, question: Question | None, asked: float, deadline: float) -> None:
        self.number = number
        self.question = question
        """None for ``ready?``."""
        self.asked = asked
        """The instant of the first asking."""
        self.deadline = deadline
        self.retries = 0
        """How often it was asked again."""

    @property
    def with_bank(self) -> bool:
        """Whether thinking longer than the move's seconds is possible."""
        return self.question is not None and self.question.phase in BANKED


class Chair:
    """One seat's side of the table."""

    __slots__ = ("clock", "is_client", "is_here", "open", "refusals", "silent", "stale", "timeouts")

    def __init__(self, times: TimeControl, *, is_client: bool) -> None:
        self.clock = Clock(times)
        self.is_client = is_client
        """Whether a client sits here, and no house player."""
        self.is_here = True
        """Whether its connection stands."""
        self.open: OpenAsk | None = None
        """The one question it is asked."""
        self.silent = 0
        """How many questions in a row ran out."""
        self.refusals: Counter[Reason] = Counter()
        self.stale = 0
        """Answers to questions that were not open."""
        self.timeouts = 0

    @property
    def is_awaited(self) -> bool:
        """Whether its answers are waited for; otherwise the defaults are played at once."""
        return self.is_here and self.silent < MAX_SILENT
