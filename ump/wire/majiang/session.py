"""The server's side of a Majiang connection over lines of JSON or WebSocket frames. No input or output.

Every message but ``kaigang`` has a ``seq`` and needs one reply with the same ``seq``. One such message is out at a
time; the others wait until its reply has come or is overdue. A reply decides something only if the table has asked this
seat; the session reads every other reply and takes it as a sign of life. Where kobalab's programs decide by a reply and
the table by a question of its own, the session connects the two:

* the reply to ``kaiju``, to the last ``hule`` or to ``pingju`` is the answer to ``ready?``;
* ``daopai`` in the reply to the last ``dapai`` is the answer to ``tenpai?``.

The client's first message is its hello (``read_hello``).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from ump.model.actions import Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF
from ump.model.value import value
from ump.wire import json_text
from ump.wire.json_text import JSON, MAX_OBJECT, read_object, resume_of, secret_of
from ump.wire.majiang.events import Content, EventMessage, Narrator, Paipu
from ump.wire.majiang.replies import Reply, claim_of, read_reply
from ump.wire.names import check_name
from ump.wire.outbox import REPLY_SECONDS, Outbox
from ump.wire.session import (
    MAX_GAMES,
    Answered,
    Farewell,
    InStep,
    Interruption,
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
from ump.wire.text import MAX_ERROR, WireError

# States and steps


class State(Enum):
    """The state of a connection."""

    HELLO = "hello"
    """The client must introduce itself."""
    LOBBY = "lobby"
    """The client waits for a table. Messages of an earlier game may still wait for their replies."""
    SEATED = "seated"
    LEAVING = "leaving"
    """No further game follows. With the reply to the last message the connection is over."""
    CLOSING = "closing"
    """The session drops everything that it receives."""


class Cause(Enum):
    """A reason for a connection to change its state."""

    INTRODUCED = "introduced"
    SAT = "sat"
    STOOD = "stood"
    LEFT = "left"
    CLOSED = "closed"


TRANSITIONS: dict[State, dict[Cause, State]] = {
    State.HELLO: {
        Cause.INTRODUCED: State.LOBBY,
        Cause.LEFT: State.LEAVING,
        Cause.CLOSED: State.CLOSING,
    },
    State.LOBBY: {
        Cause.SAT: State.SEATED,
        Cause.LEFT: State.LEAVING,
        Cause.CLOSED: State.CLOSING,
    },
    State.SEATED: {
        Cause.STOOD: State.LOBBY,
        Cause.LEFT: State.LEAVING,
        Cause.CLOSED: State.CLOSING,
    },
    State.LEAVING: {Cause.LEFT: State.LEAVING, Cause.CLOSED: State.CLOSING},
    State.CLOSING: {Cause.LEFT: State.CLOSING, Cause.CLOSED: State.CLOSING},
}
"""Every legal step. A step that is not listed is a bug of the server, and raises KeyError.

A Socket.IO client leaves by itself after its game, and the server may then end the connection too.
"""

HELLO: Final = State.HELLO

LEAVING: Final = State.LEAVING

CLOSING: Final = State.CLOSING
"""Names of the members that sessions need for every message, because enum lookups are slow in Python 3.11."""


# The hello, the first message of a client


OLD_FORM = "type-data"


@value
class Hello:
    """A client's introduction, and the form in which it wants its messages."""

    introduction: Introduction
    is_old: bool
    """Whether the client wants the form of 2015: ``{"type":"zimo","data":{..}}``."""
    explain: bool
    """Whether the client wants the reason when an answer does not count."""
    wants_token: bool = False
    """Whether the client wants to be able to come back to its seat."""


def read_hello(message: bytes) -> Hello:
    """Read the first message. Raises WireError, with a message for the client, if it is not a valid hello."""
    content = read_object(message)
    hello = content.get("data") if content.get("type") == "hello" else content.get("hello")
    if not isinstance(hello, dict):
        raise WireError('expected a hello, as in: {"hello":{"name":"alice"}}')
    wants_token, token = resume_of(hello)
    introduction = Introduction(
        name=_name(hello, "name"),
        user=secret_of(hello, "user"),
        password=secret_of(hello, "password"),
        room=_name(hello, "room"),
        games=_games(hello),
        token=token,
    )
    is_old, explain = hello.get("form") == OLD_FORM, hello.get("explain") is True
    return Hello(introduction, is_old=is_old, explain=explain, wants_token=wants_token)


