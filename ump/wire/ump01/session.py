"""The server's side of one connection: ids, the one open question, and what a line can mean when. No input or output.

``State`` and ``TRANSITIONS`` are the grammar; everything a client sends becomes one of the values of ``Received``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from math import inf
from typing import TypeAlias

from ump.model.claims import Reason
from ump.model.notation import format_ump_hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.wire.session import (
    Answered,
    Farewell,
    Introduced,
    Introduction,
    OutgoingEvent,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_ERROR, MAX_LINE, WireError, words_of
from ump.wire.ump01 import server_messages
from ump.wire.ump01.answers import is_for_another, read_claim
from ump.wire.ump01.client_messages import ClientBye, ClientHello
from ump.wire.ump01.hello_options import RequestedExtensions, read_extensions, read_introduction, version_of
from ump.wire.ump01.questions import Extras, NakuQuestion, ReadyQuestion, SutehaiQuestion, TenpaiQuestion, Time
from ump.wire.ump01.render import RENDER_IN

FAREWELL_SECONDS = 5
"""Until a client that was told ``bye`` must have answered it."""

RETRIES = 2
"""How often the same question is asked again, with a new id, after an answer that does not count."""

TakeOver: TypeAlias = Callable[[Introduction, Mapping[str, str]], Session]
"""Makes the session of another version for a client that asked for it; told the options of its hello, decoded."""

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


@value
class Open:
    """A question as it was asked here."""

    number: int
    """The table's number."""
    id: int
    """The id of the sentence that asked it."""
    phase: Phase | None
    """Its kind; None for ``ready?``."""


class Ump01Session(Session):
    """One UMP 0.1 connection as the server sees it.

    A question closes with the first line that answers it, readable or not; whether it is asked again, with a new
    number and a new id, is the table's decision.
    """

    __slots__ = (
        "_asked",
        "_greeting",
        "_late_until",
        "_next_id",
        "_open",
        "_others",
        "_render",
        "_seat",
        "_wishes",
        "state",
    )
    MAX_MESSAGE = MAX_LINE
    LINGER = FAREWELL_SECONDS
    RETRIES = RETRIES

    def __init__(self, greeting: server_messages.Hello, others: Mapping[str, TakeOver] | None = None) -> None:
        """Begin with the hello; ``others``: who speaks the other versions, from each of these on."""
        super().__init__()
        self.state = State.HELLO
        self._greeting = greeting
        self._others = others or {}
        self._wishes = RequestedExtensions()
        self._render = RENDER_IN[self._wishes.language]
        self._seat: Seat | None = None
        self._next_id = 0
        self._open: Open | None = None
        self._asked: Open | None = None
        """The last question, open or not."""
        self._late_until = -inf

    # What the client says

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end."""
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
            options = dict(ClientHello.parse(words[1:]).options)
            introduction = read_introduction(options)
            other = version_of(options, self._others)
        except WireError as error:
            return Violated(str(error))
        self._wishes = read_extensions(options)
        self._render = RENDER_IN[self._wishes.language]
        self._step(Step.INTRODUCED)
        return Introduced(introduction, None if other is None else self._others[other](introduction, options))

    def _receive_answer(self, given_id: str | None, words: list[str], now: float) -> Received:
        asked = self._answered_by(given_id, now)
        if not isinstance(asked, Open):
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
        if not isinstance(asked, Open):
            return Stale(asked)
        self._open = None
        return Unreadable(asked.number)

    def _answered_by(self, given_id: str | None, now: float) -> Open | Staleness:
        """Return the question that a line with this id answers, or why it answers none."""
        if given_id is None and now < self._late_until:
            return Staleness.LATE
        if self._open is None:
            return Staleness.NO_QUESTION
        if given_id is not None and not _is_id(given_id, self._open.id):
            return Staleness.OTHER_ID
        return self._open

    # What the server says

    def greet(self) -> None:
        """Say hello."""
        self._say(self._greeting.serialise())

    def tell(self, telling: OutgoingEvent, now: float) -> None:
        """Tell an event."""
        number, out = self._next_id, self._out
        for sentence in telling.rendered(self._render, self._seat):
            out.append(f"{number} {sentence}")
            number += 1
        self._next_id = number

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question."""
        phase = None if question is None else question.phase
        self._open = self._asked = Open(number, self._next_id, phase)
        extras = self._extras(question, move, bank)
        ask = _PLAIN_ASKS.get(phase)
        if ask is not None:
            self._say(ask(extras).serialise())
        else:
            assert question is not None and question.tile is not None
            self._say(NakuQuestion(question.tile, extras).serialise())

    def _extras(self, question: QuestionView | None, move: float, bank: float) -> Extras:
        """Return what this client wants to get with a question."""
        wishes = self._wishes
        if not (wishes.offer or wishes.hand or wishes.time):
            return _NO_EXTRAS
        time = Time(move, bank) if wishes.time else None
        if question is None or question.phase is Phase.DECLARE:
            return Extras(time=time)
        offers = question.legal() if wishes.offer else None
        hand = format_ump_hand(question.hand.concealed, question.hand.melds) if wishes.hand else None
        return Extras(offers, hand, time)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question: its time is over, or others have decided. Nothing is said."""
        if self._asked is not None and self._asked.number == number:
            self._open = None
            if by_time:
                self._late_until = now + STALE_AFTER_LAPSE

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused; say why if the client wants to know."""
        asked = self._asked
        if asked is None or asked.number != number:
            return
        self._open = None
        if self._wishes.explain:
            self._say(server_messages.Illegal(asked.id, reason).serialise())

    def wait(self, seated: int, needed: int) -> None:
        """Say how many have sat down, to a client that wants to know."""
        if self._wishes.explain:
            self._say(server_messages.Waiting(seated, needed).serialise())

    def bye(self) -> None:
        """Say farewell."""
        self._say(server_messages.Bye.NAME)

    def error(self, message: str) -> None:
        """Say what is wrong."""
        self.close()
        self._say(server_messages.Error(message[:MAX_ERROR]).serialise())

    def _say(self, sentence: str) -> None:
        """Say one sentence, with its id."""
        self._out.append(f"{self._next_id} {sentence}")
        self._next_id += 1

    # Where it sits

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat."""
        self._seat = seat
        self._step(Step.SAT)

    def stand(self) -> None:
        """Its game is over, and it waits for another."""
        self._open = self._seat = None
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

_PLAIN_ASKS: dict[Phase | None, type[ReadyQuestion | SutehaiQuestion | TenpaiQuestion]] = {
    None: ReadyQuestion,
    Phase.TURN: SutehaiQuestion,
    Phase.DECLARE: TenpaiQuestion,
}
"""How it is asked what no tile belongs to; CALL and CHANKAN are ``naku?``."""


def _is_id(text: str, number: int) -> bool:
    """Tell whether these digits, perhaps a great many of them, are the id."""
    return text.lstrip("0") == str(number).lstrip("0")
