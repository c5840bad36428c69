"""The connections of a server: who is inside, and whether one more may come in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred, succeed

from ump.net.limits import Limits

if TYPE_CHECKING:
    from ump.net.connection import Connection


class OpenConnections:
    """Everybody who is connected, through whichever port: in all, by host, and who plays at no table."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._inside: set[Connection] = set()
        self._unseated: set[Connection] = set()
        self._hosts: Counter[str] = Counter()
        self._turned_away = 0
        self._emptied: list[Deferred[None]] = []

    def __iter__(self) -> Iterator[Connection]:
        """Iterate over everybody inside as of now: they may leave meanwhile."""
        return iter(tuple(self._inside))

    def __len__(self) -> int:
        return len(self._inside)

    def has_room(self) -> bool:
        """Tell whether one more may come in, whoever it is."""
        return len(self._inside) < self._limits.connections and len(self._unseated) < self._limits.unseated

    def has_room_for(self, host: str) -> bool:
        """Tell whether one more of this host may come in. No host ("", as on UNIX sockets) is not counted."""
        return not host or self._hosts[host] < self._limits.per_host

    def enter(self, connection: Connection) -> None:
        """Count one who comes in."""
        self._inside.add(connection)
        self._unseated.add(connection)

    def enter_from(self, host: str) -> None:
        """Count the host of one who came in."""
        if host:
            self._hosts[host] += 1

    def turn_away(self) -> int:
        """Count one who may not come in; return how many that makes."""
        self._turned_away += 1
        return self._turned_away

    def sit(self, connection: Connection) -> None:
        """Count one of those inside as playing."""
        self._unseated.discard(connection)

    def stand(self, connection: Connection) -> None:
        """Undo ``sit``."""
        self._unseated.add(connection)

    def leave(self, connection: Connection, host: str) -> None:
        """Undo ``enter``, and ``enter_from`` for a host that is not ""; once for each."""
        self._inside.discard(connection)
        self._unseated.discard(connection)
        if host:
            self._hosts[host] -= 1
            if not self._hosts[host]:
                del self._hosts[host]
        if not self._inside:
            waiting, self._emptied = self._emptied, []
            for emptied in waiting:
                emptied.callback(None)

    def empty(self) -> Deferred[None]:
        """Return a Deferred that fires when nobody is inside any more."""
        if not self._inside:
            return succeed(None)
        emptied: Deferred[None] = Deferred(lambda cancelled: self._emptied.remove(cancelled))
        self._emptied.append(emptied)
        return emptied
