"""Attempts to log in: waits after failures, and quotas."""

from __future__ import annotations

from ump.net.windows import Quota
from ump.server.users.gate import FAILURE_MEMORY, LONGEST, Failures


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


def test_memory_is_bounded() -> None:
    """The key that failed least recently is forgotten first."""
    failures = Failures(most_keys=2)
    for key in "abac":
        failures.add(key, 0.0)
    assert len(failures) == 2
    assert [bool(failures.wait(key, 0.0)) for key in "abc"] == [True, False, True]


def test_a_quota() -> None:
    """So often in so many seconds, without a limit for local sockets; what was given back counts no more."""
    quota = Quota(2, 60.0)
    assert [quota.take("host", now) for now in (0.0, 30.0, 59.0, 60.0, 61.0, 90.0)] == [
        True,
        True,
        False,
        True,
        False,
        True,
    ]
    assert not quota.take("host", 91.0)
    quota.give_back("host", 91.0)
    assert quota.take("host", 91.0)
    assert all(quota.take("", 0.0) for _ in range(9))
