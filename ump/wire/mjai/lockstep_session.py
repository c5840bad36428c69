"""mjai in lock-step, as the server of gimite/mjai speaks it over TCP: every message needs exactly one reply.

One message is out at a time; later ones wait in an outbox. If the reply decides something, the table's clock runs for
it from the moment the table asks, even if the client owes earlier replies. Every other reply has a deadline of its own.
When that has passed, the next message goes out, and the session later drops one line for each missed reply, because
only their order tells which message they answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.seats import Seat
from ump.model.value import value
from ump.wire.connection_state import HELLO, LEAVING, ConnectionStep
from ump.wire.json_hello import JsonHello, read_hello_fields
from ump.wire.json_text import write
from ump.wire.mjai.actions import cannot_dahai, complete_offer, complete_offers, write_advice
from ump.wire.mjai.events import END_GAME, END_KYOKU, START_GAME, Written, reach
from ump.wire.mjai.session_base import (
    ASKED_ABOUT,
    CANNOT_ACT,
    TOO_SLOW,
    MjaiSession,
    PendingQuestion,
    read_known,
    read_or_none,
)
from ump.wire.names import check_name
from ump.wire.outbox import REPLY_SECONDS, Outbox
from ump.wire.session import (
    IN_STEP,
    Answered,
    Farewell,
    Introduced,
    Received,
    Stale,
    Staleness,
    TableInfo,
    Violated,
)
from ump.wire.text import WireError

MAX_WAITING = 300
"""Messages that may wait for the client: more than the longest kyoku has."""

PROTOCOL_VERSION = 3
DEFAULT_ROOM = "default"
"""The name that every client gives to the only room of gimite's server."""

_WITH_ACTIONS = frozenset(("tsumo", "dahai", "kakan"))
"""The messages that list the possible actions, for the seats that may act on them."""

_ACTIONS = '"possible_actions":'
_ASKABLE = frozenset((START_GAME, END_KYOKU)).union(*ASKED_ABOUT.values())
"""The messages that a question of any seat may belong to."""

_NO_ACTIONS = _ACTIONS + "[]"
"""The field of a message on which its receiver might act, but cannot."""


class _Line:
    """A message, with the question that its reply decides."""

    __slots__ = ("fields", "is_past", "is_question", "message", "open", "ready")

    def __init__(self, message: Written, fields: str = "") -> None:
        self.message = message
        self.fields = fields
        """The fields that only this receiver gets: the actions that it may take, or the tiles that it must keep."""
        self.open: PendingQuestion | None = None
        """The question that the reply decides, while it is open."""
        self.ready: int | None = None
        """The number of the question whether the client is ready, if the reply answers that."""
        self.is_question = False
        """Whether the message has asked a question, open or not."""
        self.is_past = False
        """Whether a returning client receives it: a question that it asked is closed, or will be asked anew."""

    @property
    def decides(self) -> bool:
        """Whether the reply decides something, so that the table's clock runs for it."""
        return self.open is not None or self.ready is not None

    def close(self, number: int) -> bool:
        """Let the reply decide nothing any more, if it would decide this question; tell whether it would."""
        is_open = self.open is not None and self.open.number == number
        if not is_open and self.ready != number:
            return False
        self.open = self.ready = None
        return True


