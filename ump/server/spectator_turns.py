"""Turns of the reactor, shared by all spectators of a server, so that no player waits for them.

Each write to a spectator costs some tens of microseconds. Only a few spectators are served in a turn, and some
milliseconds pass between two such turns, in which the server reads what players send. So spectators take a small share
of the time, however many they are: the more there are, the more events each of them receives in one write.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.net.limits import SPECTATOR_PAUSE, SPECTATORS_PER_TURN


class Show(Protocol):
    """Something that spectators have missed."""

    def show_some(self, most: int) -> int:
        """Serve at most this many spectators; return how many it were, or their equivalent in work."""

    @property
    def is_behind(self) -> bool:
        """Whether there is more to show."""


class SpectatorTurns:
    """The queue of shows. Each of them gets a part of a turn, one after the other."""

    _log = Logger()

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._waiting: deque[Show] = deque()
        self._call: IDelayedCall | None = None
        self._next = 0.0
        """The instant of the next turn, in clock seconds."""

    def add(self, show: Show) -> None:
        """Let a show go on in its turn."""
        if show not in self._waiting:
            self._waiting.append(show)
            self._arm()

    def remove(self, show: Show) -> None:
        """Forget a show."""
        if show in self._waiting:
            self._waiting.remove(show)
        if not self._waiting and self._call is not None:
            self._call.cancel()
            self._call = None

    def flush(self) -> None:
        """Serve all spectators at once: the server stops."""
        while self._waiting:
            show = self._waiting[0]
            while show.is_behind and self._serve(show, SPECTATORS_PER_TURN):
                pass
            self.remove(show)

    def _arm(self) -> None:
        if self._call is None and self._waiting:
            self._call = self._clock.callLater(max(0.0, self._next - self._clock.seconds()), self._run)

    def _run(self) -> None:
        """Serve the spectators of one turn."""
        self._call = None
        self._next = self._clock.seconds() + SPECTATOR_PAUSE
        left = SPECTATORS_PER_TURN
        while left > 0 and self._waiting:
            show = self._waiting.popleft()
            served = self._serve(show, left)
            left -= max(1, served)
            if served and show.is_behind and show not in self._waiting:
                self._waiting.append(show)
        self._arm()

    def _serve(self, show: Show, most: int) -> int:
        """Serve some spectators; return how many, 0 if the show failed or had nobody to serve."""
        try:
            return show.show_some(most)
        except Exception:  # a bug of the server must not affect the other tables
            self._log.failure("internal error while spectators were served")
            return 0
