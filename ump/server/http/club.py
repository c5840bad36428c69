"""The requests of guests about themselves: their seats in running games, and tables among friends.

A guest is known by the header ``Authorization: Guest KEY``, with the secret of the browser. No cookie is involved, so a
page of another server cannot ask in its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.net.connection_budget import host_of
from ump.net.http.resources import (
    RequestRefused,
    Response,
    address_of,
    argument_of,
    headers_of,
    refuse_other_origins,
)
from ump.rules.presets import PRESETS
from ump.server.history import OwnGames, history_data
from ump.server.http.pages import PageResource
from ump.server.lobby import LEFT_GAME
from ump.server.new_table import room_of
from ump.server.private_tables import CLOCKS, NO_TABLE, ONE_TABLE, TOO_MANY_TABLES, PrivateTable, TableRefused
from ump.server.seat_tokens import KeptSeat, hashes_of_guest
from ump.wire.json_text import read_object, write
from ump.wire.session import TableWish
from ump.wire.text import GUEST_KEY, WireError, read_table_code


class Guests(Protocol):
    """Knows guests by the secrets of their browsers, and the tables that they make."""

    def hashes_of(self, guest: str) -> Sequence[str]:
        """Return all hashes by which a guest is known in records."""

    def seats_of(self, guest: str) -> Sequence[KeptSeat]:
        """Return the seats of a guest in running games."""

    def code_of(self, kept: KeptSeat) -> str | None:
        """Return the code of the table among friends at which a seat is; None: it is in a room."""

    def give_up(self, guest: str, table: str) -> bool:
        """Let a guest leave a game for good; return False if it has no seat there."""

    def tables_of(self, guest: str) -> Sequence[PrivateTable]:
        """Return the tables among friends at which a guest is."""

    def find_table(self, code: str) -> PrivateTable | None:
        """Return the table among friends that has this code."""

    def make_table(self, wish: TableWish, room: str | None, maker: str | None, address: str) -> PrivateTable:
        """Return a new table among friends; raises TableRefused."""


MOST_LOOKS = 8
"""Histories that are looked up at a time."""


class GuestResource(Resource):
    """A path, and all below it, whose answers are for one guest alone."""

    isLeaf = True

    def render(self, request: Request) -> int | bytes:
        """Respond, or refuse the request."""
        request.setHeader(b"Cache-Control", b"no-store")
        try:
            refuse_other_origins(request)
            return self.respond(request, [part.decode("latin-1") for part in request.postpath or ()])
        except RequestRefused as refused:
            return refused.response.render(request)

    def respond(self, request: Request, below: list[str]) -> int | bytes:
        """Respond to a request for the path ``below`` this one; raises RequestRefused."""
        raise NotImplementedError


def json_of(request: Request, content: object, code: int = 200) -> bytes:
    """Return a response in JSON."""
    assert isinstance(content, dict)
    request.setResponseCode(code)
    request.setHeader(b"Content-Type", b"application/json")
    return write(content).encode()


class MeResource(GuestResource):
    """The seats of a guest in running games, and the games that are over (``api/me/history``).

    ``DELETE api/me/seats/GAME`` leaves a game for good.
    """

    def __init__(self, guests: Guests, history: OwnHistory | None) -> None:
        super().__init__()
        self._guests = guests
        self._history = history

    def respond(self, request: Request, below: list[str]) -> int | bytes:
        """Return seats or games, or give a seat up."""
        guest = guest_of(request)
        match request.method, below:
            case b"GET", []:
                seats = [self._seat_data(kept) for kept in self._guests.seats_of(guest)]
                return json_of(request, {"seats": seats, "tables": [t.code for t in self._guests.tables_of(guest)]})
            case b"GET", ["history"] if self._history is not None:
                return self._history.respond(request, self._guests.hashes_of(guest))
            case b"DELETE", ["seats", game]:
                if not self._guests.give_up(guest, game):
                    raise RequestRefused(404)
                return Response(text=LEFT_GAME).render(request)
            case _, []:
                raise RequestRefused(405, "", ("Allow", "GET"))
            case _, ["seats", _]:
                raise RequestRefused(405, "", ("Allow", "DELETE"))
            case _:
                raise RequestRefused(404)

    def _seat_data(self, kept: KeptSeat) -> dict[str, object]:
        game = kept.table.name
        return {
            "game": game,
            "room": room_of(game),
            "name": kept.name,
            "connected": not kept.is_left,
            "code": self._guests.code_of(kept),
        }


class OwnHistory:
    """Looks up the games of guests in another thread: one look for each host at a time, and only a few in all."""

    _log = Logger()

    def __init__(self, games: OwnGames, in_thread: Callable[..., Deferred[dict[str, object]]]) -> None:
        self._games = games
        self._in_thread = in_thread
        self._hosts: list[str] = []
        """The hosts whose looks are not over."""

    def respond(self, request: Request, who: Sequence[str]) -> int:
        """Respond with the games of somebody; raises RequestRefused if too many ask."""
        host = host_of(address_of(request)[0])
        if len(self._hosts) >= MOST_LOOKS or (host and host in self._hosts):
            raise RequestRefused(503, "the server is busy; try again", ("Retry-After", "1"))
        began, comma, file = (argument_of(request, "before") or "").partition(",")
        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)
        self._hosts.append(host)
        done = self._in_thread(history_data, self._games, who, (began, file) if comma else None)
        done.addBoth(self._send, request, host, gone)
        return NOT_DONE_YET

    def _send(self, found: dict[str, object] | Failure, request: Request, host: str, gone: Sequence[object]) -> None:
        self._hosts.remove(host)
        if gone:
            return
        if not isinstance(found, Failure):
            body = json_of(request, found)
        else:
            self._log.error("a history cannot be read: {error}", error=found.getErrorMessage())
            body = Response(503, "the games cannot be read now; try again later").render(request)
        request.setHeader(b"Content-Length", str(len(body)))
        request.write(body)
        request.finish()


def guest_of(request: Request) -> str:
    """Return the secret of a guest's browser; raises RequestRefused if there is none."""
    kinds = [header.partition(" ") for header in headers_of(request, "authorization")]
    keys = [key for kind, _, key in kinds if kind.lower() == "guest"]
    if len(keys) != 1 or GUEST_KEY.fullmatch(keys[0]) is None:
        raise RequestRefused(401, "expected the header Authorization: Guest KEY")
    return keys[0]


