"""The requests of the pages: the lobby, the rules of a room, a finished game, and the conversion of a record.

All answers are JSON. Games are read and converted in other processes, one after the other, so that no table waits; the
results are kept (``ump/server/jobs.py``). A thread would not do: it competes with all tables for Python's lock, and a
conversion takes seconds of it. The process has a low priority and limits, and dies with the server.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from twisted.internet.defer import CancelledError, Deferred, DeferredLock, TimeoutError, fail, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.database.database import DatabaseError
from ump.model.choices import quoted
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.net.connection_budget import host_of
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    Response,
    address_of,
    argument_of,
    headers_of,
    refuse_other_origins,
)
from ump.net.limits import BOARD_SECONDS, JOB_SECONDS, LOBBY_SECONDS, MAX_JOBS, MAX_JOBS_OF_HOST
from ump.record.branch import Branch, read_branch
from ump.record.conversion_process import REPLAY, branch_target, review_target
from ump.record.formats import FORMATS
from ump.record.indexed_game import IndexedGame
from ump.record.record_copies import RecordCopies
from ump.record.recorded_game import RecordError
from ump.rules.ruleset import Ruleset
from ump.server.drill_desk import DrillDesk
from ump.server.http.club import IsReserved, UserOf, nobody, unreserved
from ump.server.http.orders import OrderResource
from ump.server.http.pages import tagged, takes_gzip
from ump.server.jobs import (
    RESULTS,
    FairQueue,
    InThread,
    Job,
    JobResult,
    Jobs,
    TooManyJobs,
    copied_job,
    game_job,
    given_job,
)
from ump.server.journals import FINISHED
from ump.server.ladder import Ladder, LadderPlayer, Standings
from ump.server.lobby import Lobby
from ump.server.overview import OwnGames, RoomOverview, ladder_data, lobby_data, player_data
from ump.server.own_profiles import OwnProfiles
from ump.server.settings import NO_REVIEW
from ump.server.tournament_play import Events
from ump.text.rules import ruleset_data
from ump.wire.json_text import write
from ump.wire.text import RECORD

if TYPE_CHECKING:
    from ump.server.http.accounts import AccountDesk

JSON_TYPE = "application/json"

CONVERT_PATH = b"/api/convert"
"""The path whose bodies may be as long as a record."""

T = TypeVar("T")


@dataclass(frozen=True)
class PageSources:
    """The sources of the content of the pages."""

    rooms: Callable[[], Sequence[RoomOverview]]
    """Returns the rooms of the server as they are now."""
    games: Callable[[], Sequence[IndexedGame]]
    """Returns the last games, the newest first."""
    folder: Path | None
    """The folder of journals; None: no game is recorded."""
    in_thread: InThread
    ladders: Callable[[], Mapping[str, Ladder]] = dict
    """Returns the rounds of the rated rooms by their names."""
    boards: Callable[[], Mapping[str, object]] = dict
    """Returns the boards of some tables, by the names of the tables."""
    has_users: bool = False
    """Whether users may log in."""
    elsewhere: Callable[[], Sequence[Mapping[str, object]]] = tuple
    """Returns the rooms of the other servers of the site."""
    user_of: UserOf = nobody
    """Returns the user who has logged in with a browser."""
    is_reserved: IsReserved = unreserved
    """Returns whether a name belongs to a user."""
    accounts: AccountDesk | None = None
    """The accounts of users; None: the server knows no users."""
    guests: Lobby | None = None
    """Knows the seats of guests; None: nobody may ask for them."""
    own_games: OwnGames | None = None
    """The games of users and guests; None: no game is recorded."""
    events: Events | None = None
    """The tournaments; None: there are none."""
    orders: OrderResource | None = None
    """Takes orders of users with the role admin; None: the server knows no users."""
    keep_branch: Callable[[str, Branch], str] = lambda _room, _branch: ""
    """Keeps a position for a room, and returns the name under which a player comes to it."""
    letter: str = ""
    """The letter of the server in its site."""
    copies: RecordCopies | None = None
    """The records of all servers of the site; None: the server is alone."""
    jobs: Jobs | None = None
    """The jobs of the server; None: the pages have some of their own."""
    drills: DrillDesk | None = None
    """Asks drills; None: nobody may practise."""

    def reviewers(self) -> Callable[[str], str]:
        """Return a function that names the policy that reviews games of a room, as the rooms are now.

        A table among friends, or a room that is gone, is as the first room.
        """
        by_room = {each.info.name: each.review for each in self.rooms()}
        default = next(iter(by_room.values()), NO_REVIEW)
        for other in self.elsewhere():
            by_room[str(other["name"])] = str(other.get("review", default))

        def reviewer(room: str) -> str:
            """Return the policy, or ``NO_REVIEW``."""
            return by_room.get(room, default)

        return reviewer

    @property
    def has_all_records(self) -> bool:
        """Whether the games of other servers can be opened here, too."""
        return self.copies is not None


@value
class Json:
    """A text of JSON, and the tag by which a client knows it again."""

    body: bytes
    etag: str


def made(content: Mapping[str, object]) -> Json:
    """Return the JSON of a content."""
    body = write(content).encode()
    return Json(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


class JsonResource(LeafResource):
    """A path whose content is JSON that may change between two requests.

    Everybody may ask as often as they like, and tables wait meanwhile. So what takes long to make is kept.
    """

    METHODS = (b"GET", b"HEAD")

    def json(self, request: Request) -> Json:
        """Return the content; raises RequestRefused."""
        raise NotImplementedError

    def respond(self, request: Request) -> bytes:
        """Return the content, or 304 if the client has it already."""
        found = self.json(request)
        return tagged(request, found.body, JSON_TYPE, found.etag)


class LobbyResource(JsonResource):
    """The rooms, their tables, the players who wait, and the last games, as they were within the last second.

    The boards of the tables are at most ``BOARD_SECONDS`` old.
    """

    def __init__(self, sources: PageSources, seconds: Callable[[], float]) -> None:
        """``seconds`` returns the instant in clock seconds."""
        super().__init__()
        self._sources = sources
        self._lobby = CachedValue(self._read, LOBBY_SECONDS, seconds)
        self._boards = CachedValue(sources.boards, BOARD_SECONDS, seconds)

    def _read(self) -> Json:
        sources, boards = self._sources, self._boards.get()
        return made(
            lobby_data(
                sources.rooms(),
                sources.games(),
                sources.elsewhere(),
                boards=boards,
                has_users=sources.has_users,
                tournaments=() if sources.events is None else sources.events.listed,
                has_all_records=sources.has_all_records,
            )
        )

    def json(self, request: Request) -> Json:
        """Return the lobby."""
        return self._lobby.get()


class CachedValue(Generic[T]):
    """A value that is made again only if it is older than some seconds."""

    def __init__(self, make: Callable[[], T], lasts: float, seconds: Callable[[], float]) -> None:
        self._make = make
        self._lasts = lasts
        self._seconds = seconds
        self._value: tuple[float, T] | None = None
        """When it was made, and the value."""

    def get(self) -> T:
        """Return the value."""
        now = self._seconds()
        if self._value is None or now - self._value[0] >= self._lasts:
            self._value = now, self._make()
        return self._value[1]


class LadderResource(JsonResource):
    """The ladders of all rated rooms; ``room`` and ``player`` ask for one player, ``builtin=1`` for a built-in bot."""

    def __init__(self, sources: PageSources) -> None:
        super().__init__()
        self._sources = sources
        self._kept: tuple[list[tuple[str, Standings, float]], Json] | None = None
        """The last answer with all ladders, and what it was made from."""

    def json(self, request: Request) -> Json:
        """Return the ladders, or one player; raises RequestRefused."""
        ladders = self._sources.ladders()
        name = argument_of(request, "player")
        if name is None:
            return self._all(ladders)
        ladder = ladders.get(argument_of(request, "room") or next(iter(ladders), ""))
        player = LadderPlayer(name, is_builtin=argument_of(request, "builtin") == "1")
        if ladder is None or player not in ladder.standings.ratings:
            raise RequestRefused(404)
        return made(player_data(ladder.standings, player, has_all_records=self._sources.has_all_records))

    def _all(self, ladders: Mapping[str, Ladder]) -> Json:
        """Return all ladders. They are made once for each round, because a table may have a thousand rows."""
        made_from = [(room, ladder.standings, ladder.next_round) for room, ladder in ladders.items()]
        if self._kept is None or not _are_same(self._kept[0], made_from):
            rooms = [ladder_data(room, ladder) for room, ladder in ladders.items()]
            self._kept = made_from, made({"rooms": rooms})
        return self._kept[1]


def _are_same(some: Sequence[tuple[str, Standings, float]], others: Sequence[tuple[str, Standings, float]]) -> bool:
    """Return whether ladders are the same. To compare all their games would take as long as to write them."""
    return len(some) == len(others) and all(
        (one[0], one[2]) == (other[0], other[2]) and one[1] is other[1] for one, other in zip(some, others, strict=True)
    )


class RulesResource(JsonResource):
    """The rules of one room."""

    def __init__(self, room: RoomOverview) -> None:
        super().__init__()
        self._room = room

    def json(self, request: Request) -> Json:
        """Return each field with its value and meaning."""
        return _rules(self._room.info.ruleset)


@lru_cache(maxsize=64)
def _rules(ruleset: Ruleset) -> Json:
    return made(ruleset_data(ruleset))


class RoomsFolder(Resource):
    """The rules of all rooms, by the name of the room."""

    def __init__(self, sources: PageSources) -> None:
        super().__init__()
        self._sources = sources

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the resource of a room."""
        found = [room for room in self._sources.rooms() if room.info.name.encode() == path]
        return RulesResource(found[0]) if found else NotThere()

    def render(self, request: Request) -> bytes:
        """Respond with 404: a room must be named."""
        return Response(404).render(request)


