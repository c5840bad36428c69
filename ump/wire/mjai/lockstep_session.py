"""mjai in lock-step, as the server of gimite/mjai speaks it over TCP: every message wants exactly one reply.

One message at a time is out; what happens meanwhile waits in a queue. A reply that decides keeps the table's clock,
which runs from the asking, whatever the client still owes. Any other reply has a deadline of its own; when that is
over, the next message goes out, and of the lines that come one is swallowed for each reply that was missed, because
nothing but their order tells whose they are.
"""

from __future__ import annotations

from collections import deque

from ump.model.claims import Claim, Verb
from ump.model.seats import Seat
from ump.wire.json_text import read_object, write
from ump.wire.mjai.actions import cannot_dahai, complete_offers
from ump.wire.mjai.events import END_GAME, Message
from ump.wire.mjai.session_base import MjaiSession, PendingQuestion, State, read_or_none
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Introduction,
    Received,
    Stale,
    Staleness,
    TableInfo,
    Violated,
)
from ump.wire.text import WireError, check_name

REPLY_SECONDS = 5.0
"""How long a reply that decides nothing may take."""

MAX_WAITING = 300
"""Messages that may wait for the client at once: more than the longest kyoku has."""

PROTOCOL_VERSION = 3
DEFAULT_ROOM = "default"
"""How every client names the only room of gimite's server."""

_HINTED = frozenset(("tsumo", "dahai", "kakan"))
"""What is told with the list of possible actions, to those whom it may concern."""


class _Line:
    """A message, and what its reply is for."""

    __slots__ = ("content", "is_question", "open", "ready")

    def __init__(self, content: Message) -> None:
        self.content = content
        self.open: PendingQuestion | None = None
        """The question that the reply decides, while it is open."""
        self.ready: int | None = None
        """The number of the question who is ready, if the reply answers that."""
        self.is_question = False
        """Whether it was one, even if it is not any more."""

    @property
    def is_waited_for(self) -> bool:
        """Whether the table's clock runs for the reply."""
        return self.open is not None or self.ready is not None

    def close(self, number: int) -> bool:
        """Let the reply decide nothing; tell whether it would have answered the question of this number."""
        if number not in (self.ready, None if self.open is None else self.open.number):
            return False
        self.open = self.ready = None
        return True


