"""Measures how long input waits for its turn: the delay that the server adds when it is busy.

A call is scheduled every 100 milliseconds. How late the reactor makes it is how long a message that arrived at that
instant has waited. So the measurement costs the same, however many clients play.
"""

from __future__ import annotations

from twisted.application.service import Service
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from ump.server.status.histogram import Histogram

PERIOD = 0.1
"""Seconds between two measurements."""

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the classes, in seconds; longer delays are in a last class."""


class TurnDelay(Service):
    """Measures delays, from the start of the service on."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._call: IDelayedCall | None = None
        self._due = 0.0
        self.delays = Histogram(BOUNDS)
        """The delays so far."""

    def startService(self) -> None:
        """Begin to measure."""
        super().startService()
        self._schedule()

    def stopService(self) -> None:
        """Measure no more."""
        super().stopService()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _schedule(self) -> None:
        self._due = self._clock.seconds() + PERIOD
        self._call = self._clock.callLater(PERIOD, self._measure)

    def _measure(self) -> None:
        delay = max(0.0, self._clock.seconds() - self._due)  # the computer's clock may have been set back
        self.delays.add(delay)
        self._schedule()
