"""What a client hears besides the events of the game: greetings, questions, farewells."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Reason
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.ump01.questions import Time


@value
class HelloReceived:
    """The server has said hello: it wants one back, with this id."""

    id: int
    options: tuple[tuple[str, str], ...]


@value
class SeatAssigned:
    """The game begins, and this is one's own seat; None for a spectator. ``GameStarted`` follows."""

    seat: Seat | None


@value
class QuestionAsked:
    """A question of the game, to be answered with this id."""

    id: int
    phase: Phase
    tile: Face | None
    """TURN: the tile just drawn, None after a call. CALL, CHANKAN: the tile in question. DECLARE: None."""
    offers: tuple[Action, ...] | None
    """What is legal, where the server offers it (asked for with ``_offer=1``); passing included. A tile equal to the
    drawn one is offered as the drawn one."""
    hand: str | None = None
    """The own hand as UMP writes it, where it was asked for with ``_hand=1``."""
    time: Time | None = None
    """What is left, where it was asked for with ``_time=1``."""


@value
class ReadyAsked:
    """``ready?``, to be answered with this id."""

    id: int
    time: Time | None = None


@value
class AnswerRefused:
    """An answer was refused (``_illegal``)."""

    id: int
    reason: Reason


@value
class PlayersWaiting:
    """So many sit in the room, so many are needed (``_waiting``)."""

    seated: int
    needed: int


@value
class ByeReceived:
    """``bye``, to be answered with this id before closing."""

    id: int


@value
class ErrorReceived:
    """``error``: the server closes the connection."""

    message: str


ClientEvent: TypeAlias = (
    Event
    | HelloReceived
    | SeatAssigned
    | QuestionAsked
    | ReadyAsked
    | AnswerRefused
    | PlayersWaiting
    | ByeReceived
    | ErrorReceived
)
"""Everything that a reader of server lines can return."""
