"""The two clocks of a server: a reactor counts seconds that never go back, and the wall clock has date and time of day.

Timers, limits and ages count the reactor's seconds. Only what has a date asks the wall clock, which an operator or the
network may set at any time: records, sessions, bans, rounds and traces.
"""

from __future__ import annotations

from datetime import UTC, datetime
from time import gmtime, monotonic, strftime, time
from typing import Any

from twisted.internet.base import ReactorBase
from twisted.internet.interfaces import IReactorTime


def monotonic_reactor(reactor: Any) -> Any:
    """Return this reactor, which counts monotonic seconds from before its first timer on.

    Twisted's reactors count those of the wall clock: when it is set back, every timer waits for the difference. Where
    another program has set timers before, that stays so.
    """
    if isinstance(reactor, ReactorBase) and not reactor.getDelayedCalls():
        reactor.seconds = monotonic
    return reactor


def wall_seconds(clock: IReactorTime) -> float:
    """Return the date and time of day, in seconds since 1970; a clock that is no reactor has no other time."""
    return time() if isinstance(clock, ReactorBase) else clock.seconds()


def wall_datetime(clock: IReactorTime) -> datetime:
    """Return the date and time of day in UTC."""
    return datetime.fromtimestamp(wall_seconds(clock), UTC)


def wall_text(clock: IReactorTime) -> str:
    """Return the date and time of day in UTC, as in 2026-01-31T23:59:59Z."""
    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(wall_seconds(clock)))
