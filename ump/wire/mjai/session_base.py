"""The part that the sessions of all mjai dialects share.

A session holds a seat, the narrator of that seat, one open question, and the two steps of a riichi.

In mjai a client declares riichi first and names the tile afterwards; the game takes both at once. So the session keeps
a ``reach`` to itself: it echoes it to its own client, and answers the question with the tile that the client names
then. Once the echo is out the riichi stands. If the client names an illegal tile, or none in time, the session
discards the drawn tile if the hand stays tenpai without it, else the rightmost legal tile.

The session's time runs out half a second before the table's (the table's grace), so that no question lapses between
the two steps. If one does, because the server stood still for a while, the table discards the drawn tile without
riichi. The client then holds a ``reach`` that was never accepted until the next ``start_kyoku``, because mjai has no
message to take it back. Its answers meanwhile are judged by the hand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from math import isfinite
from typing import ClassVar, Final

from ump.model.actions import Pass, Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import RiichiDeclared
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.players.hints import AdvisedAnswer, HintScope, advice
from ump.players.observation import Observation
from ump.wire.connection_state import CLOSING, SEATED, ConnectionStep
from ump.wire.json_text import JSON, MAX_OBJECT, read_object, write
from ump.wire.mjai.actions import (
    MjaiQuestion,
    chosen_riichi,
    forced_riichi,
    read_reply,
    riichi_flaw,
    riichi_offers,
)
from ump.wire.mjai.events import (
    END_GAME,
    END_KYOKU,
    GIMITE,
    KYOKU_END,
    START_GAME,
    Message,
    MjaiNarrator,
    Wording,
    Written,
)
from ump.wire.session import (
    Answered,
    InStep,
    Interruption,
    Introduced,
    Introduction,
    Note,
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

# The game, from the start of a kyoku to its end


class GameProgress(Enum):
    """The progress of a game, as the client has received it."""

    BETWEEN_KYOKU = "between kyoku"
    """Before the first kyoku, or between two."""
    IN_KYOKU = "in kyoku"
    """The client has received an event of a kyoku, and not yet the end of that kyoku."""
    RIICHI_ECHOED = "riichi echoed"
    """As IN_KYOKU; the client has received its own ``reach`` before the game's event of it."""
    OVER = "over"
    """The client has received the end of the game."""


class GameStep(Enum):
    """A reason for the progress to change."""

    GAME_STARTED = "game started"
    KYOKU_EVENT = "kyoku event"
    """The session sends any event between the start and the end of a kyoku."""
    RIICHI_ECHOED = "riichi echoed"
    """The session echoes the client's ``reach``, and asks for the tile."""
    RIICHI_SETTLED = "riichi settled"
    """The game's event of the riichi has come, or the next question without it."""
    KYOKU_ENDED = "kyoku ended"
    GAME_ENDED = "game ended"


GAME_TRANSITIONS: Mapping[GameProgress, Mapping[GameStep, GameProgress]] = {
    GameProgress.BETWEEN_KYOKU: {
        GameStep.GAME_STARTED: GameProgress.BETWEEN_KYOKU,
        GameStep.KYOKU_EVENT: GameProgress.IN_KYOKU,
        GameStep.GAME_ENDED: GameProgress.OVER,
    },
    GameProgress.IN_KYOKU: {
        GameStep.KYOKU_EVENT: GameProgress.IN_KYOKU,
        GameStep.RIICHI_ECHOED: GameProgress.RIICHI_ECHOED,
        GameStep.KYOKU_ENDED: GameProgress.BETWEEN_KYOKU,
        GameStep.GAME_ENDED: GameProgress.OVER,
    },
    GameProgress.RIICHI_ECHOED: {
        GameStep.KYOKU_EVENT: GameProgress.RIICHI_ECHOED,
        GameStep.RIICHI_SETTLED: GameProgress.IN_KYOKU,
        GameStep.KYOKU_ENDED: GameProgress.BETWEEN_KYOKU,
        GameStep.GAME_ENDED: GameProgress.OVER,
    },
    GameProgress.OVER: {},
}
"""Every legal step. A step that is not listed is a bug of the server, and raises KeyError."""

