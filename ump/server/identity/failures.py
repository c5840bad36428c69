"""Failed logins by user and by host, and how long the next attempt has to wait. Pure: instants are arguments."""

from __future__ import annotations

MOST_KEYS = 10_000
"""Users and hosts that are remembered. The one that failed least recently is forgotten first."""

LONGEST = 60.0
"""Seconds that an attempt waits at most."""

MEMORY = 600.0
"""Seconds without a failure after which the earlier ones are forgotten."""


def seconds_left(count: int, since: float) -> float:
    """Return how long an attempt has to wait after so many failures, the last of them ``since`` seconds ago."""
    if not count or since > MEMORY:
        return 0.0
    return max(0.0, min(LONGEST, 2.0 ** min(count - 1, 16)) - since)


class Failures:
    """Counts failures. After the first, the next attempt waits 1 s, then 2, 4 and so on, at most ``LONGEST``."""

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        """Remember this many keys."""
        self._most_keys = most_keys
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
        self._failed[key] = (1 if now - last > MEMORY else count + 1, now)
        if len(self._failed) > self._most_keys:
            del self._failed[next(iter(self._failed))]

    def forget(self, key: str) -> None:
        """Forget the failures of a key, because it has succeeded."""
        self._failed.pop(key, None)
