"""The state of a running server for its operator: connections, tables, finished games, errors, delay.

It holds nothing of a running game. The answers of players are counted when their game is over, because a count of, say,
refused wins would tell the others something during the game.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Any, Protocol

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import ILogObserver, LogEvent, Logger, LogLevel
from zope.interface import implementer

from ump.model.claims import Reason
from ump.model.installation import installed_version
from ump.model.value import value
from ump.net.connection_budget import ConnectionKind, TurnedAway
from ump.net.connection_limits import ClientKind, OpenConnections
from ump.net.wall_clock import wall_seconds
from ump.table.journal_entries import End

DELAY_BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the classes of delays, in seconds."""


class Histogram:
    """Counts of durations by class: plain numbers, from which metrics are made."""

    __slots__ = ("bounds", "counts", "seconds")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        """Upper bounds of the classes, in seconds; longer durations are in a last class."""
        self.counts = [0] * (len(bounds) + 1)
        """The number of durations in each class."""
        self.seconds = 0.0
        """Their sum."""

    @property
    def total(self) -> int:
        """The number of durations."""
        return sum(self.counts)

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.seconds += seconds

    def add_all(self, other: Histogram) -> None:
        """Count the durations of another histogram with the same bounds."""
        self.counts = [own + others for own, others in zip(self.counts, other.counts, strict=True)]
        self.seconds += other.seconds

    def quantile(self, share: float) -> float | None:
        """Return the upper bound, in seconds, of the class in which this share of the durations ends.

        None: there were none. Durations beyond the last bound are infinite.
        """
        wanted = share * self.total
        so_far = 0
        for bound, count in zip((*self.bounds, float("inf")), self.counts, strict=True):
            so_far += count
            if count and so_far >= wanted:
                return bound
        return None


ANSWER_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 120.0)
"""Upper bounds of the classes of answer times, in seconds."""


class AnswerTimes:
    """The questions of the game to the clients of one dialect, and how long their answers took."""

    __slots__ = ("questions", "times")

    def __init__(self) -> None:
        self.questions = 0
        """The number of questions that were asked; an answer that is refused may let the same one be asked again."""
        self.times = Histogram(ANSWER_BOUNDS)
        """From when a question was first asked until the answer that counted."""

    def add_all(self, other: AnswerTimes) -> None:
        """Count the questions and answers of another game."""
        self.questions += other.questions
        self.times.add_all(other.times)


@value
class GameNumbers:
    """The numbers that one game adds to the totals."""

    end: End
    seconds: float
    """The time for which the game has been played, on this server."""
    refusals: Counter[tuple[Reason, str]]
    """Refused answers, by reason and dialect."""
    timeouts: int
    """Questions whose time ran out."""
    stale: int
    """Answers to questions that were no longer open."""
    answers: Mapping[str, AnswerTimes] = field(default_factory=dict)
    """Questions and answers by dialect."""


class GameTotals:
    """Sums over all games that have ended since the server started."""

    def __init__(self) -> None:
        self.ends: Counter[End] = Counter()
        self.rooms: dict[str, Counter[End]] = {}
        """The same by room."""
        self.refusals: Counter[tuple[Reason, str]] = Counter()
        """Refused answers, by reason and dialect."""
        self.seconds = 0.0
        self.timeouts: Counter[str] = Counter()
        """Questions whose time ran out, by room."""
        self.stale = 0
        self.answers: dict[str, AnswerTimes] = {}
        """Questions and answers by dialect."""

    @property
    def games(self) -> int:
        """The number of games that have ended, however they did."""
        return self.ends.total()

    @property
    def refusals_by_reason(self) -> Counter[Reason]:
        """Refused answers of all dialects, by reason."""
        sums: Counter[Reason] = Counter()
        for (reason, _), count in self.refusals.items():
            sums[reason] += count
        return sums

    def add(self, game: GameNumbers, room: str) -> None:
        """Count a game of a room that is over."""
        self.ends[game.end] += 1
        self.rooms.setdefault(room, Counter())[game.end] += 1
        self.refusals.update(game.refusals)
        self.seconds += game.seconds
        self.timeouts[room] += game.timeouts
        self.stale += game.stale
        for dialect, answers in game.answers.items():
            self.answers.setdefault(dialect, AnswerTimes()).add_all(answers)


ERRORS = (LogLevel.error, LogLevel.critical)

MOST_CHARACTERS = 100
"""Characters of the name of a place."""


