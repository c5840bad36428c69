"""Measures how long journals take to the disk, with the wait for a free thread."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from twisted.internet.defer import Deferred

from ump.server.status.histogram import Histogram

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the classes, in seconds; longer times are in a last class."""


class SyncTimes:
    """Calls functions in threads, as what it is made from does, and measures how long that takes."""

    def __init__(self, in_thread: Callable[..., Deferred[None]]) -> None:
        self._in_thread = in_thread
        self.times = Histogram(BOUNDS)
        """The times so far."""

    def call(self, function: Callable[..., None], *arguments: object) -> Deferred[None]:
        """Call a function in a thread."""
        return self._in_thread(function, *arguments).addBoth(self._note, perf_counter())

    def _note(self, result: Any, begun: float) -> Any:
        self.times.add(perf_counter() - begun)
        return result
