"""The server's side of one connection: ids, the one open question, and what a line can mean when. No input or output.

``State`` and ``TRANSITIONS`` are the grammar; everything a client sends becomes one of the values of ``Received``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Protocol, TypeAlias

from ump.model.actions import Action, Pass
from ump.model.claims import Claim, Reason
from ump.model.hand import Hand
from ump.model.notation import ump_hand
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.model.value import value
from ump.wire.text import WireError, checked, words_of
from ump.wire.ump01 import server
from ump.wire.ump01.asks import Extras, NakuAsk, SutehaiAsk
from ump.wire.ump01.claims import ASKED_FOR, READY, read_claim, verb_named
from ump.wire.ump01.client import ClientBye, ClientHello
from ump.wire.ump01.introduction import Introduction, read_introduction
from ump.wire.ump01.render import Language

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


class Session:
    """One UMP 0.1 connection as the server sees it. What it returns is text to be written as it stands."""

    __slots__ = ("_greeting", "_late_until", "_next_id", "_open_id", "_open_number", "_open_phase", "_wishes", "state")

    def __init__(self, greeting: server.Hello) -> None:
        self.state = State.HELLO
        self._greeting = greeting
        self._wishes: Introduction | None = None
        self._next_id = 0
        self._open_number: int | None = None
        """The table's number of the open question."""
        self._open_id = 0
        """The id of the sentence that asked it."""
        self._open_phase: Phase | None = None
        """Its kind; None for ``ready?``."""
        self._late_until = 0.0

    @property
    def language(self) -> Language:
        """In which language yaku are named."""
        return Language.JAPANESE if self._wishes is None else self._wishes.language

    # What the client says

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end; whatever it holds, it becomes one of the values of ``Received``."""
        line = line.replace(b"\t", b" ")
        if self.state is State.CLOSING:
            return Stale(Staleness.CLOSING)
        if not line.strip():
            return Stale(Staleness.EMPTY)
        if _UNTYPABLE.search(line):
            return self._receive_untypable(line, now)
        words = words_of(line.decode("ascii"))
        has_id = words[0].isdigit()
        rest = words[1:] if has_id else words
        if rest == [ClientBye.NAME]:
            return Farewell()
        if self.state is State.HELLO:
            return self._receive_hello(words[0] if has_id else None, rest)
        return self._receive_answer(words[0] if has_id else None, rest, now)

    def _receive_hello(self, given_id: str | None, words: list[str]) -> Received:
        if given_id is not None and int(given_id[:9]) != 0:
            return Stale(Staleness.OTHER_ID)
        if not words or words[0] != ClientHello.NAME:
            return Violated("hello was expected, as in: hello name=alice")
        try:
            introduction = read_introduction(ClientHello.parse(words[1:]))
        except WireError as error:
            return Violated(str(error))
        self._wishes = introduction
        self._step(Step.INTRODUCED)
        return Introduced(introduction)

    def _receive_answer(self, given_id: str | None, words: list[str], now: float) -> Received:
        staleness = self._staleness(given_id, now)
        if staleness is not None:
            return Stale(staleness)
        assert self._open_number is not None
        if given_id is None and self._was_meant_for_another(words[0]):
            return Stale(Staleness.OTHER_QUESTION)
        try:
            return Answered(self._open_number, read_claim(words))
        except WireError:
            return Unreadable(self._open_number)

    def _receive_untypable(self, line: bytes, now: float) -> Received:
        """A stray key or an accent makes an answer unreadable, and no more than that."""
        if self.state is State.HELLO:
            return Violated("hello was expected, in ASCII; other characters are percent-encoded UTF-8")
        match = _LEADING_ID.match(line)
        staleness = self._staleness(None if match is None else match[1].decode("ascii"), now)
        if staleness is not None:
            return Stale(staleness)
        assert self._open_number is not None
        return Unreadable(self._open_number)

    def _staleness(self, given_id: str | None, now: float) -> Staleness | None:
        """Return why a line answers nothing, or None if it answers the open question."""
        if given_id is None and now < self._late_until:
            return Staleness.LATE
        if self._open_number is None:
            return Staleness.NO_QUESTION
        if given_id is not None and given_id.lstrip("0") != str(self._open_id).lstrip("0"):
            return Staleness.OTHER_ID
        return None

    def _was_meant_for_another(self, word: str) -> bool:
        """Tell whether a word typed without id is an answer, but not to this kind of question."""
        verb = verb_named(word)
        expected = READY if self._open_phase is None else ASKED_FOR[self._open_phase]
        return verb is not None and verb not in expected

    # What the server says

    def greet(self) -> str:
        """Say hello."""
        return self.tell((checked(self._greeting.serialise()),))

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
        self._open_number = number
        self._open_id = self._next_id
        self._open_phase = None if question is None else question.phase
        if question is None:
            sentence = server.ReadyAsk.NAME
        elif question.phase is Phase.DECLARE:
            sentence = server.TenpaiAsk.NAME
        else:
            extras = self._extras(question, move, bank)
            if question.phase is Phase.TURN:
                sentence = SutehaiAsk(extras).serialise()
            else:
                assert question.tile is not None
                sentence = NakuAsk(question.tile, extras).serialise()
        return self.tell((sentence,))

    def _extras(self, question: Asking, move: float, bank: float) -> Extras:
        wishes = self._wishes
        if wishes is None or not (wishes.offer or wishes.hand or wishes.time):
            return _NO_EXTRAS
        return Extras(
            offers=tuple(act for act in question.legal() if not isinstance(act, Pass)) if wishes.offer else None,
            hand=ump_hand(question.hand.concealed, question.hand.melds) if wishes.hand else None,
            time=f"{round(move, 1):g}+{round(bank, 1):g}" if wishes.time else None,
        )

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close the open question: its time is over, or others have decided. Nothing is said."""
        if self._open_number == number:
            self._open_number = None
            if by_time:
                self._late_until = now + STALE_AFTER_LAPSE

    def refuse(self, number: int, reason: Reason) -> str:
        """Say why the answer to the open question was refused, to a client that wants to know."""
        is_open = self._open_number == number
        self._open_number = None
        if not is_open or self._wishes is None or not self._wishes.explain:
            return ""
        return self.tell((server.Illegal(self._open_id, reason.value).serialise(),))

    def wait(self, seated: int, needed: int) -> str:
        """Say how many have sat down, to a client that wants to know."""
        if self._wishes is None or not self._wishes.explain:
            return ""
        return self.tell((server.Waiting(seated, needed).serialise(),))

    def bye(self) -> str:
        """Say farewell."""
        return self.tell((server.Bye.NAME,))

    def error(self, message: str) -> str:
        """Say what is wrong; the connection is closed then, and nothing counts any more."""
        self._step(Step.CLOSED)
        return self.tell((checked(server.Error(message[:200]).serialise()),))

    # Where it sits

    def sit(self) -> None:
        """It has a seat."""
        self._step(Step.SAT)

    def stand(self) -> None:
        """Its game is over, and it waits for another."""
        self._open_number = None
        self._step(Step.STOOD)

    def watch(self) -> None:
        """It watches a room."""
        self._step(Step.WATCHED)

    def close(self) -> None:
        """It is about to be closed."""
        self._open_number = None
        self._step(Step.CLOSED)

    def _step(self, step: Step) -> None:
        self.state = TRANSITIONS[self.state][step]


_NO_EXTRAS = Extras()
