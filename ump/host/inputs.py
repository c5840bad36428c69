"""Inputs: everything that can happen to a running table from outside. The instant is an argument of the step."""

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


@value
class Heard:
    """Note that a seat sent something that answers no open question."""

    seat: Seat
    is_stale: bool
    """Whether it was an answer, too late or to another question."""


@value
class Leave:
    """Note that a seat's connection is gone."""

    seat: Seat


@value
class Tick:
    """Do what is due: one decision of a built-in bot, or what the table's clock demands."""


@value
class Stop:
    """End the game where it is, without a word."""

    end: End


Input: TypeAlias = Begin | Answer | Heard | Leave | Tick | Stop