class NotThere(Resource):
    """A path that leads nowhere."""

    isLeaf = True

    def render(self, request: Request) -> bytes:
        """Respond with 404."""
        return Response(404).render(request)


class NoAccount(JsonResource):
    """The account of whoever asks a server without users."""

    def json(self, request: Request) -> Json:
        """Return nothing: a 404 would be an error in the console of each browser."""
        return Json(b"null", '"none"')


class JobResponses:
    """Responds to requests with the results of jobs.

    A client with ``Prefer: respond-async`` (RFC 7240) gets 202 with the number of jobs before its own while it waits,
    and asks again; any other waits for its response.
    """

    _log = Logger()

    def __init__(self, jobs: Jobs, in_thread: InThread, clock: IReactorTime) -> None:
        self._jobs = jobs
        self._in_thread = in_thread
        self._clock = clock

    def respond(
        self,
        request: Request,
        job: Job,
        media_type: str,
        location: str = "",
        made: Callable[[bytes], bytes] | None = None,
    ) -> int:
        """Respond with the result of a job; ``location`` is the path for asking again, if it is another one.

        ``made`` returns what is sent in place of a short result.
        """
        asked = self._jobs.ask(job, host_of(address_of(request)[0]))
        if made is not None:
            asked.addCallback(_changed, made)
        return self._wait(request, asked, job.id, media_type, location)

    def respond_later(self, request: Request, found: Deferred[Job], made: Callable[[bytes], bytes] | None) -> int:
        """Respond in JSON as above when the record of a job has been found."""
        self._bound(request, found)
        found.addCallback(lambda job: self.respond(request, job, JSON_TYPE, made=made))
        found.addErrback(self._refuse, request, "", "")
        return NOT_DONE_YET

    def respond_again(self, request: Request, job_id: str, media_type: str) -> int:
        """Respond as before to a client that asks for a job again; raises RequestRefused."""
        asked = self._jobs.find(job_id)
        if asked is None:
            raise RequestRefused(404)
        return self._wait(request, asked, job_id, media_type, "")

    def _wait(self, request: Request, asked: Deferred[JobResult], job_id: str, media_type: str, location: str) -> int:
        self._bound(request, asked)
        asked.addCallback(self._send, request, media_type)
        asked.addErrback(self._refuse, request, job_id, location)
        return NOT_DONE_YET

    def _bound(self, request: Request, asked: Deferred[Any]) -> None:
        """Wait only as long as the client does, and no longer than it prefers."""
        request.notifyFinish().addErrback(lambda gone: asked.cancel())
        if any("respond-async" in header for header in headers_of(request, "prefer")):
            asked.addTimeout(JOB_SECONDS, self._clock)

    def _send(self, result: JobResult, request: Request, media_type: str) -> Deferred[None] | None:
        request.setHeader(b"Vary", b"Accept-Encoding")
        if takes_gzip(request):
            request.setHeader(b"Content-Encoding", b"gzip")
            _finish(request, tagged(request, result.packed, media_type, result.etag))
            return None
        unpacked = self._in_thread(gzip.decompress, result.packed)
        return unpacked.addCallback(lambda body: _finish(request, tagged(request, body, media_type, result.etag)))

    def _refuse(self, failure: Failure, request: Request, job_id: str, location: str) -> None:
        match failure.value:
            case CancelledError():  # the client has gone
                return
            case TimeoutError():
                ahead = write({"ahead": self._jobs.ahead(job_id)})
                response = Response(202, ahead, (("Location", location),) if location else ())
            case TooManyJobs():
                response = Response(503, "the server is busy with other records; try again", (("Retry-After", "2"),))
            case DatabaseError() as error:
                self._log.error("the records of the site cannot be read: {error}", error=str(error))
                response = Response(503, "the record cannot be read now; try again", (("Retry-After", "2"),))
            case RecordError() as error:
                response = Response(400, str(error))
            case FileNotFoundError():
                response = Response(404)
            case _:
                self._log.failure("a record could not be shown", failure)
                response = Response(500)
        _finish(request, response.render(request))


