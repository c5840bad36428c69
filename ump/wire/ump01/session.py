"""The server's side of one connection: ids, the one open question, and what a line can mean when. No input or output.

``State`` and ``TRANSITIONS`` are the grammar; everything a client sends becomes one of the values of ``Received``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from math import inf
from typing import Protocol, TypeAlias

from ump.model.actions import Action
from ump.model.claims import Claim, Reason
from ump.model.hand import Hand
from ump.model.notation import ump_hand
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.text import WireError, words_of
from ump.wire.ump01 import server
from ump.wire.ump01.asks import Extras, NakuAsk, ReadyAsk, SutehaiAsk, TenpaiAsk, Time
from ump.wire.ump01.claims import is_for_another, read_claim
from ump.wire.ump01.client import ClientBye, ClientHello
from ump.wire.ump01.introduction import Introduction, read_introduction
from ump.wire.ump01.render import Language

MAX_MESSAGE = 160
"""Characters of an error that are told: percent-encoded, each may become twelve, and a line has its limit."""

STALE_AFTER_LAPSE = 1.0
"""Seconds after a question that ended by time in which a line without id is taken as its late answer."""

_UNTYPABLE = re.compile(rb"[^\x20-\x7e]")
_LEADING_ID = re.compile(rb"[ ]*([0-9]+)(?:[ ]|$)")


class State(Enum):
    """Where a connection stands."""

    HELLO = "hello"
    """It has been greeted and must introduce itself."""
    LOBBY = "lobby"
    """It waits for a table."""
    SEATED = "seated"
    WATCHING = "watching"
    CLOSING = "closing"
    """Nothing counts any more."""


class Step(Enum):
    """What moves a connection from one state to another."""

    INTRODUCED = "introduced"
    SAT = "sat"
    STOOD = "stood"
    WATCHED = "watched"
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[Step, State]] = {
    State.HELLO: {Step.INTRODUCED: State.LOBBY, Step.CLOSED: State.CLOSING},
    State.LOBBY: {Step.SAT: State.SEATED, Step.WATCHED: State.WATCHING, Step.CLOSED: State.CLOSING},
    State.SEATED: {Step.STOOD: State.LOBBY, Step.CLOSED: State.CLOSING},
    State.WATCHING: {Step.CLOSED: State.CLOSING},
    State.CLOSING: {Step.CLOSED: State.CLOSING},
}
"""The whole grammar; a step that is not listed is a bug of ours, and raises KeyError."""


class Staleness(Enum):
    """Why a line was dropped."""

    EMPTY = "empty"
    UNTYPABLE = "a stray key before the hello"
    CLOSING = "closing"
    NO_QUESTION = "no question is open"
    OTHER_ID = "another id"
    OTHER_QUESTION = "an answer to another kind of question"
    LATE = "right after a question that ended by time"


@value
class Introduced:
    """The client has said hello."""

    introduction: Introduction


@value
class Answered:
    """The open question was answered; ``number`` is the table's."""

    number: int
    claim: Claim


@value
class Unreadable:
    """The open question was answered by something that cannot be read."""

    number: int


@value
class Stale:
    """A line that answers nothing: dropped."""

    why: Staleness


@value
class Farewell:
    """The client leaves."""


@value
class Violated:
    """The client did what ends the connection; the message is for it."""

    message: str


Received: TypeAlias = Introduced | Answered | Unreadable | Stale | Farewell | Violated


class Asking(Protocol):
    """What a question of the game looks like from here."""

    @property
    def phase(self) -> Phase:
        """What kind of question it is."""

    @property
    def tile(self) -> Face | None:
        """The tile in question."""

    @property
    def hand(self) -> Hand:
        """The asked player's own hand."""

    def legal(self) -> tuple[Action, ...]:
        """Every legal action."""


@value
class _Open:
    """A question as it was asked here."""

    number: int
    """The table's number."""
    id: int
    """The id of the sentence that asked it."""
    phase: Phase | None
    """Its kind; None for ``ready?``."""


