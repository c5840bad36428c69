"""The question that a person has to answer, and the time left for it."""

from __future__ import annotations

from ump.model.actions import Action
from ump.model.value import value
from ump.wire.session import QuestionView


@value
class TimeLeft:
    """The time left for an answer, in seconds. The bank is used up last, and what is left of it stays."""

    move: float
    bank: float

    @property
    def total(self) -> float:
        """All seconds."""
        return self.move + self.bank

    def after(self, seconds: float) -> TimeLeft:
        """Return what is left some seconds later."""
        left = max(0.0, self.total - seconds)
        bank = min(self.bank, left)
        return TimeLeft(left - bank, bank)

    def short(self) -> str:
        """Return the time for the end of a question: ``60+600 seconds``, or ``60 seconds`` without a bank."""
        return f"{self.move:.0f}+{self.bank:.0f} seconds" if self.bank else f"{self.move:.0f} seconds"

    def long(self) -> str:
        """Return the same as a sentence."""
        if not self.bank:
            return f"You have {self.move:.0f} seconds for this answer."
        return f"You have {self.move:.0f} seconds for this answer, and {self.bank:.0f} more for the whole kyoku."


@value
class OpenQuestion:
    """The open question."""

    number: int
    """The table's number of it."""
    question: QuestionView | None
    """None: whether the person is ready."""
    since: float
    """When it was asked, in clock seconds."""
    time: TimeLeft
    """The time that the person had then."""
    automatic: Action | None = None
    """The answer that the person has left to the server."""

    @property
    def until(self) -> float:
        """When the time is up, in clock seconds."""
        return self.since + self.time.total

    def left(self, now: float) -> TimeLeft:
        """Return the time left."""
        return self.time.after(now - self.since)
