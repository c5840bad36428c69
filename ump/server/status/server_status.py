"""The state of a server at one instant, as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Protocol

from twisted.internet.interfaces import IReactorTime

from ump.model.value import value
from ump.net.connection_budget import Kind, TurnedAway
from ump.net.connection_limits import Client, OpenConnections
from ump.server.status.error_count import ErrorCount
from ump.server.status.game_totals import GameTotals
from ump.server.status.histogram import Histogram
from ump.server.status.sync_times import BOUNDS as SYNC_BOUNDS
from ump.server.status.sync_times import SyncTimes
from ump.server.status.turn_delay import TurnDelay


class BusyRoom(Protocol):
    """A room, as far as its state goes."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def running(self) -> int:
        """How many games run."""

    @property
    def waiting(self) -> int:
        """How many players wait for a table."""

    @property
    def next_round(self) -> float | None:
        """The instant of the next round of a rated room, in seconds since 1970; None in other rooms."""


class Journals(Protocol):
    """The journals of a server, as far as its state goes."""

    syncs: SyncTimes

    @property
    def to_finish(self) -> int:
        """How many games are over whose journals are not compressed and in the index yet."""

    @property
    def is_writable(self) -> bool:
        """Whether new games can be recorded."""


@value
class ServerStatus:
    """The state of a server, as an operator sees it."""

    version: str
    started: float
    """Seconds since 1970."""
    uptime: float
    """Seconds."""
    is_stopping: bool
    connections: Mapping[Kind, int]
    clients: Mapping[Client, int]
    """The connections of clients, which are all but HTTP streams, by what they do, by transport and by dialect."""
    turned_away: Mapping[TurnedAway, int]
    """Connections refused since the start, by reason."""
    rooms: Sequence[tuple[str, int, int]]
    """Name, running games and waiting players of each room."""
    totals: GameTotals
    errors: ErrorCount
    delays: Histogram
    """How long input waited for its turn, measured ten times a second."""
    next_rounds: Mapping[str, float] = field(default_factory=dict)
    """The instant of the next round of each rated room, in seconds since 1970."""
    records_to_finish: int = 0
    """Games that are over whose journals are not compressed and in the index yet."""
    syncs: Histogram = field(default_factory=lambda: Histogram(SYNC_BOUNDS))
    """How long journals of running games took to the disk."""


class StatusSource:
    """Looks at the parts of a server."""

    def __init__(
        self,
        rooms: Callable[[], Sequence[BusyRoom]],
        connections: OpenConnections,
        totals: GameTotals,
        errors: ErrorCount,
        delay: TurnDelay,
        clock: IReactorTime,
        journals: Journals | None = None,
    ) -> None:
        """``rooms`` returns the rooms of the moment: they may change when the options are read again."""
        self.journals = journals
        """None: games are not recorded."""
        self._rooms = rooms
        self._connections = connections
        self._totals = totals
        self._errors = errors
        self._delay = delay
        self._clock = clock
        self._started = clock.seconds()
        self.is_stopping = False
        """Whether the server lets no more games begin."""

    def now(self) -> ServerStatus:
        """Return the state at this instant."""
        return ServerStatus(
            version("ump"),
            self._started,
            max(0.0, self._clock.seconds() - self._started),
            self.is_stopping,
            {kind: self._connections.count(kind) for kind in Kind},
            self._connections.clients(),
            self._connections.refused,
            [(room.name, room.running, room.waiting) for room in self._rooms()],
            self._totals,
            self._errors,
            self._delay.delays,
            {room.name: instant for room in self._rooms() if (instant := room.next_round) is not None},
            0 if self.journals is None else self.journals.to_finish,
            Histogram(SYNC_BOUNDS) if self.journals is None else self.journals.syncs.times,
        )

    @property
    def can_record(self) -> bool:
        """Whether new games can be recorded; also true if none is."""
        return self.journals is None or self.journals.is_writable


def status_data(status: ServerStatus) -> dict[str, Any]:
    """Return a state for JSON. Instants are in ISO 8601, durations in seconds; docs/operate.md lists the fields."""
    totals, errors = status.totals, status.errors
    return {
        "version": status.version,
        "started": _instant(status.started),
        "uptime": round(status.uptime, 1),
        "stopping": status.is_stopping,
        "connections": {kind.name.lower(): count for kind, count in status.connections.items()},
        "clients": _by_transport(status.clients),
        "turned_away": sum(status.turned_away.values()),
        "turned_away_for": {why.value: count for why, count in status.turned_away.items()},
        "rooms": {
            name: {"tables": running, "waiting": waiting, **_next_round(status, name)}
            for name, running, waiting in status.rooms
        },
        "tables": sum(running for _, running, _ in status.rooms),
        "games": {end.value: count for end, count in totals.ends.items()},
        "games_in": {room: {end.value: count for end, count in ends.items()} for room, ends in totals.rooms.items()},
        "refusals": {reason.value: count for reason, count in totals.refusals_by_reason.items()},
        "timeouts": totals.timeouts.total(),
        "stale": totals.stale,
        "answers": {
            dialect: {"questions": each.questions, "answers": each.times.total, **_quantiles(each.times)}
            for dialect, each in totals.answers.items()
        },
        "records_to_finish": status.records_to_finish,
        "journal_delay": _quantiles(status.syncs),
        "errors": errors.count,
        "errors_in": dict(errors.places),
        "last_error": None if errors.last_at is None else _instant(errors.last_at),
        "delay": _quantiles(status.delays),
    }


def _by_transport(clients: Mapping[Client, int]) -> dict[str, dict[str, int]]:
    """Return how many clients use each transport, by dialect."""
    found: dict[str, dict[str, int]] = {}
    for client, count in clients.items():
        dialects = found.setdefault(client.transport, {})
        dialects[client.dialect] = dialects.get(client.dialect, 0) + count
    return found


def _next_round(status: ServerStatus, room: str) -> dict[str, str]:
    """Return the field that only rated rooms have."""
    return {"next_round": _instant(status.next_rounds[room])} if room in status.next_rounds else {}


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _quantiles(times: Histogram) -> dict[str, float | None]:
    return {"p50": _finite(times.quantile(0.5)), "p99": _finite(times.quantile(0.99))}


def _finite(seconds: float | None) -> float | None:
    """Return a bound for JSON, which has no infinity."""
    return None if seconds is None or seconds == float("inf") else seconds