@implementer(ILogObserver)
class ErrorCount:
    """A log observer that counts errors. A client's fault is not one: it is logged at info or debug."""

    def __init__(self) -> None:
        self.count = 0
        """The number of errors so far."""
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


OTHER_PLACES = ("log_legacy", "twisted.internet.base", "twisted.internet.defer")
"""The places of Twisted that log exceptions which leave our code."""


def log_places() -> list[str]:
    """Return the places that can log an error: Twisted's, and the classes of ump that have a logger."""
    places = [*OTHER_PLACES]
    for name, module in tuple(sys.modules.items()):
        if name.startswith("ump."):
            classes = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
            logs = [getattr(each, "_log", None) for each in classes]
            places += [log.namespace for log in logs if isinstance(log, Logger)]
    return sorted(places)


PERIOD = 0.1
"""Seconds between two measurements."""


class TurnDelay(Service):
    """Measures how long input waits for its turn, from the start of the service on: the delay of a busy server.

    A call is scheduled every 100 milliseconds. How late the reactor makes it is how long a message that arrived at that
    instant has waited. So the measurement costs the same, however many clients play.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._call: IDelayedCall | None = None
        self._due = 0.0
        self.delays = Histogram(DELAY_BOUNDS)
        """The delays so far."""

    def startService(self) -> None:
        """Begin to measure."""
        super().startService()
        self._schedule()

    def stopService(self) -> None:
        """Measure no more."""
        super().stopService()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _schedule(self) -> None:
        self._due = self._clock.seconds() + PERIOD
        self._call = self._clock.callLater(PERIOD, self._measure)

    def _measure(self) -> None:
        self.delays.add(self._clock.seconds() - self._due)
        self._schedule()


PROBE_SECONDS = 10.0
"""Seconds between two questions to a database."""

LATE_SECONDS = 5.0
"""Seconds after which a database that has not answered is away."""


class DatabaseProbe(Service):
    """Asks a database at even intervals whether it answers, one question at a time."""

    def __init__(self, ask: Callable[[], Deferred[Any]], clock: IReactorTime) -> None:
        """``ask`` puts a small question to the database, in another thread; the Deferred fails if that is away."""
        self._ask = ask
        self._clock = clock
        self._call: IDelayedCall | None = None
        self._asked: float | None = None
        """When the open question was asked, by the clock; None without one."""
        self._has_failed = False
        self.answers = Histogram(DELAY_BOUNDS)
        """The times that answers took so far."""

    @property
    def is_away(self) -> bool:
        """Whether the database has not answered, or not yet and too late."""
        is_late = self._asked is not None and self._clock.seconds() - self._asked > LATE_SECONDS
        return self._has_failed or is_late

    def startService(self) -> None:
        """Begin to ask."""
        super().startService()
        self._probe()

    def stopService(self) -> None:
        """Ask no more."""
        super().stopService()
        if self._call is not None and self._call.active():
            self._call.cancel()

    def _probe(self) -> None:
        self._asked = self._clock.seconds()
        self._ask().addCallbacks(self._note_answer, self._note_failure).addBoth(self._wait)

    def _note_answer(self, _: object) -> None:
        assert self._asked is not None
        self.answers.add(self._clock.seconds() - self._asked)
        self._has_failed = False

    def _note_failure(self, _: object) -> None:
        """Note that the database is away. Logins say so in the log."""
        self._has_failed = True

    def _wait(self, _: object) -> None:
        self._asked = None
        if self.running:
            self._call = self._clock.callLater(PROBE_SECONDS, self._probe)


class BusyRoom(Protocol):
    """A room, as far as its state goes."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def running(self) -> int:
        """The number of running games."""

    @property
    def waiting(self) -> int:
        """The number of players that wait for a table."""

    @property
    def next_round(self) -> float | None:
        """The instant of the next round of a rated room, in seconds since 1970; None in other rooms."""


