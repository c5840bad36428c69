"""What the sessions of all mjai dialects share: a seat, its narrator, the one open question, and riichi in two steps.

In mjai riichi is declared first and the tile named afterwards, while the game takes both at once. So a ``reach`` stays
in the session: it is echoed to its own client, and with the tile that the client then names, the question is answered.
Once the echo is out the riichi stands. A tile that may not go, or none in time, becomes the drawn tile if the hand
stays tenpai without it, else the rightmost tile that may go. The time is up half a second before the table's (the
table's grace), so that no question lapses between the two steps. Should it ever (a server that stood still), the table
discards the drawn tile without riichi, and the client's picture holds a ``reach`` that was never accepted until the
next ``start_kyoku``: mjai has no word to take one back, and what the client sends meanwhile is judged by the hand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from enum import Enum

from ump.model.actions import Pass, Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import RiichiDeclared
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.wire.json_text import JSON, MAX_OBJECT, read_object, write
from ump.wire.mjai.actions import AskedQuestion, chosen_riichi, forced_riichi, read_reply, riichi_offers
from ump.wire.mjai.events import END_GAME, END_KYOKU, Message, Narrator
from ump.wire.session import (
    Answered,
    InStep,
    OutgoingEvent,
    QuestionView,
    Received,
    Session,
    TableInfo,
    Unreadable,
)
from ump.wire.text import MAX_ERROR, WireError

NO_RESULT = "the game has ended without a result"

_ASKED_ABOUT: dict[Phase, frozenset[str]] = {
    Phase.TURN: frozenset(("tsumo", "chi", "pon")),
    Phase.CALL: frozenset(("dahai",)),
    Phase.CHANKAN: frozenset(("kakan", "ankan")),
}
"""The messages that each question belongs to."""


class State(Enum):
    """Where a connection stands."""

    HELLO = "hello"
    """It must introduce itself."""
    LOBBY = "lobby"
    SEATED = "seated"
    CLOSING = "closing"
    """Nothing counts any more."""


class PendingQuestion:
    """A question as it was asked here."""

    __slots__ = ("asked", "bank", "deadline", "number", "riichi")

    def __init__(self, number: int, asked: AskedQuestion, bank: float, deadline: float) -> None:
        self.number = number
        """The table's number."""
        self.asked = asked
        self.bank = bank
        """Seconds that were left in the bank."""
        self.deadline = deadline
        """The instant at which move and bank are used up."""
        self.riichi: tuple[Riichi, ...] = ()
        """Once riichi is declared: with which tiles it may be."""


