"""The requests of people about their seats in running games, tables among friends, and tournaments.

A guest is known by the header ``Authorization: Guest KEY``, with the secret of the browser; no page of another server
can send it. A user is known by the cookie of a session, beside that header.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from math import ceil
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request

from ump.database.database import DatabaseError
from ump.net.connection_budget import host_of
from ump.net.http.resources import (
    RequestRefused,
    Response,
    address_of,
    argument_of,
    headers_of,
    refuse_other_origins,
)
from ump.net.windows import Guesses, TooManyGuesses
from ump.rules.presets import PRESETS
from ump.server.http.pages import PageResource
from ump.server.lobby import LEFT_GAME, OFFICE, Lobby
from ump.server.new_table import room_of
from ump.server.overview import OwnGames, history_data
from ump.server.own_profiles import OwnProfiles, TooManyRuns
from ump.server.people import ChallengeRefused, People
from ump.server.private_tables import (
    CLOCKS,
    NO_TABLE,
    ONE_TABLE,
    STRENGTHS,
    TOO_MANY_TABLES,
    PrivateTable,
    TableRefused,
)
from ump.server.seat_tokens import KeptSeat, hashes_of_guest, hashes_of_user
from ump.server.tournament_play import Event, Events
from ump.server.tournaments import (
    ORDERS,
    Entrant,
    StaleError,
    Tournament,
    TournamentError,
    as_csv,
    new_code,
    result_rows,
    standing_rows,
)
from ump.server.users.gate import RESERVED, LoginRefused
from ump.text.rules import ruleset_data
from ump.wire.json_text import read_object, write
from ump.wire.names import check_name, is_office
from ump.wire.session import TableWish
from ump.wire.text import GUEST_KEY, MAX_SECRET, WireError, read_table_code

if TYPE_CHECKING:
    from ump.server.users.user_database import User

T = TypeVar("T")

UserOf: TypeAlias = Callable[[Request], "Deferred[User | None]"]
"""Returns a Deferred with the user who has logged in with the browser of a request, if any."""


IsReserved: TypeAlias = Callable[[str], "Deferred[bool]"]
"""Returns a Deferred with whether a name is a user's, or looks like one."""

GuestsOf: TypeAlias = Callable[[Request, "User"], "Deferred[list[str]]"]
"""Returns a Deferred with the hashes by which a user was known as a guest."""

NO_REMATCH = "this game cannot be played again"


def unreserved(_name: str) -> Deferred[bool]:
    """Return whether a name is a user's on a server without users."""
    return succeed(False)


def no_guests(_request: Request, _user: User) -> Deferred[list[str]]:
    """Return the guests that a user was, on a server without users."""
    return succeed([])


def nobody(_request: Request) -> Deferred[User | None]:
    """Return the user of a request to a server without users."""
    return succeed(None)


JSON_TYPE = "application/json"

MOST_LOOKS = 8
"""Histories that are looked up at a time."""

BUSY = "the server is busy; try again"


class PersonalResource(Resource):
    """A path, and all below it, whose answers are for one person alone."""

    isLeaf = True
    _log = Logger()

    def render(self, request: Request) -> int | bytes:
        """Respond, or refuse the request."""
        request.setHeader(b"Cache-Control", b"no-store")
        try:
            refuse_other_origins(request)
            found = self.respond(request, [part.decode("latin-1") for part in request.postpath or ()])
        except RequestRefused as refused:
            return refused.response.render(request)
        if not isinstance(found, Deferred):
            return found
        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)
        found.addErrback(self._refuse, request).addCallback(_send, request, gone)
        return NOT_DONE_YET

    def respond(self, request: Request, below: list[str]) -> bytes | Deferred[bytes]:
        """Return the response to a request for the path ``below`` this one; raises RequestRefused."""
        raise NotImplementedError

    def _refuse(self, failure: Failure, request: Request) -> bytes:
        refused = failure.value
        if isinstance(refused, RequestRefused):
            return refused.response.render(request)
        if isinstance(refused, LoginRefused):
            after = (("Retry-After", str(ceil(refused.seconds))),) if refused.seconds else ()
            return Response(refused.code, str(refused), after).render(request)
        self._log.failure("internal error in a request", failure)
        return Response(500).render(request)


