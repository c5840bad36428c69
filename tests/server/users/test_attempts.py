"""Attempts to log in: waits after failures, and work for threads that is fair to all hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ump.server.users import attempts
from ump.server.users.attempts import FAILURE_MEMORY, LONGEST, Failures, FairQueue


def test_each_failure_doubles_the_wait_up_to_a_minute() -> None:
    """1, 2, 4 .. seconds from the last failure."""
    failures, now, waits = Failures(), 100.0, []
    for _ in range(9):
        failures.add("host", now)
        waits.append(failures.wait("host", now))
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert failures.wait("host", now + 59.5) == 0.5
    assert failures.wait("host", now + LONGEST) == 0
    assert failures.wait("another", now) == 0


def test_failures_are_forgotten() -> None:
    """By a success, or after some minutes without another one."""
    failures = Failures()
    for _ in range(5):
        failures.add("host", 0.0)
    failures.add("host", FAILURE_MEMORY + 1)
    assert failures.wait("host", FAILURE_MEMORY + 1) == 1
    failures.forget("host")
    assert failures.wait("host", FAILURE_MEMORY + 1) == 0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key that failed least recently is forgotten first."""
    monkeypatch.setattr(attempts, "MOST_KEYS", 2)
    failures = Failures()
    for key in "abac":
        failures.add(key, 0.0)
    assert len(failures) == 2
    assert [bool(failures.wait(key, 0.0)) for key in "abc"] == [True, False, True]


class Threads:
    """Threads that finish when the test says so."""

    def __init__(self) -> None:
        self.running: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def call(self, function: Callable[[], Any]) -> Deferred[Any]:
        """Begin a call."""
        done: Deferred[Any] = Deferred()
        self.running.append((function, done))
        return done

    def finish(self) -> None:
        """Let the call end that began first."""
        function, done = self.running.pop(0)
        try:
            result = function()
        except Exception:
            done.errback(Failure())
        else:
            done.callback(result)


def test_a_host_waits_for_itself_alone() -> None:
    """The second host does not wait for the many of the first."""
    threads, ended = Threads(), list[str]()
    queue = FairQueue(threads.call, most=10)
    for host, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")):
        done = queue.add(host, lambda name=name: name)  # type: ignore[misc]
        assert done is not None
        done.addCallback(ended.append)
    assert (len(queue), len(threads.running)) == (4, 2)
    while threads.running:
        threads.finish()
    assert ended == ["a1", "b1", "a2", "a3"]
    assert not len(queue)


def test_an_error_is_passed_on_and_the_next_begins() -> None:
    """A call that raises harms no other one."""
    threads, errors = Threads(), list[str]()
    queue = FairQueue(threads.call, most=10)

    def fail() -> None:
        """Raise."""
        raise OSError("no disk")

    first, second = queue.add("a", fail), queue.add("a", lambda: 7)
    assert first is not None and second is not None
    first.addErrback(lambda failure: errors.append(failure.getErrorMessage()))
    threads.finish()
    threads.finish()
    assert errors == ["no disk"]
    assert second.result == 7


def test_the_queue_is_bounded() -> None:
    """Beyond its limit nothing is taken."""
    threads = Threads()
    queue = FairQueue(threads.call, most=1)
    assert queue.add("a", lambda: 1) is not None
    assert queue.add("b", lambda: 1) is None
    threads.finish()
    assert queue.add("b", lambda: 1) is not None
