"""One message on its way to a client: what it says, which question hangs on it, and what became of it."""

from __future__ import annotations

from ump.model.value import value
from ump.wire.majiang.events import EventMessage
from ump.wire.session import QuestionView

WAIT = 5.0
"""Seconds for a reply that decides nothing: players of kobalab's sometimes take more than one."""

READING = 10.0
"""Seconds in which a client may look at what a kyoku came to, before it counts as ready."""


@value
class AttachedQuestion:
    """A question as it hangs on a message."""

    number: int
    """The table's number."""
    question: QuestionView | None
    """None: who is ready."""
    move: float
    bank: float
    """Seconds that were left of both when it was asked."""
    asked: float
    """The instant of that."""


class OutgoingMessage:
    """A message, from the instant at which it is told until it is answered or nobody waits for its reply any more."""

    __slots__ = ("deadline", "declares", "is_over", "open", "seq", "told")

    def __init__(self, told: EventMessage, seq: int | None) -> None:
        self.told = told
        self.seq = seq
        """None: it wants no reply."""
        self.open: AttachedQuestion | None = None
        """The question that its reply decides."""
        self.deadline: float | None = None
        """The instant at which its reply is not waited for any more; None: as long as the table waits."""
        self.is_over = False
        """Whether its reply has come, or is not waited for any more."""
        self.declares = True
        """Whether its reply says tenpai; nobody gives points away by silence."""

    def wait(self, now: float, *, reads: bool) -> None:
        """Set the deadline of a message that goes out, or on which a question hangs no more.

        ``reads``: somebody is there to be ready. The table knows better how long it waits for those who are not.
        """
        if self.open is None:
            self.deadline = now + WAIT
        elif self.open.question is None and reads:
            self.deadline = now + READING
        else:
            self.deadline = None

    def timer(self, now: float) -> list[float] | None:
        """Return the seconds that are left: of the move and of the bank, or for a reply that decides nothing."""
        if self.seq is None or self.told.type == "jieju":
            return None
        if self.open is None:
            return [_seconds(WAIT)]
        over = now - self.open.asked - self.open.move
        if self.open.question is None:
            return [_seconds(min(READING, -over))]
        return [_seconds(-over), _seconds(self.open.bank - max(0.0, over))]


def _seconds(seconds: float) -> float:
    """Write no more than tenths, and whole numbers as such."""
    tenths = max(0.0, round(float(seconds), 1))
    return int(tenths) if tenths.is_integer() else tenths