def _name(hello: Mapping[str, JSON], key: str) -> str | None:
    """Return a name that others may see, or None if it is missing."""
    text = secret_of(hello, key)
    return None if text is None else check_name(text, f'"{key}"')


def _games(hello: Mapping[str, JSON]) -> int:
    games = hello.get("games", 1)
    if type(games) is not int or not 0 <= games <= MAX_GAMES:
        raise WireError(f'"games" must be an integer from 0 to {MAX_GAMES}')
    return games


# Messages on their way to a client


READING = 10.0
"""Seconds in which a client may show the result of a kyoku, before it counts as ready."""


@value
class AttachedQuestion:
    """An open question, attached to the message whose reply decides it."""

    number: int
    """The table's number of the question."""
    question: QuestionView | None
    """None asks whether the client is ready."""
    move: float
    """Seconds that were left for the move when the question was asked."""
    bank: float
    """Seconds that were left in the bank when the question was asked."""
    asked_at: float
    """The instant at which the question was asked."""


class OutgoingMessage:
    """A message, from its event until its reply is settled."""

    __slots__ = ("content", "declares", "is_over", "open", "seq")

    def __init__(self, content: EventMessage, seq: int | None) -> None:
        self.content = content
        self.seq = seq
        """The number that the reply repeats; None if the message needs no reply."""
        self.open: AttachedQuestion | None = None
        """The question that the reply decides."""
        self.is_over = False
        """Whether the reply has come or was given up."""
        self.declares = True
        """Whether the reply declares tenpai. A missing reply does too, so that silence costs no points."""

    def overdue_at(self, now: float, *, reads: bool) -> float | None:
        """Return when the reply is overdue, if the wait for it begins now; None means never.

        ``reads`` says whether the client seems to show results to a person. If it does not, the deadline of the table
        decides.
        """
        if self.open is None:
            return now + REPLY_SECONDS
        if self.open.question is None and reads:
            return now + READING
        return None

    def timer(self, now: float) -> list[float] | None:
        """Return the seconds that are left for the move and in the bank, or for a reply that decides nothing."""
        if self.seq is None or self.content.type == "jieju":
            return None
        if self.open is None:
            return [_seconds(REPLY_SECONDS)]
        over = now - self.open.asked_at - self.open.move
        if self.open.question is None:
            return [_seconds(min(READING, -over))]
        return [_seconds(-over), _seconds(self.open.bank - max(0.0, over))]


def _seconds(seconds: float) -> float:
    """Round to tenths of a second, and return a whole number as an integer."""
    tenths = max(0.0, round(float(seconds), 1))
    return int(tenths) if tenths.is_integer() else tenths


# The session


MAX_WAITING = 400
"""Messages that may wait for a client: more than two kyoku have."""

READY = Claim(Verb.YES)