class Journals(Protocol):
    """The journals of a server, as far as its state goes."""

    sync_times: Histogram
    """The times that running journals took to the disk."""

    @property
    def to_finish(self) -> int:
        """The number of games that are over, but whose journals are not compressed and in the index yet."""

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
    connections: Mapping[ConnectionKind, int]
    clients: Mapping[ClientKind, int]
    """The connections of clients, which are all but HTTP streams, by what they do, by transport and by dialect."""
    turned_away: Mapping[TurnedAway, int]
    """Connections refused since the start, by reason."""
    rooms: Sequence[tuple[str, int, int]]
    """Name, running games and waiting players of each room."""
    totals: GameTotals
    errors: ErrorCount
    delays: Histogram
    """The times for which input waited for its turn, measured ten times a second."""
    next_rounds: Mapping[str, float] = field(default_factory=dict)
    """The instant of the next round of each rated room, in seconds since 1970."""
    records_to_finish: int = 0
    """Games that are over whose journals are not compressed and in the index yet."""
    syncs: Histogram = field(default_factory=lambda: Histogram(DELAY_BOUNDS))
    """The times that journals of running games took to the disk."""
    users: DatabaseProbe | None = None
    """The state of the database of users; None without one."""
    certificates: Mapping[str, float] = field(default_factory=dict)
    """When each certificate in use ends, in seconds since 1970."""


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
        journals: Journals | None,
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
        self._started, self._begun = wall_seconds(clock), clock.seconds()
        self.is_stopping = False
        """Whether the server lets no more games begin."""
        self.users: DatabaseProbe | None = None
        """The state of the database of users; None without one."""
        self.certificates: Callable[[], Mapping[str, float]] = dict
        """Returns when the certificates end."""

    def now(self) -> ServerStatus:
        """Return the state at this instant."""
        return ServerStatus(
            installed_version(),
            self._started,
            self._clock.seconds() - self._begun,
            self.is_stopping,
            {kind: self._connections.count(kind) for kind in ConnectionKind},
            self._connections.clients(),
            self._connections.refused,
            [(room.name, room.running, room.waiting) for room in self._rooms()],
            self._totals,
            self._errors,
            self._delay.delays,
            {room.name: instant for room in self._rooms() if (instant := room.next_round) is not None},
            0 if self.journals is None else self.journals.to_finish,
            Histogram(DELAY_BOUNDS) if self.journals is None else self.journals.sync_times,
            self.users,
            self.certificates(),
        )

    @property
    def can_record(self) -> bool:
        """Whether new games can be recorded; also true if none is."""
        return self.journals is None or self.journals.is_writable

    @property
    def knows_users(self) -> bool:
        """Whether users can log in; also true if there are none."""
        return self.users is None or not self.users.is_away


FIELDS: Mapping[str, str] = {
    "version": "the version of the server",
    "started": "when it started",
    "uptime": "seconds since then",
    "stopping": "whether it lets no more games begin",
    "connections": "by what they do: `newcomer` (no hello yet), `waiting`, `spectator`, `player`, `http`",
    "clients": "the same without `http`, by transport (`tcp`, `tls`, `unix`, `websocket`, `polling`) and protocol",
    "turned_away": "connections refused since the start",
    "turned_away_for": "by reason: `denied` (the deny list), `violations` and `rate` (of their host), `host` (it has"
    " too many), `full` (the server has)",
    "rooms": "running games and waiting players of each room, and `next_round` of a rated one",
    "tables": "all running games",
    "games": "games that are over, by how they ended",
    "games_in": "the same by room",
    "refusals": "refused answers by reason, in games that are over",
    "timeouts": "questions whose time ran out, in games that are over",
    "stale": "answers to no open question, in games that are over",
    "answers": "by protocol, in games that are over: questions to clients, answers that counted, and the seconds within"
    " which half of these came, and 99 %",
    "records_to_finish": "games that are over whose journals are not compressed and in the index yet",
    "journal_delay": "seconds that journals of running games took to the disk: half of the times, and 99 %",
    "errors": "errors of the server itself, which its log describes",
    "errors_in": "the same by the part that logged them",
    "last_error": "when the last one was",
    "delay": "seconds that input waits for its turn: half of the time, and 99 % of it, no longer than this",
    "users": "null without `--users`; whether the database is `away`, and the seconds within which it answers",
    "certificates": "when each certificate in use ends, by the name of its file",
}
"""The meanings of the fields of ``/status``, in their order. None says anything of a running game."""


def status_data(status: ServerStatus) -> dict[str, Any]:
    """Return a state for JSON. Instants are in ISO 8601, durations in seconds; see ``FIELDS``."""
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
        "users": None if status.users is None else {"away": status.users.is_away, **_quantiles(status.users.answers)},
        "certificates": {name: _instant(end) for name, end in status.certificates.items()},
    }


def _by_transport(clients: Mapping[ClientKind, int]) -> dict[str, dict[str, int]]:
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
