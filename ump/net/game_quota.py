"""A quota: as many games as the operator wants, and then the server ends."""

from __future__ import annotations

from collections.abc import Callable


def _go_on() -> None:
    """Do nothing: a quota without end."""


class GameQuota:
    """Counts the games of all rooms."""

    def __init__(self, games: int = 0, finished: Callable[[], object] = _go_on) -> None:
        """Let so many games begin (0: as many as there are), and call ``finished`` when the last of them is over."""
        self._left = games or None
        self._running = 0
        self._finished = finished

    def begin(self) -> bool:
        """Count a game that is to begin, or return False: there are to be no more."""
        if self._left == 0:
            return False
        if self._left is not None:
            self._left -= 1
        self._running += 1
        return True

    def end(self) -> None:
        """Count a game that is over, however it ended."""
        self._running -= 1
        if self._left == 0 and not self._running:
            self._finished()
