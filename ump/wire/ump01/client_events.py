"""The values that the readers of 0.1 and 0.2 return besides the events of the game: questions, refusals, errors."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.actions import Action
from ump.model.claims import Reason
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.hints import Waits
from ump.wire.ump01.hints import Hints
from ump.wire.ump01.questions import Time


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
class AnswerRefused:
    """The answer to the question with this id was refused (``_illegal``)."""

    id: int
    reason: Reason


@value
class TimeRanOut:
    """The server has answered the question with this id, because the client was late (``_late``)."""

    id: int
    left: int
    """How many more timeouts in a row let the server stop waiting; 0: it does not wait any more."""


@value
class PlayersWaiting:
    """The numbers of players that sit in the room, and that a table needs (``_waiting``)."""

    seated: int
    needed: int


@value
class NoticeReceived:
    """What the operator of the server says to everybody (``_notice``)."""

    text: str


@value
class HintReceived:
    """The standing of the own hand between two turns (``_waits``, ``_shanten``)."""

    shanten: int
    waits: Waits | None = None
    """The waits of a tenpai hand."""


@value
class TokenReceived:
    """The token with which the client can come back to its seat (``_resume``)."""

    token: str


@value
class ProofReceived:
    """A part of the proof of the walls: commitments and texts before a game, or the secret after it."""

    commitment: str | None = None
    secret: str | None = None
    commitments: tuple[str | None, ...] | None = None
    """Those of the players to their texts, by seat (``_seeds``)."""
    texts: tuple[str | None, ...] | None = None
    """What the players add to the walls, by seat (``_texts``)."""


@value
class SeedAsked:
    """``_seed?``, to be answered with this id and the text of the client's commitment."""

    id: int


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
    | TimeRanOut
    | PlayersWaiting
    | NoticeReceived
    | HintReceived
    | TokenReceived
    | ProofReceived
    | SeedAsked
    | ByeReceived
    | ErrorReceived
)
"""Everything that a reader of server lines can return."""
