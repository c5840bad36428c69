"""Sessions: the server's side of one connection, whatever its dialect. No input or output.

A session takes what a client sends, message by message, and makes one of the values of ``Received`` of each; it is
told what happens at the table, and collects what is to be sent until ``take`` fetches it. What a dialect does of its
own accord (a reply that it need not ask for, a message that waits for another's reply) happens in ``tick``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import ClassVar, Protocol, TypeAlias

from ump.model.actions import Action
from ump.model.claims import Claim, Reason
from ump.model.events import Event
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.rules.ruleset import Ruleset

Render: TypeAlias = Callable[[Event, Seat | None], tuple[str, ...]]
"""Makes messages of an event as it was viewed; only of ``GameStarted`` may they differ by who is told."""


class Staleness(Enum):
    """Why something that was received was dropped."""

    EMPTY = "empty"
    UNTYPABLE = "a stray key before the hello"
    CLOSING = "closing"
    NO_QUESTION = "no question is open"
    OTHER_ID = "another id"
    OTHER_QUESTION = "an answer to another kind of question"
    LATE = "right after a question that ended by time"
    UNREADABLE = "unreadable, and no question is open"


@value
class Introduction:
    """Who a client is, and where it would like to be."""

    name: str | None = None
    """None: the server makes one up."""
    user: str | None = None
    password: str | None = None
    """Both as they came: only a server with a user file looks at them."""
    room: str | None = None
    """The room to sit in; None: the server's first."""
    games: int = 1
    """How many games to stay for; 0: until it leaves."""
    watch: str | None = None
    """The room to watch instead of playing."""


@value
class Introduced:
    """The client has introduced itself; ``session``, where there is one, takes over: it chose another dialect."""

    introduction: Introduction
    session: Session | None = None


@value
class Answered:
    """The open question was answered; ``number`` is the table's."""

    number: int
    answer: Claim | Action


@value
class Unreadable:
    """The open question was answered by something that cannot be read."""

    number: int


@value
class InStep:
    """A reply that was due and decides nothing: a dialect wants one for every message."""


@value
class Stale:
    """Something that answers nothing: dropped."""

    why: Staleness


@value
class Farewell:
    """The client leaves."""


@value
class Violated:
    """The client did what ends the connection; the message is for it."""

    message: str


Received: TypeAlias = Introduced | Answered | Unreadable | InStep | Stale | Farewell | Violated


class QuestionView(Protocol):
    """What a question of the game looks like from here."""

    @property
    def phase(self) -> Phase:
        """What kind of question it is."""

    @property
    def tile(self) -> Face | None:
        """The drawn tile (none after a call), or the tile in question."""

    @property
    def hand(self) -> Hand:
        """The asked player's own hand."""

    def legal(self) -> tuple[Action, ...]:
        """Every legal action."""


class OutgoingEvent(Protocol):
    """An event on its way to all who are told."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat may see it, or who watches (None)."""

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what ``render`` makes of the event as this seat may see it: made once for all who see it alike."""


@value
class TableInfo:
    """What is known of a table when one sits down at it."""

    table: str
    """Its name: the same for no other game of this server."""
    ruleset: Ruleset


class Session(ABC):
    """One connection as the server sees it, in one dialect."""

    __slots__ = ("_out",)

    MAX_MESSAGE: ClassVar[int]
    """Bytes of the longest message that is read."""

    LINGER: ClassVar[float] = 0.0
    """Seconds for which a client that was told farewell may take to say it too."""

    RETRIES: ClassVar[int] = 0
    """How often a question may be asked again when its answer does not count; 0 where messages have no numbers."""

    def __init__(self) -> None:
        self._out: list[str] = []
        """Messages to be sent, without what ends or frames them; ASCII."""

    def take(self) -> list[str]:
        """Return what is to be sent now, and forget it."""
        out = self._out
        if out:
            self._out = []
        return out

    # What the client says

    @abstractmethod
    def receive(self, message: bytes, now: float) -> Received:
        """Take one message, without its end: whatever it holds, it becomes one of the values of ``Received``.

        ``now`` is an instant in seconds, here as everywhere of the same clock.
        """

    def due(self) -> float | None:
        """Return the instant at which ``tick`` is wanted, or None; one that has passed means soon."""
        return None

    def tick(self, now: float) -> Received | None:
        """Do what is due: what comes of it is as if it had been received."""
        return None

    # What the server says

    @abstractmethod
    def greet(self) -> None:
        """Say what is said first, if anything."""

    @abstractmethod
    def tell(self, telling: OutgoingEvent, now: float) -> None:
        """Tell an event."""

    @abstractmethod
    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question of the game, or who is ready (None); ``number`` is the table's.

        ``move`` and ``bank`` are the seconds that are left.
        """

    @abstractmethod
    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question: its time is over, or others have decided."""

    @abstractmethod
    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused; say why if the client wants to know."""

    def wait(self, seated: int, needed: int) -> None:
        """Say how many have sat down, to a client that wants to know."""
        return

    @abstractmethod
    def bye(self) -> None:
        """Say farewell, where that is said."""

    @abstractmethod
    def error(self, message: str) -> None:
        """Say what is wrong; the connection is closed then, and nothing counts any more."""

    # Where it sits

    @abstractmethod
    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat."""

    @abstractmethod
    def stand(self) -> None:
        """Its game is over, and it waits for another."""

    def watch(self) -> None:
        """It watches a room; only dialects whose introduction can ask for that are let."""
        raise NotImplementedError

    @abstractmethod
    def close(self) -> None:
        """It is about to be closed; nothing counts any more."""
