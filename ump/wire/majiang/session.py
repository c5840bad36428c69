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

from collections.abc import Callable, Iterable, Mapping, Sequence

from ump.model.actions import Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.melds import Meld, MeldType
from ump.model.notation import NotationError, parse_majiang_meld, parse_majiang_tile
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.wire import json_text
from ump.wire.connection_state import CLOSING, HELLO, LEAVING, SEATED, ConnectionStep
from ump.wire.dialect import LoggedIn
from ump.wire.json_hello import JsonHello, read_hello_fields, text_of
from ump.wire.json_text import JSON, MAX_OBJECT, read_array, read_object
from ump.wire.majiang.events import Content, EventMessage, MajiangNarrator, Paipu
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
from ump.wire.text import MAX_ERROR, WireError, quoted

# Replies of Majiang clients, and their meaning as answers to questions.
#
# A reply may hold several words. The question decides which of them counts, as at kobalab's server. If a client uses
# the form of 2015, the words of that form are read too: ``fule`` is ``hule``, ``pingju`` is ``daopai``, and an empty
# type counts as no word.

WORDS = ("daopai", "hule", "gang", "dapai", "fulou")

_OLD_WORDS = {"fule": "hule", "pingju": "daopai"}

_ANY: Seat = 0
"""The owner that melds are parsed with. It does not matter: the question knows who calls, and whose tile."""


@value
class Reply:
    """One reply, as it came."""

    seq: JSON
    """The number of the message that the reply belongs to, unchecked."""
    words: Mapping[str, JSON]
    """The words that have a value, and those values."""

    def answers(self, seq: int) -> bool:
        """Tell whether this is the reply to the message of this number."""
        return type(self.seq) in (int, float) and self.seq == seq

    @property
    def declares(self) -> bool:
        """Whether the reply to the last discard declares tenpai."""
        return "daopai" in self.words


def read_reply(message: bytes, *, is_old: bool = False) -> Reply:
    """Read a reply, with ``is_old`` in the form of 2015 too. Raises WireError if it is not an object."""
    return reply_of(read_object(message), is_old=is_old)


def reply_of(content: Mapping[str, JSON], *, is_old: bool = False) -> Reply:
    """Return an object as a reply."""
    said = {word: content[word] for word in WORDS if content.get(word)}
    old = content.get("type")
    if is_old and isinstance(old, str):
        said = {}
        word = _OLD_WORDS.get(old, old)
        if word in WORDS:
            said[word] = content.get("data") or "-"
    return Reply(content.get("seq"), said)


def claim_of(reply: Reply, phase: Phase | None, tile: Face | None) -> Claim:
    """Return the claim in a reply to a question about a tile; ``phase`` is None for ``ready?``.

    A reply without a word passes, says that the client is ready, or discards the drawn tile. Raises WireError if the
    words make no claim, or if the reply to the question after a call has no word.
    """
    for word in _COUNTS[phase]:
        if word in reply.words:
            return _READINGS[phase, word](reply.words[word], tile)
    if phase is Phase.TURN:
        if tile is None or reply.words:
            raise WireError("expected a discard")
        return Claim(Verb.DISCARD, (tile,), tsumogiri=True)
    if phase is None:
        return READY
    return Claim(Verb.NO)


def _dapai(said: JSON, tile: Face | None) -> Claim:
    try:
        discarded = parse_majiang_tile(_text(said))
    except NotationError as error:
        raise WireError(str(error)) from error
    verb = Verb.DISCARD
    if discarded.riichi:
        verb = Verb.RIICHI
    return Claim(verb, (discarded.face,), discarded.drawn)


def _gang(said: JSON, tile: Face | None) -> Claim:
    meld = _meld(said)
    if meld.type is MeldType.ANKAN:
        return Claim(Verb.ANKAN, meld.own[:1])
    if meld.added is None:
        raise WireError(f"{quoted(_text(said))} is not a kan on the own turn")
    return Claim(Verb.KAKAN, (meld.added,))


def _fulou(said: JSON, tile: Face | None) -> Claim:
    """Read a call. The question knows the called tile, so the digits of the meld may stand in any order."""
    meld = _meld(said)
    called = _called(meld, tile)
    if meld.type not in _CALLS or called is None:
        raise WireError(f"{quoted(_text(said))} is not a call of this tile")
    if meld.type is MeldType.DAIMINKAN:
        return Claim(Verb.KAN)
    own = list(meld.faces)
    own.remove(called)
    return Claim(_CALLS[meld.type], tuple(own))


def _called(meld: Meld, tile: Face | None) -> Face | None:
    """Return the tile of a meld that is this one, or else is of its kind; None if there is none."""
    if tile is None or tile in meld.faces:
        return tile
    for face in meld.faces:
        if KIND_OF[face] == KIND_OF[tile]:
            return face
    return None