def _send(body: bytes, request: Request, gone: Sequence[object]) -> None:
    if not gone:
        request.setHeader(b"Content-Length", str(len(body)))
        request.write(body)
        request.finish()


def json_of(request: Request, content: object, code: int = 200) -> bytes:
    """Return a response in JSON."""
    assert isinstance(content, dict)
    request.setResponseCode(code)
    request.setHeader(b"Content-Type", JSON_TYPE.encode())
    return write(content).encode()


@dataclass(frozen=True)
class Content:
    """The JSON object in a request that changes something."""

    given: Mapping[str, Any]

    @classmethod
    def of(cls, request: Request) -> Content:
        """Read the body of a request, whose length the channel bounds; raises RequestRefused."""
        types = [each.partition(";")[0].strip().lower() for each in headers_of(request, "content-type")]
        if types != [JSON_TYPE]:
            raise RequestRefused(415, f"expected Content-Type: {JSON_TYPE}")
        assert request.content is not None
        try:
            return cls(read_object(request.content.read()))
        except WireError as error:
            raise RequestRefused(400, str(error)) from error

    def text(self, name: str) -> str:
        """Return a text, "" if there is none; raises RequestRefused."""
        found = self.given.get(name, "")
        if not isinstance(found, str) or len(found) > MAX_SECRET:
            raise RequestRefused(400, f'"{name}" must be a string of at most {MAX_SECRET} characters')
        return found

    def flag(self, name: str) -> bool:
        """Return whether a flag is set."""
        return self.given.get(name) is True


class MeResource(PersonalResource):
    """The seats of a user or guest in running games, and the games that are over (``api/me/history``).

    ``DELETE api/me/seats/GAME`` leaves a game for good.
    """

    def __init__(
        self,
        guests: Lobby,
        user_of: UserOf,
        history: OwnHistory | None,
        is_reserved: IsReserved,
        guests_of: GuestsOf,
    ) -> None:
        super().__init__()
        self._guests_of = guests_of
        self._guests = guests
        self._user_of = user_of
        self._history = history
        self._is_reserved = is_reserved

    def respond(self, request: Request, below: list[str]) -> Deferred[bytes]:
        """Return seats or games, or give a seat up."""
        guest = guest_of(request)

        def found(user: User | None) -> bytes | Deferred[bytes]:
            """Respond to a user or guest."""
            who = (*_hashes_of(user), *hashes_of_guest(guest))
            if below in (["here"], ["rematch"]) or below[:1] == ["challenges"]:
                return self._among_people(request, below, who, user)
            if below in (["history"], ["profile"]) and user is not None:
                games_of = self._guests_of(request, user)
                return games_of.addCallback(lambda guests: self._respond(request, below, (*who, *guests)))
            return self._respond(request, below, who)

        return self._user_of(request).addCallback(found)

    def _among_people(
        self, request: Request, below: list[str], who: Sequence[str], user: User | None
    ) -> bytes | Deferred[bytes]:
        """Respond to what somebody asks about the people who are here, and about people it has played with."""
        people = self._guests.people
        if people is None:
            raise RequestRefused(404)
        match request.method, below:
            case b"POST", ["here"]:
                return self._see(request, people, who, user)
            case b"DELETE", ["here"]:
                people.forget(who)
                return json_of(request, people_data(people, who))
            case b"DELETE", ["challenges", code]:
                people.decline(who, code)
                return json_of(request, people_data(people, who))
            case b"GET", ["rematch"]:
                return json_of(request, self._rematch_data(people, argument_of(request, "game") or "", who))
            case b"POST", ["rematch"]:
                return self._play_again(request, people, who)
            case _:
                raise RequestRefused(405, "", ("Allow", "GET, POST, DELETE"))

    def _see(self, request: Request, people: People, who: Sequence[str], user: User | None) -> bytes | Deferred[bytes]:
        """Let somebody be seen in the lobby, and return the others; a guest under no name that is a user's."""
        name = Content.of(request).text("name") if user is None else user.name
        try:
            check_name(name, "name")
        except WireError as error:
            raise RequestRefused(400, str(error)) from error

        def see(is_reserved: bool) -> bytes:
            """Note the person, unless its name is somebody else's."""
            if is_reserved:
                raise RequestRefused(409, RESERVED)
            people.see(who, name)
            return json_of(request, people_data(people, who))

        if user is not None or people.name_of(who) == name:
            return see(False)
        if is_office(name):
            raise RequestRefused(409, OFFICE)
        return self._is_reserved(name).addCallback(see)

    def _rematch_data(self, people: People, game: str, who: Sequence[str]) -> dict[str, object]:
        """Return whether a game may be played again, and the names of the others who want to."""
        found = people.rematch(game, who)
        if found is None or not self._guests.has_tables:
            return {"possible": False, "wanting": []}
        return {"possible": True, "wanting": [name for person, name in found.wanting.items() if person != who[0]]}

    def _play_again(self, request: Request, people: People, who: Sequence[str]) -> bytes:
        """Return the way to the table at which the people of a game play again; the first who asks makes it."""
        found = people.rematch(argument_of(request, "game") or "", who)
        if found is None:
            raise RequestRefused(404, NO_REMATCH)
        table = self._guests.find_table(found.code) if found.code else None
        if table is None:
            host = host_of(address_of(request)[0])
            table = made_table(self._guests, found.wish, found.room, who[0], host)
            found.code = table.code
        found.wanting[who[0]] = found.people[who[0]]
        return json_of(request, {"code": table.code, "link": f"/t/{table.code}"}, 201)

    def _respond(self, request: Request, below: list[str], who: Sequence[str]) -> bytes | Deferred[bytes]:
        """Respond to somebody who is known by these hashes."""
        match request.method, below:
            case b"GET", []:
                seats = [self._seat_data(kept) for kept in self._guests.seats_of(who)]
                return json_of(request, {"seats": seats, "tables": [t.code for t in self._guests.tables_of(who)]})
            case b"GET", ["history"] if self._history is not None:
                people = self._guests.people
                seen = [] if people is None else [each.id for each in people.others(who)]
                return self._history.respond(request, who, seen)
            case b"GET" | b"POST", ["profile"] if self._history is not None:
                return self._history.respond_profile(request, who)
            case b"DELETE", ["seats", game]:
                if not self._guests.give_up(who, game):
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


