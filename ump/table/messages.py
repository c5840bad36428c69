"""Messages: what a table returns to be delivered, in order."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.claims import Reason
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.questions import Question
from ump.table.outcomes import End


@value
class Tell:
    """Tell an event to every seat and spectator, each through ``view``."""

    event: Event


@value
class Ask:
    """Ask one seat. ``number`` grows with every question at this table; the answer repeats it."""

    seat: Seat
    number: int
    question: Question | None
    """The game's question, or None for ``ready?``."""
    move: int
    """Milliseconds for this move."""
    bank: int
    """Milliseconds left in the bank of this kyoku."""


@value
class Lapse:
    """Close an open question without this seat's answer. Only connected seats get this message."""

    seat: Seat
    number: int
    by_time: bool
    """Whether its time ran out (at once for a seat that is not waited for); otherwise other seats decided."""
    left: int = 0
    """After a timeout: how many more in a row let the table stop waiting for the seat; 0: it does not wait any more."""


@value
class Refuse:
    """Refuse an answer. Sent only to that seat."""

    seat: Seat
    number: int
    reason: Reason


@value
class Release:
    """The grace of a seat that lost its connection is over, and a built-in bot plays on in its place."""

    seat: Seat


@value
class Finish:
    """The game is over. It is the last message of a table."""

    end: End


Message: TypeAlias = Tell | Ask | Lapse | Refuse | Release | Finish
