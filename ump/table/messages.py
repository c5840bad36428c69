"""Messages: what a table wants its surroundings to pass on, in the order in which they are returned."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ump.model.claims import Reason
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.questions import Question


class End(Enum):
    """Why a game at a table is over: a closed list."""

    COMPLETED = "completed"
    ABANDONED = "abandoned"
    """No client was connected any more."""
    ABORTED = "aborted"
    """Somebody committed a fault, in a room where that ends the game: it has no result."""


@value
class Tell:
    """Tell an event to every seat and spectator, to each through ``view``."""

    event: Event


@value
class Ask:
    """Ask one seat; ``number`` grows with every asking at this table and names the answer that is due."""

    seat: Seat
    number: int
    question: Question | None
    """The game's question, or None for ``ready?``."""
    move: float
    """Seconds for this move."""
    bank: float
    """Seconds left in the bank of this kyoku."""


@value
class Lapse:
    """An open question closes without this seat's answer; told to every seat that is still there."""

    seat: Seat
    number: int
    by_time: bool
    """Whether its time is over (that of a seat that was silent for too long is over at once); else others decided."""


@value
class Refuse:
    """An answer was refused; for the ears of that seat alone."""

    seat: Seat
    number: int
    reason: Reason


@value
class Finish:
    """The game is over; nothing follows."""

    end: End


Message: TypeAlias = Tell | Ask | Lapse | Refuse | Finish
