"""Entries: what a table wants remembered, in the order in which it happened and before anybody is told.

Ruleset, names, walls and these entries are enough to play the same game again.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Reason
from ump.model.seats import Seat
from ump.model.value import value
from ump.table.faults import Faults


class Cause(Enum):
    """Where an action came from: a closed list."""

    ANSWER = "answer"
    """The seat answered so."""
    TIMEOUT = "timeout"
    """Its time was over."""
    ABSENT = "absent"
    """Its connection is gone, or it has been silent for too long."""
    REFUSED = "refused"
    """Its call was not legal, and so is none."""
    RETRIES = "retries"
    """It was asked again as often as the table asks it, to no avail."""


@value
class Answered:
    """An action that the game takes. Everything but ``Cause.ANSWER`` is the default of the question."""

    seat: Seat
    action: Action
    cause: Cause


@value
class Refused:
    """An answer that does not count. It changes nothing in the game."""

    seat: Seat
    reason: Reason


@value
class Fouled:
    """A refused answer for which no default is played: what follows instead is in the name of its seat."""

    seat: Seat
    reason: Reason
    faults: Faults
    """CHOMBO: the game takes it as ``Game.chombo``. ABORT: the game ends where it is, and no entry follows."""


Entry: TypeAlias = Answered | Refused | Fouled
