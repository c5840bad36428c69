"""Pages for operators and their programs: the state of the server, its metrics, and orders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.net.connection_budget import ConnectionKind, NetworkList, TurnedAway
from ump.net.connection_limits import ClientKind
from ump.net.http.resources import LeafResource, RequestRefused, Response, address_of
from ump.server.status import Histogram, ServerStatus, StatusSource, log_places, status_data

# The pages for operators and their programs: ``/healthz``, ``/readyz``, ``/status`` and ``/metrics``.
#
# The metrics are in the text format of Prometheus, written by its own client library (the extra ``metrics``).

try:
    from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, generate_latest
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
    from prometheus_client.exposition import CONTENT_TYPE_LATEST
except ImportError:
    CONTENT_TYPE_LATEST = ""


NO_LIBRARY = "metrics need the package prometheus-client: pip install 'ump-mahjong[metrics]'"


class OperatorPage(LeafResource):
    """A page that is made anew for each request, for some hosts alone. UNIX sockets may always read it."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, write: Callable[[], bytes], content_type: str, readers: NetworkList) -> None:
        """Let the hosts of this list read what ``write`` returns."""
        super().__init__()
        self._write = write
        self._content_type = content_type
        self._readers = readers

    def respond(self, request: Request) -> bytes:
        """Return the page, or refuse it to other hosts."""
        host, _ = address_of(request)
        if host and host not in self._readers:
            raise RequestRefused(403, "this page is for the hosts of the option --status-for")
        request.setHeader("Content-Type", self._content_type)
        request.setHeader("Cache-Control", "no-store")
        body = self._write()
        return b"" if request.method == b"HEAD" else body


