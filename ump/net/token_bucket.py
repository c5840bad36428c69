"""Token buckets: how often each host may do something. Pure: instants are arguments."""

from __future__ import annotations

MOST_KEYS = 10_000
"""Hosts whose buckets are remembered. Each costs some 200 bytes. The one that was used least recently is forgotten
first; for that host this is an advantage, for the server's memory a limit."""


class TokenBuckets:
    """A bucket of tokens for each key. A bucket fills up at an even rate."""

    def __init__(self, per_minute: int, most_keys: int = MOST_KEYS, *, at_once: int | None = None) -> None:
        """Let each key take this many tokens a minute, and ``at_once`` after a rest (None: those of a minute)."""
        self.per_minute = per_minute
        self._most = per_minute if at_once is None else min(at_once, per_minute)
        self._most_keys = most_keys
        self._buckets: dict[str, tuple[float, float]] = {}
        """The tokens of each key and the instant, in seconds, at which it had them; the last used is the last."""

    def __len__(self) -> int:
        return len(self._buckets)

    def has(self, key: str, now: float) -> bool:
        """Return whether ``take`` would return True."""
        return self._tokens(key, now) >= 1

    def take(self, key: str, now: float) -> bool:
        """Take a token at an instant in seconds; return False if the bucket is empty.

        A clock that goes back adds no tokens, and takes none.
        """
        tokens = self._tokens(key, now)
        self._buckets.pop(key, None)
        is_allowed = tokens >= 1
        self._buckets[key] = (tokens - is_allowed, now)
        if len(self._buckets) > self._most_keys:
            del self._buckets[next(iter(self._buckets))]
        return is_allowed

    def _tokens(self, key: str, now: float) -> float:
        """Return how many tokens are in a bucket."""
        tokens, since = self._buckets.get(key, (float(self._most), now))
        return min(self._most, tokens + max(0.0, now - since) * self.per_minute / 60)
