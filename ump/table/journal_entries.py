"""Journal entries: everything that changed a table, in the order in which it happened.

Each step of a table makes a few entries. The first one is its input: what came from outside, already resolved against
the question. The others follow from it and stand there for readers: defaults that were played, faults, the end. The
opening of a table and its inputs with their instants are enough to rebuild it at any step: see ``Table.apply``.

Stale answers are not recorded, because they change only a count.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Reason
from ump.model.seats import Seat
from ump.model.value import value

# The possible outcomes of questions and games, as closed lists


class Cause(Enum):
    """The origin of an action."""

    ANSWER = "answer"
    """The seat answered so."""
    TIMEOUT = "timeout"
    """The seat's time ran out."""
    ABSENT = "absent"
    """The seat's connection is gone, or it has been silent for too long."""
    REFUSED = "refused"
    """The seat's call was not legal, so it counts as a pass."""
    RETRIES = "retries"
    """The seat used up its retries without a legal answer."""
    HELD = "held"
    """The seat passed before, and the table has held its pass (``PassHeld``)."""


class Faults(Enum):
    """The consequence of a refused answer after which the table does not ask again.

    A seat that is late, silent or disconnected commits no fault.
    """

    DEFAULT = "default"
    """Play the default of the question, as if the seat had answered so."""
    CHOMBO = "chombo"
    """The seat pays a mangan and the kyoku ends, as ``Game.chombo`` does it."""
    ABORT = "abort"
    """End the game without a result."""


DEFAULT_REFUSALS = 500
"""Refused answers in a game after which a seat is played by defaults. A bot with one mistake stays below it."""


class End(Enum):
    """Why a game at a table is over."""

    COMPLETED = "completed"
    ABANDONED = "abandoned"
    """No client was connected any more."""
    ABORTED = "aborted"
    """A seat committed a fault in a room with ``Faults.ABORT``: the game has no result."""
    CLOSED = "closed"
    """The operator closed the table: the game has no result."""
    STOPPED = "stopped"
    """The server stopped."""
    BROKEN = "broken"
    """The server failed because of a bug."""


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
    """Input: the seat passed, and the table holds the pass: see ``ump.table.chair``."""

    seat: Seat
    until: int
    """The instant at which the pass counts."""
    had_choice: bool = False
    """Whether something else was legal; only of clients that are hardly known."""


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
class TimeExtended:
    """Input: from now on each seat has more time in each kyoku than the times of the game say."""

    extra: int
    """Milliseconds on top of the bank; 0 takes them back."""


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
    | TimeExtended
    | FaultCommitted
    | Ended
)
"""Everything that a journal holds of a running table."""
