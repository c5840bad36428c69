"""Which lines of the log about connections are written: a few of each host in a minute, and the rest as one summary.

Without that, whoever connects and leaves again and again could fill the disk.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

MINUTE = 60.0
"""Seconds that a summary covers."""

MOST_LINES = 1_000
"""Lines of all hosts together in a minute."""

MOST_HOSTS = 10_000
"""Hosts that are counted on their own in a minute."""

NAMED = 5
"""Hosts that a summary names, those with the most lines first."""

_OTHERS = "other hosts"


class Said(Enum):
    """What a line says about a connection."""

    JOINS = "joins"
    WATCHES = "watches"
    LEAVES_LINE = "leaves the line"
    LEAVES = "leaves"
    LOST = "loses its connection"
    BACK = "is back"
    CLOSED = "closed"
    CUT = "cut"


class HostLog:
    """Counts lines about connections, and writes down once a minute how many were left out."""

    _log = Logger()

    def __init__(self, few: int) -> None:
        """Let through ``few`` lines about each host in a minute."""
        self._few = few
        self._since = 0.0
        """The instant at which the current minute began."""
        self._written: Counter[str] = Counter()
        """The lines of each host in this minute."""
        self._left_out: dict[str, Counter[Said]] = {}
        self._call: IDelayedCall | None = None

    def admits(self, host: str, said: Said, clock: IReactorTime) -> bool:
        """Return whether to write a line about a connection of a host ("": none is known); count it otherwise."""
        now = clock.seconds()
        if self._call is None and now - self._since >= MINUTE:
            self._since = now
            self._written.clear()
        if host not in self._written and len(self._written) >= MOST_HOSTS:
            host = _OTHERS
        if self._written[host] < self._few and self._written.total() < MOST_LINES:
            self._written[host] += 1
            return True
        if host not in self._left_out and len(self._left_out) >= MOST_HOSTS:
            host = _OTHERS
        self._left_out.setdefault(host, Counter())[said] += 1
        if self._call is None:
            self._call = clock.callLater(max(0.0, self._since + MINUTE - now), self._summarise)
        return False

    def close(self) -> None:
        """Write the last summary now, if there is anything to say."""
        if self._call is not None:
            self._call.cancel()
            self._summarise()

    def _summarise(self) -> None:
        """Write down how many lines were left out, and let lines through again."""
        left_out, self._left_out, self._call = self._left_out, {}, None
        self._written.clear()
        self._since += MINUTE
        most = sorted(left_out.items(), key=lambda each: (-each[1].total(), each[0]))
        hosts = [f"{host or 'no host'} {counts.total()} ({_listed(counts)})" for host, counts in most[:NAMED]]
        if len(most) > NAMED:
            more = sum(counts.total() for _, counts in most[NAMED:])
            hosts.append(f"{len(most) - NAMED} more hosts {more}")
        self._log.info(
            "{count} more lines about connections within a minute: {hosts}",
            count=sum(counts.total() for counts in left_out.values()),
            hosts=", ".join(hosts),
        )


def _listed(counts: Counter[Said]) -> str:
    return ", ".join(f"{said.value} {counts[said]}" for said in Said if counts[said])
