"""The requests of the course: the messages of a lesson's positions, and a table for the hand that ends it."""

from __future__ import annotations

from functools import cache

from twisted.internet.interfaces import IReactorTime
from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.net.connection_budget import host_of
from ump.net.http.resources import RequestRefused, address_of, argument_of, refuse_other_origins
from ump.net.windows import Quota
from ump.server.http.api import JSON_TYPE, Json, PageSources, made
from ump.server.http.club import json_of
from ump.server.http.pages import tagged
from ump.server.lessons import LANGUAGES, first_hand, lesson_data, lessons

HANDS_AN_HOUR = 30
"""Last hands of the course that one host may ask for in an hour: each may become a table."""

NO_ROOM = "no room of this server is open to everybody"
TOO_MANY_HANDS = "too many hands from your address; try again in an hour"


@cache
def _lesson(name: str, language: str) -> Json:
    """Return one of the lessons as JSON. It is made once, in some 30 ms."""
    return made(lesson_data(name, language))


class LessonsResource(Resource):
    """``GET api/lessons/NAME?lang=en`` tells the positions of a lesson, ``POST api/lessons`` keeps the last hand."""

    isLeaf = True

    def __init__(self, sources: PageSources, clock: IReactorTime) -> None:
        super().__init__()
        self._sources = sources
        self._clock = clock
        self._hands = Quota(HANDS_AN_HOUR, 3_600.0)

    def render(self, request: Request) -> int | bytes:
        """Respond, or refuse the request."""
        try:
            refuse_other_origins(request)
            return self._respond(request, [part.decode("latin-1") for part in request.postpath or ()])
        except RequestRefused as refused:
            return refused.response.render(request)

    def _respond(self, request: Request, below: list[str]) -> bytes:
        match request.method, below:
            case ((b"GET" | b"HEAD"), [name]):
                language = argument_of(request, "lang") or "en"
                if language not in LANGUAGES or name not in {each["id"] for each in lessons()}:
                    raise RequestRefused(404)
                found = _lesson(name, language)
                return tagged(request, found.body, JSON_TYPE, found.etag)
            case b"POST", []:
                return self._keep_hand(request)
            case _, ([] | [_]):
                raise RequestRefused(405, "", ("Allow", "GET" if below else "POST"))
            case _:
                raise RequestRefused(404)

    def _keep_hand(self, request: Request) -> bytes:
        """Keep the last hand for a room that everybody may enter; return the name under which a player comes to it."""
        infos = [room.info for room in self._sources.rooms()]
        rooms = [info.name for info in infos if info.access == "open" and not info.is_rated]
        if not rooms:
            raise RequestRefused(404, NO_ROOM)
        host = host_of(address_of(request)[0])
        if not self._hands.take(host, self._clock.seconds()):
            raise RequestRefused(429, TOO_MANY_HANDS, ("Retry-After", "3600"))
        name = self._sources.keep_branch(rooms[0], first_hand())
        return json_of(request, {"room": name, "at": self._sources.letter})