class Session:
    """One UMP 0.1 connection as the server sees it. What it returns is text to be written as it stands.

    A question closes with the first line that answers it, readable or not; whether it is asked again, with a new
    number and a new id, is the table's decision.
    """

    __slots__ = ("_asked", "_greeting", "_introduction", "_late_until", "_next_id", "_open", "state")

    def __init__(self, greeting: server.Hello) -> None:
        self.state = State.HELLO
        self._greeting = greeting
        self._introduction: Introduction | None = None
        self._next_id = 0
        self._open: _Open | None = None
        self._asked: _Open | None = None
        """The last question, open or not."""
        self._late_until = -inf

    @property
    def language(self) -> Language:
        """In which language yaku are named."""
        return Language.JAPANESE if self._introduction is None else self._introduction.language

    # What the client says

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end; whatever it holds, it becomes one of the values of ``Received``.

        ``now`` is an instant in seconds, of the clock that ``lapse`` is told too.
        """
        line = line.replace(b"\t", b" ")
        if self.state is State.CLOSING:
            return Stale(Staleness.CLOSING)
        if _UNTYPABLE.search(line):
            return self._receive_untypable(line, now)
        words = words_of(line.decode("ascii"))
        if not words:
            return Stale(Staleness.EMPTY)
        given_id = words.pop(0) if words[0].isdigit() else None
        if words == [ClientBye.NAME]:
            return Farewell()
        if self.state is State.HELLO:
            return self._receive_hello(given_id, words)
        return self._receive_answer(given_id, words, now)

    def _receive_hello(self, given_id: str | None, words: list[str]) -> Received:
        if given_id is not None and not _is_id(given_id, 0):
            return Stale(Staleness.OTHER_ID)
        if not words or words[0] != ClientHello.NAME:
            return Violated("hello was expected, as in: hello name=alice")
        try:
            introduction = read_introduction(ClientHello.parse(words[1:]))
        except WireError as error:
            return Violated(str(error))
        self._introduction = introduction
        self._step(Step.INTRODUCED)
        return Introduced(introduction)

    def _receive_answer(self, given_id: str | None, words: list[str], now: float) -> Received:
        asked = self._answered_by(given_id, now)
        if not isinstance(asked, _Open):
            return Stale(asked)
        if given_id is None and is_for_another(words[0], asked.phase):
            return Stale(Staleness.OTHER_QUESTION)
        self._open = None
        try:
            return Answered(asked.number, read_claim(tuple(words)))
        except WireError:
            return Unreadable(asked.number)

    def _receive_untypable(self, line: bytes, now: float) -> Received:
        """A stray key or an accent makes an answer unreadable, and no more than that: it must not cost the seat."""
        if self.state is State.HELLO:
            return Stale(Staleness.UNTYPABLE)
        match = _LEADING_ID.match(line)
        asked = self._answered_by(None if match is None else match[1].decode("ascii"), now)
        if not isinstance(asked, _Open):
            return Stale(asked)
        self._open = None
        return Unreadable(asked.number)

    def _answered_by(self, given_id: str | None, now: float) -> _Open | Staleness:
        """Return the question that a line with this id answers, or why it answers none."""
        if given_id is None and now < self._late_until:
            return Staleness.LATE
        if self._open is None:
            return Staleness.NO_QUESTION
        if given_id is not None and not _is_id(given_id, self._open.id):
            return Staleness.OTHER_ID
        return self._open

    # What the server says

    def greet(self) -> str:
        """Say hello."""
        return self.tell((self._greeting.serialise(),))

    def tell(self, sentences: Iterable[str]) -> str:
        """Say sentences that are rendered already, each with its id."""
        number = self._next_id
        lines = []
        for sentence in sentences:
            lines.append(f"{number} {sentence}\r\n")
            number += 1
        self._next_id = number
        return "".join(lines)

    def ask(self, number: int, question: Asking | None, move: float, bank: float) -> str:
        """Ask a question of the game, or ``ready?``; ``number`` is the table's, ``move`` and ``bank`` are seconds."""
        phase = None if question is None else question.phase
        self._open = self._asked = _Open(number, self._next_id, phase)
        extras = self._extras(question, move, bank)
        ask = _PLAIN_ASKS.get(phase)
        if ask is not None:
            return self.tell((ask(extras).serialise(),))
        assert question is not None and question.tile is not None
        return self.tell((NakuAsk(question.tile, extras).serialise(),))

    def _extras(self, question: Asking | None, move: float, bank: float) -> Extras:
        """Return what this client wants to get with a question."""
        wishes = self._introduction
        if wishes is None or not (wishes.offer or wishes.hand or wishes.time):
            return _NO_EXTRAS
        time = Time(move, bank) if wishes.time else None
        if question is None or question.phase is Phase.DECLARE:
            return Extras(time=time)
        offers = question.legal() if wishes.offer else None
        hand = ump_hand(question.hand.concealed, question.hand.melds) if wishes.hand else None
        return Extras(offers, hand, time)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question: its time is over, or others have decided. Nothing is said."""
        if self._asked is not None and self._asked.number == number:
            self._open = None
            if by_time:
                self._late_until = now + STALE_AFTER_LAPSE

    def refuse(self, number: int, reason: Reason) -> str:
        """Say why the answer to the last question was refused, to a client that wants to know; else nothing."""
        asked, introduction = self._asked, self._introduction
        if asked is None or asked.number != number or introduction is None:
            return ""
        self._open = None
        return self.tell((server.Illegal(asked.id, reason).serialise(),)) if introduction.explain else ""

    def wait(self, seated: int, needed: int) -> str:
        """Say how many have sat down, to a client that wants to know; else nothing."""
        if self._introduction is None or not self._introduction.explain:
            return ""
        return self.tell((server.Waiting(seated, needed).serialise(),))

    def bye(self) -> str:
        """Say farewell."""
        return self.tell((server.Bye.NAME,))

    def error(self, message: str) -> str:
        """Say what is wrong; the connection is closed then, and nothing counts any more."""
        self.close()
        return self.tell((server.Error(message[:MAX_MESSAGE]).serialise(),))

    # Where it sits

    def sit(self) -> None:
        """It has a seat."""
        self._step(Step.SAT)

    def stand(self) -> None:
        """Its game is over, and it waits for another."""
        self._open = None
        self._step(Step.STOOD)

    def watch(self) -> None:
        """It watches a room."""
        self._step(Step.WATCHED)

    def close(self) -> None:
        """It is about to be closed."""
        self._open = None
        self._step(Step.CLOSED)

    def _step(self, step: Step) -> None:
        self.state = TRANSITIONS[self.state][step]


_NO_EXTRAS = Extras()

_PLAIN_ASKS: dict[Phase | None, type[ReadyAsk | SutehaiAsk | TenpaiAsk]] = {
    None: ReadyAsk,
    Phase.TURN: SutehaiAsk,
    Phase.DECLARE: TenpaiAsk,
}
"""How it is asked what no tile belongs to; CALL and ROB are ``naku?``."""


def _is_id(text: str, number: int) -> bool:
    """Tell whether these digits, perhaps a great many of them, are the id."""
    return text.lstrip("0") == str(number).lstrip("0")