class HealthPage(LeafResource):
    """Tells everybody that the server runs, and nothing else; 503 while it stops."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, source: StatusSource) -> None:
        super().__init__()
        self._source = source

    def respond(self, request: Request) -> bytes:
        """Return ``ok``, or why not."""
        trouble = self._trouble()
        return (Response(text="ok") if trouble is None else Response(503, trouble)).render(request)

    def _trouble(self) -> str | None:
        """Return what is wrong, or None."""
        return "stopping" if self._source.is_stopping else None


class ReadyPage(HealthPage):
    """Tells everybody whether new games can begin: 503 also while they cannot be recorded, or nobody can log in."""

    def _trouble(self) -> str | None:
        """Return what is wrong, or None."""
        if not self._source.can_record:
            return super()._trouble() or "games cannot be recorded"
        return super()._trouble() or (None if self._source.knows_users else "users cannot be checked")


class MissingPage(LeafResource):
    """Says why there are no metrics."""

    METHODS = (b"GET", b"HEAD")

    def respond(self, request: Request) -> bytes:
        """Refuse every request."""
        raise RequestRefused(501, NO_LIBRARY)


def status_pages(source: StatusSource, readers: NetworkList) -> Mapping[str, Resource]:
    """Return the pages by their paths; ``readers`` are the hosts that may read all of them."""
    if HAS_METRICS:
        numbers: Resource = OperatorPage(metrics_page(source.now), METRICS_TYPE, readers)
    else:
        numbers = MissingPage()
    return {
        "healthz": HealthPage(source),
        "readyz": ReadyPage(source),
        "status": OperatorPage(lambda: _json(source.now()), "application/json; charset=utf-8", readers),
        "metrics": numbers,
    }


def _json(status: ServerStatus) -> bytes:
    return f"{json.dumps(status_data(status))}\n".encode()


HAS_METRICS = bool(CONTENT_TYPE_LATEST)
"""Whether the client library is installed."""
METRICS_TYPE: str = CONTENT_TYPE_LATEST
"""The type of the page, for HTTP."""

HELP = {
    "ump_info": "The version of the server.",
    "ump_start_time_seconds": "When the server was started, in seconds since 1970.",
    "ump_stopping": "1 while the server lets no more games begin.",
    "ump_connections": "Open connections, by what they do, by transport and by dialect; HTTP streams have none.",
    "ump_turned_away": "Connections refused, by reason.",
    "ump_tables": "Running games, by room.",
    "ump_waiting_players": "Players who wait for a table, by room.",
    "ump_games": "Games that are over, by room and by how they ended.",
    "ump_game_seconds": "Playing time of the games that are over.",
    "ump_refusals": "Refused answers in the games that are over, by reason and dialect.",
    "ump_timeouts": "Questions whose time ran out in the games that are over, by room.",
    "ump_stale_answers": "Answers to closed questions in the games that are over.",
    "ump_questions": "Questions of the game to clients in the games that are over, by dialect.",
    "ump_answer_seconds": "How long clients took for the answers that counted in the games that are over, by dialect.",
    "ump_records_to_finish": "Games that are over whose journals are not compressed and in the index yet.",
    "ump_journal_sync_seconds": "How long journals of running games took to the disk.",
    "ump_errors": "Errors of the server itself, which its log describes, by the part that logged them.",
    "ump_last_error_time_seconds": "When the last of them was logged, in seconds since 1970; 0: never.",
    "ump_users_away": "1 while the database of users does not answer.",
    "ump_users_answer_seconds": "How long the database of users takes for a small question, asked every ten seconds.",
    "ump_certificate_end_time_seconds": "When each certificate in use ends, in seconds since 1970.",
    "ump_turn_delay_seconds": "How long input waits until the server takes it, measured ten times a second.",
}
"""Every metric of ours with its description. Counters get the ending ``_total``."""


class StatusCollector:
    """Turns the state of a server into metrics, at each request."""

    def __init__(self, now: Callable[[], ServerStatus]) -> None:
        self._now = now
        self._seen: set[ClientKind] = set()
        """The kinds of connections that there have been at an earlier request."""

    def describe(self) -> list[Any]:
        """Return nothing: the metrics are made when they are asked for."""
        return []

    def collect(self) -> Iterator[Any]:
        """Yield all metrics of ours."""
        status = self._now()
        totals, errors = status.totals, status.errors
        yield _gauge("ump_info", {(status.version,): 1}, "version")
        yield _gauge("ump_start_time_seconds", {(): status.started})
        yield _gauge("ump_stopping", {(): int(status.is_stopping)})
        yield _gauge("ump_connections", self._connections(status), "kind", "transport", "dialect")
        turned_away = {(why.value,): status.turned_away.get(why, 0) for why in TurnedAway}
        yield _counter("ump_turned_away", turned_away, "reason")
        yield _gauge("ump_tables", {(name,): running for name, running, _ in status.rooms}, "room")
        yield _gauge("ump_waiting_players", {(name,): waiting for name, _, waiting in status.rooms}, "room")
        games = {(room, end.value): count for room, ends in totals.rooms.items() for end, count in ends.items()}
        yield _counter("ump_games", games, "room", "end")
        yield _counter("ump_game_seconds", {(): totals.seconds})
        refusals = {(reason.value, dialect): count for (reason, dialect), count in totals.refusals.items()}
        yield _counter("ump_refusals", refusals, "reason", "dialect")
        rooms = sorted({name for name, _, _ in status.rooms} | totals.timeouts.keys())
        yield _counter("ump_timeouts", {(name,): totals.timeouts[name] for name in rooms}, "room")
        yield _counter("ump_stale_answers", {(): totals.stale})
        yield _gauge("ump_records_to_finish", {(): status.records_to_finish})
        counts = dict.fromkeys(log_places(), 0) | errors.places  # a series that begins above 0 raises no alert
        yield _counter("ump_errors", {(place,): count for place, count in counts.items()}, "where")
        yield _histogram("ump_journal_sync_seconds", {(): status.syncs})
        yield _gauge("ump_last_error_time_seconds", {(): errors.last_at or 0})
        answers = totals.answers.items()
        yield _counter("ump_questions", {(dialect,): each.questions for dialect, each in answers}, "dialect")
        yield _histogram("ump_answer_seconds", {(dialect,): each.times for dialect, each in answers}, "dialect")
        yield _histogram("ump_turn_delay_seconds", {(): status.delays})
        if status.users is not None:
            yield _gauge("ump_users_away", {(): int(status.users.is_away)})
            yield _histogram("ump_users_answer_seconds", {(): status.users.answers})
        ends = {(name,): end for name, end in status.certificates.items()}
        yield _gauge("ump_certificate_end_time_seconds", ends, "certificate")

    def _connections(self, status: ServerStatus) -> Mapping[Any, float]:
        """Return the open connections. A kind that was there once stays, with 0: a graph needs that."""
        http = ClientKind(ConnectionKind.HTTP, "http", "")
        now = {**status.clients, http: status.connections[ConnectionKind.HTTP]}
        self._seen.update(now)
        counts = {(each.kind.name.lower(), each.transport, each.dialect): now.get(each, 0) for each in self._seen}
        return dict(sorted(counts.items()))


def metrics_page(now: Callable[[], ServerStatus]) -> Callable[[], bytes]:
    """Return a function that writes all metrics: ours, and those of the process, its memory and its interpreter."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(StatusCollector(now))
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return lambda: generate_latest(registry)


# Each sample stands at the values of its labels.


def _gauge(name: str, samples: Mapping[Any, float], *labels: str) -> Any:
    return _family(GaugeMetricFamily, name, samples, labels)


def _counter(name: str, samples: Mapping[Any, float], *labels: str) -> Any:
    return _family(CounterMetricFamily, name, samples, labels)


def _family(kind: Any, name: str, samples: Mapping[Any, float], labels: Sequence[str]) -> Any:
    family = kind(name, HELP[name], labels=labels)
    for values, number in samples.items():
        family.add_metric(values, number)
    return family


def _histogram(name: str, samples: Mapping[Any, Histogram], *labels: str) -> Any:
    family = HistogramMetricFamily(name, HELP[name], labels=labels)
    for values, times in samples.items():
        bounds = (*map(str, times.bounds), "+Inf")
        family.add_metric(values, list(zip(bounds, accumulate(times.counts), strict=True)), times.seconds)
    return family
