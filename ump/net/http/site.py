"""The site: every path of the HTTP side, and how many streams there may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.web.http import Request as HTTPRequest
from twisted.web.resource import Resource
from twisted.web.server import Site

from ump.model.value import value
from ump.net.connection import Host
from ump.net.connection_limits import OpenConnections
from ump.net.http.channel import BoundedRequest, Channel
from ump.net.http.endpoint import Answer, Folder, Page
from ump.net.http.limits import MAX_CHANNELS, REQUEST_SECONDS
from ump.net.http.login import Enter, Leave, Logins
from ump.net.http.socketio import SocketIO
from ump.net.http.upgrade import Newest, OpenSession, Upgrade
from ump.rules.analysis import waits
from ump.wire.majiang.session import MajiangSession
from ump.wire.majiang.socketio_session import LoggedIn, SocketIOMajiangSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import Session

NET_PLAY = "server"
"""Where kobalab's server has net play; ours has it there and at the root."""


@value
class Tongues:
    """What is spoken over HTTP: each begins a session; None where a server does without."""

    mjai: OpenSession | None = None
    """At /mjai and /ws/ranked."""
    validate: OpenSession | None = None
    """At /ws/validate."""
    majiang: OpenSession | None = None
    """At /majiang."""
    net_play: Callable[[LoggedIn], Session] | None = None
    """At /server/socket.io/ and /socket.io/."""


TONGUES = Tongues(
    mjai=lambda caller: RequestSession(None, caller.room, waits=waits),
    validate=lambda caller: RequestSession(None, caller.room, is_validation=True, waits=waits),
    majiang=lambda caller: MajiangSession(),
    net_play=SocketIOMajiangSession,
)
"""All that we speak. A token is no name: who comes with one is named by the lobby."""


class BoundedSite(Site):
    """Makes the channels of one port."""

    noisy = False
    requestFactory = BoundedRequest

    def __init__(self, resource: Resource, clock: IReactorTime, most: int = MAX_CHANNELS) -> None:
        """``most`` channels may be open at the same time."""
        super().__init__(resource, timeout=REQUEST_SECONDS, reactor=clock, parsePOSTFormSubmission=False)
        self._most = most
        self._open = 0

    def logPrefix(self) -> str:
        """Name the server in Twisted's own lines."""
        return "http"

    def startFactory(self) -> None:
        """Keep no access log: a game by polling is thousands of requests, and there are secrets in them."""

    def stopFactory(self) -> None:
        """Keep no access log."""

    def log(self, request: HTTPRequest) -> None:
        """Keep no access log."""

    def acceptableProtocols(self) -> list[bytes]:
        """Offer what our channels speak to clients that come by TLS, even where Twisted could do more."""
        return [b"http/1.1"]

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Make a channel, or hang up where there are too many."""
        if self._open >= self._most:
            return None
        self._open += 1
        return Channel(self, self._leave)

    def _leave(self) -> None:
        self._open -= 1


def make_site(
    host: Host,
    connections: OpenConnections,
    clock: IReactorTime,
    *,
    validate_room: str | None = None,
    tongues: Tongues = TONGUES,
) -> BoundedSite:
    """Put the site together; ``validate_room`` is the room of /ws/validate, which is not there without one."""
    paths = _web_sockets(tongues, host, connections, clock, validate_room)
    entries: dict[str, Resource] = {name: path for name, path in paths.items() if not name.startswith("ws/")}
    entries["ws"] = Folder({name.removeprefix("ws/"): path for name, path in paths.items() if name.startswith("ws/")})
    said = [f"/{name:<16}WebSocket, {_SAID[name]}" for name in paths]
    if tongues.net_play is not None:
        net_play = _net_play(tongues.net_play, host, connections, clock)
        entries |= net_play
        entries[NET_PLAY] = Folder(net_play)
        said.append(f"/{NET_PLAY:<16}net play as of majiang-server, by polling; at / too")
    text = "\n".join(("A server of riichi mahjong, for programs.", "", *said, "", "?room=NAME chooses a room."))
    entries[""] = Page(Answer(text=text))
    return BoundedSite(Folder(entries), clock)


_SAID = {
    "mjai": "mjai messages",
    "ws/ranked": "the same, with a token",
    "ws/validate": "the same, one game against the house",
    "majiang": "Majiang messages",
}
"""What the first page says of each path."""


def _web_sockets(
    tongues: Tongues, host: Host, connections: OpenConnections, clock: IReactorTime, validate_room: str | None
) -> dict[str, Upgrade]:
    """Return the paths of WebSockets; those of mjai are named as RiichiLab names them."""
    paths: dict[str, Upgrade] = {}
    if tongues.mjai is not None:
        paths["mjai"] = Upgrade(tongues.mjai, host, connections, clock)
        paths["ws/ranked"] = Upgrade(tongues.mjai, host, connections, clock, wants_token=True, newest=Newest())
    if tongues.validate is not None and validate_room is not None:
        paths["ws/validate"] = Upgrade(tongues.validate, host, connections, clock, room=validate_room, wants_token=True)
    if tongues.majiang is not None:
        paths["majiang"] = Upgrade(tongues.majiang, host, connections, clock)
    return paths


def _net_play(
    open_session: Callable[[LoggedIn], Session], host: Host, connections: OpenConnections, clock: IReactorTime
) -> dict[str, Resource]:
    """Return the paths of net play."""
    logins = Logins()
    return {
        "auth": Enter(logins),
        "socket.io": SocketIO(logins, open_session, host, connections, clock),
        "logout": Leave(logins),
    }
