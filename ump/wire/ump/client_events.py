"""The values that the readers of 0.1 and 0.2 return besides the events of the game: questions, refusals, errors."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.actions import Action
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.hints import Waits
from ump.wire.ump.extras import Hints, Time
from ump.wire.ump.sentences01 import Error, Explanation, Proof, Record, SeatToken


@value
class HelloReceived:
    """The server's ``hello``, to be answered with this id."""

    id: int
    options: tuple[tuple[str, str], ...]


@value
class SeatAssigned:
    """A game begins, and this is the client's own seat, or None for a spectator. ``GameStarted`` follows."""

    seat: Seat | None


@value
class QuestionAsked:
    """A question of the game, to be answered with this id."""

    id: int
    phase: Phase
    tile: Face | None
    """TURN: the tile just drawn, None after a call. CALL, CHANKAN: the tile in question. DECLARE: None."""
    offers: tuple[Action, ...] | None
    """The legal actions, with ``Pass``, if the client asked for them with ``_offer=1``. A tile equal to the drawn one
    is offered as the drawn one."""
    hand: str | None = None
    """The own hand in UMP's notation, if the client asked for it with ``_hand=1``."""
    time: Time | None = None
    """The time left, if the client asked for it with ``_time=1``."""
    hints: Hints | None = None
    """The waits of the own hand, if the client asked for them with ``_waits=1`` and the room gives them."""


@value
class ReadyAsked:
    """``ready?``, to be answered with this id."""

    id: int
    time: Time | None = None


@value
class HintReceived:
    """The standing of the own hand between two turns (``_waits``, ``_shanten``)."""

    shanten: int
    waits: Waits | None = None
    """The waits of a tenpai hand."""


@value
class SeedAsked:
    """``_seed?``, to be answered with this id and the text of the client's commitment."""

    id: int


@value
class ByeReceived:
    """``bye``, to be answered with this id before closing."""

    id: int


ClientEvent: TypeAlias = (
    Event
    | HelloReceived
    | SeatAssigned
    | QuestionAsked
    | ReadyAsked
    | HintReceived
    | SeedAsked
    | ByeReceived
    | Explanation
    | SeatToken
    | Proof
    | Record
    | Error
)
"""Everything that a reader of server lines can return; sentences that make no event stand for themselves."""
