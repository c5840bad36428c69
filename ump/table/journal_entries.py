"""Journal entries: everything that changed a table, in the order in which it happened.

Each step of a table makes a few entries. The first one is its input: what came from outside, already resolved against
the question. The others follow from it and stand there for readers: defaults that were played, faults, the end. The
opening of a table and its inputs with their instants are enough to rebuild it at any step: see ``Table.apply``.

Stale answers are not recorded, because they change only a count.
"""

from __future__ import annotations

from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Reason
from ump.model.seats import Seat
from ump.model.value import value
from ump.table.outcomes import Cause, End, Faults


@value
class Began:
    """Input: the game began."""


@value
class ActionTaken:
    """An action that the game took. With ``Cause.ANSWER`` it is an input; otherwise the default of the question."""

    seat: Seat
    action: Action
    cause: Cause


@value
class PassHeld:
    """Input: the seat passed without a choice, and the table holds the pass: see ``ump.table.pace``."""

    seat: Seat
    until: int
    """The instant at which the pass counts."""


@value
class SeatReady:
    """Input: the seat answered ``ready?``."""

    seat: Seat


@value
class AnswerRefused:
    """Input: an answer that did not count. It changed nothing in the game."""

    seat: Seat
    reason: Reason


@value
class AnswerLate:
    """Input: an answer arrived after its deadline, before the clock had closed the question."""

    seat: Seat


@value
class SilenceBroken:
    """Input: a seat that had let questions time out sent something, so the table waits for it again."""

    seat: Seat


@value
class TimePassed:
    """Input: questions ran out, or a seat that the table does not wait for was due."""


@value
class SeatLeft:
    """Input: the seat's player has left, and the table does not wait for it any more."""

    seat: Seat


@value
class SeatDropped:
    """Input: the seat's connection is lost. Its clock stands still until it returns or its grace is over."""

    seat: Seat


@value
class SeatReturned:
    """Input: the seat's player is connected, again or by a newer connection."""

    seat: Seat
    retries: int
    """The number of times that its dialect has a question asked again."""


@value
class FaultCommitted:
    """A refused answer for which no default is played."""

    seat: Seat
    reason: Reason
    faults: Faults
    """CHOMBO: the seat pays and the kyoku ends, as ``Game.chombo`` does it. ABORT: the game ends without a result."""


@value
class Ended:
    """The game is over. It is an input if the server stopped or broke down, and follows from the game otherwise."""

    end: End
    points: tuple[int, ...]
    """Points by seat at the end."""


Entry: TypeAlias = (
    Began
    | ActionTaken
    | PassHeld
    | SeatReady
    | AnswerRefused
    | AnswerLate
    | SilenceBroken
    | TimePassed
    | SeatLeft
    | SeatDropped
    | SeatReturned
    | FaultCommitted
    | Ended
)
"""Everything that a journal holds of a running table."""
