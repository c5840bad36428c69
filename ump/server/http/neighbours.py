"""The other servers of the site behind the HTTP port: whose a request is, and lists of which each server has a part.

Whatever is stored is answered by any server. A room, a running game, a table among friends, a tournament and a login of
net play belong to one; another one passes their requests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTCP
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.net.connection_budget import host_of
from ump.net.http.passing import MARK, PassedOn, ask, request_for
from ump.net.http.resources import Refusal, RequestRefused, Response, address_of, argument_of, headers_of
from ump.server.http.api import room_of_game
from ump.server.http.net_play import COOKIE, COOKIE_LENGTH
from ump.server.lobby import Lobby
from ump.server.private_tables import CODE_LENGTH
from ump.server.shared_site import ServerCard, ServerState, SharedSite
from ump.wire.json_text import read_document, write
from ump.wire.text import WireError, read_table_code

LISTS: Mapping[tuple[bytes, bytes], tuple[str, ...]] = {
    (b"GET", b"/api/me"): ("seats", "tables"),
    (b"POST", b"/api/me/here"): ("people", "challenges"),
    (b"DELETE", b"/api/me/here"): ("people", "challenges"),
    (b"GET", b"/api/ladder"): ("rooms",),
    (b"GET", b"/api/tournaments"): ("tournaments",),
}
"""The requests whose answer is a list of which each server has a part, with the keys of these lists.

