"""Work for threads, one piece of each host at a time, so that no host makes the others wait for long."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred

T = TypeVar("T")


class Work(Generic[T]):
    """A call that waits for its turn, and what becomes of it."""

    def __init__(self, call: Callable[[], T]) -> None:
        self.call = call
        self.done: Deferred[T] = Deferred()
        """Fires with the result of the call, or its failure."""


class FairQueue:
    """Calls functions in threads. The work of each host waits for that of the same host before it."""

    def __init__(self, in_thread: Callable[..., Deferred[Any]], most: int) -> None:
        """``in_thread`` calls a function in one of a few threads. ``most``: how much may wait, of all hosts."""
        self._in_thread = in_thread
        self._most = most
        self._hosts: dict[str, deque[Work[Any]]] = {}
        """The work of each host; the first of each is in a thread, or waits for a free one."""
        self._size = 0

    def __len__(self) -> int:
        """Return how much waits or runs."""
        return self._size

    def add(self, host: str, call: Callable[[], T]) -> Deferred[T] | None:
        """Return a Deferred with the result of a call, or None if too much waits."""
        if self._size >= self._most:
            return None
        work = Work(call)
        self._size += 1
        waiting = self._hosts.setdefault(host, deque())
        waiting.append(work)
        if len(waiting) == 1:
            self._begin(host)
        return work.done

    def _begin(self, host: str) -> None:
        """Let the first work of a host be done."""
        self._in_thread(self._hosts[host][0].call).addBoth(self._end, host)

    def _end(self, result: Any, host: str) -> None:
        """Pass the result on, and begin the next work of the host."""
        waiting = self._hosts[host]
        work = waiting.popleft()
        self._size -= 1
        if waiting:
            self._begin(host)
        else:
            del self._hosts[host]
        work.done.callback(result)
