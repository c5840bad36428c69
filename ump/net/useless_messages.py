"""Messages of one client that have no effect, counted by the second."""

from __future__ import annotations


class UselessMessages:
    """How many useless messages a client has sent in the current second."""

    __slots__ = ("_cost", "_most", "_since", "number")

    def __init__(self, most: int) -> None:
        """Allow this many in a second."""
        self._most = most
        self._since = 0.0
        self._cost = 0
        self.number = 0
        """How many messages were counted in this second, long or short."""

    def are_too_many(self, now: float, cost: int = 1) -> bool:
        """Count a message at an instant in seconds; return whether there are too many in its second.

        ``cost`` is how many short ones a long one stands for.
        """
        if now - self._since >= 1.0:
            self._since, self._cost, self.number = now, 0, 0
        self._cost += cost
        self.number += 1
        return self._cost > self._most
