"""A chair at a table: who sits there as far as answering goes, and what it has been asked."""

from __future__ import annotations

from collections import Counter

from ump.model.claims import Reason
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.rules.questions import Question
from ump.table.clock import Clock, TimeControl

MAX_SILENT = 3
"""After so many questions in a row without an answer in time a seat is not waited for any more."""

BANKED = (Phase.TURN, Phase.CALL, Phase.CHANKAN)
"""The questions for which the bank may be used; ``tenpai?`` and ``ready?`` have the time of the move alone."""


class OpenAsk:
    """A question as it was asked: again with a new number, but with the deadline of the first asking."""

    __slots__ = ("asked", "deadline", "number", "question", "retries", "with_bank")

    def __init__(self, question: Question | None, asked: float, clock: Clock) -> None:
        self.question = question
        """None for ``ready?``."""
        self.asked = asked
        """The instant of the first asking."""
        self.with_bank = question is not None and question.phase in BANKED
        """Whether thinking longer than the move's seconds is possible."""
        self.deadline = clock.deadline(asked, with_bank=self.with_bank)
        self.number = 0
        """That of the last asking."""
        self.retries = 0
        """How often it was asked again."""


class Chair:
    """One seat's side of the table."""

    __slots__ = ("clock", "is_client", "is_here", "open", "refusals", "retries", "seat", "silent", "stale", "timeouts")

    def __init__(self, seat: Seat, times: TimeControl, *, is_client: bool, retries: int) -> None:
        self.seat = seat
        self.clock = Clock(times)
        self.is_client = is_client
        """Whether a client sits here, and no house player."""
        self.retries = retries
        """How often the same question is asked again after an answer that does not count."""
        self.is_here = True
        """Whether its connection stands."""
        self.open: OpenAsk | None = None
        """The one question it is asked."""
        self.silent = 0
        """How many questions in a row ran out."""
        self.refusals: Counter[Reason] = Counter()
        self.stale = 0
        """Answers to questions that were not open any more, or never."""
        self.timeouts = 0

    @property
    def is_awaited(self) -> bool:
        """Whether its answers are waited for; otherwise the defaults are played at once."""
        return self.is_here and self.silent < MAX_SILENT

    def close(self, now: float) -> None:
        """Take the open question back, however it was settled; the time that it took is charged."""
        asked, self.open = self.open, None
        if asked is not None and asked.with_bank:
            self.clock.charge(now - asked.asked)