IN_KYOKU: Final = GameProgress.IN_KYOKU

RIICHI_ECHOED: Final = GameProgress.RIICHI_ECHOED

KYOKU_EVENT: Final = GameStep.KYOKU_EVENT
"""Names of the members that sessions need for every event, because enum lookups are slow in Python 3.11."""


# Acknowledgements


class Status(Enum):
    """The outcome of a reply."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    """The action is not legal."""
    UNPARSEABLE = "unparseable"
    STALE = "stale"
    """The reply came too late, or belongs to an old request."""
    DEFAULTED = "defaulted"
    """No reply came in time: the server has acted."""


def status_of(refusal: Reason) -> Status:
    """Return the status of a reply that is refused for this reason."""
    if refusal is Reason.UNREADABLE:
        return Status.UNPARSEABLE
    return Status.REJECTED


LATE: Final = "late"
"""The reason of ``stale`` and ``defaulted``: the time had run out."""

DECIDED: Final = "decided"
"""The reason of ``stale``: other players' answers had decided, so that no reply was needed."""

REPEATED: Final = "repeated"
"""The reason of ``stale``: an earlier message was the reply to this request, or to a later one."""

UNKNOWN: Final = "unknown"
"""The reason of ``stale``: no request has this id."""


# Notes that bots add to their replies


MAX_NOTE = 4_096
"""Maximum length of each part of a note, in characters. A longer text is cut, a longer object is left out."""

MAX_INTEGER = 2**53
"""Integers up to this size are exact in every program that reads JSON."""


def read_note(reply: Mapping[str, JSON]) -> Note | None:
    """Return the note in a reply, or None if it has none."""
    if "log" not in reply and "meta" not in reply:
        return None
    log, meta = reply.get("log"), reply.get("meta")
    text = written = None
    if isinstance(log, str) and _is_portable(log):
        text = log[:MAX_NOTE]
    if isinstance(meta, dict) and _is_portable(meta):
        written = write(meta)
        if len(written) > MAX_NOTE:
            written = None
    if text is None and written is None:
        return None
    return Note(text, written)


def _is_portable(content: JSON) -> bool:
    """Tell whether every reader accepts this content: no lone surrogates, no infinite or enormous numbers."""
    match content:
        case str():
            return not any("\ud800" <= character <= "\udfff" for character in content)
        case bool() | None:
            return True
        case int():
            return abs(content) <= MAX_INTEGER
        case float():
            return isfinite(content)
        case list():
            return all(map(_is_portable, content))
        case dict():
            return all(map(_is_portable, content)) and all(map(_is_portable, content.values()))


# Replies


MAX_KNOWN = 128
"""Maximum length in bytes of a reply that is remembered. Without notes of the bot, every reply is shorter."""

MOST_KNOWN = 512
"""The number of replies that are remembered: bots send the same few hundred texts all the time."""


def asks_for_reasons(message: bytes) -> bool:
    """Tell whether a message is a ``join`` that asks for the reasons of refusals."""
    if b"join" not in message:
        return False
    join = read_or_none(message)
    return join is not None and join.get("type") == "join" and join.get("explain") is True


def read_or_none(message: bytes) -> Mapping[str, JSON] | None:
    """Return the object in a message, or None if the message is unreadable."""
    try:
        return read_object(message)
    except WireError:
        return None


_read_short = lru_cache(MOST_KNOWN)(read_or_none)


def read_known(message: bytes) -> Mapping[str, JSON] | None:
    """Read a reply without an id, which bots repeat. The object is shared: nobody may change it."""
    if len(message) <= MAX_KNOWN:
        return _read_short(message)
    return read_or_none(message)


# The session


CANNOT_ACT = '"can_act":false'
"""The field of a message to which a reply decides nothing."""

NO_RESULT = "the game has ended without a result"

TOO_SLOW: Final = Violated("too many messages wait for a reply")
"""The result for a client that replies to nothing any more."""

ASKED_ABOUT: dict[Phase, frozenset[str]] = {
    Phase.TURN: frozenset(("tsumo", "chi", "pon")),
    Phase.CALL: frozenset(("dahai",)),
    Phase.CHANKAN: frozenset(("kakan", "ankan", "kita", "nukidora")),
}
"""The types of message that a question of each phase may belong to."""

