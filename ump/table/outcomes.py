"""The possible outcomes of questions and games, as closed lists."""

from __future__ import annotations

from enum import Enum


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
