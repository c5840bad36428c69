"""mjai line by line, as Mortal reads it from a pipe: it prints a line only where it has something to choose.

So its replies cannot be counted: each event that wants none says so, with ``"can_act":false``, and a bot that heeds
this replies exactly when it is asked. What happened is sent when it is to act, all lines together, as in batches.
"""

from __future__ import annotations

from collections import deque

from ump.model.claims import Claim, Verb
from ump.wire.json_text import write
from ump.wire.mjai.batch_session import PipedSession
from ump.wire.mjai.events import END_GAME
from ump.wire.mjai.session_base import PendingQuestion, State, read_or_none
from ump.wire.session import Answered, InStep, Introduction, Received, Stale, Staleness


class LineSession(PipedSession):
    """A bot that reads lines, and replies to those on which it can act."""

    __slots__ = ("_has_swallowed", "_missed")

    def __init__(self, introduction: Introduction) -> None:
        super().__init__(introduction)
        self._missed: deque[Received] = deque()
        """What is made of the replies that did not come before their questions closed, and may still come."""
        self._has_swallowed = False
        """Whether one of these seems to have come since the last question. If no reply to that comes, it was that one:
        a bot that sees nothing to choose prints nothing, ever."""

    def take(self) -> list[str]:
        """Return what is to be sent now; all but the line on which the bot can act say that it cannot."""
        if self._due:
            sent = self._sent()
            last = sent.pop() if self._open is not None else None
            self._out += [write({**message, "can_act": False}) for message in sent]
            if last is not None:
                self._out.append(write(last))
        return super().take()

    def receive(self, message: bytes, now: float) -> Received:
        """Take one line: the reply to the line on which the bot can act."""
        self._now = now
        if self.state is State.CLOSING:
            return Stale(Staleness.CLOSING)
        if not message.strip():
            return Stale(Staleness.EMPTY)
        if self._missed:
            self._has_swallowed = True
            return self._missed.popleft()
        if self._open is None:
            return Stale(Staleness.NO_QUESTION)
        return self._decide(self._open, read_or_none(message))

    def _send_question(self, opened: PendingQuestion) -> None:
        self._has_swallowed = False
        super()._send_question(opened)

    def _ask_ready(self, number: int) -> None:
        """Nothing is replied between two kyoku: send what has happened, and go on."""
        self._due = len(self._waiting)
        self._at_once.append(Answered(number, Claim(Verb.YES)))

    def _send_event(self, message: dict[str, object]) -> None:
        super()._send_event(message)
        if message["type"] == END_GAME:
            self._due = len(self._waiting)

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        self._miss(by_time=True)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question. The reply may still come, and is then not that to the next."""
        is_open = self._open is not None and self._open.number == number
        super().lapse(number, now, by_time=by_time)
        if is_open:
            self._miss(by_time=by_time)

    def _miss(self, *, by_time: bool) -> None:
        if not self._has_swallowed:
            self._missed.append(Stale(Staleness.LATE) if by_time else InStep())