def people_data(people: People, who: Sequence[str]) -> dict[str, object]:
    """Return the people whom somebody may see, and the challenges to it, as data for JSON."""
    return {
        "people": [asdict(each) for each in people.others(who)],
        "challenges": [{"name": each.name, "code": each.code} for each in people.challenges(who)],
    }


def made_table(guests: Lobby, wish: TableWish, room: str | None, maker: str, host: str) -> PrivateTable:
    """Return a new table among friends; raises RequestRefused."""
    try:
        return guests.make_table(wish, room, maker, host)
    except TableRefused as refused:
        code = {TOO_MANY_TABLES: 429, ONE_TABLE: 409}.get(str(refused), 400)
        raise RequestRefused(code, str(refused)) from refused


def _hashes_of(user: User | None) -> tuple[str, ...]:
    return () if user is None else hashes_of_user(user.name)


class OwnHistory:
    """Looks up the games of people in another thread: one look for each host at a time, and only a few in all."""

    _log = Logger()

    def __init__(
        self,
        games: OwnGames,
        in_thread: Callable[..., Deferred[dict[str, object]]],
        profiles: OwnProfiles | None,
        *,
        has_all_records: bool,
    ) -> None:
        """``has_all_records``: the games of other servers can be opened, too."""
        self._history = partial(history_data, games, has_all_records=has_all_records)
        self._in_thread = in_thread
        self._profiles = profiles
        self._hosts: list[str] = []
        """The hosts whose looks are not over."""

    def respond(self, request: Request, who: Sequence[str], seen: Sequence[str]) -> Deferred[bytes]:
        """Return a Deferred with the games of somebody; raises RequestRefused if too many ask.

        ``seen`` are the ids of the people whom somebody sees now.
        """
        before = argument_of(request, "before") or ""
        if not before.isprintable():  # PostgreSQL takes no other text
            raise RequestRefused(400, "before: expected what the page before has said")
        began, comma, file = before.partition(",")
        place = (began, file) if comma else None
        return self._look(request, lambda _: self._in_thread(self._history, who, place, seen))

    def respond_profile(self, request: Request, who: Sequence[str]) -> Deferred[bytes]:
        """Return a Deferred with the profile of somebody; POST reviews games for it. Raises RequestRefused."""
        profiles = self._profiles
        if profiles is None:
            raise RequestRefused(404)
        if request.method == b"GET":
            return self._look(request, lambda _: profiles.ask(who))
        return self._look(request, lambda host: profiles.begin(who, host))

    def _look(self, request: Request, look: Callable[[str], Deferred[dict[str, object]]]) -> Deferred[bytes]:
        host = host_of(address_of(request)[0])
        if len(self._hosts) >= MOST_LOOKS or (host and host in self._hosts):
            raise RequestRefused(503, BUSY, ("Retry-After", "1"))
        try:
            done = look(host)
        except TooManyRuns as error:
            raise RequestRefused(503, BUSY, ("Retry-After", "30")) from error
        self._hosts.append(host)
        return done.addBoth(self._end, request, host)

    def _end(self, found: dict[str, object] | Failure, request: Request, host: str) -> bytes:
        self._hosts.remove(host)
        if not isinstance(found, Failure):
            return json_of(request, found)
        self._log.error("a history cannot be read: {error}", error=found.getErrorMessage())
        return Response(503, "the games cannot be read now; try again later").render(request)


