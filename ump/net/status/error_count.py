"""Counts the server's own errors, which the log describes."""

from __future__ import annotations

from twisted.logger import ILogObserver, LogEvent, LogLevel
from zope.interface import implementer

ERRORS = (LogLevel.error, LogLevel.critical)


@implementer(ILogObserver)
class ErrorCount:
    """A log observer that counts errors. A client's fault is not one: it is logged at info or debug."""

    def __init__(self) -> None:
        self.count = 0
        """How many errors there have been."""
        self.last_at: float | None = None
        """When the last one was logged, in seconds since 1970."""

    def __call__(self, event: LogEvent) -> None:
        """Count an event if it is an error."""
        if event.get("log_level") in ERRORS:
            self.count += 1
            self.last_at = event.get("log_time")