class LockstepSession(MjaiSession):
    """One connection in lock-step."""

    __slots__ = ("_missed", "_owed", "_owed_until", "_queue")

    def __init__(self) -> None:
        super().__init__()
        self._queue: deque[_Line] = deque()
        """What waits until the client has replied to all before it."""
        self._owed: _Line | None = None
        """What is out and waits for its reply."""
        self._owed_until = 0.0
        """When that reply is overdue, if it decides nothing."""
        self._missed = 0
        """Replies that were not waited for and may still come."""

    def greet(self) -> None:
        """Say hello."""
        self._out.append(write({"type": "hello", "protocol": "mjsonp", "protocol_version": PROTOCOL_VERSION}))

    def take(self) -> list[str]:
        """Return what is to be sent now: the next message, if nothing is out."""
        if self._owed is None and self._queue:
            self._owed = self._queue.popleft()
            self._owed_until = self._now + REPLY_SECONDS
            self._out.append(write(self._owed.content))
        return super().take()

    # What the client says

    def receive(self, message: bytes, now: float) -> Received:
        """Take one line; in lock-step it replies to the one message that is out, whatever it holds."""
        self._now = now
        if self.state is State.CLOSING:
            return Stale(Staleness.CLOSING)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        if self.state is State.HELLO:
            return self._join(message)
        if len(self._queue) > MAX_WAITING:
            return _TOO_SLOW
        if self._missed:
            self._missed -= 1
            return Stale(Staleness.LATE)
        line, self._owed = self._owed, None
        return Stale(Staleness.NO_QUESTION) if line is None else self._take_reply(line, message)

    def _join(self, message: bytes) -> Received:
        try:
            introduction = read_join(message)
        except WireError as error:
            return Violated(str(error))
        self.state = State.LOBBY
        return Introduced(introduction)

    def _take_reply(self, line: _Line, message: bytes) -> Received:
        if line.content["type"] == END_GAME:
            return Farewell() if self._is_leaving else InStep()
        if line.ready is not None:
            return Answered(line.ready, Claim(Verb.YES))
        reply = read_or_none(message)
        if line.open is not None and line.open is self._open:
            return self._decide(line.open, reply)
        if reply is None:
            return Stale(Staleness.UNREADABLE)
        if line.is_question or reply.get("type") == "none":
            return InStep()
        return Stale(Staleness.NO_QUESTION)

    # Time

    def due(self) -> float | None:
        """Return when something is to be done: a message that may go out, a reply that is overdue."""
        own = super().due()
        if self._owed is None:
            return self._now if self._queue else own
        if len(self._queue) > MAX_WAITING:
            return self._now
        if self._owed.is_waited_for:
            return own
        return self._owed_until if own is None else min(own, self._owed_until)

    def tick(self, now: float) -> Received | None:
        """Go on without a reply that is overdue. That to the end of the game may be left out."""
        received = super().tick(now)
        if received is not None:
            return received
        if len(self._queue) > MAX_WAITING:
            return _TOO_SLOW
        owed = self._owed
        if owed is not None and not owed.is_waited_for and now >= self._owed_until:
            self._miss()
        return None

    def _miss(self) -> None:
        """Wait no longer for the reply to what is out."""
        if self._owed is not None and self._owed.content["type"] != END_GAME:
            self._missed += 1
        self._owed = None

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        self._miss()

    # What the server says

    def _send_event(self, message: Message) -> None:
        if message["type"] in _HINTED and (message["actor"] == self._seat) == (message["type"] == "tsumo"):
            message["possible_actions"] = []
        self._queue.append(_Line(message))

    def _send_question(self, opened: PendingQuestion) -> None:
        line = next((line for line in reversed(self._queue) if self._is_about(line.content, opened)), None)
        if line is None or line.is_question:
            self._withdraw(opened)
            return
        line.open, line.is_question = opened, True
        if opened.asked.is_after_call:
            line.content["cannot_dahai"] = cannot_dahai(opened.asked, opened.asked.question.legal())
        else:
            line.content["possible_actions"] = complete_offers(opened.asked)

    def _ask_ready(self, number: int) -> None:
        """Let the reply to what begins the game or ends the kyoku say that the client is ready."""
        if self._queue:
            self._queue[-1].ready = number
        else:
            self._at_once.append(Answered(number, Claim(Verb.YES)))

    def _echo_riichi(self, opened: PendingQuestion) -> None:
        """Tell the client its riichi. Nothing waits before it: nothing is told while it is asked."""
        line = _Line({"type": "reach", "actor": self._seat, "cannot_dahai": cannot_dahai(opened.asked, opened.riichi)})
        line.open, line.is_question = opened, True
        self._queue.appendleft(line)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question. What is not sent offers nothing any more; a reply that was due by now was missed."""
        super().lapse(number, now, by_time=by_time)
        for line in self._queue:
            if line.close(number) and "possible_actions" in line.content:
                line.content["possible_actions"] = []
        if self._owed is not None and self._owed.close(number):
            self._owed_until = now + REPLY_SECONDS
            if by_time:
                self._miss()

    # Where it sits

    def sit(self, seat: Seat, setting: TableInfo) -> None:
        """It has a seat; what an earlier game left is forgotten."""
        super().sit(seat, setting)
        self._drop()
        self._missed = 0

    def close(self) -> None:
        """It is about to be closed; what waits is not sent any more."""
        super().close()
        self._drop()

    def _drop(self) -> None:
        self._queue.clear()
        self._owed = None


def read_join(message: bytes) -> Introduction:
    """Read the reply to the hello; raises WireError, with a message for the client, where it is no ``join``."""
    try:
        read = read_object(message)
    except WireError as error:
        raise WireError('a join was expected, as in {"type":"join","name":"alice","room":"default"}') from error
    name, room = read.get("name"), read.get("room", "")
    if read.get("type") != "join" or not isinstance(name, str) or not isinstance(room, str):
        raise WireError('a join was expected, as in {"type":"join","name":"alice","room":"default"}')
    check_name(name, "name")
    if room in ("", DEFAULT_ROOM):
        return Introduction(name=name)
    if "?" in room:
        raise WireError("no such room: what is played is the room's own affair")
    return Introduction(name=name, room=check_name(room, "room"))


_TOO_SLOW = Violated("too many messages wait for a reply")