So each server sees everybody who lets others see it, and anyone may be challenged to a table of any server.
"""

TOURNAMENTS = ("api", "tournaments")
"""The path below which a tournament is named."""

NAMED: tuple[tuple[str, ...], ...] = (("api", "rules"), TOURNAMENTS, ("api", "me", "seats"))
"""The paths below which a room, a tournament or a game is named."""

GAMES = ("api", "games")
"""The path below which a finished game is named."""

TABLES: tuple[tuple[str, ...], ...] = (("api", "tables"), ("api", "me", "challenges"))
"""The paths below which a table among friends is named by its code."""

REMATCH = ("api", "me", "rematch")
"""The path of a game that is played again, which its query names."""

NET_PLAY = frozenset({"auth", "socket.io", "logout"})
"""The last parts of the paths of net play, whose cookie tells the server of a login."""

TEXT_OF_AWAY = "the server of this room or game is away; try again in a moment"


class Neighbours:
    """Passes requests on to the server that they belong to."""

    def __init__(self, site: SharedSite, card: Callable[[], ServerCard], reactor: IReactorTCP, lobby: Lobby) -> None:
        """``card`` returns what the others know of us."""
        self._site = site
        self._lobby = lobby
        self._card = card
        self._reactor = reactor

    def answering(self, request: Request, own: IResource) -> IResource:
        """Return what answers a request: ``own``, which is ours, or something in its place."""
        new, events = self._unknown_tournament(request), self._lobby.events
        if new is None or events is None:
            return self.answering_now(request, own)
        host = host_of(address_of(request)[0])
        return LookedUp(partial(events.look_up, new, host), partial(self.answering_now, request, own))

    def _unknown_tournament(self, request: Request) -> str | None:
        """Return the tournament that a request names, if no server is known for it: it may be new."""
        path = tuple(request.path.decode("latin-1").split("/")[1:])
        room, colon, _ = (argument_of(request, "room") or "").partition(":")
        named = room if colon and headers_of(request, "upgrade") else ""
        if path[:2] == TOURNAMENTS and len(path) > 2:
            named = path[2]
        return named if self._lobby.may_be_new(named) else None

    def answering_now(self, request: Request, own: IResource) -> IResource:
        """Return what answers a request by what this server knows."""
        if headers_of(request, MARK):
            return own
        if self._is_list(request):
            keys = LISTS[request.method, request.path]
            return JoinedLists(keys, self._addresses, self._card().letter, self._reactor, own)
        try:
            owner = self._owner(request)
        except RequestRefused as refused:
            return Refusal(refused.response)
        if owner is None:
            return own
        away = Response(503, TEXT_OF_AWAY, (("Retry-After", "2"),))
        if owner.http is None:
            return Refusal(away)  # one that says nothing is asked all the same: it may just have come back
        return PassedOn(owner.http, self._card().letter, self._reactor, away)

    def _is_list(self, request: Request) -> bool:
        if not self._site.servers or (request.method, request.path) not in LISTS:
            return False
        return not request.args

    @property
    def _addresses(self) -> list[tuple[str, int]]:
        """The addresses of all servers that can be asked, ours first."""
        cards = [self._card(), *self._site.servers.values()]
        return [card.http for card in cards if card.http is not None and card.state is not ServerState.AWAY]

    def _owner(self, request: Request) -> ServerCard | None:
        """Return the other server to which a request belongs, if any; raises RequestRefused."""
        at = argument_of(request, "at")
        if at is not None:
            return self._site.servers.get(at.lower())
        path = tuple(request.path.decode("latin-1").split("/")[1:])
        if path[:-1] and path[-1] in NET_PLAY:
            return self._owner_of_login(request, path[-1])
        for below in TABLES:
            if path[: len(below)] == below and len(path) > len(below):
                return self._owner_of_table(path[len(below)])
        if path == REMATCH:
            return self._site.owner_of(argument_of(request, "game") or "")
        if path[:2] == GAMES and path[3:] == ("play",):
            return self._open_owner(room_of_game(path[2]))
        for below in NAMED:
            if path[: len(below)] == below and len(path) > len(below):
                return self._lobby.owner_of(path[len(below)])
        if path[0] != "api" and not headers_of(request, "upgrade"):
            return None  # pages are the same everywhere
        room = argument_of(request, "room")
        return None if room is None else self._lobby.owner_of(room.partition(":")[0])

    def _owner_of_login(self, request: Request, last: str) -> ServerCard | None:
        """Return the server of a login of net play; a new login may be anywhere."""
        cookie = (request.getCookie(COOKIE.encode()) or b"").decode("latin-1")
        return None if last == "auth" else self._site.maker_of(cookie, COOKIE_LENGTH)

    def _open_owner(self, room: str) -> ServerCard | None:
        """Return the other server whose room plays on from a game; if it begins no games, any server does."""
        owner = self._site.owner_of(room)
        return owner if owner is not None and owner.state is ServerState.OPEN else None

    def _owner_of_table(self, text: str) -> ServerCard | None:
        code = read_table_code(text)
        return None if code is None else self._site.maker_of(code, CODE_LENGTH + 1)


class LookedUp(Resource):
    """Looks something up before it lets another resource answer."""

    isLeaf = True

    def __init__(self, look_up: Callable[[], Deferred[None]], answering: Callable[[], IResource]) -> None:
        super().__init__()
        self._look_up = look_up
        self._answering = answering

    def render(self, request: Request) -> int:
        """Answer later."""
        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)

        def answer(_: object) -> None:
            if not gone:
                request.render(self._answering())

        self._look_up().addCallback(answer)
        return NOT_DONE_YET


class JoinedLists(Resource):
    """Asks all servers, and joins the lists in their answers."""

    isLeaf = True

    def __init__(
        self,
        keys: tuple[str, ...],
        addresses: list[tuple[str, int]],
        letter: str,
        reactor: IReactorTCP,
        own: IResource,
    ) -> None:
        """``addresses`` are those of the servers. ``own`` answers if none of them does."""
        super().__init__()
        self._keys = keys
        self._addresses = addresses
        self._letter = letter
        self._reactor = reactor
        self._own = own

    def render(self, request: Request) -> int:
        """Ask, and wait for all."""
        asked = request_for(request, self._letter, is_asked=True)
        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)
        answers: Deferred[list[bytes]] = gatherResults(
            ask(address, asked, self._reactor) for address in self._addresses
        )
        answers.addCallback(self._join, request, gone)
        return NOT_DONE_YET

    def _join(self, answers: list[bytes], request: Request, gone: list[object]) -> None:
        joined: dict[str, list[Any]] = {key: [] for key in self._keys}
        for content in map(_content_of, answers):
            for key, of_all in joined.items():
                of_all += content.get(key, ())
        if gone:
            return
        if "people" in joined:
            joined["people"] = _each_once(joined["people"])
        if not any(answers):
            assert request.content is not None
            request.content.seek(0)
            request.render(self._own)
        else:
            request.setHeader(b"Content-Type", b"application/json")
            request.write(write(joined).encode())
            request.finish()


def _each_once(people: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return each of the people whom several servers see once; only one of them knows the game that a person plays."""
    found: dict[str, Mapping[str, Any]] = {}
    for person in people:
        if person["id"] not in found or person["is_playing"]:
            found[person["id"]] = person
    return list(found.values())


def _content_of(answer: bytes) -> Mapping[str, Any]:
    """Return what a server has answered; nothing if it is of another version, and answers something else."""
    try:
        read = read_document(answer)
    except WireError:
        return {}
    return read if isinstance(read, dict) else {}
