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
from ump.wire.json_text import resume_of, secret_of, write
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
    Introduction,
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
        if number not in (self.ready, None if self.open is None else self.open.number):
            return False
        self.open = self.ready = None
        return True


class LockstepSession(MjaiSession):
    """One connection in lock-step."""

    __slots__ = ("_is_returning", "_missed", "_outbox", "_seat_token", "_wants_token")
    DIALECT = "mjai in lock-step"

    def __init__(self) -> None:
        super().__init__()
        self._outbox: Outbox[_Line] = Outbox(MAX_WAITING)
        self._missed = 0
        """The number of replies that were given up and may still come."""
        self._wants_token = False
        self._seat_token: str | None = None
        """The token for the client, until ``start_game`` tells it."""
        self._is_returning = False
        """Whether the client still reads what has happened before it came back. The last message on which a seat may
        be asked, and all after it, are held back until it has replied to the others: the table asks it then."""

    @property
    def wants_token(self) -> bool:
        """Whether the ``join`` has ``resume``."""
        return self._wants_token

    @property
    def is_behind(self) -> bool:
        """Whether a returning client has not replied to everything yet that it was told again."""
        return self._is_returning and not self._is_held_back

    def greet(self) -> None:
        """Send the hello."""
        self._out.append(write({"type": "hello", "protocol": "mjsonp", "protocol_version": PROTOCOL_VERSION}))

    def take(self) -> list[str]:
        """Return the messages to send now: the next one, unless a reply is awaited."""
        outbox = self._outbox
        if outbox.awaited is None and not (self._is_returning and self._is_held_back):
            line = outbox.next()
            if line is not None:
                outbox.await_reply(line, None if line.decides else self._now + REPLY_SECONDS)
                self._out.append(line.message.extended(self._fields_of(line)))
        return super().take()

    def _fields_of(self, line: _Line) -> str:
        """Return the fields of a message that only this client gets."""
        if self._ack is None and not line.is_past:
            return line.fields
        past = CANNOT_ACT if line.is_past and not line.decides else ""
        return ",".join(filter(None, (line.fields, past, self._take_ack())))

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
        return Stale(Staleness.NO_QUESTION) if line is None else self._take_reply(line, message)

    def _join(self, message: bytes) -> Received:
        try:
            join = read_join(message)
        except WireError as error:
            return Violated(str(error))
        self._wants_token, self._explains, self._wants_advice = join.wants_token, join.explains, join.wants_advice
        if join.has_nukidora:
            self._wording = self._wording.of_three
        self._step(ConnectionStep.INTRODUCED)
        return Introduced(join.introduction)

    def _take_reply(self, line: _Line, message: bytes) -> Received:
        if line.message.type == END_GAME:
            return Farewell() if self.state is LEAVING else IN_STEP
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
        outbox = self._outbox
        if (outbox.is_ready and not (self._is_returning and self._is_held_back)) or outbox.is_overfull:
            return self._now
        own, overdue = super().due(), outbox.overdue_at
        if own is None:
            return overdue
        return own if overdue is None else min(own, overdue)

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
        may_act = message.type in _WITH_ACTIONS and (message.actor == self._seat) == (message.type == "tsumo")
        line = _Line(message, _NO_ACTIONS if may_act else self._take_token(message))
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
        line = next((line for line in reversed(self._outbox) if self._is_about(line.message, opened)), None)
        if line is None or line.is_question:
            self._withdraw(opened)
            return
        line.open, line.is_question = opened, True
        if opened.asked.is_after_call:
            line.fields = _tiles_to_keep(opened, opened.asked.question.legal())
        else:
            offers = complete_offers(opened.asked, self._wording.kita)
            line.fields = _ACTIONS + write(offers) if offers else _NO_ACTIONS
        if advised := self._advise(opened.asked):
            write_offer = partial(complete_offer, asked=opened.asked, kita=self._wording.kita)
            line.fields += f',"advice":{write(write_advice(advised, write_offer))}'

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
        self._forget_messages()
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
        places = [place for place, line in enumerate(self._outbox) if line.message.type in _ASKABLE]
        return not places or places[-1] == 0

    def close(self) -> None:
        """Drop everything that is received from now on, and every message that waits."""
        super().close()
        self._forget_messages()

    def _forget_messages(self) -> None:
        self._outbox.drop_waiting()
        self._outbox.settle()


def _tiles_to_keep(opened: PendingQuestion, actions: Iterable[Action]) -> str:
    """Write the field with the tiles that none of these actions discards."""
    return f'"cannot_dahai":{write(cannot_dahai(opened.asked, actions))}'


@value
class Join:
    """A client's reply to the hello."""

    introduction: Introduction
    wants_token: bool
    """Whether the client wants to be able to come back to its seat."""
    explains: bool
    """Whether the client wants the reasons of refusals."""
    wants_advice: bool
    """Whether the client wants advice with its questions."""
    has_nukidora: bool
    """Whether the client reads games of three as Mortal's family does."""


def read_join(message: bytes) -> Join:
    """Read the reply to the hello. Raises WireError, with a message for the client, if it is not a valid ``join``."""
    read = read_or_none(message) or {}
    name, room = read.get("name"), read.get("room", "")
    if read.get("type") != "join" or not isinstance(name, str) or not isinstance(room, str):
        raise WireError('expected a join, as in {"type":"join","name":"alice","room":"default"}')
    check_name(name, "name")
    wants_token, token = resume_of(read)
    if "?" in room:
        raise WireError("room: parameters after '?' are not supported; each room has its own rules")
    named = None if room in ("", DEFAULT_ROOM) else check_name(room, "room")
    introduction = Introduction(name, secret_of(read, "user"), secret_of(read, "password"), named, token=token)
    explains, wants_advice, has_nukidora = (read.get(name) is True for name in ("explain", "advice", "nukidora"))
    return Join(introduction, wants_token, explains, wants_advice, has_nukidora)
