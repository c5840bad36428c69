"""Attempts to log in: how long the next one has to wait. Pure: instants are arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

MOST_KEYS = 10_000
"""Users and hosts that are remembered. The one that failed least recently is forgotten first."""

LONGEST = 60.0
"""Seconds that an attempt waits at most."""

FAILURE_MEMORY = 600.0
"""Seconds without a failure after which the earlier ones are forgotten."""

MOST_PAIRS = 10_000
"""Pairs that are remembered. The one that was seen least recently is forgotten first."""

LOGIN_MEMORY = 30 * 86_400.0
"""Seconds for which a pair is remembered after its last login."""


def seconds_left(count: int, since: float) -> float:
    """Return how long an attempt has to wait after so many failures, the last of them ``since`` seconds ago."""
    if not count or since > FAILURE_MEMORY:
        return 0.0
    return max(0.0, min(LONGEST, 2.0 ** min(count - 1, 16)) - since)


class Failures:
    """Counts failures. After the first, the next attempt waits 1 s, then 2, 4 and so on, at most ``LONGEST``."""

    def __init__(self) -> None:
        self._failed: dict[str, tuple[int, float]] = {}
        """The failures of each key, and the instant of the last one; the last that failed is the last."""

    def __len__(self) -> int:
        return len(self._failed)

    def wait(self, key: str, now: float) -> float:
        """Return the seconds from now until the next attempt may be checked; 0 if it may be now."""
        count, last = self._failed.get(key, (0, now))
        return seconds_left(count, now - last)

    def add(self, key: str, now: float) -> None:
        """Count a failure."""
        count, last = self._failed.pop(key, (0, now))
        self._failed[key] = (1 if now - last > FAILURE_MEMORY else count + 1, now)
        if len(self._failed) > MOST_KEYS:
            del self._failed[next(iter(self._failed))]

    def forget(self, key: str) -> None:
        """Forget the failures of a key, because it has succeeded."""
        self._failed.pop(key, None)


class Familiar:
    """Pairs of a host and a user, or a token, that have logged in. Their next login waits for no failure of others.

    A school or a company is one host for many users. If one of them types a wrong password again and again, the others
    would wait up to a minute each. An attacker of a user at a familiar host still waits for the failures of that
    user, and each other user from there for those of the host.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], float] = {}
        """The instant of the last login of each pair; the last that was seen is the last."""

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, host: str, who: str, now: float) -> None:
        """Remember a login."""
        self._seen.pop((host, who), None)
        self._seen[host, who] = now
        if len(self._seen) > MOST_PAIRS:
            del self._seen[next(iter(self._seen))]

    def knows(self, host: str, who: str, now: float) -> bool:
        """Return whether a user has logged in from a host."""
        seen = self._seen.get((host, who))
        return seen is not None and now - seen <= LOGIN_MEMORY


class KeyLocks:
    """The keys of the attempts that go on, and what waits for them.

    Without locks, attempts that arrive together would all be checked before the first failure is counted.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        """Of each locked key, the attempts that wait for it, in the order of their arrival."""

    def __len__(self) -> int:
        """Return how many keys are locked."""
        return len(self._waiting)

    def lock(self, keys: Sequence[str], again: Callable[[], None]) -> bool:
        """Lock all keys and return True; or lock none, return False, and call ``again`` once one of them is free."""
        for key in keys:
            if key in self._waiting:
                self._waiting[key].append(again)
                return False
        for key in keys:
            self._waiting[key] = []
        return True

    def free(self, keys: Sequence[str]) -> None:
        """Free keys that ``lock`` has locked, and let everything that waits for them try again."""
        waiting = [again for key in keys for again in self._waiting.pop(key)]
        for again in waiting:
            again()


class Quota:
    """Lets each host do something only so often in some seconds. The host "" has no limit."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._done: dict[str, list[float]] = {}
        """The instants of each host; the last that was added is the last."""

    def take(self, host: str, now: float) -> bool:
        """Count it, and return True, or return False if the host has done it too often."""
        done = [each for each in self._done.pop(host, ()) if now - each < self._seconds]
        is_allowed = not host or len(done) < self._most
        if host:
            self._done[host] = [*done, now] if is_allowed else done
        if len(self._done) > MOST_KEYS:
            del self._done[next(iter(self._done))]
        return is_allowed

    def give_back(self, host: str) -> None:
        """Forget the last time, because nothing has come of it."""
        if self._done.get(host):
            self._done[host].pop()