class CodeLookUp:
    """Looks up what the codes in requests lead to."""

    def __init__(self, guesses: Guesses, clock: IReactorTime) -> None:
        self._guesses = guesses
        self._clock = clock

    def find(self, request: Request, find: Callable[[], T | None], wrong: RequestRefused) -> T:
        """Return what a code leads to; raises ``wrong``, or another refusal after too many wrong codes of a host."""
        host = host_of(address_of(request)[0])
        try:
            found = self._guesses.look_up(host, find, self._clock.seconds())
        except TooManyGuesses as error:
            raise RequestRefused(429, str(error), ("Retry-After", "60")) from error
        if found is None:
            raise wrong
        return found


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
    "bots": list(STRENGTHS),
}
"""The settings of tables that a page may offer."""

NO_CHOICES: Mapping[str, object] = {name: [] for name in CHOICES}


class TablesResource(PersonalResource):
    """Tables among friends: ``GET api/tables`` lists settings, ``POST`` makes one.

    ``GET api/tables/CODE`` shows one, ``GET api/tables/CODE/rules`` its rules.
    """

    def __init__(self, guests: Lobby, user_of: UserOf, codes: CodeLookUp) -> None:
        super().__init__()
        self._guests = guests
        self._user_of = user_of
        self._codes = codes

    def respond(self, request: Request, below: list[str]) -> bytes | Deferred[bytes]:
        """Make a table, or return what its visitors may know before they sit down."""
        match request.method, below:
            case b"GET", []:
                return json_of(request, CHOICES if self._guests.has_tables else NO_CHOICES)
            case b"POST", []:
                guest, host = guest_of(request), host_of(address_of(request)[0])
                made = self._user_of(request)
                return made.addCallback(
                    lambda user: self._make(request, (*_hashes_of(user), *hashes_of_guest(guest)), host)
                )
            case b"GET", [code]:
                return json_of(request, table_data(self._table(request, code)))
            case b"GET", [code, "rules"]:
                return json_of(request, ruleset_data(self._table(request, code).room.settings.ruleset))
            case _, []:
                raise RequestRefused(405, "", ("Allow", "GET, POST"))
            case _, [_] | [_, "rules"]:
                raise RequestRefused(405, "", ("Allow", "GET"))
            case _:
                raise RequestRefused(404)

    def _table(self, request: Request, code: str) -> PrivateTable:
        """Return the table of a code; raises RequestRefused."""
        find = partial(self._guests.find_table, read_table_code(code))
        return self._codes.find(request, find, RequestRefused(404, NO_TABLE))

    def _make(self, request: Request, who: Sequence[str], host: str) -> bytes:
        """Make a table, perhaps to challenge a person to it."""
        assert request.content is not None
        people = self._guests.people
        try:
            content = read_object(request.content.read())
            wish, room = _read_wish(content)
            person = content.get("person")
            if person is not None and (people is None or not isinstance(person, str)):
                raise WireError('"person" must be a person who is here')
            if people is not None and person is not None:
                people.check_challenge(who, person)
            table = made_table(self._guests, wish, room, who[0], host)
            if people is not None and person is not None:
                people.challenge(who, person, table.code)
        except WireError as error:
            raise RequestRefused(400, str(error)) from error
        except ChallengeRefused as refused:
            raise RequestRefused(409, str(refused)) from refused
        return json_of(request, {"code": table.code, "link": f"/t/{table.code}"}, 201)


