"""Sessions of bots behind pipes: events wait until the bot may act, and then go out together."""

from __future__ import annotations

from collections import deque

from ump.model.claims import Claim, Verb
from ump.wire.connection_state import LEAVING
from ump.wire.json_text import write
from ump.wire.mjai.events import END_GAME, END_KYOKU, MORTAL, START_GAME, Message, Written, reach
from ump.wire.mjai.session_base import (
    CANNOT_ACT,
    TOO_SLOW,
    MjaiSession,
    PendingQuestion,
    asks_for_reasons,
    read_known,
)
from ump.wire.outbox import Outbox
from ump.wire.session import Answered, Farewell, InStep, Introduction, Received, Stale, Staleness

MAX_WAITING = 1_000
"""Messages that may wait for a bot: a few kyoku."""


class PipedSession(MjaiSession):
    """A bot on the other end of a pipe. It sends no hello."""

    __slots__ = ("_outbox", "_released")

    def __init__(self, introduction: Introduction) -> None:
        """Begin with the introduction that such a bot does not send itself."""
        super().__init__()
        self._introduce(introduction)
        self._outbox: Outbox[Written] = Outbox(MAX_WAITING)
        self._released = 0
        """The number of waiting messages, counted from the first, that may go out."""

    def _send_event(self, message: Written) -> None:
        self._outbox.add(message)

    def _send_question(self, opened: PendingQuestion) -> None:
        """Release all messages up to the one of the question. Later ones (a dora) go out with the next question."""
        if self._pass_if_alone(opened):
            return
        count = 0
        for place, message in enumerate(self._outbox, 1):
            if self._is_about(message, opened):
                count = place
        if count:
            self._released = count
        else:
            self._withdraw(opened)

    def _echo_riichi(self, opened: PendingQuestion) -> None:
        self._outbox.add_first(reach(self._seat))
        self._released = 1

    def _release_all(self) -> None:
        """Let all messages go out that wait."""
        self._released = len(self._outbox)

    def _take_released(self) -> list[Written]:
        """Remove the released messages from those that wait, and return them; none while a reply is awaited."""
        released: list[Written] = []
        while self._released and self._outbox.awaited is None:
            message = self._outbox.next()
            if message is not None:
                released.append(message)
            self._released -= 1
        return released

    def close(self) -> None:
        """Drop everything that is received from now on, and every message that waits."""
        super().close()
        self._outbox.clear()
        self._released = 0


# Bots that read lines, as Mortal does


class LineSession(PipedSession):
    """A bot that reads lines and replies to those on which it can act."""

    __slots__ = ("_has_dropped", "_missed")
    DIALECT = "mjai line by line"
    WORDING = MORTAL

    def __init__(self, introduction: Introduction) -> None:
        """Begin with the introduction that such a bot does not send itself."""
        super().__init__(introduction)
        self._missed: deque[Received] = deque()
        """The results of replies that may still come after their questions have closed, the next one first."""
        self._has_dropped = False
        """Whether a line came since the last question that was taken for a missed reply.

        If no reply to the last question comes, that line was the reply to it: a bot that sees no choice prints nothing
        at all, so the missed reply never came.
        """

    def take(self) -> list[str]:
        """Return the lines to send now. All but the one on which the bot can act say that it cannot."""
        released = self._take_released()
        if released:
            fields = [CANNOT_ACT] * len(released)
            if self._open is not None:
                fields[-1] = ""
            fields[0] = ",".join(filter(None, (fields[0], self._take_ack())))
            self._out += [message.extended(added) for message, added in zip(released, fields, strict=True)]
        return super().take()

    def _receive(self, message: bytes) -> Received:
        """Take one line: the reply to the line on which the bot can act."""
        if asks_for_reasons(message):
            self._explains = True
            return InStep()
        if self._missed:
            self._has_dropped = True
            return self._missed.popleft()
        if self._open is None:
            return Stale(Staleness.NO_QUESTION)
        return self._decide(self._open, read_known(message))

    def _send_question(self, opened: PendingQuestion) -> None:
        self._has_dropped = False
        super()._send_question(opened)

    def _ask_ready(self, number: int) -> None:
        """Answer yes at once, because these bots reply to nothing between two kyoku; send all that waits."""
        self._release_all()
        self._at_once.append(Answered(number, Claim(Verb.YES)))

    def _send_event(self, message: Written) -> None:
        super()._send_event(message)
        if message.type == END_GAME:
            self._release_all()

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        self._expect_late(by_time=True)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question. Its reply may still come, and must not count as the reply to the next question."""
        is_open = self._open is not None and self._open.number == number
        super().lapse(number, now, by_time=by_time)
        if is_open:
            self._expect_late(by_time=by_time)

    def _expect_late(self, *, by_time: bool) -> None:
        """Expect the reply to the question that closes, unless it seems to have come already."""
        if self._has_dropped:
            return
        if by_time:
            self._missed.append(Stale(Staleness.LATE))
        else:
            self._missed.append(InStep())


class LineSessionOfThree(LineSession):
    """The same for bots that play games of three as Mortal's family does."""

    __slots__ = ()
    DIALECT = "mjai line by line with nukidora"
    WORDING = MORTAL.of_three


# Bots that read batches, as those for mjai.app do


_LEFT_OUT = frozenset(("hora", "ryukyoku"))
"""Events that these bots do not receive."""

_BETWEEN = frozenset((START_GAME, END_KYOKU, END_GAME))
"""Events outside a kyoku. After them a bot has nothing to decide."""


def _is_between(message: Written) -> bool:
    """Tell whether a bot still receives an event after the kyoku in which it happened."""
    return message.type in _BETWEEN


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

    def _receive(self, message: bytes) -> Received:
        """Take one line: the reply to the array that is out."""
        last = self._outbox.settle()
        if last is None:
            return Stale(Staleness.NO_QUESTION)
        return self._take_reply(last, message)

    def _take_reply(self, last: Written, message: bytes) -> Received:
        """Return the result of the reply to an array that ended with ``last``."""
        opened, self._question_out = self._question_out, None
        if last.type == END_GAME:
            if self.state is LEAVING:
                return Farewell()
            return InStep()
        if self._ready is not None and last.type in _BETWEEN:
            number, self._ready = self._ready, None
            return Answered(number, Claim(Verb.YES))
        reply = read_known(message)
        if opened is not None and opened is self._open:
            return self._decide(opened, reply)
        if reply is None:
            return Stale(Staleness.UNREADABLE)
        return InStep()

    # Time

    def due(self) -> float | None:
        """Return when to call ``tick`` or ``take`` next."""
        if (self._released and self._outbox.awaited is None) or self._outbox.is_overfull:
            return self._now
        return super().due()

    def tick(self, now: float) -> Received | None:
        """Return the next answer that needs no reply; give up a bot that replies to nothing any more."""
        received = super().tick(now)
        if received is None and self._outbox.is_overfull:
            return TOO_SLOW
        return received

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
