"""Messages of one client that have no effect, counted by the second."""

from __future__ import annotations


class UselessMessages:
    """How many useless messages a client has sent in the current second."""

    __slots__ = ("_count", "_most", "_since")

    def __init__(self, most: int) -> None:
        """Allow this many in a second."""
        self._most = most
        self._since = 0.0
        self._count = 0

    def are_too_many(self, now: float, cost: int = 1) -> bool:
        """Count a message at an instant in seconds; return whether there are too many in its second.

        ``cost`` is how many short ones a long one stands for.
        """
        if now - self._since >= 1.0:
            self._since, self._count = now, 0
        self._count += cost
        return self._count > self._most