def _changed(found: JobResult, made: Callable[[bytes], bytes]) -> JobResult:
    """Return another result that is made of a short one."""
    packed = gzip.compress(made(gzip.decompress(found.packed)))
    return JobResult(packed, f'"{hashlib.sha256(packed).hexdigest()[:32]}"')


def _finish(request: Request, body: bytes) -> None:
    """Send a response whose headers are set, unless the client has gone."""
    if request.channel is not None:
        request.setHeader(b"Content-Length", str(len(body)))
        request.write(body)
        request.finish()


_GAME = re.compile(r"(?:\d{8}T\d{6}Z-)?(.+)-\d+")
"""The id of a game: when it began, its room, and its number there."""


NO_REVIEWS = "this room has no reviews; ump review makes one"


class RecordedGames:
    """The records of finished games, of this server and of the others of its site."""

    def __init__(self, sources: PageSources) -> None:
        self._folder = sources.folder
        self._copies = sources.copies
        lock = DeferredLock()
        self._looks = FairQueue(partial(lock.run, sources.in_thread), MAX_JOBS, MAX_JOBS_OF_HOST)
        """Looks for records of other servers, one at a time, so that no host takes all threads."""

    def job(self, game: str, target: str, host: str) -> Deferred[Job]:
        """Return a Deferred with the job that makes something of a game, for a host.

        Raises RequestRefused if there is no such game; the Deferred fails as the job does.
        """
        if RECORD.fullmatch(game) is None:
            raise RequestRefused(404)
        file = f"{game}{FINISHED}"
        job = None if self._folder is None else game_job(self._folder / file, target)
        if job is not None:
            return succeed(job)
        if self._copies is None:
            raise RequestRefused(404)
        look = self._looks.add(host, partial(copied_job, self._copies, file, target))
        return fail(TooManyJobs()) if look is None else look


