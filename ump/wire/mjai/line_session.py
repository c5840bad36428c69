"""mjai line by line, as Mortal reads it from a pipe: the bot prints a line only if it has a choice.

Therefore its replies cannot be counted. Each event that needs no reply says so, with ``"can_act":false``, and a bot
that heeds this replies exactly when it is asked. The session sends the lines together when the bot may act, as in
batches. A bot may ask for the reasons of refusals at any time, with the line ``{"type":"join","explain":true}``.
"""

from __future__ import annotations

from collections import deque

from ump.model.claims import Claim, Verb
from ump.wire.mjai.events import END_GAME, MORTAL, Written
from ump.wire.mjai.piped_session import PipedSession
from ump.wire.mjai.session_base import PendingQuestion, asks_for_reasons, read_known
from ump.wire.mjai.states import CLOSING
from ump.wire.session import Answered, InStep, Introduction, Received, Stale, Staleness

_CANNOT_ACT = '"can_act":false'


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
            fields = [_CANNOT_ACT] * len(released)
            if self._open is not None:
                fields[-1] = ""
            if ack := self._take_ack():
                fields[0] = f"{fields[0]},{ack}" if fields[0] else ack
            self._out += [message.extended(added) for message, added in zip(released, fields, strict=True)]
        return super().take()

    def receive(self, message: bytes, now: float) -> Received:
        """Take one line: the reply to the line on which the bot can act."""
        self._now = now
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if not message.strip():
            return Stale(Staleness.EMPTY)
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
        if not self._has_dropped:
            self._missed.append(Stale(Staleness.LATE) if by_time else InStep())


class LineSessionOfThree(LineSession):
    """The same for bots that play games of three as Mortal's family does."""

    __slots__ = ()
    DIALECT = "mjai line by line with nukidora"
    WORDING = MORTAL.of_three
