"""The budget of bytes for bodies of requests that are not complete or not answered yet."""

from __future__ import annotations

from collections import Counter

from ump.net.connection_budget import HOST_SHARE
from ump.net.limits import MAX_BODIES


class Bodies:
    """Counts the bytes of large bodies, of which one host may hold a quarter."""

    def __init__(self, most: int = MAX_BODIES) -> None:
        """Hold ``most`` bytes."""
        self._most = most
        self._held = 0
        self._hosts: Counter[str] = Counter()

    @property
    def held(self) -> int:
        """Bytes that are held now."""
        return self._held

    def take(self, host: str, size: int) -> bool:
        """Count bytes for a host ("" on a local socket has no limit of its own); return False if there is no room."""
        if self._held + size > self._most or (host and self._hosts[host] + size > self._most // HOST_SHARE):
            return False
        self._held += size
        self._hosts[host] += size
        return True

    def give_back(self, host: str, size: int) -> None:
        """Undo ``take``."""
        self._held -= size
        self._hosts[host] -= size
        if not self._hosts[host]:
            del self._hosts[host]