class MajiangSession(Session):
    """One Majiang connection as the server sees it."""

    __slots__ = (
        "_asked",
        "_declaring",
        "_given_up",
        "_has_replied",
        "_hello",
        "_is_returning",
        "_last",
        "_last_dapai",
        "_narrator",
        "_now",
        "_outbox",
        "_seat",
        "_seat_token",
        "_seq",
        "_told",
        "state",
    )
    DIALECT = "Majiang"
    MAX_MESSAGE = MAX_OBJECT
    LINGER = REPLY_SECONDS + 1.0
    RETRIES = 0
    TELLS_WHOLE_GAME = True
    KEEPS_TIME = True
    PLAYERS = (4,)

    def __init__(self) -> None:
        super().__init__()
        self.state = State.HELLO
        self._hello = Hello(Introduction(), is_old=False, explain=False)
        """The client's hello, which also says how it wants its messages."""
        self._seat: Seat = 0
        self._narrator: Narrator | None = None
        self._now = 0.0
        """The latest instant that the session was called with."""
        self._seq = 0
        self._outbox: Outbox[OutgoingMessage] = Outbox(MAX_WAITING)
        self._last: OutgoingMessage | None = None
        """The last message that needs a reply. Questions are attached to it."""
        self._last_dapai: OutgoingMessage | None = None
        self._asked: tuple[int, OutgoingMessage] | None = None
        """The last question, by the table's number, and the message that it was attached to."""
        self._declaring: int | None = None
        """The number of ``tenpai?`` while that is open."""
        self._given_up: int | None = None
        """The ``seq`` of the last overdue reply, until another reply is settled."""
        self._has_replied = False
        """Whether a reply has come since the client was last taken for ready without one."""
        self._seat_token: str | None = None
        """The token for the client, until ``kaiju`` tells it."""
        self._is_returning = False
        self._told: list[EventMessage] = []
        """The messages of the game so far, while a returning client has not received them."""

    def _step(self, step: Cause) -> None:
        """Change the state; raises KeyError if the step is illegal."""
        self.state = TRANSITIONS[self.state][step]

    @property
    def wants_token(self) -> bool:
        """Whether the hello has ``resume``."""
        return self._hello.wants_token

    @property
    def question_id(self) -> int | None:
        """The ``seq`` of the message that asked the last question."""
        return None if self._asked is None else self._asked[1].seq

    # Messages from the client

    def receive(self, message: bytes, now: float) -> Received:
        """Take one message."""
        self._now = now
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if self._outbox.is_overfull:
            return self._violated()
        if self.state is HELLO:
            return self._receive_hello(message)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        try:
            reply = read_reply(message, is_old=self._hello.is_old)
        except WireError:
            return self._receive_unreadable()
        return self._receive_reply(reply)

    def _receive_hello(self, message: bytes) -> Received:
        try:
            self._hello = read_hello(message)
        except WireError as error:
            return Violated(str(error))
        self._step(Cause.INTRODUCED)
        return Introduced(self._hello.introduction)

    def _receive_unreadable(self) -> Received:
        """Take an unreadable message. It has no ``seq``, and counts as the answer if one is awaited."""
        message = self._outbox.awaited
        if message is None or message.open is None:
            return Stale(Staleness.UNREADABLE)
        number = message.open.number
        self._settle(message)
        return Unreadable(number)

    def _receive_reply(self, reply: Reply) -> Received:
        """Take a reply, which must belong to the message that is out."""
        message = self._outbox.awaited
        if self._given_up is not None and reply.answers(self._given_up):
            return Stale(Staleness.LATE)
        if message is None or message.seq is None:
            return Stale(Staleness.NO_QUESTION)
        if not reply.answers(message.seq):
            return Stale(Staleness.OTHER_ID)
        self._has_replied = True
        message.declares = reply.declares
        asked = message.open
        self._settle(message)
        if asked is not None:
            return _answer(asked, reply)
        return self._after(message) or InStep()

    def _settle(self, message: OutgoingMessage) -> None:
        """Stop waiting for the reply to this message, so that the next message can go out."""
        message.is_over = True
        message.open = None
        self._outbox.settle()
        self._given_up = None

    def _give_up_reply(self, message: OutgoingMessage) -> None:
        """Stop waiting for an overdue reply."""
        self._settle(message)
        self._given_up = message.seq

    def _after(self, message: OutgoingMessage) -> Received | None:
        """Return what follows from a settled message, if anything."""
        if message is self._last_dapai and self._declaring is not None:
            return self._declare(message)
        if message.content.type == "jieju":
            self._end_game(message.content.content)
        return Farewell() if self._has_left else None

    def _declare(self, dapai: OutgoingMessage) -> Answered:
        """Answer ``tenpai?`` with the reply to the last discard."""
        assert self._declaring is not None
        number, self._declaring = self._declaring, None
        return Answered(number, Claim(Verb.YES if dapai.declares else Verb.NO), is_automatic=True)

    def _end_game(self, paipu: Content) -> None:
        """React to the settled ``jieju``, in a variant that does."""
        return

    # Time

    def due(self) -> float | None:
        """Return when to call ``tick`` next: now if something needs no reply, else when the reply is overdue."""
        if self.state is CLOSING:
            return None
        if self._outbox.is_overfull or self._can_declare or self._has_left:
            return self._now
        return self._outbox.overdue_at

    def tick(self, now: float) -> Received | None:
        """Return an answer that is already known, or the answer that replaces an overdue reply."""
        self._now = now
        if self.state is CLOSING:
            return None
        if self._outbox.is_overfull:
            return self._violated()
        if self._last_dapai is not None and self._can_declare:
            return self._declare(self._last_dapai)
        message = self._outbox.awaited
        if message is None:
            return Farewell() if self._has_left else None
        if not self._outbox.is_overdue(now):
            return None
        asked = message.open
        self._give_up_reply(message)
        if asked is not None:
            self._has_replied = False
            return Answered(asked.number, READY)
        return self._after(message)

    @property
    def _can_declare(self) -> bool:
        """Whether ``tenpai?`` is open and the reply to the last discard is settled."""
        return self._declaring is not None and self._last_dapai is not None and self._last_dapai.is_over

    @property
    def _has_left(self) -> bool:
        """Whether no further game follows and every message is settled."""
        return self.state is LEAVING and self._outbox.awaited is None and not len(self._outbox)

    def _violated(self) -> Received:
        self._outbox.drop_waiting()
        return Violated(f"more than {MAX_WAITING} messages wait for replies to earlier ones")

    # Messages to the client

    def greet(self) -> None:
        """Send nothing: the client speaks first."""

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send an event."""
        self._now = now
        assert self._narrator is not None, "an event before the seat"
        content = self._narrator.tell(event.seen_by(self._seat))
        if content is None:
            return
        if self._is_returning:
            self._told.append(content)
        else:
            self._enqueue(self._with_token(content))

    def _with_token(self, content: EventMessage) -> EventMessage:
        """Add the client's token to the message that starts its game."""
        if self._seat_token is None or content.type != "kaiju":
            return content
        token, self._seat_token = self._seat_token, None
        return EventMessage("kaiju", {**content.content, "resume": token})

    def caught_up(self) -> None:
        """Send the game so far in the ``log`` of a ``kaiju``, and its last message again, for a question to attach to.

        The ``kaiju`` has no ``seq``, as at kobalab's server. If nothing but ``kaiju`` was sent, it is sent as at first.
        """
        told, self._told, self._is_returning = self._told, [], False
        last = max((place for place, content in enumerate(told) if content.needs_reply), default=0)
        if last:
            paipu = Paipu()
            for content in told[1:last]:
                paipu.add(content.type, content.content, is_due=content.ahead)
            log = [*paipu.log, []] if told[last].type == "qipai" else paipu.log  # clients replay the last list
            kaiju = EventMessage("kaiju", {**told[0].content, "log": log})
            for content in (kaiju, *(EventMessage("kaigang", waiting) for waiting in paipu.waiting)):
                self._outbox.add(OutgoingMessage(content, None))
        for content in told[last:]:
            self._enqueue(content)

    def _enqueue(self, content: EventMessage) -> None:
        """Add a message behind those that wait, or an indicator before the last of them if it belongs there."""
        if not content.needs_reply:
            message = OutgoingMessage(content, None)
            if content.ahead and self._outbox.last() is self._last:
                self._outbox.add_before_last(message)
            else:
                self._outbox.add(message)
            return
        self._seq = 1 if content.type == "kaiju" else self._seq + 1
        self._last = OutgoingMessage(content, self._seq)
        self._outbox.add(self._last)
        if content.type == "dapai":
            self._last_dapai = self._last

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Attach a question to the last message, ``tenpai?`` to the last discard."""
        self._now = now
        if question is not None and question.phase is Phase.DECLARE:
            self._declaring = number
            return
        message = self._last
        assert message is not None, "a question before the first event"
        self._asked = number, message
        message.open = AttachedQuestion(number, question, move, bank, now)
        if message is self._outbox.awaited:
            self._outbox.overdue_at = message.overdue_at(now, reads=self._has_replied)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Let the reply decide nothing any more; after a timeout, stop waiting for it."""
        self._now = now
        if self._declaring == number:
            self._declaring = None
        if self._asked is None or self._asked[0] != number:
            return
        message = self._asked[1]
        message.open = None
        if message is self._outbox.awaited:
            if by_time:
                self._give_up_reply(message)
            else:
                self._outbox.overdue_at = message.overdue_at(now, reads=False)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Send the reason for a refused answer, if the client asked for reasons."""
        self._now = now
        if self._hello.explain and self._asked is not None and self._asked[0] == number:
            self._send_object("refused", {"seq": self._asked[1].seq, "reason": reason.value})

    def bye(self) -> None:
        """Send all messages that wait, and end with the reply to the last of them."""
        self._step(Cause.LEFT)
        self._send_waiting()

    def interrupt(self, outlook: Interruption) -> None:
        """Send an error that says what becomes of the game."""
        self.error(outlook.value)

    def error(self, message: str) -> None:
        """Send an error; the connection is then closed, and the session drops everything that it receives."""
        self.close()
        self._send_object("error", {"message": message[:MAX_ERROR]})

    def take(self) -> list[str]:
        """Return the messages to send now."""
        self._send_waiting()
        return super().take()

    def _send_waiting(self) -> None:
        """Send messages until one of them needs a reply; send all of them if no further game follows."""
        outbox, is_leaving = self._outbox, self.state is LEAVING
        while True:
            if is_leaving and len(outbox):
                outbox.settle()
            message = outbox.next()
            if message is None:
                return
            self._send_message(message)
            if message.seq is not None:
                outbox.await_reply(message, message.overdue_at(self._now, reads=self._has_replied))

    def _send_message(self, message: OutgoingMessage) -> None:
        rest: dict[str, object] = {} if message.seq is None else {"seq": message.seq}
        timer = message.timer(self._now)
        if timer is not None:
            rest["timer"] = timer
        self._send_object(message.content.type, message.content.content, rest)

    def _send_object(self, type_: str, content: Content, rest: Content | None = None) -> None:
        """Send one object in the form that the client asked for."""
        named = {"type": type_, "data": content} if self._hello.is_old else {type_: content}
        self._send_framed({**named, **(rest or {})})

    def _send_framed(self, content: Content) -> None:
        """Send an object with the frame of the variant around it; here none."""
        self._out.append(json_text.write(content))

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat for one game."""
        self._step(Cause.SAT)
        self._seat = seat
        self._narrator = Narrator(seat, table.ruleset, table.table, is_old=self._hello.is_old)
        self._seat_token = table.token
        self._is_returning = table.is_return

    def stand(self) -> None:
        """Leave the seat after the game, and wait for another; the messages that wait still go out."""
        self._step(Cause.STOOD)
        self._narrator = None

    def close(self) -> None:
        """Drop everything that is received from now on, and every message that waits."""
        self._step(Cause.CLOSED)
        self._outbox.drop_waiting()
        self._outbox.settle()


def _answer(asked: AttachedQuestion, reply: Reply) -> Received:
    """Return the answer that a reply gives to a question."""
    question = asked.question
    try:
        claim = claim_of(
            reply, None if question is None else question.phase, None if question is None else question.tile
        )
    except WireError as error:
        return Unreadable(asked.number, str(error))
    if question is not None and claim.verb is Verb.RIICHI and not _may_riichi(question, claim):
        claim = Claim(Verb.DISCARD, claim.tiles, claim.tsumogiri)
    return Answered(asked.number, claim)


def _may_riichi(question: QuestionView, claim: Claim) -> bool:
    """Tell whether riichi is legal with this tile. As at kobalab's server, an illegal mark of riichi is dropped."""
    kinds = {KIND_OF[action.face] for action in question.legal() if isinstance(action, Riichi)}
    return all(KIND_OF[face] in kinds for face in claim.tiles)
