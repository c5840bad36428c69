"""The site: all paths of the HTTP port, for the hosts that it is reached as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.web.http import Request as HTTPRequest
from twisted.web.resource import IResource, Resource
from twisted.web.server import Request, Site

from ump.net.connection import Host
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import DIALECTS, over
from ump.net.endpoints import HostNames
from ump.net.http.channel import Bodies, BoundedRequest, Bounds, Channel, SpareStreams
from ump.net.http.forwarded import NO_PROXIES, TrustedProxies
from ump.net.http.resources import Folder, Refusal, RequestRefused, TextPage, refuse_other_hosts
from ump.net.http.websocket import WebSocketResource
from ump.net.limits import MAX_RECORD, REQUEST_SECONDS
from ump.net.turns import Turns
from ump.server.http.api import (
    CONVERT_PATH,
    NoAccount,
    PageSources,
    RecordedGames,
    api_paths,
    jobs_of,
    own_profiles,
)
from ump.server.http.club import CodeLookUp, OwnHistory, TournamentsResource, club_paths, no_guests
from ump.server.http.drills import KEEP_PATH, DrillsResource
from ump.server.http.lessons import LessonsResource
from ump.server.http.neighbours import Neighbours
from ump.server.http.net_play import LoginResource, Logins, LogoutResource, SocketIOResource
from ump.server.http.pages import PAGES, PageResource, page_paths
from ump.server.orders import PATH as ORDER_PATH
from ump.server.seat_tokens import SeatTokens
from ump.web import static_files, version_of, with_version
from ump.wire.dialect import Dialect, NetPlay, RoomInfo, WebSocketPath

NO_PAGES: Mapping[str, Resource] = {}


class BoundedSite(Site):
    """Makes the channels of one HTTP port, and finds the resources of their requests."""

    noisy = False
    requestFactory = BoundedRequest

    def __init__(
        self, resource: Resource, bounds: Bounds, names: HostNames, neighbours: Neighbours | None = None
    ) -> None:
        """Serve this resource within these bounds, to requests for these hosts.

        ``neighbours`` pass requests on to other servers of the site; None: there are none.
        """
        super().__init__(resource, timeout=REQUEST_SECONDS, reactor=bounds.clock, parsePOSTFormSubmission=False)
        self._bounds = bounds
        self._names = names
        self._neighbours = neighbours

    def logPrefix(self) -> str:
        """Return the name for Twisted's own log lines."""
        return "http"

    def startFactory(self) -> None:
        """Open no access log: a game by polling is thousands of requests, and some of them hold secrets."""

    def stopFactory(self) -> None:
        """Close no access log."""

    def log(self, request: HTTPRequest) -> None:
        """Write no access log."""

    def acceptableProtocols(self) -> list[bytes]:
        """Return the protocols that TLS clients may choose. HTTP/2 is not among them, even if Twisted supports it."""
        return [b"http/1.1"]

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return a new channel."""
        return Channel(self, self._bounds)

    def getResourceFor(self, request: Request) -> IResource:
        """Return the resource of a request, or a refusal if it is for another host than this server."""
        try:
            refuse_other_hosts(request, self._names)
        except RequestRefused as refused:
            return Refusal(refused.response)
        found: IResource = super().getResourceFor(request)
        return found if self._neighbours is None else self._neighbours.answering(request, found)


def make_site(
    rooms: Sequence[RoomInfo],
    host: Host,
    connections: OpenConnections,
    clock: IReactorTime,
    dialects: Sequence[Dialect] = DIALECTS,
    tokens: SeatTokens | None = None,
    *,
    names: Sequence[str] = (),
    proxies: TrustedProxies = NO_PROXIES,
    pages: Mapping[str, Resource] = NO_PAGES,
    sources: PageSources | None = None,
    turns: Turns | None = None,
    neighbours: Neighbours | None = None,
) -> BoundedSite:
    """Return a site with the paths of all dialects.

    ``rooms`` are those of the server, ``tokens`` its kept seats, ``names`` the hosts for which it is reached besides
    its own addresses. ``proxies`` name clients in headers. ``pages`` are those of operators, by their paths: this
    computer can always ask for them. ``sources`` is the content of the pages for browsers; None: there are none.
    ``turns`` are those of the server. ``neighbours`` are the other servers of the site; None: there are none.
    """
    all_logins: list[Logins] = []
    first_page = _first_page(dialects)
    paths: dict[str, Resource] = {"": TextPage(first_page), **pages}
    if sources is not None:
        paths |= _paths_of_pages(sources, first_page, clock, CodeLookUp(connections.guesses, clock))
    for dialect, path in over(WebSocketPath, dialects):
        paths[path.path] = WebSocketResource(dialect, path, rooms, host, connections, clock)
    for dialect, net_play in over(NetPlay, dialects):
        logins = Logins(tokens or SeatTokens())
        all_logins.append(logins)
        polling = SocketIOResource(logins, dialect, rooms, host, connections, clock)
        for folder in ("", f"{net_play.folder}/"):
            paths[f"{folder}auth"] = LoginResource(logins, connections, clock)
            paths[f"{folder}socket.io"] = polling
            paths[f"{folder}logout"] = LogoutResource(logins)

    def is_known(request: Request) -> bool:
        """Return whether a request has the cookie of a login."""
        return any(logins.knows(request) for logins in all_logins)

    body_limits = {} if sources is None else {CONVERT_PATH: MAX_RECORD, KEEP_PATH: MAX_RECORD}
    bounds = Bounds(
        connections,
        clock,
        Turns(clock) if turns is None else turns,
        Bodies(),
        is_known,
        body_limits,
        proxies=proxies,
        spare=SpareStreams([f"/{path}".encode("ascii") for path in pages]),
    )
    return BoundedSite(folder_of(paths), bounds, HostNames(names), neighbours)


def _paths_of_pages(
    sources: PageSources, first_page: str, clock: IReactorTime, codes: CodeLookUp
) -> dict[str, Resource]:
    """Return the resources of the pages for browsers and of their requests, with the path of each."""
    files = static_files()
    jobs, games = jobs_of(sources), RecordedGames(sources)
    paths = page_paths(files, first_page) | api_paths(sources, clock, jobs, games)
    paths["api/lessons"] = LessonsResource(sources, clock)
    if sources.drills is not None:
        paths["api/drills"] = DrillsResource(sources.drills, sources, games, jobs, clock)
    if sources.guests is not None:
        table = files.get(PAGES["table"])
        invitation = None if table is None else PageResource(with_version(table, version_of(files)))
        history = None
        if sources.own_games is not None:
            has_all_records = sources.has_all_records
            profiles = own_profiles(sources, jobs)
            history = OwnHistory(sources.own_games, sources.in_thread, profiles, has_all_records=has_all_records)
        guests_of = no_guests if sources.accounts is None else sources.accounts.users.guests_of
        known = sources.user_of, codes, invitation, history, sources.is_reserved, guests_of
        paths |= club_paths(sources.guests, *known)
    if sources.accounts is None:
        paths["api/account"] = NoAccount()
    else:
        from ump.server.http.accounts import account_paths  # needs argon2

        paths |= account_paths(sources.accounts)
    if sources.events is not None:
        paths["api/tournaments"] = TournamentsResource(sources.events, codes)
    if sources.orders is not None:
        paths[ORDER_PATH] = sources.orders
    return paths


def _first_page(dialects: Sequence[Dialect]) -> str:
    """Return the text of the first page: each path with its summary."""
    lines = ["A riichi mahjong server for bots and people.", "", *_paths_with_summaries(dialects), ""]
    return "\n".join((*lines, "?room=NAME chooses a room."))


def _paths_with_summaries(dialects: Sequence[Dialect]) -> Iterator[str]:
    for _, path in over(WebSocketPath, dialects):
        yield f"/{path.path:<16}WebSocket, {path.summary}"
    for _, net_play in over(NetPlay, dialects):
        yield f"/{net_play.folder:<16}{net_play.summary}"


def folder_of(paths: Mapping[str, Resource]) -> Folder:
    """Return a folder that serves these paths, with a folder in it for all paths that begin with the same part."""
    entries: dict[str, Resource] = {path: resource for path, resource in paths.items() if "/" not in path}
    inner: dict[str, dict[str, Resource]] = {}
    for path, resource in paths.items():
        first, slash, rest = path.partition("/")
        if slash:
            inner.setdefault(first, {})[rest] = resource
    return Folder({**entries, **{name: folder_of(below) for name, below in inner.items()}})