_CALLS = {MeldType.CHI: Verb.CHI, MeldType.PON: Verb.PON, MeldType.DAIMINKAN: Verb.KAN}


def _meld(said: JSON) -> Meld:
    try:
        return parse_majiang_meld(_text(said), _ANY)
    except NotationError as error:
        raise WireError(str(error)) from error


def _text(said: JSON) -> str:
    if not isinstance(said, str):
        raise WireError("expected a string")
    return said


def _means(verb: Verb) -> Callable[[JSON, Face | None], Claim]:
    """Return the reader of a word that means the same with any value."""
    claim = Claim(verb)
    return lambda said, tile: claim


_COUNTS: dict[Phase | None, tuple[str, ...]] = {
    Phase.TURN: ("daopai", "hule", "gang", "dapai"),
    Phase.CALL: ("hule", "fulou"),
    Phase.CHANKAN: ("hule",),
    None: (),
}
"""The words that answer each question; the first one in the reply counts. None is ``ready?``."""

READY = Claim(Verb.YES)
"""The answer to ``ready?``."""

_READINGS: dict[tuple[Phase | None, str], Callable[[JSON, Face | None], Claim]] = {
    (Phase.TURN, "daopai"): _means(Verb.RYUKYOKU),
    (Phase.TURN, "hule"): _means(Verb.TSUMO),
    (Phase.TURN, "gang"): _gang,
    (Phase.TURN, "dapai"): _dapai,
    (Phase.CALL, "hule"): _means(Verb.RON),
    (Phase.CALL, "fulou"): _fulou,
    (Phase.CHANKAN, "hule"): _means(Verb.RON),
}
"""The reader of each word, by question."""


# The hello, the first message of a client


OLD_FORM = "type-data"


@value
class MajiangHello:
    """A client's introduction, and the form in which it wants its messages."""

    fields: JsonHello = JsonHello()
    is_old: bool = False
    """Whether the client wants the form of 2015: ``{"type":"zimo","data":{..}}``."""


def read_hello(message: bytes) -> MajiangHello:
    """Read the first message. Raises WireError, with a message for the client, if it is not a valid hello."""
    content = read_object(message)
    hello = content.get("hello")
    if content.get("type") == "hello":
        hello = content.get("data")
    if not isinstance(hello, dict):
        raise WireError('expected a hello, as in: {"hello":{"name":"alice"}}')
    fields = read_hello_fields(hello, name=_name(hello, "name"), room=_name(hello, "room"), games=_games(hello))
    return MajiangHello(fields, is_old=hello.get("form") == OLD_FORM)


def _name(hello: Mapping[str, JSON], key: str) -> str | None:
    """Return a name that others may see, or None if it is missing."""
    text = text_of(hello, key)
    if text is None:
        return None
    return check_name(text, f'"{key}"')


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
    if tenths.is_integer():
        return int(tenths)
    return tenths


# The session


