"""The open connections of a server: admitted and counted within its limits, named in its log, and traced.

Every stream has a ``ConnectionPlace``: a port with lines enters one for each client, and an HTTP port one of the kind
``Kind.HTTP`` for each stream, which it passes to ``Connection.open`` when a WebSocket takes the stream over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IAddress, IDelayedCall, IProtocolFactory, IReactorTime
from twisted.internet.protocol import Factory
from twisted.logger import Logger, LogLevel

from ump.model.value import value
from ump.net.connection_budget import (
    NOBODY,
    Budget,
    ConnectionKind,
    ConnectionPlace,
    Ledger,
    TurnedAway,
    host_of,
    is_local,
)
from ump.net.limits import Limits
from ump.net.trace import Traces
from ump.net.windows import Guesses, TokenBuckets


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
class ClientKind:
    """The properties that the connections of some clients have in common."""

    kind: ConnectionKind
    transport: str
    dialect: str


class Closable(Protocol):
    """An open connection, as its limits, its closing and the count of clients need it."""

    @property
    def place(self) -> ConnectionPlace | None:
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
        self.banned = NOBODY
        """The networks that the operator has banned, besides those of the deny list."""
        self.logins = TokenBuckets(limits.rates.logins, at_once=at_once(limits, limits.rates.logins))
        """The budget of each host for logins and hellos."""
        self.games = TokenBuckets(limits.rates.games, at_once=at_once(limits, limits.rates.games))
        """The budget of each host for games."""
        self.violations = TokenBuckets(limits.rates.violations)
        """The number of each host's connections that may break a protocol, before it may open no more."""
        self.guesses = Guesses(limits.rates.violations)
        """The wrong codes of each host: a separate budget, for they leave its pages and games alone."""
        self.log = HostLog(limits.log_lines)
        """The budget of each host for lines about its connections in the log."""
        self.debug_log = HostLog(limits.log_lines, LogLevel.debug)
        """The budget of each host for lines about its messages in the debug log."""
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

    def count(self, kind: ConnectionKind) -> int:
        """Return how many connections of a kind are open."""
        return self._ledger.count(kind)

    def clients(self) -> Counter[ClientKind]:
        """Return how many clients are connected, by what they do, by transport and by dialect."""
        return Counter(
            ClientKind(each.place.kind, each.carrier.transport_name, each.session.DIALECT)
            for each in self._all
            if each.place is not None
        )

    @property
    def turned_away(self) -> int:
        """The number of connections that have been refused."""
        return self._ledger.refused.total()

    @property
    def refused(self) -> Mapping[TurnedAway, int]:
        """The number of connections that have been refused, by reason."""
        return self._ledger.refused

    # The places of streams

    def enter(
        self, kind: ConnectionKind, address: str, now: float, displace: Callable[[], object]
    ) -> ConnectionPlace | None:
        """Return a place for a new connection from an address, or None if there is no room for it.

        ``kind`` is NEWCOMER for a client, HTTP for a stream of an HTTP port. ``address``: "" (UNIX sockets) has no
        limit. ``displace`` closes the connection at once if another one needs its place. Call ``leave`` of the place
        when the connection has gone.
        """
        if not self._may_come(address, now):
            return None
        place = self._ledger.enter(kind, address, displace)
        if self._ledger.displaced and not self._has_run_short:
            self._has_run_short = True
            self._log.warn(
                "connections run short: idle ones are closed to make room for others (this is said only once)"
            )
        return place

    def name_host(self, place: ConnectionPlace, address: str, now: float) -> bool:
        """Count a connection for an address that has become known; return False if it must be turned away."""
        return self._may_come(address, now) and place.name_host(address)

    def admits(self, address: str, now: float) -> bool:
        """Return whether ``enter`` would look for a place; if not, count the connection as refused."""
        return self._is_welcome(address, host_of(address), now, self._arrivals.has)

    def _may_come(self, address: str, now: float) -> bool:
        """Return whether an address may open a connection now, whatever else is open, and count it."""
        return not address or self._is_welcome(address, host_of(address), now, self._arrivals.take)

    def _is_welcome(self, address: str, host: str, now: float, has_token: Callable[[str, float], bool]) -> bool:
        if address in self.limits.deny or address in self.banned:
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

    def close_logs(self) -> None:
        """Write the last summaries of lines that were left out."""
        self.log.close()
        self.debug_log.close()

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


# Connections that are refused early

PLAIN = ("tcp", "tcp6", "systemd")
"""The kinds of endpoints whose port asks the factory itself. Those with TLS or a proxy wrap what the factory makes."""


