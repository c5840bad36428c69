"""The server's side of a Majiang connection over lines of JSON or WebSocket frames. No input or output.

Every message but ``kaigang`` has a ``seq`` and wants one reply with the same ``seq``. One such message is out at a
time; the others wait for its reply, or until that is overdue. A reply decides something only where the table has asked
this seat: most are read and count as a sign of life. What kobalab's programs decide by a reply, and the table by a
question of its own, is brought together here:

* the reply to ``kaiju``, to the last ``hule`` or to ``pingju`` is the answer to ``ready?``;
* ``daopai`` in the reply to the last ``dapai`` is the answer to ``tenpai?``.

Before the first message the client says ``hello``; see ``introduction``.
"""

from __future__ import annotations

from collections import deque

from ump.model.actions import Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF
from ump.wire import json_text
from ump.wire.json_text import MAX_OBJECT
from ump.wire.majiang.events import EventMessage, Narrator
from ump.wire.majiang.hello import read_hello
from ump.wire.majiang.outgoing_message import WAIT, AttachedQuestion, OutgoingMessage
from ump.wire.majiang.paipu import Content
from ump.wire.majiang.replies import Reply, claim_of, read_reply
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
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

MAX_BEHIND = 400
"""Messages that may wait for a client: two kyoku and more."""

READY = Claim(Verb.YES)