def _read_wish(content: Mapping[str, Any]) -> tuple[TableWish, str | None]:
    """Return the table that a page wants, and the room whose other settings it has; raises WireError."""
    texts = {name: content.get(name) for name in ("rules", "length", "clock", "room")}
    bots, watchers = content.get("bots", True), content.get("watchers", True)
    for name, found in texts.items():
        if found is not None and not isinstance(found, str):
            raise WireError(f'"{name}" must be a string')
    if not isinstance(bots, bool | str):
        raise WireError('"bots" must be true, false, or a kind of bots')
    if not isinstance(watchers, bool):
        raise WireError('"watchers" must be true or false')
    rules, length, clock, room = (None if found is None else str(found) for found in texts.values())
    kind = bots if isinstance(bots, str) else None
    wish = TableWish(None, rules, length, clock, has_bots=bool(bots), bots=kind, has_spectators=watchers)
    return wish, room


def table_data(table: PrivateTable) -> dict[str, object]:
    """Return a table among friends as data for JSON."""
    card = table.card
    return {
        "rules": card.rules,
        "length": card.length,
        "clock": card.clock,
        "bots": card.has_bots,
        "level": card.bots,
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
    guests: Lobby,
    user_of: UserOf,
    codes: CodeLookUp,
    page: PageResource | None,
    history: OwnHistory | None,
    is_reserved: IsReserved,
    guests_of: GuestsOf = no_guests,
) -> dict[str, Resource]:
    """Return the resources of all paths for people, with the path of each; ``page`` is that of a table."""
    paths: dict[str, Resource] = {
        "api/me": MeResource(guests, user_of, history, is_reserved, guests_of),
        "api/tables": TablesResource(guests, user_of, codes),
    }
    return paths if page is None else {**paths, "t": InvitationPage(page)}


# The requests of the page of a tournament, and the orders of its director.
#
# The director is known by the header ``Authorization: Director KEY``, a guest who plays by ``Authorization: Entrant
# CODE``. No cookie is involved, so a page of another server cannot give orders.

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

    def __init__(self, events: Events, codes: CodeLookUp) -> None:
        super().__init__()
        self._events = events
        self._codes = codes

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
        is_director, me = self._asking(request, event)
        number, present = None if me is None else me.number, sorted(event.connected)
        state = f"{event.tournament.revision}/{number}/{is_director}/{present}"
        tag = f'"{sha256(state.encode()).hexdigest()[:32]}"'
        request.setHeader(b"ETag", tag)
        if tag in headers_of(request, "if-none-match"):
            request.setResponseCode(304)
            return b""
        shown = {"director": is_director, "me": number, "present": present}
        return json_of(request, {**event.data(is_director=is_director), **shown})

    def _asking(self, request: Request, event: Event) -> tuple[bool, Entrant | None]:
        """Return whether the director asks, or else the entrant; raises RequestRefused for a wrong key."""
        kind, key = _authorization(request)
        if not kind:
            return False, None

        def find() -> tuple[bool, Entrant | None] | None:
            is_director = kind == "director" and event.tournament.is_directed_by(key)
            me = event.tournament.find_guest(key) if kind == "entrant" else None
            return None if me is None and not is_director else (is_director, me)

        return self._codes.find(request, find, RequestRefused(401, NOT_DIRECTOR))

    def _order(self, request: Request, event: Event, order: str) -> int:
        is_director, _ = self._asking(request, event)
        if not is_director:
            raise RequestRefused(401, NOT_DIRECTOR)
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