class MjaiSession(Session):
    """One mjai connection as the server sees it, whatever the dialect."""

    __slots__ = (
        "_at_once",
        "_in_kyoku",
        "_is_leaving",
        "_is_over",
        "_narrator",
        "_now",
        "_open",
        "_reach_is_told",
        "_seat",
        "state",
    )
    MAX_MESSAGE = MAX_OBJECT
    LINGER = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.state = State.HELLO
        self._seat: Seat = 0
        self._narrator = Narrator(None)
        self._open: PendingQuestion | None = None
        """The question that waits for a decision."""
        self._at_once: deque[Received] = deque()
        """What is to come of the next ticks."""
        self._now = 0.0
        """The last instant that was heard of."""
        self._in_kyoku = False
        """Whether a kyoku was told and its end was not."""
        self._reach_is_told = False
        """Whether the own riichi was echoed and the game has not told it yet."""
        self._is_over = False
        """Whether the end of the game was told."""
        self._is_leaving = False
        """Whether no other game follows."""

    # What the dialects do each in its way

    @abstractmethod
    def _send_event(self, message: Message) -> None:
        """Say what happened, at once or when the client may hear it."""

    @abstractmethod
    def _send_question(self, opened: PendingQuestion) -> None:
        """Put the open question, which belongs to a message that was said last."""

    @abstractmethod
    def _ask_ready(self, number: int) -> None:
        """Ask who is ready, after the first or the last message of a game or kyoku."""

    @abstractmethod
    def _echo_riichi(self, opened: PendingQuestion) -> None:
        """Tell the client its own riichi, and ask for the tile."""

    def _send_final(self, message: Message) -> None:
        """Say what is the last, whatever waits."""
        self._out.append(write(message))

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        """Wait no longer for the tile of a riichi."""

    def _reject_tile(self, *, is_readable: bool) -> None:
        """Note that the reply to a riichi names no tile that may go."""

    # What the client says

    def _decide(self, opened: PendingQuestion, reply: Mapping[str, JSON] | None) -> Received:
        """Take the reply to the open question; None is one that cannot be read."""
        try:
            claim = None if reply is None else read_reply(reply, opened.asked)
        except WireError:
            claim = None
        if opened.riichi:
            chosen = None if claim is None else chosen_riichi(opened.riichi, claim, opened.asked)
            if chosen is None:
                self._reject_tile(is_readable=claim is not None)
            return self._declare(opened, chosen or forced_riichi(opened.riichi))
        if claim is not None and claim.verb is Verb.RIICHI:
            opened.riichi = riichi_offers(opened.asked)
            if opened.riichi:
                self._reach_is_told = True
                self._echo_riichi(opened)
                return InStep()
            tile = opened.asked.question.tile  # so that the table says what stands against it
            claim = None if tile is None else Claim(Verb.RIICHI, (tile,))
        self._open = None
        return Unreadable(opened.number) if claim is None else Answered(opened.number, claim)

    def _declare(self, opened: PendingQuestion, riichi: Riichi) -> Answered:
        self._open = None
        return Answered(opened.number, riichi)

    def due(self) -> float | None:
        """Return the instant at which something is to be done without the client."""
        if self._at_once:
            return self._now
        opened = self._open
        return opened.deadline if opened is not None and opened.riichi else None

    def tick(self, now: float) -> Received | None:
        """Answer what need not be asked, and discard for a riichi without its tile."""
        self._now = now
        if self._at_once:
            return self._at_once.popleft()
        opened = self._open
        if opened is not None and opened.riichi and now >= opened.deadline:
            self._expire_riichi(opened)
            return self._declare(opened, forced_riichi(opened.riichi))
        return None

    # What the server says

    def greet(self) -> None:
        """Say nothing: only a dialect in which the server speaks first does."""

    def tell(self, telling: OutgoingEvent, now: float) -> None:
        """Tell an event; an own riichi that was echoed, and the end of a kyoku that was told before, not again."""
        self._now = now
        event = telling.seen_by(self._seat)
        if self._reach_is_told and isinstance(event, RiichiDeclared) and event.seat == self._seat:
            self._reach_is_told = False
            return
        message = self._narrator.tell(event)
        if message is not None and (message["type"] != END_KYOKU or self._in_kyoku):
            self._tell(message)

    def _tell(self, message: Message) -> None:
        self._in_kyoku = message["type"] not in (END_KYOKU, END_GAME, "start_game")
        self._is_over = message["type"] == END_GAME
        self._send_event(message)

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question. Who is ready is asked by the end of a kyoku, and who is tenpai is never asked."""
        self._now = now
        if question is None:
            if self._in_kyoku:
                self._tell({"type": END_KYOKU})
            self._ask_ready(number)
        elif question.phase is Phase.DECLARE:
            self._at_once.append(Answered(number, Claim(Verb.YES)))
        else:
            self._reach_is_told = False
            asked = AskedQuestion(self._seat, self._narrator.source, question)
            self._open = PendingQuestion(number, asked, bank, now + move + bank)
            self._send_question(self._open)

    def _is_about(self, message: Message, opened: PendingQuestion) -> bool:
        """Tell whether a question may belong to this message."""
        phase = opened.asked.question.phase
        return message["type"] in _ASKED_ABOUT[phase] and (message["actor"] == self._seat) == (phase is Phase.TURN)

    def _withdraw(self, opened: PendingQuestion) -> None:
        """Answer a question at once with nothing that counts: there is no message that it could be put with."""
        self._open = None
        self._at_once.append(Unreadable(opened.number))

    def _pass_if_alone(self, opened: PendingQuestion) -> bool:
        """Pass at once where nothing else is legal, and tell whether that is so: a table may ask all about all."""
        if opened.asked.is_turn or opened.asked.question.legal() != (Pass(),):
            return False
        self._open = None
        self._at_once.append(Answered(opened.number, Claim(Verb.NO)))
        return True

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question: its time is over, or others have decided. Nothing is said."""
        self._now = now
        self._forget(number)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused. Nothing is said: what follows shows it."""
        self._now = now
        self._forget(number)

    def _forget(self, number: int) -> None:
        if self._open is not None and self._open.number == number:
            self._open = None
        for received in tuple(self._at_once):
            if isinstance(received, (Answered, Unreadable)) and received.number == number:
                self._at_once.remove(received)

    def bye(self) -> None:
        """End: only a game that has no end of its own needs a word."""
        self._is_leaving = True
        if self.state is State.SEATED and not self._is_over:
            self._send_final(_error(NO_RESULT))

    def error(self, message: str) -> None:
        """Say what is wrong; the connection is closed then, and nothing counts any more."""
        self.close()
        self._send_final(_error(message))

    # Where it sits

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat."""
        self.state = State.SEATED
        self._seat = seat
        self._narrator = Narrator(seat)
        self._open = None
        self._in_kyoku = self._is_over = self._reach_is_told = False

    def stand(self) -> None:
        """Its game is over, and it waits for another."""
        self.state = State.LOBBY
        self._open = None
        self._at_once.clear()

    def close(self) -> None:
        """It is about to be closed; nothing counts any more."""
        self.state = State.CLOSING
        self._open = None
        self._at_once.clear()


def read_or_none(message: bytes) -> dict[str, JSON] | None:
    """Read an object, or return None where it is none."""
    try:
        return read_object(message)
    except WireError:
        return None


def _error(message: str) -> Message:
    return {"type": "error", "message": message[:MAX_ERROR]}
