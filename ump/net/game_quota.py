"""The number of games after which the server ends (``--games``)."""

from __future__ import annotations

from collections.abc import Callable


def _go_on() -> None:
    """Do nothing: the number of games is unlimited."""


class GameQuota:
    """Counts the games of all rooms."""

    def __init__(self, games: int = 0, finished: Callable[[], object] = _go_on) -> None:
        """Let ``games`` games begin (0: any number), and call ``finished`` when the last of them is over."""
        self._left = games or None
        self._running = 0
        self._finished = finished

    @property
    def running(self) -> int:
        """How many games are not over."""
        return self._running

    def begin(self) -> bool:
        """Count a game that is about to begin; return False, without counting, if no more may begin."""
        if self._left == 0:
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
