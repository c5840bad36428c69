"""The requests of practice: the next question, an answer to it, and the own mistakes that come back.

Somebody is known as in ``ump/server/http/club.py``. A question never tells its key: the server checks the answer.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure
from twisted.web.server import Request

from ump.database.database import DatabaseError
from ump.drills.drill import Drill, DrillError, DrillKind
from ump.drills.drill_file import read_drills
from ump.net.connection_budget import host_of
from ump.net.http.resources import RequestRefused, address_of, argument_of
from ump.net.limits import MAX_JOBS, MAX_JOBS_OF_HOST
from ump.net.wall_clock import wall_text
from ump.net.windows import Quota
from ump.record.recorded_game import RecordError
from ump.server.drill_desk import POOLED, DrillDesk, NoDrill
from ump.server.drill_targets import mistakes_target
from ump.server.http.api import NO_REVIEWS, PageSources, RecordedGames, room_of_game, seat_of
from ump.server.http.club import Content, PersonalResource, guest_of, json_of
from ump.server.jobs import FairQueue, Job, JobResult, Jobs, TooManyJobs, given_job
from ump.server.seat_tokens import hashes_of_guest
from ump.server.settings import NO_REVIEW
from ump.server.users.learner import Learner

KEEP_PATH = b"/api/drills/mistakes"
"""The path whose bodies may be as long as a record."""

REQUESTS, PERIOD = 1_200, 600.0
"""Questions and answers of a host in so many seconds: two a second, for a class behind one address."""

GUESTS_A_DAY = 100
"""Guests of a host about whom something is kept anew on one day."""

MOST_KNOWN = 10_000
"""Guests that are not looked up again."""

REPORTS_A_DAY = 10
"""Reports of a host on one day."""

GAMES_AN_HOUR = 60
"""Games of a host whose mistakes are kept in an hour: each is a second of a core."""

DAY = 86_400.0

MOST_TILES, LONGEST_CHOICE = 34, 64
"""The tiles of an answer, and the letters of one part of it."""

LONGEST_ANSWER = 3_600_000
"""Milliseconds; an answer that takes longer counts as so long."""

TOO_MANY = "too many drills from your address; try again in some minutes"
TOO_MANY_GUESTS = "too many new guests from your address today; log in, or try again tomorrow"
TOO_MANY_REPORTS = "too many reports from your address today"
TOO_MANY_GAMES = "too many games from your address; try again in an hour"
NONE_LEFT = "there is no such drill now"
AWAY = "what you have practised cannot be read now; try again later"
BUSY = "the server is busy with other records; try again"

_NAME = re.compile(r"[0-9a-f]{16}")

T = TypeVar("T")
P = ParamSpec("P")


class DrillsResource(PersonalResource):
    """``GET api/drills`` tells how far somebody is, ``?kind=K`` asks the next question; ``DELETE`` forgets all.

    ``POST api/drills/ID`` answers, ``POST api/drills/ID/report`` says that a drill is wrong, and ``DELETE
    api/drills/ID`` leaves an own mistake out. ``POST api/drills/mistakes?game=ID&seat=A`` keeps the mistakes of a game;
    without ``game`` the record is the body, and ``number`` counts its games from 0.
    """

    def __init__(
        self, desk: DrillDesk, sources: PageSources, games: RecordedGames, jobs: Jobs, clock: IReactorTime
    ) -> None:
        super().__init__()
        self._desk = desk
        self._sources = sources
        self._games = games
        self._jobs = jobs
        self._clock = clock
        self._queue = FairQueue(sources.in_thread, MAX_JOBS, MAX_JOBS_OF_HOST)
        self._requests = Quota(REQUESTS, PERIOD)
        self._guests = Quota(GUESTS_A_DAY, DAY)
        self._known: set[str] = set()
        """Guests of whom something is kept."""
        self._reports = Quota(REPORTS_A_DAY, DAY)
        self._kept = Quota(GAMES_AN_HOUR, 3_600.0)

    def respond(self, request: Request, below: list[str]) -> Deferred[bytes]:
        """Ask, take an answer, or change what is kept; raises RequestRefused."""
        guest, host = hashes_of_guest(guest_of(request))[0], host_of(address_of(request)[0])
        self._count(self._requests, host, TOO_MANY)
        call = self._call_of(request, below, host)
        found = self._sources.user_of(request)
        found.addCallback(lambda user: call(Learner(guest, None if user is None else user.name)))
        return found.addErrback(_refuse).addCallback(lambda content: json_of(request, content or {}))

    def _call_of(self, request: Request, below: list[str], host: str) -> Callable[[Learner], Deferred[Any]]:
        """Return what responds to a request of a host, by its learner; raises RequestRefused.

        A client that has gone meanwhile has no host any more.
        """
        match request.method, below:
            case b"GET", []:
                kind = argument_of(request, "kind")
                if kind is None:
                    return lambda learner: self._ask(host, DrillDesk.overview, learner, self._today)
                return partial(self._next, host, _kind(kind))
            case b"POST", ["mistakes"]:
                return partial(self._keep, host, self._mistakes(request, host), argument_of(request, "game"))
            case b"POST", [name] if _NAME.fullmatch(name):
                return partial(self._answer, host, name, Content.of(request))
            case b"POST", [name, "report"] if _NAME.fullmatch(name):
                self._count(self._reports, host, TOO_MANY_REPORTS, DAY)
                return partial(self._change, host, DrillDesk.report, name)
            case b"DELETE", [name] if _NAME.fullmatch(name):
                return lambda learner: self._ask(host, DrillDesk.leave_out, learner, name, self._today)
            case b"DELETE", []:
                return lambda learner: self._ask(host, DrillDesk.forget, learner, self._today)
            case ((b"GET" | b"POST" | b"DELETE"), _):
                raise RequestRefused(404)
            case _:
                raise RequestRefused(405, "", ("Allow", "GET, POST, DELETE"))

    # Questions and answers

    def _next(self, host: str, kind: DrillKind, learner: Learner) -> Deferred[Any]:
        asked: Deferred[Any] = self._ask(host, DrillDesk.next, learner, kind, self._today)
        return asked.addErrback(_tell_none)

    @inlineCallbacks
    def _answer(self, host: str, name: str, content: Content, learner: Learner) -> Any:
        answer, milliseconds = _read_answer(content)
        is_timed = content.flag("timed")
        yield self._admit(host, learner)
        verdict = yield self._ask(
            host, DrillDesk.answer, learner, name, answer, milliseconds, self._now, is_timed=is_timed
        )
        return verdict.data()

    @inlineCallbacks
    def _change(self, host: str, change: Callable[..., None], name: str, learner: Learner) -> Any:
        yield self._admit(host, learner)
        yield self._ask(host, change, learner, name, self._today)

    # Own mistakes

    def _mistakes(self, request: Request, host: str) -> Callable[[], Deferred[Job]]:
        """Return what finds the job that makes drills of mistakes; raises RequestRefused."""
        seat, number = seat_of(request), argument_of(request, "number") or "0"
        if re.fullmatch(r"\d{1,4}", number, re.ASCII) is None:
            raise RequestRefused(400, "number: expected a number")
        target = mistakes_target(int(number), seat)
        self._count(self._kept, host, TOO_MANY_GAMES, 3_600.0)
        game = argument_of(request, "game")
        if game is not None:
            if self._sources.reviewers()(room_of_game(game)) == NO_REVIEW:
                raise RequestRefused(404, NO_REVIEWS)
            return partial(self._games.job, game, target, host)
        assert request.content is not None
        data = request.content.read()
        return lambda: succeed(given_job(data, target))

    @inlineCallbacks
    def _keep(self, host: str, find: Callable[[], Deferred[Job]], game: str | None, learner: Learner) -> Any:
        """Make drills of the mistakes in a game, and let them come back."""
        yield self._admit(host, learner)
        job = yield find()
        made: JobResult = yield self._jobs.ask(job, host)
        drills: tuple[Drill, ...] = read_drills(gzip.decompress(made.packed))
        if game is not None:
            drills = tuple(_with_game(drill, game) for drill in drills)
        new = yield self._ask(host, DrillDesk.keep, learner, drills, self._today)
        return {"found": len(drills), "new": new}

    # Parts

    @property
    def _now(self) -> str:
        return wall_text(self._clock)

    @property
    def _today(self) -> str:
        return self._now[:10]

    def _count(self, quota: Quota, host: str, message: str, seconds: float = PERIOD) -> None:
        """Count a request; raises RequestRefused if the host has made too many."""
        if not quota.take(host, self._clock.seconds()):
            raise RequestRefused(429, message, ("Retry-After", f"{seconds:.0f}"))

    @inlineCallbacks
    def _admit(self, host: str, learner: Learner) -> Any:
        """Refuse a guest of whom nothing is kept yet, if the host has had too many of them today."""
        if learner.user is not None or learner.guest in self._known:
            return
        is_known = yield self._ask(host, DrillDesk.knows, learner, self._today)
        if not is_known:
            self._count(self._guests, host, TOO_MANY_GUESTS, DAY)
        if len(self._known) == MOST_KNOWN:
            self._known.clear()
        self._known.add(learner.guest)

    def _ask(
        self, host: str, call: Callable[Concatenate[DrillDesk, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]:
        """Call a method of the desk in a thread, after what the same host has asked for."""
        asked = self._queue.add(host, partial(call, self._desk, *args, **kwargs))
        if asked is None:
            raise TooManyJobs
        return asked


def _kind(text: str) -> DrillKind:
    for kind in (*POOLED, DrillKind.MISTAKE):
        if kind.value == text:
            return kind
    raise RequestRefused(400, f"kind: expected one of {', '.join(kind.value for kind in DrillKind)}")


def _with_game(mistake: Drill, game: str) -> Drill:
    """Return an own mistake that tells after the answer in which game of the server it was."""
    facts = {**mistake.facts, "at": {**mistake.facts["at"], "game": game}}
    return replace(mistake, facts=facts)


def _read_answer(content: Content) -> tuple[Collection[str] | None, int]:
    """Return an answer, None if the learner gives up, and its milliseconds; raises RequestRefused."""
    answer, milliseconds = content.given.get("answer"), content.given.get("ms", 0)
    if answer is not None:
        if not isinstance(answer, list) or len(answer) > MOST_TILES:
            raise RequestRefused(400, f'"answer" must be a list of at most {MOST_TILES} texts, or null')
        if not all(isinstance(each, str) and len(each) <= LONGEST_CHOICE for each in answer):
            raise RequestRefused(400, f'"answer" must have texts of at most {LONGEST_CHOICE} characters')
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int) or milliseconds < 0:
        raise RequestRefused(400, '"ms" must be a number of milliseconds')
    return answer, min(milliseconds, LONGEST_ANSWER)


def _tell_none(failure: Failure) -> dict[str, object]:
    """Return that no drill is left: a 404 would be an error in the console of the browser."""
    failure.trap(NoDrill)
    return {"drill": None}


def _refuse(failure: Failure) -> Failure:
    """Turn an error into a refusal; raises RequestRefused."""
    match failure.value:
        case NoDrill():
            raise RequestRefused(404, NONE_LEFT)
        case DrillError() | RecordError() as error:
            raise RequestRefused(400, str(error))
        case TooManyJobs():
            raise RequestRefused(503, BUSY, ("Retry-After", "2"))
        case FileNotFoundError():
            raise RequestRefused(404)
        case DatabaseError():
            raise RequestRefused(503, AWAY, ("Retry-After", "2"))
        case _:
            return failure
