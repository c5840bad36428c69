"""The server's side of a connection in 0.2: what differs from 0.1 in how things are told, asked and answered.

It begins where the client's hello chose it. Ids, the one open question and what a late line means are as in 0.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ump.model.actions import Action, Riichi
from ump.model.claims import Claim, Verb
from ump.model.events import DoraRevealed, GameStarted, HandDealt, HandWon, KyokuStarted, RiichiDeclared
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face, Kind
from ump.wire.session import (
    Answered,
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
from ump.wire.text import MAX_ERROR, WireError
from ump.wire.ump01.hello_options import RequestedExtensions, read_extensions
from ump.wire.ump01.questions import ReadyQuestion, TenpaiQuestion
from ump.wire.ump01.server_messages import Hello
from ump.wire.ump01.session import Open, State, Ump01Session
from ump.wire.ump02 import server_messages
from ump.wire.ump02.answers import is_for_another, read_claim
from ump.wire.ump02.client_messages import Ack, Tenpai
from ump.wire.ump02.questions import NakiQuestion, SutehaiQuestion
from ump.wire.ump02.render import deal_texts, render, start_texts, win_texts
from ump.wire.ump02.sentence import parted

VERSION = "0.2"

FIRST_ID = 1
"""The id of the first sentence: the hello that 0.1 greets with was 0."""

_RAW_BYTES = re.compile(rb"(?:^|[ \t])datasize=")
"""Bytes that are no lines follow one that says so."""


def take_over(introduction: Introduction, options: Mapping[str, str], first_id: int = FIRST_ID) -> Session:
    """Return the session of a client that has answered 0.1's greeting with ``ump=0.2``, or a higher 0.x.

    ``options`` are those of its hello, decoded: looked at are ``lang=`` (or ``_lang=``), ``en`` for romanised names of
    yaku, and ``_explain=1``. ``first_id`` is one more than the last id that was used. Of the introduction nothing is
    needed: the lobby has it.
    """
    return Ump02Session(read_extensions(options), first_id)


class Ump02Session(Ump01Session):
    """One UMP 0.2 connection as the server sees it, from the hello on.

    What it keeps of a game is public: who deals, whether this seat is in riichi, and the hands as it sees them until
    the dora is told, which 0.2 wants first.

    Two slips of libump's own ``client::Bot``, which would answer the same for ever, are overlooked as its server does:
    a riichi that is not offered with that tile is a discard, and in riichi the drawn tile goes, whichever is named.
    """

    __slots__ = ("_dealer", "_drawn", "_hands", "_in_riichi", "_riichi", "_table")
    LINGER = 0  # there is no bye that a client could answer

    def __init__(self, wishes: RequestedExtensions, first_id: int = FIRST_ID) -> None:
        """Begin with a client that waits for a table."""
        super().__init__(_GREETED)
        self.state = State.LOBBY
        self._wishes = wishes
        self._next_id = first_id
        self._table: str | None = None
        """The name of the game; a spectator is told none."""
        self._dealer: Seat = 0
        self._hands: list[HandDealt] = []
        self._in_riichi = False
        self._drawn: Face | None = None
        """The tile that the last question for a discard was about; None after a call."""
        self._riichi: frozenset[Kind] = frozenset()
        """What it offered for riichi."""

    # What the client says

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end."""
        if self.state is not State.CLOSING and _RAW_BYTES.search(line):
            return Violated("datasize= is not served here")
        return super().receive(line, now)

    def _receive_answer(self, given_id: str | None, words: list[str], now: float) -> Received:
        command = _command_of(words)
        if command == Ack.NAME:
            return Stale(Staleness.EMPTY)
        asked = self._answered_by(given_id, now)
        if isinstance(asked, Staleness):
            return Stale(asked)
        if given_id is None and is_for_another(command, asked.phase):
            return Stale(Staleness.OTHER_QUESTION)
        self._open = None
        if asked.phase is Phase.DECLARE and given_id is not None and command:
            return Answered(asked.number, Claim(Verb.YES if command == Tenpai.NAME else Verb.NO))
        try:
            return Answered(asked.number, self._without_slips(read_claim(tuple(words))))
        except WireError:
            return Unreadable(asked.number)

    def _without_slips(self, claim: Claim) -> Claim:
        """Return what an answer means in which libump's own slips are overlooked."""
        if claim.verb not in (Verb.DISCARD, Verb.RIICHI):
            return claim
        if self._in_riichi and self._drawn is not None:
            return Claim(Verb.DISCARD, (self._drawn,), tsumogiri=True)
        if claim.verb is Verb.RIICHI and not all(KIND_OF[face] in self._riichi for face in claim.tiles):
            return Claim(Verb.DISCARD, claim.tiles, claim.tsumogiri)
        return claim

    # What the server says

    def greet(self) -> None:
        """Say nothing: the greeting was said."""

    def tell(self, telling: OutgoingEvent, now: float) -> None:
        """Tell an event."""
        event = telling.seen_by(self._seat)
        own = _TELL.get(type(event))
        sentences = telling.rendered(render, self._seat) if own is None else own(self, event)
        for sentence in sentences:
            self._say(sentence)

    def _tell_start(self, event: GameStarted) -> tuple[str, ...]:
        return start_texts(event, self._seat, self._table)

    def _tell_kyoku(self, event: KyokuStarted) -> tuple[str, ...]:
        self._dealer = event.dealer
        self._hands = []
        self._in_riichi = False
        return render(event)

    def _tell_riichi(self, event: RiichiDeclared) -> tuple[str, ...]:
        self._in_riichi = self._in_riichi or event.seat == self._seat
        return render(event)

    def _tell_hand(self, event: HandDealt) -> tuple[str, ...]:
        self._hands.append(event)
        return ()

    def _tell_dora(self, event: DoraRevealed) -> tuple[str, ...]:
        """Tell an indicator; after the first one the hands."""
        hands, self._hands = self._hands, []
        return (*render(event), *deal_texts(hands))

    def _tell_win(self, event: HandWon) -> tuple[str, ...]:
        return win_texts(event, self._wishes.language, self._dealer)

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question, with what is offered."""
        phase = None if question is None else question.phase
        self._open = self._asked = Open(number, self._next_id, phase)
        if question is None or question.phase is not Phase.TURN:
            self._say(_sentence_of(question))
            return
        legal = question.legal()
        self._drawn, self._riichi = question.tile, _riichi_kinds(legal)
        self._say(SutehaiQuestion.offering(legal).serialise())

    def bye(self) -> None:
        """Say nothing: either side just closes."""

    def error(self, message: str) -> None:
        """Say what is wrong."""
        self.close()
        self._say(server_messages.Error(message[:MAX_ERROR]).serialise())

    # Where it sits

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat."""
        super().sit(seat, setting)
        self._table = setting.table