class GamesFolder(Resource):
    """The finished games, by id."""

    isLeaf = True

    def __init__(self, sources: PageSources, responses: JobResponses, games: RecordedGames) -> None:
        super().__init__()
        self._sources = sources
        self._responses = responses
        self._games = games

    def render(self, request: Request) -> int | bytes:
        """Respond with a game as the page for replays reads it, or with what that page asks for below it."""
        try:
            game, *rest = (part.decode("latin-1") for part in request.postpath or [b""])
            if rest not in ([], ["review"], ["play"]):
                raise RequestRefused(404)
            method = b"POST" if rest else b"GET"
            if request.method != method:
                raise RequestRefused(405, "", ("Allow", method.decode()))
            match rest:
                case []:
                    return self._respond(request, game, REPLAY)
                case ["review"]:
                    refuse_other_origins(request)
                    _, review = self._room_of(game)
                    return self._respond(request, game, review_target(seat_of(request), review))
                case _:
                    refuse_other_origins(request)
                    return self._play_on(request, game)
        except RequestRefused as refused:
            return refused.response.render(request)

    def _respond(self, request: Request, game: str, target: str, made: Callable[[bytes], bytes] | None = None) -> int:
        """Respond with what is made of the record of a game, here or elsewhere; raises RequestRefused."""
        job = self._games.job(game, target, host_of(address_of(request)[0]))
        return self._responses.respond_later(request, job, made)

    def _room_of(self, game: str) -> tuple[str, str]:
        """Return a room of ours that plays on from a game, and the policy that reviews it; raises RequestRefused."""
        names = [each.info.name for each in self._sources.rooms()]
        room = room_of_game(game)
        review = self._sources.reviewers()(room)
        if review == NO_REVIEW:
            raise RequestRefused(404, NO_REVIEWS)
        return room if room in names else names[0], review

    def _play_on(self, request: Request, game: str) -> int:
        """Respond with the name of a table that plays on from a position, and its server."""
        number, kyoku, place = (_number_of(request, name) for name in ("game", "k", "n"))
        target = branch_target(number, kyoku, place, seat_of(request))
        room, _ = self._room_of(game)

        def kept(data: bytes) -> bytes:
            """Keep the position, and return its name."""
            name = self._sources.keep_branch(room, read_branch(json.loads(data)))
            return write({"room": name, "at": self._sources.letter}).encode()

        return self._respond(request, game, target, kept)


