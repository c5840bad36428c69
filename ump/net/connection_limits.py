"""The open connections of a server: counted against its limits, and traced.

Every stream has a ``Place``: a port with lines enters one for each client, and an HTTP port one of the kind
``Kind.HTTP`` for each stream, which it passes to ``Connection.open`` when a WebSocket takes the stream over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger

from ump.model.value import value
from ump.net.connection_budget import Kind, Ledger, Place, TurnedAway, host_of
from ump.net.host_log import HostLog
from ump.net.limits import Limits
from ump.net.token_bucket import TokenBuckets
from ump.net.trace import Traces


class Speaks(Protocol):
    """The session of a client."""

    @property
    def DIALECT(self) -> str:
        """The dialect that it speaks."""


class Carries(Protocol):
    """The transport of a client's messages."""

    @property
    def transport_name(self) -> str:
        """The transport, in a word."""


@value
class Client:
    """What the connections of some clients have in common."""

    kind: Kind
    transport: str
    dialect: str


class Closable(Protocol):
    """An open connection, as its limits, its closing and the count of clients need it."""

    @property
    def place(self) -> Place | None:
        """Its place among all connections; None if it is not counted."""

    @property
    def session(self) -> Speaks:
        """Its session."""

    @property
    def carrier(self) -> Carries:
        """Its carrier."""

    @property
    def is_leaving(self) -> bool:
        """Whether the server has said ``bye`` and waits for the client to answer it."""

    def dismiss(self) -> None:
        """Leave the place, say ``bye`` and close at once."""

    def cut(self) -> None:
        """Close at once; unsent messages are lost."""


class OpenConnections:
    """Every open connection of every port: counted by kind and by host, and closed together when the server ends."""

    _log = Logger()

    def __init__(self, limits: Limits, traces: Traces | None = None) -> None:
        """Count up to these limits; ``traces`` takes what each connection sends and receives."""
        self.traces = traces
        self.limits = limits
        """The limits. The deny list in them may be replaced while the server runs."""
        self.logins = TokenBuckets(limits.rates.logins, at_once=at_once(limits, limits.rates.logins))
        """How often each host may log in or say hello."""
        self.games = TokenBuckets(limits.rates.games, at_once=at_once(limits, limits.rates.games))
        """How many games each host may begin."""
        self.violations = TokenBuckets(limits.rates.violations)
        """How many connections of each host may break a protocol, before it may open no more."""
        self.log = HostLog(limits.log_lines)
        """Which lines about connections are written to the log."""
        self._arrivals = TokenBuckets(limits.rates.connections, at_once=at_once(limits, limits.rates.connections))
        self._ledger = Ledger(limits.budget)
        self._all: set[Closable] = set()
        self._has_run_short = False
        self._emptied: list[Deferred[None]] = []

    def __iter__(self) -> Iterator[Closable]:
        """Iterate over a copy: connections may close meanwhile."""
        return iter(tuple(self._all))

    def __len__(self) -> int:
        """Return how many clients are connected. HTTP streams without one do not count."""
        return len(self._all)

    def count(self, kind: Kind) -> int:
        """Return how many connections of a kind are open."""
        return self._ledger.count(kind)

    def clients(self) -> Counter[Client]:
        """Return how many clients are connected, by what they do, by transport and by dialect."""
        return Counter(
            Client(each.place.kind, each.carrier.transport_name, each.session.DIALECT)
            for each in self._all
            if each.place is not None
        )

    @property
    def turned_away(self) -> int:
        """How many connections have been refused."""
        return self._ledger.refused.total()

    @property
    def refused(self) -> Mapping[TurnedAway, int]:
        """How many connections have been refused, by reason."""
        return self._ledger.refused

    # The places of streams

    def enter(self, kind: Kind, address: str | None, now: float, displace: Callable[[], object]) -> Place | None:
        """Return a place for a new connection from an address, or None if there is no room for it.

        ``kind`` is NEWCOMER for a client, HTTP for a stream of an HTTP port. ``address``: "" (UNIX sockets) has no
        limit; None is not known yet, behind a proxy, so that ``name_host`` must follow. ``displace`` closes the
        connection at once if another one needs its place. Call ``leave`` of the place when the connection has gone.
        """
        if address is not None and not self._may_come(address, now):
            return None
        place = self._ledger.enter(kind, address, displace)
        if self._ledger.displaced and not self._has_run_short:
            self._has_run_short = True
            self._log.warn(
                "connections run short: idle ones are closed to make room for others (this is said only once)"
            )
        return place

    def name_host(self, place: Place, address: str, now: float) -> bool:
        """Count a connection for an address that has become known; return False if it must be turned away."""
        return self._may_come(address, now) and place.name_host(address)

    def admits(self, address: str, now: float) -> bool:
        """Return whether ``enter`` would look for a place; if not, count the connection as refused."""
        return self._is_welcome(address, host_of(address), now, self._arrivals.has)

    def _may_come(self, address: str, now: float) -> bool:
        """Return whether an address may open a connection now, whatever else is open, and count it."""
        return not address or self._is_welcome(address, host_of(address), now, self._arrivals.take)

    def _is_welcome(self, address: str, host: str, now: float, has_token: Callable[[str, float], bool]) -> bool:
        if address in self.limits.deny:
            why = TurnedAway.DENIED
        elif not self.violations.has(host, now):
            why = TurnedAway.VIOLATIONS
        elif not has_token(host, now):
            why = TurnedAway.RATE
        else:
            return True
        self._ledger.refused[why] += 1
        return False

    def report_refused(self, peer: str) -> None:
        """Log some of the refused connections, which are counted already."""
        count = self.turned_away
        if count & (count - 1) == 0:  # 1, 2, 4, 8 ..: the log stays short
            self._log.info("{count} connections turned away so far, the last: {peer}", count=count, peer=peer)

    # The clients

    def add(self, connection: Closable) -> None:
        """Remember a client, to close its connection with the server."""
        self._all.add(connection)

    def remove(self, connection: Closable) -> None:
        """Forget a client whose connection is closed; a second call changes nothing."""
        self._all.discard(connection)
        if not self._all:
            waiting, self._emptied = self._emptied, []
            for emptied in waiting:
                emptied.callback(None)

    def empty(self) -> Deferred[None]:
        """Return a Deferred that fires when no client is connected."""
        if not self._all:
            return succeed(None)
        emptied: Deferred[None] = Deferred(lambda cancelled: self._emptied.remove(cancelled))
        self._emptied.append(emptied)
        return emptied


def at_once(limits: Limits, per_minute: int) -> int:
    """Return how often one host may do at once what it may do so often in a minute.

    It is as often as it may have connections, so that all its bots can start together, or as in ten seconds.
    """
    return max(limits.budget.per_host, per_minute // 6)