_GREETED = Hello(())
"""What is never said: the greeting was 0.1's."""

_TELL: dict[type, Callable[[Ump02Session, Any], tuple[str, ...]]] = {
    GameStarted: Ump02Session._tell_start,
    KyokuStarted: Ump02Session._tell_kyoku,
    HandDealt: Ump02Session._tell_hand,
    RiichiDeclared: Ump02Session._tell_riichi,
    DoraRevealed: Ump02Session._tell_dora,
    HandWon: Ump02Session._tell_win,
}
"""The events that are told in a way of this session's own, or leave something behind."""


def _command_of(words: list[str]) -> str:
    """Return the command of a line, options left out; empty where there is none or it cannot be read."""
    try:
        return next(iter(parted(words)[0]), "")
    except WireError:
        return ""


def _sentence_of(question: QuestionView | None) -> str:
    """Return the sentence that asks anything but for a discard; its offers are all that is legal."""
    if question is None:
        return ReadyQuestion.NAME
    if question.phase is Phase.DECLARE:
        return TenpaiQuestion.NAME
    assert question.tile is not None
    return NakiQuestion.offering(question.tile, question.legal()).serialise()


def _riichi_kinds(legal: Iterable[Action]) -> frozenset[Kind]:
    return frozenset(KIND_OF[action.face] for action in legal if isinstance(action, Riichi) and not action.opened)
