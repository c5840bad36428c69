"""The part that the sessions of piped bots share: events wait until the bot may act, and then go out together."""

from __future__ import annotations

from ump.wire.mjai.events import Written, reach
from ump.wire.mjai.session_base import MjaiSession, PendingQuestion
from ump.wire.mjai.states import Step
from ump.wire.outbox import Outbox
from ump.wire.session import Introduced, Introduction

MAX_WAITING = 1_000
"""Messages that may wait for a bot: a few kyoku."""


class PipedSession(MjaiSession):
    """A bot on the other end of a pipe. It sends no hello."""

    __slots__ = ("_outbox", "_released")

    def __init__(self, introduction: Introduction) -> None:
        """Begin with the introduction that such a bot does not send itself."""
        super().__init__()
        self._step(Step.INTRODUCED)
        self._at_once.append(Introduced(introduction))
        self._outbox: Outbox[Written] = Outbox(MAX_WAITING)
        self._released = 0
        """The number of waiting messages, counted from the first, that may go out."""

    def _send_event(self, message: Written) -> None:
        self._outbox.add(message)

    def _send_question(self, opened: PendingQuestion) -> None:
        """Release all messages up to the one of the question. Later ones (a dora) go out with the next question."""
        if self._pass_if_alone(opened):
            return
        places = [place for place, message in enumerate(self._outbox) if self._is_about(message, opened)]
        if places:
            self._released = places[-1] + 1
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
        if not self._released or self._outbox.awaited is not None:
            return []
        count, self._released = self._released, 0
        return [message for message in (self._outbox.next() for _ in range(count)) if message is not None]

    def close(self) -> None:
        """Drop everything that is received from now on, and every message that waits."""
        super().close()
        self._outbox.drop_waiting()
        self._released = 0
