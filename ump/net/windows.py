"""Limits on how often something may happen for each key, such as a host: a keyed window with an age. Pure."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import inf
from typing import Generic, TypeVar

from ump.net.limits import TOO_MANY_CODES

MOST_KEYS = 10_000
"""Keys that are remembered. Each costs some 200 bytes. The one that was set least recently is forgotten first; for that
host this is an advantage, for the server's memory a limit."""

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Window(Generic[K, T]):
    """Remembers a content for each key, for some seconds after it was set."""

    def __init__(self, seconds: float = inf, most_keys: int = MOST_KEYS) -> None:
        self._seconds = seconds
        self._most_keys = most_keys
        self._contents: dict[K, tuple[T, float]] = {}
        """The content of each key, and the instant at which it was set; the last that was set is the last."""

    def __len__(self) -> int:
        return len(self._contents)

    def find(self, key: K, now: float) -> tuple[T, float] | None:
        """Return the content of a key and its age in seconds; None if it has none, or too old a one."""
        if key not in self._contents:
            return None
        content, since = self._contents[key]
        return None if now - since > self._seconds else (content, now - since)

    def set(self, key: K, content: T, now: float) -> None:
        """Remember a content at an instant in seconds."""
        self._contents.pop(key, None)
        self._contents[key] = content, now
        if len(self._contents) > self._most_keys:
            del self._contents[next(iter(self._contents))]

    def forget(self, key: K) -> None:
        """Forget a key."""
        self._contents.pop(key, None)


class TokenBuckets:
    """A bucket of tokens for each key. A bucket fills up at an even rate."""

    def __init__(self, per_minute: int, most_keys: int = MOST_KEYS, *, at_once: int | None = None) -> None:
        """Let each key take this many tokens a minute, and ``at_once`` after a rest (None: those of a minute)."""
        self.per_minute = per_minute
        self._most = per_minute if at_once is None else min(at_once, per_minute)
        self._left = Window[str, float](most_keys=most_keys)
        """The tokens of each key when it was last used."""

    def __len__(self) -> int:
        return len(self._left)

    def has(self, key: str, now: float) -> bool:
        """Return whether ``take`` would return True."""
        return self._tokens(key, now) >= 1

    def take(self, key: str, now: float) -> bool:
        """Take a token at an instant in seconds; return False if the bucket is empty.

        A clock that goes back adds no tokens, and takes none.
        """
        tokens = self._tokens(key, now)
        is_allowed = tokens >= 1
        self._left.set(key, tokens - is_allowed, now)
        return is_allowed

    def _tokens(self, key: str, now: float) -> float:
        """Return how many tokens are in a bucket."""
        before = self._left.find(key, now)
        if before is None:
            return self._most
        tokens, age = before
        return min(self._most, tokens + max(0.0, age) * self.per_minute / 60)


class TooManyGuesses(Exception):
    """A code of a host that has given too many wrong ones; the text is for the client."""


class Guesses:
    """Looks up what codes lead to. After too many wrong ones of a host, no code of it is looked at for some time."""

    def __init__(self, per_minute: int) -> None:
        self._wrong = TokenBuckets(per_minute)

    def look_up(self, host: str, find: Callable[[], T | None], now: float) -> T | None:
        """Return what ``find`` returns, None for a wrong code; raises TooManyGuesses. The host "" has no limit."""
        if host and not self._wrong.has(host, now):
            raise TooManyGuesses(TOO_MANY_CODES)
        found = find()
        if found is None and host:
            self._wrong.take(host, now)
        return found


class Quota:
    """Lets each host do something only so often in some seconds. The host "" has no limit."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._done = Window[str, list[float]](seconds)
        """The instants at which each host has done it."""

    def take(self, host: str, now: float) -> bool:
        """Count it, and return True, or return False if the host has done it too often."""
        if not host:
            return True
        before = self._done.find(host, now)
        instants = [] if before is None else before[0]
        recent = [instant for instant in instants if now - instant < self._seconds]
        is_allowed = len(recent) < self._most
        if is_allowed:
            recent.append(now)
        self._done.set(host, recent, now)
        return is_allowed

    def give_back(self, host: str, now: float) -> None:
        """Forget the last time, because nothing has come of it."""
        before = self._done.find(host, now)
        if before is not None and before[0]:
            before[0].pop()