def room_of_game(game: str) -> str:
    """Return the name of the room of a game by its id, or "" if there is none in it."""
    found = _GAME.fullmatch(game)
    return "" if found is None else found[1]


def seat_of(request: Request) -> Seat:
    """Return the seat that a request names; raises RequestRefused."""
    seat = argument_of(request, "seat")
    if seat is None or seat not in tuple(LETTERS):
        raise RequestRefused(400, f"seat: expected one of {', '.join(LETTERS)}")
    return LETTERS.index(seat)


def _number_of(request: Request, name: str) -> int:
    """Return a number that a request names, by default 0; raises RequestRefused."""
    text = argument_of(request, name) or "0"
    if re.fullmatch(r"\d{1,6}", text, re.ASCII) is None:
        raise RequestRefused(400, f"{name}: expected a number")
    return int(text)


class ConvertResource(LeafResource):
    """Converts a record in the body of a request. ``?to=`` names the format, by default that of the replay page.

    A client that was told to ask again does so with ``?job=``.
    """

    METHODS = (b"POST", b"GET")

    def __init__(self, responses: JobResponses, letter: str) -> None:
        """``letter`` is that of the server in its site, which answers a client that asks again."""
        super().__init__()
        self._responses = responses
        self._letter = letter

    def respond(self, request: Request) -> int:
        """Respond with the converted games; raises RequestRefused."""
        refuse_other_origins(request)
        target = argument_of(request, "to") or REPLAY
        if target != REPLAY and not any(each.key == target and each.write is not None for each in FORMATS):
            raise RequestRefused(400, f"to={quoted(target)} is not a format that is written")
        media_type = JSON_TYPE if target == REPLAY else "application/octet-stream"
        if request.method == b"GET":
            return self._responses.respond_again(request, argument_of(request, "job") or "", media_type)
        assert request.content is not None
        data = request.content.read()
        job = given_job(data, target)
        again = f"{CONVERT_PATH.decode()}?to={target}&job={job.id}"
        if self._letter:
            again += f"&at={self._letter}"
        return self._responses.respond(request, job, media_type, again)


def jobs_of(sources: PageSources) -> Jobs:
    """Return the jobs of a server, which are the same for all of its paths."""
    return sources.jobs or Jobs(sources.in_thread, None if sources.folder is None else sources.folder / RESULTS)


def own_profiles(sources: PageSources, jobs: Jobs) -> OwnProfiles | None:
    """Return the profiles of people; None if no game is recorded."""
    if sources.folder is None or sources.own_games is None:
        return None
    folder = sources.folder
    return OwnProfiles(sources.own_games, folder, folder / RESULTS, jobs, sources.in_thread, sources.reviewers)


def api_paths(sources: PageSources, clock: IReactorTime, jobs: Jobs, games: RecordedGames) -> dict[str, Resource]:
    """Return the resources of all paths, with the path of each."""
    responses = JobResponses(jobs, sources.in_thread, clock)
    return {
        "api/lobby": LobbyResource(sources, clock.seconds),
        "api/ladder": LadderResource(sources),
        "api/rules": RoomsFolder(sources),
        "api/games": GamesFolder(sources, responses, games),
        "api/convert": ConvertResource(responses, sources.letter),
    }
