"""The outgoing side of a dialect in which the client replies to what it receives: one message is out, others wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

REPLY_SECONDS = 5.0
"""Seconds for a reply that decides nothing; some players take more than one for it."""

T = TypeVar("T")


class Outbox(Generic[T]):
    """Messages for one client, in order.

    ``next`` returns the messages to send, and none while a reply is awaited. The session decides which messages need a
    reply: it calls ``await_reply`` for each of these, and ``settle`` when the reply has come or is given up. So several
    messages may go out together, and the reply to the last of them is awaited.

    An outbox has no clock and enforces nothing: the session asks ``is_overdue`` and ``is_overfull`` and decides what
    follows.
    """

    __slots__ = ("_cap", "_waiting", "awaited", "overdue_at")

    def __init__(self, cap: int) -> None:
        """Create an empty outbox; ``cap`` is the number of messages that may wait."""
        self._cap = cap
        self._waiting: deque[T] = deque()
        self.awaited: T | None = None
        """The message that is out and needs a reply."""
        self.overdue_at: float | None = None
        """The instant from which the awaited reply is overdue; None means never, or that no reply is awaited.

        A session may move it while it awaits the reply.
        """

    def __len__(self) -> int:
        """Return how many messages wait; the one that is out is not counted."""
        return len(self._waiting)

    def __iter__(self) -> Iterator[T]:
        """Iterate over the messages that wait, the next one first."""
        return iter(self._waiting)

    def __reversed__(self) -> Iterator[T]:
        """Iterate over the messages that wait, the last one first."""
        return reversed(self._waiting)

    @property
    def is_overfull(self) -> bool:
        """Whether too many messages wait."""
        return len(self._waiting) > self._cap

    @property
    def is_ready(self) -> bool:
        """Whether ``next`` would return a message."""
        return self.awaited is None and bool(self._waiting)

    # Messages that wait

    def add(self, message: T) -> None:
        """Add a message behind all that wait."""
        self._waiting.append(message)

    def add_first(self, message: T) -> None:
        """Add a message before all that wait."""
        self._waiting.appendleft(message)

    def add_before_last(self, message: T) -> None:
        """Add a message right before the last one that waits."""
        self._waiting.insert(max(0, len(self._waiting) - 1), message)

    def last(self) -> T | None:
        """Return the last message that waits, or None."""
        if not self._waiting:
            return None
        return self._waiting[-1]

    def retain(self, keeps: Callable[[T], bool]) -> None:
        """Drop the messages that wait, except those for which ``keeps`` returns True."""
        self._waiting = deque(filter(keeps, self._waiting))

    def drop_waiting(self) -> None:
        """Drop every message that waits. A reply that is awaited stays so."""
        self._waiting.clear()

    def clear(self) -> None:
        """Drop every message that waits, and await no reply."""
        self._waiting.clear()
        self.settle()

    # The message that is out

    def next(self) -> T | None:
        """Remove the next message to send, and return it; None if no message waits or a reply is awaited."""
        if not self.is_ready:
            return None
        return self._waiting.popleft()

    def await_reply(self, message: T, overdue_at: float | None = None) -> None:
        """Hold back further messages until the reply to this one is settled.

        ``overdue_at`` is the instant from which the reply is overdue, None for never. Raises ValueError if another
        reply is awaited.
        """
        if self.awaited is not None:
            raise ValueError("the reply to another message is awaited")
        self.awaited = message
        self.overdue_at = overdue_at

    def settle(self) -> T | None:
        """Stop waiting for a reply, which has come or is given up. Return its message; None if no reply was awaited."""
        settled, self.awaited, self.overdue_at = self.awaited, None, None
        return settled

    def is_overdue(self, now: float) -> bool:
        """Tell whether a reply is awaited and overdue."""
        return self.overdue_at is not None and now >= self.overdue_at
