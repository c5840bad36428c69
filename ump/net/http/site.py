"""The site: all paths of the HTTP port, and the limit on open connections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.web.http import Request as HTTPRequest
from twisted.web.resource import Resource
from twisted.web.server import Site

from ump.net.connection import Host
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import DIALECTS, over
from ump.net.http.channel import BoundedRequest, Channel
from ump.net.http.login import LoginResource, Logins, LogoutResource
from ump.net.http.resources import Folder, TextPage
from ump.net.http.socketio import SocketIOResource
from ump.net.http.upgrade import WebSocketResource
from ump.net.limits import MAX_CHANNELS, REQUEST_SECONDS
from ump.net.seat_tokens import SeatTokens
from ump.net.turns import Turns
from ump.wire.dialect import Dialect, NetPlay, RoomInfo, WebSocketPath


class BoundedSite(Site):
    """Makes the channels of one HTTP port, up to a number."""

    noisy = False
    requestFactory = BoundedRequest

    def __init__(self, resource: Resource, clock: IReactorTime, most: int = MAX_CHANNELS) -> None:
        """Serve this resource over at most ``most`` connections at a time."""
        super().__init__(resource, timeout=REQUEST_SECONDS, reactor=clock, parsePOSTFormSubmission=False)
        self._most = most
        self._turns = Turns(clock)
        self._open = 0

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
        """Return a new channel, or None, which closes the connection, if there are too many."""
        if self._open >= self._most:
            return None
        self._open += 1
        return Channel(self, self._turns, self._leave)

    def _leave(self) -> None:
        self._open -= 1


def make_site(
    rooms: Sequence[RoomInfo],
    host: Host,
    connections: OpenConnections,
    clock: IReactorTime,
    dialects: Sequence[Dialect] = DIALECTS,
    tokens: SeatTokens | None = None,
) -> BoundedSite:
    """Return a site with the paths of all dialects. ``rooms`` are those of the server, ``tokens`` its kept seats."""
    paths: dict[str, Resource] = {"": TextPage(_first_page(dialects))}
    for dialect, path in over(WebSocketPath, dialects):
        paths[path.path] = WebSocketResource(dialect, path, rooms, host, connections, clock)
    for dialect, net_play in over(NetPlay, dialects):
        logins = Logins(tokens=tokens)
        polling = SocketIOResource(logins, dialect, rooms, host, connections, clock)
        for folder in ("", f"{net_play.folder}/"):
            paths[f"{folder}auth"] = LoginResource(logins)
            paths[f"{folder}socket.io"] = polling
            paths[f"{folder}logout"] = LogoutResource(logins)
    return BoundedSite(_folder(paths), clock)


def _first_page(dialects: Sequence[Dialect]) -> str:
    """Return the text of the first page: each path with its summary."""
    lines = ["A riichi mahjong server for bots and people.", "", *_paths_with_summaries(dialects), ""]
    return "\n".join((*lines, "?room=NAME chooses a room."))


def _paths_with_summaries(dialects: Sequence[Dialect]) -> Iterator[str]:
    for _, path in over(WebSocketPath, dialects):
        yield f"/{path.path:<16}WebSocket, {path.summary}"
    for _, net_play in over(NetPlay, dialects):
        yield f"/{net_play.folder:<16}{net_play.summary}"


def _folder(paths: Mapping[str, Resource]) -> Folder:
    """Return a folder that serves these paths, with a folder in it for all paths that begin with the same part."""
    entries: dict[str, Resource] = {path: resource for path, resource in paths.items() if "/" not in path}
    inner: dict[str, dict[str, Resource]] = {}
    for path, resource in paths.items():
        first, slash, rest = path.partition("/")
        if slash:
            inner.setdefault(first, {})[rest] = resource
    return Folder({**entries, **{name: _folder(below) for name, below in inner.items()}})
