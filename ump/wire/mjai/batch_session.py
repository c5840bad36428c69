"""mjai in batches, as bots for mjai.app read it from a pipe: what happened since they could last act, as one array.

Such a bot replies to each array with one object: it gets one where it may act (the last element is its own draw, call
or riichi, or another's tile), one when a game begins, and one when a kyoku or the game ends. It hears neither ``hora``
nor ``ryukyoku``: the scores stand in the next ``start_kyoku``. A pipe loses no reply: what is late is waited for, and
what happens meanwhile comes with the next array.
"""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.claims import Claim, Verb
from ump.wire.json_text import write
from ump.wire.mjai.events import END_GAME, END_KYOKU, Message
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
    Violated,
)

MAX_WAITING = 1_000
"""Messages that may wait for a bot at once: some kyoku."""

_UNHEARD = frozenset(("hora", "ryukyoku"))
_BETWEEN = frozenset(("start_game", END_KYOKU, END_GAME))
"""What is told of a kyoku that a bot cannot act in any more, and between two."""


class PipedSession(MjaiSession):
    """A bot behind a pipe: it has no hello, and hears what happened when it is to act."""

    __slots__ = ("_due", "_waiting")

    def __init__(self, introduction: Introduction) -> None:
        super().__init__()
        self.state = State.LOBBY
        self._at_once.append(Introduced(introduction))
        self._waiting: list[Message] = []
        """What has happened and was not sent yet."""
        self._due = 0
        """How many of these are to be sent now."""

    def _send_event(self, message: Message) -> None:
        self._waiting.append(message)

    def _send_question(self, opened: PendingQuestion) -> None:
        """Send all up to the message that the question belongs to. What came with it (a dora) follows later."""
        if self._pass_if_alone(opened):
            return
        places = [place for place, message in enumerate(self._waiting) if self._is_about(message, opened)]
        if places:
            self._due = places[-1] + 1
        else:
            self._withdraw(opened)

    def _echo_riichi(self, opened: PendingQuestion) -> None:
        self._waiting.insert(0, {"type": "reach", "actor": self._seat})
        self._due = 1

    def close(self) -> None:
        """It is about to be closed; what waits is not sent any more."""
        super().close()
        self._waiting.clear()
        self._due = 0

    def _sent(self) -> list[Message]:
        """Return what is to be sent now; it waits no longer."""
        sent, self._waiting = self._waiting[: self._due], self._waiting[self._due :]
        self._due = 0
        return sent


class BatchSession(PipedSession):
    """A bot that reads arrays, and replies to each."""

    __slots__ = ("_owes", "_owes_question", "_ready")

    def __init__(self, introduction: Introduction) -> None:
        super().__init__(introduction)
        self._owes: Message | None = None
        """The last element of the array that waits for its reply."""
        self._owes_question: PendingQuestion | None = None
        """What that reply decides."""
        self._ready: int | None = None
        """The number of the question who is ready, while it is open."""

    def take(self) -> list[str]:
        """Return what is to be sent now: an array, if the bot has replied to the one before it."""
        if self._owes is None and self._due:
            sent = self._sent()
            self._owes, self._owes_question = sent[-1], self._open
            self._out.append(write([*sent]))
        return super().take()

    # What the bot says

    def receive(self, message: bytes, now: float) -> Received:
        """Take one line: the reply to the array that is out."""
        self._now = now
        if self.state is State.CLOSING:
            return Stale(Staleness.CLOSING)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        owes, self._owes = self._owes, None
        return Stale(Staleness.NO_QUESTION) if owes is None else self._take_reply(owes, message)

    def _take_reply(self, owes: Message, message: bytes) -> Received:
        opened, self._owes_question = self._owes_question, None
        if owes["type"] == END_GAME:
            return Farewell() if self._is_leaving else InStep()
        if self._ready is not None and owes["type"] in _BETWEEN:
            number, self._ready = self._ready, None
            return Answered(number, Claim(Verb.YES))
        reply = read_or_none(message)
        if opened is not None and opened is self._open:
            return self._decide(opened, reply)
        return Stale(Staleness.UNREADABLE) if reply is None else InStep()

    # Time

    def due(self) -> float | None:
        """Return when something is to be done."""
        if (self._due and self._owes is None) or len(self._waiting) > MAX_WAITING:
            return self._now
        return super().due()

    def tick(self, now: float) -> Received | None:
        """Do what is due; a bot that replies to nothing any more is given up."""
        received = super().tick(now)
        return _TOO_SLOW if received is None and len(self._waiting) > MAX_WAITING else received

    # What the server says

    def _send_event(self, message: Message) -> None:
        if message["type"] in _UNHEARD:
            return
        if message["type"] == END_KYOKU:
            self._waiting = list(_between(self._waiting))
        super()._send_event(message)
        if message["type"] in _BETWEEN:
            self._due = len(self._waiting)

    def _send_final(self, message: Message) -> None:
        self._out.append(write([message]))

    def _ask_ready(self, number: int) -> None:
        self._ready = number

    def _forget(self, number: int) -> None:
        super()._forget(number)
        if self._ready == number:
            self._ready = None
        if self._owes is not None and self._open is None:
            self._due = 0


def _between(messages: Iterable[Message]) -> Iterable[Message]:
    """Yield what is told though the kyoku in which it was told is over."""
    return (message for message in messages if message["type"] in _BETWEEN)


_TOO_SLOW = Violated("too many messages wait for a reply")