MAX_WAITING = 400
"""Messages that may wait for a client: more than two kyoku have."""


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
        self._hello = MajiangHello()
        """The client's hello, which also says how it wants its messages."""
        self._seat: Seat = 0
        self._narrator: MajiangNarrator | None = None
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

    @property
    def wants_token(self) -> bool:
        """Whether the hello has ``resume``."""
        return self._hello.fields.wants_token

    @property
    def question_id(self) -> int | None:
        """The ``seq`` of the message that asked the last question."""
        if self._asked is None:
            return None
        return self._asked[1].seq

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
        self._step(ConnectionStep.INTRODUCED)
        return Introduced(self._hello.fields.introduction)

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
        return self._farewell()

    def _farewell(self) -> Farewell | None:
        """Take leave if no further game follows and every message is settled."""
        if not self._has_left:
            return None
        return Farewell()

    def _declare(self, dapai: OutgoingMessage) -> Answered:
        """Answer ``tenpai?`` with the reply to the last discard."""
        assert self._declaring is not None
        number, self._declaring = self._declaring, None
        verb = Verb.NO
        if dapai.declares:
            verb = Verb.YES
        return Answered(number, Claim(verb), is_automatic=True)

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
            return self._farewell()
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
        last = 0
        for place, content in enumerate(told):
            if content.needs_reply:
                last = place
        if last:
            self._send_log(told[0], told[1:last], told[last])
        for content in told[last:]:
            self._enqueue(content)

    def _send_log(self, kaiju: EventMessage, before: Iterable[EventMessage], last: EventMessage) -> None:
        """Send the messages before the last one in the log of a ``kaiju``, and the indicators that it has not yet."""
        paipu = Paipu()
        for content in before:
            paipu.add(content.type, content.content, is_due=content.ahead)
        log = paipu.log
        if last.type == "qipai":
            log = [*log, []]  # clients replay the last list
        self._outbox.add(OutgoingMessage(EventMessage("kaiju", {**kaiju.content, "log": log}), None))
        for indicator in paipu.waiting:
            self._outbox.add(OutgoingMessage(EventMessage("kaigang", indicator), None))

    def _enqueue(self, content: EventMessage) -> None:
        """Add a message behind those that wait, or an indicator before the last of them if it belongs there."""
        if not content.needs_reply:
            message = OutgoingMessage(content, None)
            if content.ahead and self._outbox.last() is self._last:
                self._outbox.add_before_last(message)
            else:
                self._outbox.add(message)
            return
        self._seq += 1
        if content.type == "kaiju":
            self._seq = 1
        self._last = OutgoingMessage(content, self._seq)
        self._outbox.add(self._last)
        if content.type == "dapai":
            self._last_dapai = self._last

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
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
        if self._hello.fields.explains and self._asked is not None and self._asked[0] == number:
            self._send_object("refused", {"seq": self._asked[1].seq, "reason": reason.value})

    def bye(self) -> None:
        """Send all messages that wait, and end with the reply to the last of them."""
        self._step(ConnectionStep.LEFT)
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
        rest: dict[str, object] = {}
        if message.seq is not None:
            rest["seq"] = message.seq
        timer = message.timer(self._now)
        if timer is not None:
            rest["timer"] = timer
        self._send_object(message.content.type, message.content.content, rest)

    def _send_object(self, type_: str, content: Content, rest: Content | None = None) -> None:
        """Send one object in the form that the client asked for."""
        named: Content = {type_: content}
        if self._hello.is_old:
            named = {"type": type_, "data": content}
        if rest is not None:
            named |= rest
        self._send_framed(named)

    def _send_framed(self, content: Content) -> None:
        """Send an object with the frame of the variant around it; here none."""
        self._out.append(json_text.write(content))

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat for one game."""
        self._step(ConnectionStep.SAT)
        self._seat = seat
        self._narrator = MajiangNarrator(seat, table.ruleset, table.table, is_old=self._hello.is_old)
        self._seat_token = table.token
        self._is_returning = table.is_return

    def stand(self) -> None:
        """Leave the seat after the game, and wait for another; the messages that wait still go out."""
        self._step(ConnectionStep.STOOD)
        self._narrator = None

    def close(self) -> None:
        """Drop everything that is received from now on, and every message that waits."""
        self._step(ConnectionStep.CLOSED)
        self._outbox.clear()


def _answer(asked: AttachedQuestion, reply: Reply) -> Received:
    """Return the answer that a reply gives to a question."""
    question = asked.question
    phase = tile = None
    if question is not None:
        phase, tile = question.phase, question.tile
    try:
        claim = claim_of(reply, phase, tile)
    except WireError as error:
        return Unreadable(asked.number, str(error))
    if question is not None and claim.verb is Verb.RIICHI and not _may_riichi(question, claim):
        claim = Claim(Verb.DISCARD, claim.tiles, claim.tsumogiri)
    return Answered(asked.number, claim)


def _may_riichi(question: QuestionView, claim: Claim) -> bool:
    """Tell whether riichi is legal with this tile. As at kobalab's server, an illegal mark of riichi is dropped."""
    kinds = {KIND_OF[action.face] for action in question.legal() if isinstance(action, Riichi)}
    return all(KIND_OF[face] in kinds for face in claim.tiles)


# The same messages as Socket.IO events, as kobalab/majiang-server has them, for its bots and its page, unmodified.
#
# The session reads and writes the JSON texts of event arrays, which follow ``42`` in an Engine.IO packet. The carrier
# does the rest: packets, polling, heartbeats, login, cookies and logout.
#
# Sent:
#
# * ``["HELLO",{"name":..,"uid":..}]`` by ``greet``, exactly once: a second one dismisses a bot
# * ``["HELLO",null]`` by ``greet`` to a client without a login; the carrier then closes
# * ``["ROOM",{"room_no":..,"user":[..]}]`` by ``wait`` or ``sit``, once: the room, and this user in it
# * ``["START"]`` by ``sit``
# * ``["GAME",{..}]`` every message of ``MajiangSession``
# * ``["END",{..}]`` with the record, when the reply to ``jieju`` has come or is overdue
# * ``["END"]`` by ``bye``, if a game ends without a result
# * ``["ERROR","..."]`` by ``error``, for example for an unknown room; the bot then logs out
#
# Received:
#
# * ``["ROOM",room]`` or ``["ROOM"]``: the first one introduces the client, with the user who logged in
# * ``["ROOM",room,uid]`` with the client's own ``uid``: farewell
# * ``["GAME",reply]`` a reply, with ``seq``
# * anything else: dropped
#
# After ``END`` the next message or ``tick`` is a farewell. One connection plays one game.