CHOICES = {
    "rules": [{"name": name, "seats": rules.seats} for name, rules in PRESETS.items()],
    "clocks": list(CLOCKS),
}
"""The settings of tables that a page may offer."""


class TablesResource(GuestResource):
    """Tables among friends: ``GET api/tables`` lists settings, ``POST`` makes one, ``GET api/tables/CODE`` shows it."""

    def __init__(self, guests: Guests, may_guess: Callable[[str], bool]) -> None:
        """``may_guess`` counts a wrong code of a host, and returns whether it may try another one."""
        super().__init__()
        self._guests = guests
        self._may_guess = may_guess

    def respond(self, request: Request, below: list[str]) -> bytes:
        """Make a table, or return what its visitors may know before they sit down."""
        host = host_of(address_of(request)[0])
        match request.method, below:
            case b"GET", []:
                return json_of(request, CHOICES)
            case b"POST", []:
                return self._make(request, host)
            case b"GET", [text]:
                code = read_table_code(text)
                table = None if code is None else self._guests.find_table(code)
                if table is None:
                    raise RequestRefused(404 if self._may_guess(host) else 429, NO_TABLE)
                return json_of(request, table_data(table))
            case _, []:
                raise RequestRefused(405, "", ("Allow", "GET, POST"))
            case _, [_]:
                raise RequestRefused(405, "", ("Allow", "GET"))
            case _:
                raise RequestRefused(404)

    def _make(self, request: Request, host: str) -> bytes:
        guest = guest_of(request)
        assert request.content is not None
        try:
            wish, room = _read_wish(request.content.read())
            table = self._guests.make_table(wish, room, hashes_of_guest(guest)[0], host)
        except WireError as error:
            raise RequestRefused(400, str(error)) from error
        except TableRefused as refused:
            code = {TOO_MANY_TABLES: 429, ONE_TABLE: 409}.get(str(refused), 400)
            raise RequestRefused(code, str(refused)) from refused
        return json_of(request, {"code": table.code, "link": f"/t/{table.code}"}, 201)


def _read_wish(body: bytes) -> tuple[TableWish, str | None]:
    """Return the table that a page wants, and the room whose other settings it has; raises WireError."""
    content = read_object(body)
    texts = {name: content.get(name) for name in ("rules", "length", "clock", "room")}
    flags = {name: content.get(name, True) for name in ("bots", "watchers")}
    for name, found in texts.items():
        if found is not None and not isinstance(found, str):
            raise WireError(f'"{name}" must be a string')
    for name, found in flags.items():
        if not isinstance(found, bool):
            raise WireError(f'"{name}" must be true or false')
    rules, length, clock, room = (None if found is None else str(found) for found in texts.values())
    wish = TableWish(None, rules, length, clock, has_bots=bool(flags["bots"]), has_spectators=bool(flags["watchers"]))
    return wish, room


def table_data(table: PrivateTable) -> dict[str, object]:
    """Return a table among friends as data for JSON."""
    card = table.card
    return {
        "rules": card.rules,
        "length": card.length,
        "clock": card.clock,
        "bots": card.has_bots,
        "watchers": card.has_spectators,
        "seats": card.seats,
        "members": [{"name": each.name, "state": each.state.value} for each in table.members if each is not None],
        "playing": bool(table.room.tables),
    }


class InvitationPage(Resource):
    """The page of tables, at ``t/CODE``. To look at it is not to join: messengers fetch the links that people send."""

    isLeaf = True

    def __init__(self, page: PageResource) -> None:
        super().__init__()
        self._page = page

    def render(self, request: Request) -> int | bytes:
        """Return the page for anything that may be a code; the page itself asks whether there is such a table."""
        below = b"/".join(request.postpath or ()).decode("latin-1")
        if read_table_code(below) is None:
            return RequestRefused(404).response.render(request)
        request.postpath = []
        return self._page.render(request)


def club_paths(
    guests: Guests, may_guess: Callable[[str], bool], page: PageResource | None, history: OwnHistory | None
) -> dict[str, Resource]:
    """Return the resources of all paths for guests, with the path of each; ``page`` is that of a table."""
    paths: dict[str, Resource] = {
        "api/me": MeResource(guests, history),
        "api/tables": TablesResource(guests, may_guess),
    }
    return paths if page is None else {**paths, "t": InvitationPage(page)}