class MajiangSession(Session):
    """One Majiang connection as the server sees it."""

    __slots__ = (
        "_asked",
        "_declaring",
        "_explains",
        "_given_up",
        "_has_replied",
        "_is_closing",
        "_is_introduced",
        "_is_leaving",
        "_is_old",
        "_last",
        "_last_dapai",
        "_narrator",
        "_now",
        "_outstanding",
        "_queue",
        "_seat",
        "_seq",
    )
    MAX_MESSAGE = MAX_OBJECT
    LINGER = WAIT + 1.0
    RETRIES = 0

    def __init__(self) -> None:
        super().__init__()
        self._is_introduced = False
        self._is_leaving = False
        """Whether farewell is said: when its last message is answered, it is over."""
        self._is_closing = False
        self._is_old = False
        self._explains = False
        self._seat: Seat = 0
        self._narrator: Narrator | None = None
        self._now = 0.0
        """The last instant that was told."""
        self._seq = 0
        self._queue: deque[OutgoingMessage] = deque()
        """Messages that are not sent yet."""
        self._outstanding: OutgoingMessage | None = None
        """The message that is sent, and whose reply is awaited."""
        self._last: OutgoingMessage | None = None
        """The last message that wants a reply: questions hang on it."""
        self._last_dapai: OutgoingMessage | None = None
        self._asked: tuple[int, OutgoingMessage] | None = None
        """The last question, by the table's number, and the message that it hung on."""
        self._declaring: int | None = None
        """The number of ``tenpai?``, while that is open."""
        self._given_up: int | None = None
        """The ``seq`` whose reply was overdue last."""
        self._has_replied = False
        """Whether a reply has come since the client was last taken for ready without one."""

    # What the client says

    def receive(self, message: bytes, now: float) -> Received:
        """Take one message."""
        self._now = now
        if self._is_closing:
            return Stale(Staleness.CLOSING)
        if self._is_behind:
            return self._violated()
        if not self._is_introduced:
            return self._receive_hello(message)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        try:
            reply = read_reply(message, is_old=self._is_old)
        except WireError:
            return self._receive_unreadable()
        return self._receive_reply(reply)

    def _receive_hello(self, message: bytes) -> Received:
        try:
            hello = read_hello(message)
        except WireError as error:
            return Violated(str(error))
        self._is_introduced = True
        self._is_old, self._explains = hello.is_old, hello.explain
        return Introduced(hello.introduction)

    def _receive_unreadable(self) -> Received:
        """What cannot be read has no ``seq``: it stands for the answer where one is awaited."""
        message = self._outstanding
        if message is None or message.open is None:
            return Stale(Staleness.UNREADABLE)
        number = message.open.number
        self._settle(message)
        return Unreadable(number)

    def _receive_reply(self, reply: Reply) -> Received:
        """Take a reply, which must be that to the message that is out."""
        message = self._outstanding
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
        """Wait for the reply to a message no longer: the next one may go out."""
        message.is_over = True
        message.open = None
        self._outstanding = self._given_up = None

    def _after(self, message: OutgoingMessage) -> Received | None:
        """Return what follows from a message that is over, if anything."""
        if message is self._last_dapai and self._declaring is not None:
            return self._declare(message)
        if message.told.type == "jieju":
            self._end(message.told.content)
        return Farewell() if self._has_left else None

    def _declare(self, dapai: OutgoingMessage) -> Answered:
        """Answer ``tenpai?`` with what was said to the last discard."""
        assert self._declaring is not None
        number, self._declaring = self._declaring, None
        return Answered(number, Claim(Verb.YES if dapai.declares else Verb.NO))

    def _end(self, paipu: Content) -> None:
        """A game is over, and the client knows it."""
        return

    # What is done of its own accord

    def due(self) -> float | None:
        """Return when a reply is overdue; at once where something can be answered without one."""
        if self._is_closing:
            return None
        if self._is_behind or self._can_declare or self._has_left:
            return self._now
        return None if self._outstanding is None else self._outstanding.deadline

    def tick(self, now: float) -> Received | None:
        """Go on without a reply that is overdue; say what was said already, or what silence means."""
        self._now = now
        message = self._outstanding
        if self._is_closing:
            return None
        if self._is_behind:
            return self._violated()
        if self._last_dapai is not None and self._can_declare:
            return self._declare(self._last_dapai)
        if message is None:
            return Farewell() if self._has_left else None
        if message.deadline is None or now < message.deadline:
            return None
        asked = message.open
        self._stop_awaiting(message)
        if asked is not None:
            self._has_replied = False
            return Answered(asked.number, READY)
        return self._after(message)

    def _stop_awaiting(self, message: OutgoingMessage) -> None:
        self._settle(message)
        self._given_up = message.seq

    @property
    def _can_declare(self) -> bool:
        """Whether ``tenpai?`` is open, and no reply to the last discard can come any more."""
        return self._declaring is not None and self._last_dapai is not None and self._last_dapai.is_over

    @property
    def _is_behind(self) -> bool:
        return len(self._queue) > MAX_BEHIND

    @property
    def _has_left(self) -> bool:
        """Whether farewell is said, and everything before it answered."""
        return self._is_leaving and self._outstanding is None and not self._queue

    def _violated(self) -> Received:
        self._queue.clear()
        return Violated(f"more than {MAX_BEHIND} messages wait for replies to earlier ones")

    # What the server says

    def greet(self) -> None:
        """Say nothing: the client speaks first."""

    def tell(self, telling: OutgoingEvent, now: float) -> None:
        """Tell an event."""
        self._now = now
        assert self._narrator is not None, "told before it sits"
        told = self._narrator.tell(telling.seen_by(self._seat))
        if told is not None:
            self._enqueue(told)

    def _enqueue(self, told: EventMessage) -> None:
        """Put a message behind those that wait, or before the last of them."""
        if not told.wants_reply:
            if told.ahead and self._queue and self._queue[-1] is self._last:
                self._queue.insert(len(self._queue) - 1, OutgoingMessage(told, None))
            else:
                self._queue.append(OutgoingMessage(told, None))
            return
        self._seq = 1 if told.type == "kaiju" else self._seq + 1
        self._last = OutgoingMessage(told, self._seq)
        self._queue.append(self._last)
        if told.type == "dapai":
            self._last_dapai = self._last

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Hang a question on the message that was told last; ``tenpai?`` on the last discard."""
        self._now = now
        if question is not None and question.phase is Phase.DECLARE:
            self._declaring = number
            return
        message = self._last
        assert message is not None, "asked before anything was told"
        self._asked = number, message
        message.open = AttachedQuestion(number, question, move, bank, now)
        if message is self._outstanding:
            message.wait(now, reads=self._has_replied)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Let a reply decide nothing any more; one that was late is not waited for."""
        self._now = now
        if self._declaring == number:
            self._declaring = None
        if self._asked is None or self._asked[0] != number:
            return
        message = self._asked[1]
        message.open = None
        if message is self._outstanding:
            if by_time:
                self._stop_awaiting(message)
            else:
                message.wait(now, reads=False)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Say why an answer was refused, to a client that wants to know."""
        self._now = now
        if self._explains and self._asked is not None and self._asked[0] == number:
            self._send_object("refused", {"seq": self._asked[1].seq, "reason": reason.value})

    def bye(self) -> None:
        """Let what is left go out at once; when the last of it is answered, everything is said."""
        self._is_leaving = True
        self._let_go()

    def error(self, message: str) -> None:
        """Say what is wrong."""
        self.close()
        self._send_object("error", {"message": message[:MAX_ERROR]})

    def take(self) -> list[str]:
        """Return what is to be sent now."""
        self._let_go()
        return super().take()

    def _let_go(self) -> None:
        """Let messages go out until one of them wants a reply, or all when it is time to leave."""
        while self._queue and (self._outstanding is None or self._is_leaving):
            message = self._queue.popleft()
            self._send(message)
            if message.seq is not None:
                self._outstanding = message
                message.wait(self._now, reads=self._has_replied)

    def _send(self, message: OutgoingMessage) -> None:
        rest: dict[str, object] = {} if message.seq is None else {"seq": message.seq}
        timer = message.timer(self._now)
        if timer is not None:
            rest["timer"] = timer
        self._send_object(message.told.type, message.told.content, rest)

    def _send_object(self, type_: str, content: Content, rest: Content | None = None) -> None:
        """Say one message in the client's form."""
        said = {"type": type_, "data": content} if self._is_old else {type_: content}
        self._frame({**said, **(rest or {})})

    def _frame(self, content: Content) -> None:
        """Put a message among those to be sent, as it stands on the wire."""
        self._out.append(json_text.write(content))

    # Where it sits

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat."""
        self._seat = seat
        self._narrator = Narrator(seat, setting.ruleset, setting.table, is_old=self._is_old)

    def stand(self) -> None:
        """Its game is over, and it waits for another; what is left of the old one is still told."""
        self._narrator = None

    def close(self) -> None:
        """It is about to be closed."""
        self._is_closing = True
        self._queue.clear()
        self._outstanding = None


def _answer(asked: AttachedQuestion, reply: Reply) -> Received:
    """Return the answer that a reply is to a question."""
    question = asked.question
    try:
        claim = claim_of(
            reply, None if question is None else question.phase, None if question is None else question.tile
        )
    except WireError:
        return Unreadable(asked.number)
    if question is not None and claim.verb is Verb.RIICHI and not _may_riichi(question, claim):
        claim = Claim(Verb.DISCARD, claim.tiles, claim.tsumogiri)
    return Answered(asked.number, claim)


def _may_riichi(question: QuestionView, claim: Claim) -> bool:
    """Tell whether riichi may be declared with this tile: a mark that may not be is dropped, as at kobalab's."""
    kinds = {KIND_OF[action.face] for action in question.legal() if isinstance(action, Riichi)}
    return all(KIND_OF[face] in kinds for face in claim.tiles)
