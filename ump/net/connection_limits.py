"""The open connections of a server: counted against its limits, and traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Protocol

from twisted.internet.defer import Deferred, succeed

from ump.net.limits import Limits
from ump.net.trace import TraceFolder


class Closable(Protocol):
    """An open connection, as its limits and its closing need it."""

    @property
    def is_leaving(self) -> bool:
        """Whether the server has said ``bye`` and waits for the client to answer it."""

    def dismiss(self) -> None:
        """Leave the place, say ``bye`` and close at once."""

    def cut(self) -> None:
        """Close at once; unsent messages are lost."""


class OpenConnections:
    """Every open connection of every port: counted in all, by host, and without a seat."""

    def __init__(self, limits: Limits, traces: TraceFolder | None = None) -> None:
        """Count up to these limits; ``traces`` takes what each connection sends and receives."""
        self.traces = traces
        self._limits = limits
        self._all: set[Closable] = set()
        self._unseated: set[Closable] = set()
        self._hosts: Counter[str] = Counter()
        self._turned_away = 0
        self._emptied: list[Deferred[None]] = []

    def __iter__(self) -> Iterator[Closable]:
        """Iterate over a copy: connections may close meanwhile."""
        return iter(tuple(self._all))

    def __len__(self) -> int:
        return len(self._all)

    def has_room(self) -> bool:
        """Return whether one more connection may open, whatever its host."""
        return len(self._all) < self._limits.connections and len(self._unseated) < self._limits.unseated

    def has_room_for(self, host: str) -> bool:
        """Return whether one more connection of this host may open. The host "" (UNIX sockets) has no limit."""
        return not host or self._hosts[host] < self._limits.per_host

    def enter(self, connection: Closable) -> None:
        """Count a new connection, as one without a seat."""
        self._all.add(connection)
        self._unseated.add(connection)

    def enter_from(self, host: str) -> None:
        """Count the host of a new connection."""
        if host:
            self._hosts[host] += 1

    def turn_away(self) -> int:
        """Count a refused connection; return how many there have been."""
        self._turned_away += 1
        return self._turned_away

    def sit(self, connection: Closable) -> None:
        """Count a connection as seated."""
        self._unseated.discard(connection)

    def stand(self, connection: Closable) -> None:
        """Undo ``sit``."""
        self._unseated.add(connection)

    def leave(self, connection: Closable, host: str) -> None:
        """Undo ``enter``, and ``enter_from`` for a host that is not ""; once for each."""
        self._all.discard(connection)
        self._unseated.discard(connection)
        if host:
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]
        if not self._all:
            waiting, self._emptied = self._emptied, []
            for emptied in waiting:
                emptied.callback(None)

    def empty(self) -> Deferred[None]:
        """Return a Deferred that fires when no connection is open."""
        if not self._all:
            return succeed(None)
        emptied: Deferred[None] = Deferred(lambda cancelled: self._emptied.remove(cancelled))
        self._emptied.append(emptied)
        return emptied
