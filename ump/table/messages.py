"""Inputs and messages of a table: what can happen to it from outside, and what it returns to be delivered, in order.

The instants of inputs are arguments of ``TableHost.step``.
"""

from __future__ import annotations

from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Claim, Reason
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.questions import Question
from ump.table.journal_entries import End


@value
class Begin:
    """Begin the game."""


@value
class PlayOn:
    """Begin in the middle of a kyoku: take these answers first."""

    actions: tuple[tuple[Seat, Action], ...]


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
    """The number of times that its dialect has a question asked again."""


@value
class Extend:
    """Let each seat have so many milliseconds more in each kyoku than the times of the game say."""

    extra: int


@value
class Tick:
    """Do one thing that is due: let a built-in bot decide, or act on deadlines that have passed."""


@value
class Stop:
    """End the game in its current state, without messages to the players."""

    end: End


Input: TypeAlias = Begin | PlayOn | Answer | Heard | Leave | Drop | Return | Extend | Tick | Stop


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
    is_last: bool = False
    """Whether the end of the game follows ``ready?``."""


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