class SocketIOMajiangSession(MajiangSession):
    """One Socket.IO connection as the server sees it."""

    __slots__ = ("_login", "_room_event")
    DIALECT = "Majiang net play"

    def __init__(self, login: LoggedIn | None) -> None:
        """Begin with the user who has logged in, or None."""
        super().__init__()
        self._login = login
        self._room_event: dict[str, object] | None = None
        """The room that the client has asked for, until it receives that."""

    @property
    def return_key(self) -> str | None:
        """The cookie of the login."""
        if self._login is None:
            return None
        return self._login.cookie

    def due(self) -> float | None:
        """Return when to call ``tick`` next; at once if the user comes back to a running game."""
        if self._returns_at_once:
            return self._now
        return super().due()

    def tick(self, now: float) -> Received | None:
        """Introduce a user who comes back to a running game, or do what is due."""
        login = self._login
        if login is None or not self._returns_at_once:
            return super().tick(now)
        self._now = now
        self._step(ConnectionStep.INTRODUCED)
        return Introduced(Introduction(login.name, login.user, login.password))

    @property
    def _returns_at_once(self) -> bool:
        """Whether the user has a seat, and is still to be introduced."""
        return self.state is HELLO and self._login is not None and self._login.has_seat

    def receive(self, message: bytes, now: float) -> Received:
        """Take the JSON text of one event."""
        self._now = now
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if self._outbox.is_overfull:
            return self._violated()
        is_introduced = self.state is not HELLO
        try:
            event = read_array(message)
        except WireError:
            if not is_introduced:
                return Stale(Staleness.UNREADABLE)
            return self._receive_unreadable()
        match event:
            case ["ROOM", *arguments]:
                return self._receive_room(arguments)
            case ["GAME", dict(content)] if is_introduced:
                return self._receive_reply(reply_of(content))
        return Stale(Staleness.NO_QUESTION)

    def _receive_room(self, arguments: Sequence[JSON]) -> Received:
        """Take a ROOM event: the first one introduces the client, a later one can only leave."""
        login = self._login
        if login is None:
            return Stale(Staleness.CLOSING)
        if self.state is not HELLO:
            if len(arguments) == 2 and arguments[1] == login.uid:
                return Farewell()
            return Stale(Staleness.NO_QUESTION)
        try:
            room = _room_of(arguments)
        except WireError as error:
            return Violated(str(error))
        self._step(ConnectionStep.INTRODUCED)
        # The message names this user only. The other users of the room stay unknown to the client.
        user = {"name": login.name, "uid": login.uid, "offline": False}
        self._room_event = {"room_no": room or "", "user": [user]}
        return Introduced(Introduction(login.name, login.user, login.password, room))

    def greet(self) -> None:
        """Send the login. Without one, drop everything that the client sends."""
        login = self._login
        if login is None:
            self._emit("HELLO", None)
            self._step(ConnectionStep.CLOSED)
        else:
            self._emit("HELLO", {"name": login.name, "uid": login.uid})

    def wait(self, seated: int, needed: int) -> None:
        """Send the room, once."""
        self._send_room()

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat for one game."""
        super().sit(seat, table)
        self._send_room()
        self._emit("START")

    def bye(self) -> None:
        """Send all messages that wait; end a game that has no result without one."""
        is_playing = self.state is SEATED
        super().bye()
        if is_playing and (self._last is None or self._last.content.type != "jieju"):
            self._outbox.settle()
            self._emit("END")

    def error(self, message: str) -> None:
        """Send an error; the connection is then closed, and the session drops everything that it receives."""
        self.close()
        self._emit("ERROR", message[:MAX_ERROR])

    def _end_game(self, paipu: Content) -> None:
        """Send the end of the game, with its record. A connection plays one game."""
        self._step(ConnectionStep.LEFT)
        self._emit("END", paipu)

    def _send_room(self) -> None:
        """Send the room, unless the client has received it or has asked for none."""
        if self._room_event is not None:
            self._emit("ROOM", self._room_event)
            self._room_event = None

    def _send_framed(self, content: Content) -> None:
        self._emit("GAME", content)

    def _emit(self, name: str, *arguments: object) -> None:
        """Send a Socket.IO event."""
        self._out.append(json_text.write([name, *arguments]))


def _room_of(arguments: Sequence[JSON]) -> str | None:
    """Return the name of the room, or None for any room."""
    match arguments:
        case []:
            return None
        case [str(room)]:
            return check_name(room, "ROOM")
    raise WireError("ROOM: expected the name of a room")
