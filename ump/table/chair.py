"""A chair at a table: one seat's open question, its clock, and how it has answered so far."""

from __future__ import annotations

from collections import Counter

from ump.model.claims import Reason
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.rules.questions import Question
from ump.table.clock import Clock, TimeControl

MAX_SILENT = 3
"""After this many consecutive timeouts the table stops waiting for a seat."""

BANKED = (Phase.TURN, Phase.CALL, Phase.CHANKAN)
"""The questions for which the bank may be used; ``tenpai?`` and ``ready?`` have only the time of the move."""


class OpenAsk:
    """A question as it was asked. If it is asked again it gets a new number and keeps its deadline."""

    __slots__ = ("asked", "deadline", "number", "question", "retries", "with_bank")

    def __init__(self, question: Question | None, asked: int, clock: Clock) -> None:
        self.question = question
        """None for ``ready?``."""
        self.asked = asked
        """The instant at which it was first asked, in milliseconds."""
        self.with_bank = question is not None and question.phase in BANKED
        """Whether the seat may use its bank."""
        self.deadline = clock.deadline(asked, with_bank=self.with_bank)
        self.number = 0
        """The number under which it was asked last."""
        self.retries = 0
        """How often it has been asked again."""


class Chair:
    """One seat's side of the table."""

    __slots__ = ("clock", "is_client", "is_here", "open", "refusals", "retries", "seat", "silent", "stale", "timeouts")

    def __init__(self, seat: Seat, times: TimeControl, *, is_client: bool, retries: int) -> None:
        self.seat = seat
        self.clock = Clock(times)
        self.is_client = is_client
        """Whether a client sits here rather than a built-in bot."""
        self.retries = retries
        """How often the same question is asked again after an answer that does not count."""
        self.is_here = True
        """Whether its connection is open."""
        self.open: OpenAsk | None = None
        """The open question, if any."""
        self.silent = 0
        """Consecutive timeouts."""
        self.refusals: Counter[Reason] = Counter()
        self.stale = 0
        """Answers to questions that were no longer open, or never were."""
        self.timeouts = 0

    @property
    def is_awaited(self) -> bool:
        """Whether the table waits for its answers; otherwise it plays the defaults at once."""
        return self.is_here and self.silent < MAX_SILENT

    @property
    def asked(self) -> OpenAsk:
        """The open question of a seat that is known to have one."""
        assert self.open is not None, "the seat is not asked"
        return self.open

    def close(self, now: int) -> None:
        """Close the open question, and charge the time that it took."""
        asked, self.open = self.open, None
        if asked is not None and asked.with_bank:
            self.clock.charge(now - asked.asked)