_STEPS: dict[object, GameStep] = {
    START_GAME: GameStep.GAME_STARTED,
    END_KYOKU: GameStep.KYOKU_ENDED,
    END_GAME: GameStep.GAME_ENDED,
}
"""The step of each type of message. Every other type is a KYOKU_EVENT."""


class PendingQuestion:
    """An open question of the table."""

    __slots__ = ("asked", "bank", "deadline", "note", "number", "riichi")

    def __init__(self, number: int, asked: MjaiQuestion, bank: float, deadline: float) -> None:
        self.number = number
        """The table's number of the question."""
        self.asked = asked
        self.bank = bank
        """Seconds that were left in the bank when the question was asked."""
        self.deadline = deadline
        """The instant at which move time and bank are used up."""
        self.riichi: tuple[Riichi, ...] = ()
        """The legal riichi from which the client chooses, once it has declared one."""
        self.note: Note | None = None
        """The client's note on its answer; a riichi has two replies, of which either may have it."""


class MjaiSession(Session):
    """One mjai connection as the server sees it, in any of the dialects."""

    __slots__ = (
        *("_ack", "_at_once", "_explains", "_narrator", "_now", "_open", "_seat", "_seen", "_wants_advice", "_wording"),
        "progress",
    )
    MAX_MESSAGE = MAX_OBJECT
    LINGER = 1.0
    KEEPS_TIME = True
    WORDING: ClassVar[Wording] = GIMITE
    """The names that clients of the dialect know, unless they ask for others."""

    def __init__(self) -> None:
        super().__init__()
        self.progress = GameProgress.BETWEEN_KYOKU
        self._wording = self.WORDING
        self._seat: Seat = 0
        self._narrator = MjaiNarrator(None)
        self._open: PendingQuestion | None = None
        """The question that waits for a decision."""
        self._at_once: deque[Received] = deque()
        """The results that the next calls of ``tick`` return, in order."""
        self._now = 0.0
        """The latest instant that the session was called with."""
        self._explains = False
        """Whether the client has asked for reasons. Sessions that acknowledge each reply do not need that."""
        self._ack: Message | None = None
        """Why the client's last reply does not count, for the next message to it."""
        self._wants_advice = False
        self._seen: Observation | None = None
        """The game as the seat sees it, if the client receives advice."""

    def _introduce(self, introduction: Introduction) -> None:
        """Introduce a client that sends no hello, at the next ``tick``."""
        self._step(ConnectionStep.INTRODUCED)
        self._at_once.append(Introduced(introduction))

    def _go_on(self, step: GameStep) -> None:
        """Change the progress; raises KeyError if the step is illegal."""
        self.progress = GAME_TRANSITIONS[self.progress][step]

    @property
    def _is_in_kyoku(self) -> bool:
        return self.progress is IN_KYOKU or self.progress is RIICHI_ECHOED

    # Steps that differ between the dialects

    @abstractmethod
    def _send_event(self, message: Written) -> None:
        """Send an event, at once or when the client may receive it."""

    @abstractmethod
    def _send_question(self, opened: PendingQuestion) -> None:
        """Send the open question, which belongs to a message that was sent last."""

    @abstractmethod
    def _ask_ready(self, number: int) -> None:
        """Ask whether the client is ready, after the first or the last message of a game or kyoku."""

    @abstractmethod
    def _echo_riichi(self, opened: PendingQuestion) -> None:
        """Send the client its own riichi, and ask for the tile."""

    def _send_final(self, message: Message) -> None:
        """Send the last message of the connection, ahead of all that wait."""
        self._out.append(write(message))

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        """Stop waiting for the tile of a riichi."""

    def _reject_tile(self, reason: Reason) -> None:
        """Note that the reply to a riichi names no legal tile."""
        self._explain(reason)

    def _explain(self, reason: Reason) -> None:
        """Keep the reason for a refusal for the next message, if the client asked for reasons."""
        if self._explains:
            self._ack = {"status": status_of(reason).value, "reason": reason.value}

    def _take_ack(self) -> str:
        """Return the field with the reason that waits for the next message, or "", and forget it."""
        if self._ack is None:
            return ""
        ack, self._ack = self._ack, None
        return f'"ack":{write(ack)}'

    # Messages from the client

    def receive(self, message: bytes, now: float) -> Received:
        """Take one message."""
        self._now = now
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        return self._receive(message)

    @abstractmethod
    def _receive(self, message: bytes) -> Received:
        """Take a message that is not empty."""

    def _decide(self, opened: PendingQuestion, reply: Mapping[str, JSON] | None) -> Received:
        """Return the result of a reply to the open question; ``reply`` is None if it was unreadable."""
        claim, fault = None, ""
        if reply is not None:
            opened.note = read_note(reply) or opened.note
            try:
                claim = read_reply(reply, opened.asked)
            except WireError as error:
                fault = str(error)
        if opened.riichi:
            return self._take_tile_of_riichi(opened, claim)
        if claim is not None and claim.verb is Verb.RIICHI:
            return self._take_riichi(opened)
        self._open = None
        if claim is None:
            return Unreadable(opened.number, fault)
        return Answered(opened.number, claim, opened.note)

    def _take_riichi(self, opened: PendingQuestion) -> Received:
        """Ask for the tile of a riichi. Pass an illegal one on to the table, which names the reason."""
        opened.riichi = riichi_offers(opened.asked)
        if opened.riichi:
            self._go_on(GameStep.RIICHI_ECHOED)
            self._echo_riichi(opened)
            return InStep()
        self._open = None
        tile = opened.asked.question.tile
        if tile is None:
            return Unreadable(opened.number)
        return Answered(opened.number, Claim(Verb.RIICHI, (tile,)), opened.note)

    def _take_tile_of_riichi(self, opened: PendingQuestion, claim: Claim | None) -> Answered:
        """Declare the riichi with the tile that the client names; with another one if that is not legal."""
        chosen = None
        if claim is not None:
            chosen = chosen_riichi(opened.riichi, claim, opened.asked)
        if chosen is not None:
            return self._declare(opened, chosen)
        flaw = riichi_flaw(claim, opened.asked)
        self._reject_tile(flaw)
        return self._declare(opened, forced_riichi(opened.riichi), flaw)

    def _declare(self, opened: PendingQuestion, riichi: Riichi, flaw: Reason | None = None) -> Answered:
        """Close the question and answer it with this riichi; ``flaw`` is what was wrong with the client's reply."""
        self._open = None
        return Answered(opened.number, riichi, opened.note, flaw)

    def due(self) -> float | None:
        """Return when to call ``tick`` next, in clock seconds."""
        if self._at_once:
            return self._now
        if self._open is not None and self._open.riichi:
            return self._open.deadline
        return None

    def tick(self, now: float) -> Received | None:
        """Return the next answer that needs no client, or the riichi whose tile is overdue."""
        self._now = now
        if self._at_once:
            return self._at_once.popleft()
        opened = self._open
        if opened is not None and opened.riichi and now >= opened.deadline:
            self._expire_riichi(opened)
            return self._declare(opened, forced_riichi(opened.riichi))
        return None

    # Messages to the client

    def greet(self) -> None:
        """Send nothing: in most dialects the client speaks first."""

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send an event, except the client's own riichi after its echo and an end of kyoku that was sent before."""
        self._now = now
        if self.state is CLOSING:
            return
        seen = event.seen_by(self._seat)
        if self._seen is not None:
            self._seen.see(seen)
        if self.progress is RIICHI_ECHOED and isinstance(seen, RiichiDeclared) and seen.seat == self._seat:
            self._go_on(GameStep.RIICHI_SETTLED)
            return
        message = self._narrator.tell(seen)
        if message is not None and (message.type != END_KYOKU or self._is_in_kyoku):
            self._tell(message)

    def _tell(self, message: Written) -> None:
        step = _STEPS.get(message.type, KYOKU_EVENT)
        if step is not KYOKU_EVENT or self.progress is not IN_KYOKU:  # most events leave the progress as it is
            self._go_on(step)
        self._send_event(message)

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ask a question.

        The end of the kyoku asks whether the client is ready. No message asks whether it is tenpai: a tenpai hand is
        always shown.
        """
        self._now = now
        if question is None:
            if self._is_in_kyoku:
                self._tell(KYOKU_END)
            self._ask_ready(number)
        elif question.phase is Phase.DECLARE:
            self._at_once.append(Answered(number, Claim(Verb.YES), is_automatic=True))
        else:
            if self.progress is RIICHI_ECHOED:
                self._go_on(GameStep.RIICHI_SETTLED)
            asked = MjaiQuestion(self._seat, self._narrator.source, question)
            self._open = PendingQuestion(number, asked, bank, now + move + bank)
            self._send_question(self._open)

    def _advise(self, asked: MjaiQuestion) -> tuple[AdvisedAnswer, ...]:
        """Return advice about a question; none unless the client wants it and the table gives it."""
        if self._seen is None:
            return ()
        question = asked.question
        return advice(self._seen, question.phase, question.tile, question.legal())

    def _is_about(self, message: Written, opened: PendingQuestion) -> bool:
        """Tell whether a question may belong to this message."""
        phase = opened.asked.question.phase
        return message.type in ASKED_ABOUT[phase] and (message.actor == self._seat) == (phase is Phase.TURN)

    def _withdraw(self, opened: PendingQuestion) -> None:
        """Answer a question at once as unreadable, because there is no message that it could belong to."""
        self._open = None
        self._at_once.append(Unreadable(opened.number))

    def _pass_if_alone(self, opened: PendingQuestion) -> bool:
        """Pass at once if nothing else is legal, and tell whether it did: a table may ask every seat every time."""
        if opened.asked.is_turn or opened.asked.question.legal() != (Pass(),):
            return False
        self._open = None
        self._at_once.append(Answered(opened.number, Claim(Verb.NO), is_automatic=True))
        return True

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question that ran out of time or that other seats decided. Send nothing."""
        self._now = now
        self._forget(number)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused. The next message has the reason, if the client asked for it."""
        self._now = now
        self._forget(number)
        self._explain(reason)

    def explain_timeout(self, number: int, left: int) -> None:
        """Let the next message say that the time ran out, if the client asked for reasons."""
        if self._explains:
            self._ack = {"status": Status.DEFAULTED.value, "reason": LATE, "left": left}

    def _forget(self, number: int) -> None:
        """Drop the question of this number, and an answer to it that ``tick`` has not returned yet."""
        if self._open is not None and self._open.number == number:
            self._open = None
        for received in tuple(self._at_once):
            if isinstance(received, (Answered, Unreadable)) and received.number == number:
                self._at_once.remove(received)

    def bye(self) -> None:
        """Begin the end; send an error only if the game has no result."""
        is_unfinished = self.state is SEATED and self.progress is not GameProgress.OVER
        self._step(ConnectionStep.LEFT)
        if is_unfinished:
            self._send_final(_error(NO_RESULT))

    def interrupt(self, outlook: Interruption) -> None:
        """Send an error that says what becomes of the game."""
        self._step(ConnectionStep.LEFT)
        self._send_final(_error(outlook.value))

    def error(self, message: str) -> None:
        """Send an error; the connection is then closed, and the session drops everything that it receives."""
        self.close()
        self._send_final(_error(message))

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat for one game."""
        self._step(ConnectionStep.SAT)
        self.progress = GameProgress.BETWEEN_KYOKU
        self._seat = seat
        self._narrator = MjaiNarrator(seat, self._wording)
        self._open = self._ack = None
        self._seen = None
        if self._wants_advice and table.hints is HintScope.ADVICE:
            self._seen = Observation(seat, table.ruleset)

    def stand(self) -> None:
        """Leave the seat after the game, and wait for another."""
        self._step(ConnectionStep.STOOD)
        self._drop_questions()

    def close(self) -> None:
        """Drop everything that is received from now on: the connection is closing."""
        self._step(ConnectionStep.CLOSED)
        self._drop_questions()

    def _drop_questions(self) -> None:
        self._open = None
        self._at_once.clear()


def _error(message: str) -> Message:
    return {"type": "error", "message": message[:MAX_ERROR]}
