"""The number of games: after which the server ends (``--games``), and that may run at a time (``--tables``)."""

from __future__ import annotations

from collections.abc import Callable


def _go_on() -> None:
    """Do nothing: the number of games is unlimited."""


class GameQuota:
    """Counts the games of all rooms."""

    def __init__(self, games: int = 0, finished: Callable[[], object] = _go_on, *, most: int | None = None) -> None:
        """Let ``games`` games begin (0: any number), and call ``finished`` when the last of them is over.

        ``most`` of them may run at the same time; None: any number.
        """
        self._left = games or None
        self._running = 0
        self._finished = finished
        self._most = most
        self._waiting: dict[Callable[[], object], None] = {}
        """What to call when a game may begin again, in the order of those who wait."""

    @property
    def running(self) -> int:
        """How many games are not over."""
        return self._running

    def begin(self, later: Callable[[], object] = _go_on) -> bool:
        """Count a game before it begins; return False, without counting, if no more may begin.

        If too many games run, ``later`` is called once when one of them is over.
        """
        if self._left == 0:
            return False
        if self._most is not None and self._running >= self._most:
            self._waiting[later] = None
            return False
        if self._left is not None:
            self._left -= 1
        self._running += 1
        return True

    def resume(self) -> None:
        """Count a game from a record that goes on, whatever the quota."""
        if self._left:
            self._left -= 1
        self._running += 1

    def close(self) -> None:
        """Let no more games begin, and call ``finished`` when the running ones are over: now, if there are none."""
        if self._left != 0:
            self._left = 0
            if not self._running:
                self._finished()

    def end(self) -> None:
        """Count a game that is over, however it ended."""
        self._running -= 1
        if self._left == 0 and not self._running:
            self._finished()
        waiting, self._waiting = self._waiting, {}
        for later in waiting:
            later()
