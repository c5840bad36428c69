"""Hosts from which users have logged in: one host may be that of many, and not all failures are theirs. Pure."""

from __future__ import annotations

MOST_PAIRS = 10_000
"""Pairs that are remembered. The one that was seen least recently is forgotten first."""

MEMORY = 30 * 86_400.0
"""Seconds for which a pair is remembered after its last login."""


class Familiar:
    """Pairs of a host and a user, or a token, that have logged in. Their next login waits for no failure of others.

    A school or a company is one host for many users. If one of them types a wrong password again and again, the others
    would wait up to a minute each. An attacker of a user at a familiar host still waits for the failures of that
    user, and each other user from there for those of the host.
    """

    def __init__(self, most_pairs: int = MOST_PAIRS) -> None:
        """Remember this many pairs."""
        self._most_pairs = most_pairs
        self._seen: dict[tuple[str, str], float] = {}
        """The instant of the last login of each pair; the last that was seen is the last."""

    def __len__(self) -> int:
        return len(self._seen)

    def add(self, host: str, who: str, now: float) -> None:
        """Remember a login."""
        self._seen.pop((host, who), None)
        self._seen[host, who] = now
        if len(self._seen) > self._most_pairs:
            del self._seen[next(iter(self._seen))]

    def knows(self, host: str, who: str, now: float) -> bool:
        """Return whether a user has logged in from a host."""
        seen = self._seen.get((host, who))
        return seen is not None and now - seen <= MEMORY
