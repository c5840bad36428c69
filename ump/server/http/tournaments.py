"""The requests of the page of a tournament, and the orders of its director.

The director is known by the header ``Authorization: Director KEY``, a guest who plays by ``Authorization: Entrant
CODE``. No cookie is involved, so a page of another server cannot give orders.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.database.database import DatabaseError
from ump.net.connection_budget import host_of
from ump.net.http.resources import RequestRefused, Response, address_of, headers_of, refuse_other_origins
from ump.server.http.club import json_of
from ump.server.tournament_play import Event, Events
from ump.server.tournaments import (
    ORDERS,
    StaleError,
    Tournament,
    TournamentError,
    as_csv,
    new_code,
    result_rows,
    standing_rows,
)
from ump.wire.json_text import read_object, write
from ump.wire.text import WireError

NO_TOURNAMENT = "there is no such tournament"
NOT_DIRECTOR = "expected the header Authorization: Director KEY, from the link of the director"

EXPORTS: dict[str, Callable[[Tournament], str]] = {
    "standings.csv": lambda found: as_csv(standing_rows(found)),
    "results.csv": lambda found: as_csv(result_rows(found)),
}


class TournamentsResource(Resource):
    """The list of tournaments, and below it each of them: its data, its exports, and the orders of its director."""

    isLeaf = True
    _log = Logger()

    def __init__(self, events: Events, may_guess: Callable[[str], bool]) -> None:
        """``may_guess`` counts a wrong key of a host, and returns whether it may try another one."""
        super().__init__()
        self._events = events
        self._may_guess = may_guess

    def render(self, request: Request) -> int | bytes:
        """Respond, or refuse the request."""
        request.setHeader(b"Cache-Control", b"no-store")
        try:
            refuse_other_origins(request)
            return self._respond(request, [part.decode("latin-1") for part in request.postpath or ()])
        except RequestRefused as refused:
            return refused.response.render(request)

    def _respond(self, request: Request, below: list[str]) -> int | bytes:
        match request.method, below:
            case b"GET", []:
                found = [each.tournament for each in self._events.all]
                listed = [{"id": each.id, "name": each.name, "state": each.state} for each in found]
                return json_of(request, {"tournaments": listed})
            case b"GET", [identity]:
                return self._page_data(request, self._event(identity))
            case b"GET", [identity, export] if export in EXPORTS:
                request.setHeader(b"Content-Type", b"text/csv; charset=utf-8")
                request.setHeader(b"Content-Disposition", f'attachment; filename="{identity}-{export}"'.encode())
                return EXPORTS[export](self._event(identity).tournament).encode()
            case b"GET", [identity, "export.json"]:
                return json_of(request, self._event(identity).data(is_director=False))
            case b"POST", [identity, order] if order in ORDERS:
                return self._order(request, self._event(identity), order)
            case ((b"GET" | b"POST"), _):
                raise RequestRefused(404)
            case _:
                raise RequestRefused(405, "", ("Allow", "GET, POST"))

    def _event(self, identity: str) -> Event:
        event = self._events.find(identity)
        if event is None:
            raise RequestRefused(404, NO_TOURNAMENT)
        return event

    def _page_data(self, request: Request, event: Event) -> bytes:
        """Return a tournament for whoever asks, 304 if it is the same; raises RequestRefused for a wrong key."""
        kind, key = _authorization(request)
        is_director = kind == "director" and event.tournament.is_directed_by(key)
        me = event.tournament.find_guest(key) if kind == "entrant" else None
        if kind and not is_director and me is None:
            raise self._refusal(request)
        number, present = None if me is None else me.number, sorted(event.connected)
        state = f"{event.tournament.revision}/{number}/{is_director}/{present}"
        tag = f'"{sha256(state.encode()).hexdigest()[:32]}"'
        request.setHeader(b"ETag", tag)
        if tag in headers_of(request, "if-none-match"):
            request.setResponseCode(304)
            return b""
        shown = {"director": is_director, "me": number, "present": present}
        return json_of(request, {**event.data(is_director=is_director), **shown})

    def _refusal(self, request: Request) -> RequestRefused:
        """Count a wrong key."""
        may_go_on = self._may_guess(host_of(address_of(request)[0]))
        return RequestRefused(401 if may_go_on else 429, NOT_DIRECTOR)

    def _order(self, request: Request, event: Event, order: str) -> int:
        kind, key = _authorization(request)
        if kind != "director" or not event.tournament.is_directed_by(key):
            raise self._refusal(request)
        assert request.content is not None
        try:
            given = read_object(request.content.read())
        except WireError as error:
            raise RequestRefused(400, str(error)) from error
        orders = given.pop("orders", None)
        if isinstance(orders, bool) or not isinstance(orders, int):
            raise RequestRefused(400, "'orders' must be the number of orders that was shown")
        code = new_code() if order in ("add", "code") else None
        arguments = {**given, "code": code} if code else given
        self._log.info("order of the director of {id}: {order}", id=event.tournament.id, order=order)
        done = self._events.order(event.tournament.id, order, arguments, orders)
        done.addCallback(lambda _: {**event.data(is_director=True), "director": True, "code": code})
        done.addCallbacks(self._answer, self._fail, callbackArgs=(request,), errbackArgs=(request,))
        return NOT_DONE_YET

    def _answer(self, data: dict[str, object], request: Request) -> None:
        request.setHeader(b"Content-Type", b"application/json")
        _finish(request, write(data).encode())

    def _fail(self, failure: Failure, request: Request) -> None:
        code = 409 if failure.check(StaleError) else 422 if failure.check(TournamentError) else 503
        if failure.check(TournamentError, DatabaseError) is None:
            self._log.failure("an order could not be carried out", failure)
            _finish(request, Response(500).render(request))
        else:
            _finish(request, Response(code, failure.getErrorMessage()).render(request))


def _finish(request: Request, body: bytes) -> None:
    """Send a response, unless the client has gone."""
    if request.channel is not None:
        request.setHeader(b"Content-Length", str(len(body)))
        request.write(body)
        request.finish()


def _authorization(request: Request) -> tuple[str, str]:
    """Return the kind of key in lower case, and the key; two empty texts without one."""
    found = headers_of(request, "authorization")
    if len(found) > 1:
        raise RequestRefused(401, NOT_DIRECTOR)
    kind, _, key = found[0].partition(" ") if found else ("", "", "")
    return kind.lower(), key.strip()
