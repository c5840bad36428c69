"""Messages of one client that have no effect, counted by the second in which the server reads them."""

from __future__ import annotations


class UselessMessages:
    """How many useless messages a client has sent in the current second."""

    __slots__ = ("_cost", "_most", "_since", "number", "waited")

    def __init__(self, most: int) -> None:
        """Allow this many in a second."""
        self._most = most
        self._since = 0.0
        self._cost = 0
        self.number = 0
        """How many messages were counted in this second, long or short."""

    def pass_over(self, seconds: float) -> None:
        """Leave out time in which the client's input waited for its turn.

        Otherwise the server would read so little of each of many floods that none of them is too much.
        """
        self._since += seconds

    def are_too_many(self, now: float, cost: int = 1) -> bool:
        """Count a message at an instant in seconds; return whether there are too many in its second.

        ``cost`` is how many short ones a long one stands for.
        """
        if now - self._since >= 1.0:
            self._since, self._cost, self.number = now, 0, 0
        self._cost += cost
        self.number += 1
        return self._cost > self._most
