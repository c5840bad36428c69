"""One message on its way to a client: its content, the question attached to it, and its reply."""

from __future__ import annotations

from ump.model.value import value
from ump.wire.majiang.events import EventMessage
from ump.wire.session import QuestionView

WAIT = 5.0
"""Seconds for a reply that decides nothing: kobalab's players sometimes take more than one."""

READING = 10.0
"""Seconds in which a client may show the result of a kyoku, before it counts as ready."""


@value
class AttachedQuestion:
    """An open question, attached to the message whose reply decides it."""

    number: int
    """The table's number of the question."""
    question: QuestionView | None
    """None asks whether the client is ready."""
    move: float
    """Seconds that were left for the move when the question was asked."""
    bank: float
    """Seconds that were left in the bank when the question was asked."""
    asked_at: float
    """The instant at which the question was asked."""


class OutgoingMessage:
    """A message, from its event until its reply is settled."""

    __slots__ = ("content", "declares", "is_over", "open", "seq")

    def __init__(self, content: EventMessage, seq: int | None) -> None:
        self.content = content
        self.seq = seq
        """The number that the reply repeats; None if the message needs no reply."""
        self.open: AttachedQuestion | None = None
        """The question that the reply decides."""
        self.is_over = False
        """Whether the reply has come or was given up."""
        self.declares = True
        """Whether the reply declares tenpai. A missing reply does too, so that silence costs no points."""

    def overdue_at(self, now: float, *, reads: bool) -> float | None:
        """Return when the reply is overdue, if the wait for it begins now; None means never.

        ``reads`` says whether the client seems to show results to a person. If it does not, the deadline of the table
        decides.
        """
        if self.open is None:
            return now + WAIT
        if self.open.question is None and reads:
            return now + READING
        return None

    def timer(self, now: float) -> list[float] | None:
        """Return the seconds that are left for the move and in the bank, or for a reply that decides nothing."""
        if self.seq is None or self.content.type == "jieju":
            return None
        if self.open is None:
            return [_seconds(WAIT)]
        over = now - self.open.asked_at - self.open.move
        if self.open.question is None:
            return [_seconds(min(READING, -over))]
        return [_seconds(-over), _seconds(self.open.bank - max(0.0, over))]


def _seconds(seconds: float) -> float:
    """Round to tenths of a second, and return a whole number as an integer."""
    tenths = max(0.0, round(float(seconds), 1))
    return int(tenths) if tenths.is_integer() else tenths
