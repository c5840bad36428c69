"""Counts the server's own errors, which the log describes."""

from __future__ import annotations

from collections import Counter

from twisted.logger import ILogObserver, LogEvent, LogLevel
from zope.interface import implementer

ERRORS = (LogLevel.error, LogLevel.critical)

MOST_CHARACTERS = 100
"""Characters of the name of a place."""


@implementer(ILogObserver)
class ErrorCount:
    """A log observer that counts errors. A client's fault is not one: it is logged at info or debug."""

    def __init__(self) -> None:
        self.count = 0
        """How many errors there have been."""
        self.places: Counter[str] = Counter()
        """The errors by the part of the program that logged them: a module or a class."""
        self.last_at: float | None = None
        """When the last one was logged, in seconds since 1970."""

    def __call__(self, event: LogEvent) -> None:
        """Count an event if it is an error."""
        if event.get("log_level") in ERRORS:
            self.count += 1
            self.places[str(event.get("log_namespace", "-"))[:MOST_CHARACTERS]] += 1
            self.last_at = event.get("log_time")
