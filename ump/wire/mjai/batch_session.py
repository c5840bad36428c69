"""mjai in batches, as bots for mjai.app read it from a pipe: one array of the events since the bot could last act.

Such a bot replies to each array with one object. It receives an array when it may act (the last element is its own
draw, call or riichi, or another's tile), when a game begins, and when a kyoku or the game ends. It receives neither
``hora`` nor ``ryukyoku``: the next ``start_kyoku`` has the scores. A pipe loses no reply, so the session waits for a
late one, and what happens meanwhile goes out with the next array.
"""

from __future__ import annotations

from ump.model.claims import Claim, Verb
from ump.wire.json_text import write
from ump.wire.mjai.events import END_GAME, END_KYOKU, START_GAME, Message, Written
from ump.wire.mjai.piped_session import PipedSession
from ump.wire.mjai.session_base import PendingQuestion, read_known
from ump.wire.mjai.states import CLOSING, State
from ump.wire.session import Answered, Farewell, InStep, Introduction, Received, Stale, Staleness, Violated

_LEFT_OUT = frozenset(("hora", "ryukyoku"))
"""Events that these bots do not receive."""

_BETWEEN = frozenset((START_GAME, END_KYOKU, END_GAME))
"""Events outside a kyoku. After them a bot has nothing to decide."""


class BatchSession(PipedSession):
    """A bot that reads arrays and replies to each of them."""

    __slots__ = ("_question_out", "_ready")
    DIALECT = "mjai in batches"

    def __init__(self, introduction: Introduction) -> None:
        """Begin with the introduction that such a bot does not send itself."""
        super().__init__(introduction)
        self._question_out: PendingQuestion | None = None
        """The question that the reply to the current array decides."""
        self._ready: int | None = None
        """The number of the question whether the bot is ready, while that is open."""

    def take(self) -> list[str]:
        """Return the messages to send now: one array, unless a reply is awaited."""
        released = self._take_released()
        if released:
            self._outbox.await_reply(released[-1])
            self._question_out = self._open
            self._out.append(f"[{','.join(message.text for message in released)}]")
        return super().take()

    # Messages from the bot

    def receive(self, message: bytes, now: float) -> Received:
        """Take one line: the reply to the array that is out."""
        self._now = now
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        last = self._outbox.settle()
        return Stale(Staleness.NO_QUESTION) if last is None else self._take_reply(last, message)

    def _take_reply(self, last: Written, message: bytes) -> Received:
        """Return the result of the reply to an array that ended with ``last``."""
        opened, self._question_out = self._question_out, None
        if last.type == END_GAME:
            return Farewell() if self.state is State.LEAVING else InStep()
        if self._ready is not None and last.type in _BETWEEN:
            number, self._ready = self._ready, None
            return Answered(number, Claim(Verb.YES))
        reply = read_known(message)
        if opened is not None and opened is self._open:
            return self._decide(opened, reply)
        return Stale(Staleness.UNREADABLE) if reply is None else InStep()

    # Time

    def due(self) -> float | None:
        """Return when to call ``tick`` or ``take`` next."""
        if (self._released and self._outbox.awaited is None) or self._outbox.is_overfull:
            return self._now
        return super().due()

    def tick(self, now: float) -> Received | None:
        """Return the next answer that needs no reply; give up a bot that replies to nothing any more."""
        received = super().tick(now)
        return _TOO_SLOW if received is None and self._outbox.is_overfull else received

    # Messages to the client

    def _send_event(self, message: Written) -> None:
        if message.type in _LEFT_OUT:
            return
        if message.type == END_KYOKU:
            self._outbox.retain(_is_between)
        self._outbox.add(message)
        if message.type in _BETWEEN:
            self._release_all()

    def _send_final(self, message: Message) -> None:
        self._out.append(write([message]))

    def _ask_ready(self, number: int) -> None:
        self._ready = number

    def _forget(self, number: int) -> None:
        super()._forget(number)
        if self._ready == number:
            self._ready = None
        if self._outbox.awaited is not None and self._open is None:
            self._released = 0


class BatchSessionOfThree(BatchSession):
    """The same for bots that play games of three as Mortal's family does."""

    __slots__ = ()
    DIALECT = "mjai in batches with nukidora"
    WORDING = BatchSession.WORDING.of_three


def _is_between(message: Written) -> bool:
    """Tell whether a bot still receives an event after the kyoku in which it happened."""
    return message.type in _BETWEEN


_TOO_SLOW = Violated("too many messages wait for a reply")