class AdmittingFactory(Factory):
    """Lets another factory build the protocols of hosts that may connect now.

    A session, a transport and their first event of epoll cost about ten times as much as the look at the address. So a
    host that may not connect, or connects too fast, is closed without a word; the other limits are checked by the
    connection itself, which says why.
    """

    noisy = False

    def __init__(
        self,
        factory: IProtocolFactory,
        connections: OpenConnections,
        clock: IReactorTime,
        *,
        admits_local: bool = False,
    ) -> None:
        """``admits_local``: the other factory has room for this computer whatever its limits say."""
        self.factory = factory
        """The other factory."""
        self._admits_local = admits_local
        self._connections = connections
        self._clock = clock

    def logPrefix(self) -> str:
        """Return the name for Twisted's own log lines."""
        return str(getattr(self.factory, "logPrefix", lambda: "port")())

    def startFactory(self) -> None:
        """Start the other factory."""
        self.factory.doStart()

    def stopFactory(self) -> None:
        """Stop the other factory."""
        self.factory.doStop()

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return the protocol of a new connection; None closes it at once."""
        host: str | None = getattr(addr, "host", None)
        if (
            host
            and not (self._admits_local and is_local(host))
            and not self._connections.admits(host, self._clock.seconds())
        ):
            self._connections.report_refused(f"{host}:{getattr(addr, 'port', '')}")
            return None
        return self.factory.buildProtocol(addr)  # type: ignore[arg-type]  # None for some transports, in Twisted too


def admitting(
    endpoint: str,
    factory: IProtocolFactory,
    connections: OpenConnections,
    clock: IReactorTime,
    *,
    admits_local: bool = False,
) -> IProtocolFactory:
    """Return the factory for the port of an endpoint, one that refuses early if the endpoint allows it."""
    if endpoint.partition(":")[0] in PLAIN:
        return AdmittingFactory(factory, connections, clock, admits_local=admits_local)
    return factory


# Lines of the log about connections

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
    """The statement of a log line about a connection."""

    JOINS = "joins"
    WATCHES = "watches"
    LEAVES_LINE = "leaves the line"
    LEAVES = "leaves"
    LOST = "loses its connection"
    BACK = "is back"
    CLOSED = "closed"
    CUT = "cut"
    FAULT = "fault"


class HostLog:
    """Counts lines about connections, and writes down once a minute how many were left out.

    Otherwise a host that connects and leaves again and again could fill the disk.
    """

    _log = Logger()

    def __init__(self, few: int, level: LogLevel = LogLevel.info) -> None:
        """Let through ``few`` lines about each host in a minute; ``level`` is that of the lines."""
        self._few = few
        self._level = level
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
        self._log.emit(
            self._level,
            "{count} more lines about connections within a minute: {hosts}",
            count=sum(counts.total() for counts in left_out.values()),
            hosts=", ".join(hosts),
        )


def _listed(counts: Counter[Said]) -> str:
    return ", ".join(f"{said.value} {counts[said]}" for said in Said if counts[said])


# File descriptors

RESERVED = 64
"""Descriptors for ports, logs, the reactor, the index of games, the loading of modules, and traces that are renamed."""

OF_CHILD = 4
"""Descriptors of a bot as a child process: its three standard streams, and the pipe that it ends with."""

OF_TABLE = 2
"""Descriptors of a table: its journal, and its log."""

TABLE_SHARE = 3
"""A third of the descriptors that are left is for tables, if so many tables are allowed."""


@value
class Shares:
    """The limits for which the descriptors of a process suffice."""

    limits: Limits
    descriptors: int
    is_short: bool
    """Whether the limits of the options had to be lowered."""


def shared_out(limits: Limits, descriptors: int | None, *, children: int, is_traced: bool) -> Shares:
    """Return limits for which the descriptors of a process suffice.

    A part of them is kept for files and for bots as child processes. The rest is shared out between connections and
    tables, because each table keeps its journal and its log open.

    ``descriptors`` is the soft limit of the process, None without one. ``children``: how many bots as child processes
    may run at a time. ``is_traced``: every connection also has a file open for its trace.
    """
    if descriptors is None:
        return Shares(limits, 0, is_short=False)
    left = max(0, descriptors - RESERVED - OF_CHILD * children)
    tables = min(limits.tables, max(1, left // TABLE_SHARE // OF_TABLE))
    each = 2 if is_traced else 1
    connections = min(limits.budget.connections, max(1, (left - tables * OF_TABLE) // each))
    is_short = (tables, connections) != (limits.tables, limits.budget.connections)
    return Shares(
        replace(limits, tables=tables, budget=_within(limits.budget, connections)), descriptors, is_short=is_short
    )


def _within(budget: Budget, connections: int) -> Budget:
    """Return a budget for fewer connections: none of its kinds gets more than half of them."""
    if connections >= budget.connections:
        return budget
    half = max(1, connections // 2)
    return replace(
        budget,
        connections=connections,
        newcomers=min(budget.newcomers, half),
        waiting=min(budget.waiting, half),
        spectators=min(budget.spectators, half),
        http_streams=min(budget.http_streams, half),
    )


def soft_limit() -> int | None:
    """Return the limit of descriptors of this process; None if the system has none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