class LockstepSession(MjaiSession):
    """One connection in lock-step."""

    __slots__ = ("_hello", "_is_returning", "_missed", "_outbox", "_seat_token")
    DIALECT = "mjai in lock-step"

    def __init__(self) -> None:
        super().__init__()
        self._outbox: Outbox[_Line] = Outbox(MAX_WAITING)
        self._missed = 0
        """The number of replies that were given up and may still come."""
        self._hello = JsonHello()
        self._seat_token: str | None = None
        """The token for the client, until ``start_game`` tells it."""
        self._is_returning = False
        """Whether the client still reads what has happened before it came back. The last message on which a seat may
        be asked, and all after it, are held back until it has replied to the others: the table asks it then."""

    @property
    def wants_token(self) -> bool:
        """Whether the ``join`` has ``resume``."""
        return self._hello.wants_token

    @property
    def is_behind(self) -> bool:
        """Whether a returning client has not replied to everything yet that it was told again."""
        return self._is_returning and not self._is_held_back

    def greet(self) -> None:
        """Send the hello."""
        self._out.append(write({"type": "hello", "protocol": "mjsonp", "protocol_version": PROTOCOL_VERSION}))

    def take(self) -> list[str]:
        """Return the messages to send now: the next one, unless a reply is awaited."""
        if self._can_send:
            line = self._outbox.next()
            if line is not None:
                self._await_reply(line)
                self._out.append(line.message.extended(self._fields_of(line)))
        return super().take()

    @property
    def _can_send(self) -> bool:
        """Whether a message waits that may go out now."""
        return self._outbox.is_ready and not self._is_held_back

    def _await_reply(self, line: _Line) -> None:
        """Await the reply to a message, for as long as the table waits or for a time of its own."""
        overdue_at = None
        if not line.decides:
            overdue_at = self._now + REPLY_SECONDS
        self._outbox.await_reply(line, overdue_at)

    def _fields_of(self, line: _Line) -> str:
        """Return the fields of a message that only this client gets."""
        fields = [line.fields]
        if line.is_past and not line.decides:
            fields.append(CANNOT_ACT)
        if self._ack is not None:
            fields.append(self._take_ack())
        return ",".join(filter(None, fields))

    # Messages from the client

    def _receive(self, message: bytes) -> Received:
        """Take one line, readable or not: the reply to the message that is out."""
        if self.state is HELLO:
            return self._join(message)
        if self._outbox.is_overfull:
            return TOO_SLOW
        if self._missed:
            self._missed -= 1
            return Stale(Staleness.LATE)
        line = self._outbox.settle()
        if line is None:
            return Stale(Staleness.NO_QUESTION)
        return self._take_reply(line, message)

    def _join(self, message: bytes) -> Received:
        try:
            join = read_join(message)
        except WireError as error:
            return Violated(str(error))
        self._hello = join.hello
        self._explains = join.hello.explains
        self._wants_advice = join.wants_advice
        if join.has_nukidora:
            self._wording = self._wording.of_three
        self._step(ConnectionStep.INTRODUCED)
        return Introduced(join.hello.introduction)

    def _take_reply(self, line: _Line, message: bytes) -> Received:
        if line.message.type == END_GAME:
            if self.state is LEAVING:
                return Farewell()
            return IN_STEP
        if line.ready is not None:
            return Answered(line.ready, Claim(Verb.YES))
        reply = read_known(message)
        if line.open is not None and line.open is self._open:
            return self._decide(line.open, reply)
        if reply is None:
            return Stale(Staleness.UNREADABLE)
        if line.is_question or line.is_past or reply.get("type") == "none":
            return IN_STEP
        return Stale(Staleness.NO_QUESTION)

    # Time

    def due(self) -> float | None:
        """Return when to call ``tick`` or ``take`` next: a message can go out, or a reply is overdue."""
        if self._can_send or self._outbox.is_overfull:
            return self._now
        dues = (super().due(), self._outbox.overdue_at)
        return min((due for due in dues if due is not None), default=None)

    def tick(self, now: float) -> Received | None:
        """Give up an overdue reply, so that the next message can go out."""
        received = super().tick(now)
        if received is not None:
            return received
        if self._outbox.is_overfull:
            return TOO_SLOW
        if self._outbox.is_overdue(now):
            self._give_up_reply()
            if self._is_held_back:
                return IN_STEP  # the table can go on
        return None

    def _give_up_reply(self) -> None:
        """Stop waiting for the reply, but expect it late. Clients may leave out the reply to the end of the game."""
        line = self._outbox.settle()
        if line is not None and line.message.type != END_GAME:
            self._missed += 1

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        self._give_up_reply()

    # Messages to the client

    def _send_event(self, message: Written) -> None:
        fields = self._take_token(message)
        if message.type in _WITH_ACTIONS and (message.actor == self._seat) == (message.type == "tsumo"):
            fields = _NO_ACTIONS
        line = _Line(message, fields)
        line.is_past = self._is_returning
        self._outbox.add(line)
        if message.type == END_GAME:
            self._is_returning = False

    def _take_token(self, message: Written) -> str:
        """Return the field that tells the client its token, in the message that starts its game, or ""."""
        if self._seat_token is None or message.type != START_GAME:
            return ""
        token, self._seat_token = self._seat_token, None
        return f'"resume":"{token}"'

    def _send_question(self, opened: PendingQuestion) -> None:
        line = self._line_about(opened)
        if line is None or line.is_question:
            self._withdraw(opened)
            return
        line.open, line.is_question = opened, True
        if opened.asked.is_after_call:
            line.fields = _tiles_to_keep(opened, opened.asked.question.legal())
        else:
            line.fields = _ACTIONS + write(complete_offers(opened.asked, self._wording.kita))
        if advised := self._advise(opened.asked):
            write_offer = partial(complete_offer, asked=opened.asked, kita=self._wording.kita)
            line.fields += f',"advice":{write(write_advice(advised, write_offer))}'

    def _line_about(self, opened: PendingQuestion) -> _Line | None:
        """Return the last message that waits to which a question may belong."""
        for line in reversed(self._outbox):
            if self._is_about(line.message, opened):
                return line
        return None

    def _ask_ready(self, number: int) -> None:
        """Let the reply to the last message say that the client is ready; if none waits, the client is ready."""
        line = self._outbox.last()
        if line is None:
            self._at_once.append(Answered(number, Claim(Verb.YES)))
        else:
            line.ready = number

    def _echo_riichi(self, opened: PendingQuestion) -> None:
        """Send the client its riichi. No message waits before it: no event comes while the question is open."""
        line = _Line(reach(self._seat), _tiles_to_keep(opened, opened.riichi))
        line.open, line.is_question = opened, True
        self._outbox.add_first(line)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question.

        A message that waits offers no action any more. If the message is out, its reply decides nothing; after a lapse
        by time the reply is given up at once.
        """
        super().lapse(number, now, by_time=by_time)
        for line in self._outbox:
            if line.close(number) and line.fields.startswith(_ACTIONS):
                line.fields = _NO_ACTIONS
        awaited = self._outbox.awaited
        if awaited is not None and awaited.close(number):
            self._outbox.overdue_at = now + REPLY_SECONDS
            if by_time:
                self._give_up_reply()

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat, and forget all that an earlier game left."""
        super().sit(seat, table)
        self._outbox.clear()
        self._missed = 0
        self._seat_token = table.token
        self._is_returning = table.is_return

    def caught_up(self) -> None:
        """Let the messages go out that were held back."""
        self._is_returning = False

    @property
    def _is_held_back(self) -> bool:
        """Whether a returning client has replied to all but the message that its open question may belong to."""
        if not self._is_returning or self._outbox.awaited is not None:
            return False
        for place, line in enumerate(self._outbox):
            if place > 0 and line.message.type in _ASKABLE:
                return False
        return True

    def close(self) -> None:
        """Drop everything that is received from now on, and every message that waits."""
        super().close()
        self._outbox.clear()


