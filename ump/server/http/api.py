"""The requests of the pages: the lobby, the rules of a room, a finished game, and the conversion of a record.

All answers are JSON. Games are read and converted in other processes, one after the other, so that no table waits. A
thread would not do: it competes with all tables for Python's lock, and a conversion takes seconds of it. The process
has a low priority and limits, and dies with the server.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, DeferredLock
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.model.choices import quoted
from ump.model.value import value
from ump.net.child_process import launch_command
from ump.net.connection_budget import host_of
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    Response,
    address_of,
    argument_of,
    refuse_other_origins,
)
from ump.net.limits import BOARD_SECONDS, LOBBY_SECONDS, MAX_CONVERSIONS, ChildLimits
from ump.record import conversion_process
from ump.record.conversion_process import REPLAY, UNREADABLE
from ump.record.formats import FORMATS
from ump.record.indexed_game import IndexedGame
from ump.record.recorded_game import RecordError
from ump.rules.ruleset import Ruleset
from ump.server.http.pages import tagged
from ump.server.journals import FINISHED
from ump.server.ladder.rated_games import LadderPlayer
from ump.server.ladder.rounds import RatedRounds, Standings
from ump.server.overview import RoomOverview, ladder_data, lobby_data, player_data
from ump.text.rules import ruleset_data
from ump.wire.json_text import write
from ump.wire.text import RECORD

JSON_TYPE = "application/json"

CONVERT_PATH = b"/api/convert"
"""The path whose bodies may be as long as a record."""

CONVERSION_LIMITS = ChildLimits(cpu=20, memory=1_024, output=64)

CONVERSION_SECONDS = 40.0
"""Time for one conversion, its start included."""

InThread: TypeAlias = Callable[..., Deferred[bytes]]
"""Calls a function with its arguments in another thread, and returns a Deferred with its result."""

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
    ladders: Callable[[], Mapping[str, RatedRounds]] = dict
    """Returns the rounds of the rated rooms by their names."""
    boards: Callable[[], Mapping[str, object]] = dict
    """Returns the boards of some tables, by the names of the tables."""
    has_users: bool = False
    """Whether users may log in."""
    elsewhere: Callable[[], Sequence[Mapping[str, object]]] = tuple
    """Returns the rooms of the other servers of the site."""


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
        self._lobby = Kept(self._read, LOBBY_SECONDS, seconds)
        self._boards = Kept(sources.boards, BOARD_SECONDS, seconds)

    def _read(self) -> Json:
        sources, boards = self._sources, self._boards.get()
        return made(
            lobby_data(
                sources.rooms(), sources.games(), sources.elsewhere(), boards=boards, has_users=sources.has_users
            )
        )

    def json(self, request: Request) -> Json:
        """Return the lobby."""
        return self._lobby.get()


class Kept(Generic[T]):
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
        rounds = ladders.get(argument_of(request, "room") or next(iter(ladders), ""))
        player = LadderPlayer(name, is_builtin=argument_of(request, "builtin") == "1")
        if rounds is None or player not in rounds.standings.ratings:
            raise RequestRefused(404)
        return made(player_data(rounds.standings, player))

    def _all(self, ladders: Mapping[str, RatedRounds]) -> Json:
        """Return all ladders. They are made once for each round, because a table may have a thousand rows."""
        made_from = [(room, rounds.standings, rounds.next) for room, rounds in ladders.items()]
        if self._kept is None or not _are_same(self._kept[0], made_from):
            rooms = [ladder_data(room, rounds) for room, rounds in ladders.items()]
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


class Jobs:
    """Conversions, for which other threads wait: one at a time, one for each host, and only a few in the queue."""

    _log = Logger()

    def __init__(self, in_thread: InThread, most: int = MAX_CONVERSIONS) -> None:
        self._in_thread = in_thread
        self._most = most
        self._lock = DeferredLock()
        self._hosts: list[str] = []
        """The hosts whose jobs run or wait; "" has no limit of its own."""

    def respond(self, request: Request, media_type: str, function: Callable[..., bytes], *arguments: object) -> int:
        """Respond to a request with what a function returns in another thread; raises RequestRefused if it is too much.

        The function may raise RecordError, whose text is the response then.
        """
        host = host_of(address_of(request)[0])
        if len(self._hosts) >= self._most or (host and host in self._hosts):
            raise RequestRefused(503, "the server is busy with other records; try again", ("Retry-After", "2"))
        self._hosts.append(host)
        gone: list[Failure] = []
        request.notifyFinish().addErrback(gone.append)
        done = self._lock.run(lambda: self._in_thread(function, *arguments))
        done.addBoth(self._finish, request, media_type, host, gone)
        return NOT_DONE_YET

    def _finish(
        self, result: bytes | Failure, request: Request, media_type: str, host: str, gone: list[Failure]
    ) -> None:
        self._hosts.remove(host)
        if gone:
            return
        if not isinstance(result, Failure):
            request.setHeader(b"Content-Type", media_type)
            body = result
        elif isinstance(result.value, RecordError):
            body = Response(400, str(result.value)).render(request)
        elif isinstance(result.value, FileNotFoundError):
            body = Response(404).render(request)
        else:
            self._log.failure("a record could not be shown", result)
            body = Response(500).render(request)
        request.setHeader(b"Content-Length", str(len(body)))
        request.write(body)
        request.finish()


class GamesFolder(Resource):
    """The finished games, by id."""

    isLeaf = True

    def __init__(self, sources: PageSources, jobs: Jobs) -> None:
        super().__init__()
        self._sources = sources
        self._jobs = jobs

    def render(self, request: Request) -> int | bytes:
        """Respond with a game as the page for replays reads it."""
        try:
            if request.method != b"GET":
                raise RequestRefused(405, "", ("Allow", "GET"))
            game = b"/".join(request.postpath or ()).decode("latin-1")
            folder = self._sources.folder
            if folder is None or RECORD.fullmatch(game) is None:
                raise RequestRefused(404)
            return self._jobs.respond(request, JSON_TYPE, _finished_game, folder / f"{game}{FINISHED}")
        except RequestRefused as refused:
            return refused.response.render(request)


def _finished_game(path: Path) -> bytes:
    """Return the game in a file for the replay page; raises FileNotFoundError and RecordError."""
    return convert_apart(path.read_bytes(), REPLAY)


class ConvertResource(LeafResource):
    """Converts a record in the body of a request. ``?to=`` names the format, by default that of the replay page."""

    METHODS = (b"POST",)

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self._jobs = jobs

    def respond(self, request: Request) -> int:
        """Respond with the converted games."""
        refuse_other_origins(request)
        assert request.content is not None
        data = request.content.read()
        target = argument_of(request, "to") or REPLAY
        if target != REPLAY and not any(each.key == target and each.write is not None for each in FORMATS):
            raise RequestRefused(400, f"to={quoted(target)} is not a format that is written")
        media_type = JSON_TYPE if target == REPLAY else "application/octet-stream"
        return self._jobs.respond(request, media_type, convert_apart, data, target)


def convert_apart(data: bytes, target: str) -> bytes:
    """Return what another process makes of a record in the bytes of a file. This waits, so call it in a thread.

    ``target`` is that of ``ump.record.conversion_process``. Raises RecordError, and RuntimeError for a fault of ours.
    """
    command = launch_command([sys.executable, "-m", conversion_process.__name__, target], CONVERSION_LIMITS)
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=CONVERSION_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise RecordError("the record takes too long to convert") from error
    if done.returncode == UNREADABLE:
        raise RecordError(done.stdout.decode())
    if done.returncode < 0:  # a signal: beyond its limits
        raise RecordError("the record takes too much time or memory to convert")
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace"))
    return done.stdout


def api_paths(sources: PageSources, seconds: Callable[[], float]) -> dict[str, Resource]:
    """Return the resources of all paths, with the path of each. ``seconds`` returns the instant in clock seconds."""
    jobs = Jobs(sources.in_thread)
    return {
        "api/lobby": LobbyResource(sources, seconds),
        "api/ladder": LadderResource(sources),
        "api/rules": RoomsFolder(sources),
        "api/games": GamesFolder(sources, jobs),
        "api/convert": ConvertResource(jobs),
    }
