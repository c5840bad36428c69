"""Inputs: everything that can happen to a running table from outside. Their instants are arguments of ``step``."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.seats import Seat
from ump.model.value import value
from ump.table.outcomes import End


@value
class Begin:
    """Begin the game."""


@value
class Answer:
    """Take a seat's answer to the question of this number; None is an unreadable answer."""

    seat: Seat
    number: int
    answer: Claim | Action | None
    is_automatic: bool = False
    """Whether the session gave it without its player, who has left that to the server."""


@value
class Heard:
    """Note that a seat sent a message that answers no open question."""

    seat: Seat
    is_stale: bool
    """Whether it was an answer, too late or to another question."""


@value
class Leave:
    """Note that a seat's player has left."""

    seat: Seat


@value
class Drop:
    """Note that a seat's connection is lost. Its player may come back."""

    seat: Seat


@value
class Return:
    """Note that a seat's player is connected again, after ``TableHost.seat`` has given it the receiver."""

    seat: Seat
    retries: int
    """How often its dialect has a question asked again."""


@value
class Tick:
    """Do one thing that is due: let a built-in bot decide, or act on deadlines that have passed."""


@value
class Stop:
    """End the game in its current state, without messages to the players."""

    end: End


Input: TypeAlias = Begin | Answer | Heard | Leave | Drop | Return | Tick | Stop
