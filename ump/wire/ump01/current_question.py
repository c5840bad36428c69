"""The one open question of a connection, and the rule for which line answers it."""

from __future__ import annotations

from collections import deque
from math import inf

from ump.model.phases import Phase
from ump.model.value import value
from ump.wire.session import Staleness
from ump.wire.ump01.client_lines import is_id

LATE_SECONDS = 1.0
"""Seconds after a timeout in which a line without an id counts as a late answer to the question that timed out."""

MOST_CLOSED = 16
"""Questions that are remembered after they were closed without an answer, to tell a client what became of its own."""


@value
class AskedQuestion:
    """A question as this connection asked it."""

    number: int
    """The table's number of the question."""
    id: int
    """The id of the sentence that asked it."""
    phase: Phase | None
    """The kind of question; None for ``ready?``."""


class CurrentQuestion:
    """Keeps the last question of a connection, and whether it is open.

    A question closes with the first line that answers it, readable or not. The table decides whether it is asked
    again; it then has a new number and a new id.
    """

    __slots__ = ("_closed", "_last", "_late_until", "_open")

    def __init__(self) -> None:
        self._open: AskedQuestion | None = None
        self._last: AskedQuestion | None = None
        """The last question, open or not."""
        self._closed: deque[tuple[int, Staleness]] = deque(maxlen=MOST_CLOSED)
        """The ids of the last questions that were closed without an answer, and why."""
        self._late_until = -inf
        """The instant, in clock seconds, until which a line without an id is a late answer."""

    @property
    def last_id(self) -> int | None:
        """The id of the last question, open or not; None before the first."""
        return None if self._last is None else self._last.id

    def id_of(self, number: int) -> int | None:
        """Return the id of the question with this number, or None if another question has been asked since."""
        return self._last.id if self._last is not None and self._last.number == number else None

    def open(self, number: int, sentence_id: int, phase: Phase | None) -> None:
        """Open a question, in place of the one before; ``phase`` is None for ``ready?``."""
        self._open = self._last = AskedQuestion(number, sentence_id, phase)

    def answered_by(self, given_id: str | None, now: float) -> AskedQuestion | Staleness:
        """Return the question that a line with this id answers, or the reason why it answers none."""
        if given_id is None and now < self._late_until:
            return Staleness.LATE
        if self._open is None:
            return self._fate_of(given_id) or Staleness.NO_QUESTION
        if given_id is not None and not is_id(given_id, self._open.id):
            return self._fate_of(given_id) or Staleness.OTHER_ID
        return self._open

    def _fate_of(self, given_id: str | None) -> Staleness | None:
        """Return why the question with this id takes no answer any more, or None if that is not known."""
        if given_id is None:
            return None
        return next((why for closed, why in self._closed if is_id(given_id, closed)), None)

    def close(self) -> None:
        """Close the open question, if there is one."""
        self._open = None

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close the question with this number: its time has run out, or other players have decided."""
        if self._last is not None and self._last.number == number:
            self._open = None
            self._closed.append((self._last.id, Staleness.TIMED_OUT if by_time else Staleness.DECIDED))
            if by_time:
                self._late_until = now + LATE_SECONDS

    def refuse(self, number: int) -> int | None:
        """Close the question with this number, whose answer was refused, and return its id.

        Return None if another question has been asked since.
        """
        sentence_id = self.id_of(number)
        if sentence_id is not None:
            self._open = None
        return sentence_id