def _tiles_to_keep(opened: PendingQuestion, actions: Iterable[Action]) -> str:
    """Write the field with the tiles that none of these actions discards."""
    return f'"cannot_dahai":{write(cannot_dahai(opened.asked, actions))}'


@value
class Join:
    """A client's reply to the hello."""

    hello: JsonHello
    wants_advice: bool
    """Whether the client wants advice with its questions."""
    has_nukidora: bool
    """Whether the client reads games of three as Mortal's family does."""


def read_join(message: bytes) -> Join:
    """Read the reply to the hello. Raises WireError, with a message for the client, if it is not a valid ``join``."""
    join = read_or_none(message) or {}
    name, room = join.get("name"), join.get("room", "")
    if join.get("type") != "join" or not isinstance(name, str) or not isinstance(room, str):
        raise WireError('expected a join, as in {"type":"join","name":"alice","room":"default"}')
    check_name(name, "name")
    hello = read_hello_fields(join, name=name, room=_room_of(room))
    return Join(hello, wants_advice=join.get("advice") is True, has_nukidora=join.get("nukidora") is True)


def _room_of(text: str) -> str | None:
    """Return the room that a client names, or None for the first one; raise WireError for an invalid name."""
    if "?" in text:
        raise WireError("room: parameters after '?' are not supported; each room has its own rules")
    if text in ("", DEFAULT_ROOM):
        return None
    return check_name(text, "room")
