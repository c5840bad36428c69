"""The accounts that users keep by themselves: registration, sessions, passwords, access tokens, and deletion.

A browser knows its session by a cookie, which no script reads. All that changes something is JSON, and a request with a
cookie must name this server as its origin, so a page of another server cannot ask in somebody's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import LogLevel
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.model.seats import LETTERS
from ump.net.connection_budget import host_of
from ump.net.http.resources import (
    SESSION_DAYS,
    RequestRefused,
    Response,
    address_of,
    cookie_of,
    headers_of,
    keep_session,
    own_cookie,
    session_of,
    set_cookie,
)
from ump.net.limits import TOO_MANY_LOGINS
from ump.net.windows import Quota
from ump.server.http.club import Content, PersonalResource, guest_of, json_of
from ump.server.lessons import task_names
from ump.server.people import PERSON_ID
from ump.server.reports import ReportDesk, ReportRefused
from ump.server.seat_tokens import hashes_of_guest
from ump.server.settings import Registration
from ump.server.users.gate import ACCESS_TOKEN, NEED_TLS, NO_SESSION, Credentials
from ump.server.users.login_turns import network_of
from ump.server.users.provider import Intent, Provider, ProviderError
from ump.server.users.user_database import (
    DEVICE_DAYS,
    NAME_TAKEN,
    Identity,
    InvitationError,
    NameTaken,
    NewUser,
    PasswordError,
    Star,
    User,
    UserDatabase,
    UserError,
    check_free_name,
    check_password,
    hash_password,
    token_id,
)
from ump.server.users.user_service import UserService
from ump.wire.names import check_name, logged_name, skeleton
from ump.wire.session import REPORT_REASONS
from ump.wire.text import WireError

REGISTRATIONS_AN_HOUR = 5
"""Registrations of one host in an hour."""

ATTEMPTS_AN_HOUR = 60
"""Attempts of one host to register, or to choose a password by a link, in an hour: most names are taken."""

LONGEST_LABEL = 100
"""Characters of the label of a token or a session."""

CLOSED = "this server takes no registrations; ask its operator for an account"
INVITED_ONLY = "registration needs an invitation; ask the operator for a link"
TOO_MANY = "too many registrations from your address; try again in an hour"
WRONG_NAME = "expected the name of the account"
BORNE = f"{NAME_TAKEN}somebody plays or is expected here under it; if that is you, leave first"
STILL_PLAYING = "your account is in a game; leave it or end it first"

T = TypeVar("T")

_TOKEN_ID = re.compile(r"[0-9a-f]{12}")

_CODES = (
    *((NameTaken, 409), (InvitationError, 403), (UserError, 400), (PasswordError, 400), (WireError, 400)),
    (ReportRefused, 400),
)
"""The status code of each error, the most special one first."""


@dataclass(frozen=True)
class AccountDesk:
    """The accounts of a server, as its pages need them."""

    users: UserService
    registration: Registration
    clock: IReactorTime
    is_playing: Callable[[str], bool]
    """Tells whether a user, or a bot of the user, is in a game."""
    is_borne: Callable[[str], bool]
    """Tells whether somebody on this server bears a name, or one that looks like it."""
    reports: ReportDesk
    provider: Provider | None = None
    """The OpenID provider whose people may log in; None: there is none."""


class AccountsResource(PersonalResource):
    """``GET api/account`` tells who has logged in; all below it changes something."""

    def __init__(self, desk: AccountDesk) -> None:
        super().__init__()
        self._desk = desk
        self._users = desk.users
        self._registrations = Quota(REGISTRATIONS_AN_HOUR, 3_600.0)
        self._attempts = Quota(ATTEMPTS_AN_HOUR, 3_600.0)
        self._orders: Mapping[str, Callable[[Request, Content], Deferred[bytes]]] = {
            "register": self._register,
            "login": self._log_in,
            "logout": self._log_out,
            "reset": self._reset,
            "password": self._change_password,
            "tokens": self._add_token,
            "delete": self._delete,
            "report": self._report,
            "lessons": self._note_lessons,
            "stars": self._star,
        }

    def respond(self, request: Request, below: list[str]) -> Deferred[bytes]:
        """Tell who has logged in, or change something; raises RequestRefused."""
        match request.method, below:
            case b"GET", []:
                return self._users.user_of(request).addCallback(self._tell, request)
            case b"POST", [order] if order in self._orders:
                if not self._users.may_tell(request):
                    raise RequestRefused(403, NEED_TLS)
                return maybeDeferred(self._orders[order], request, Content.of(request)).addErrback(_refuse)
            case b"DELETE", ["tokens", identity] if _TOKEN_ID.fullmatch(identity) is not None:
                return self._of_user(request, lambda users, name: users.revoke_token(name, identity))
            case ((b"GET" | b"POST" | b"DELETE"), _):
                raise RequestRefused(404)
            case _:
                raise RequestRefused(405, "", ("Allow", "GET, POST, DELETE"))

    # Without a session

    def _tell(self, user: User | None, request: Request) -> bytes | Deferred[bytes]:
        provider = self._desk.provider
        doors = {
            "register": self._desk.registration.value,
            "provider": None if provider is None else provider.name,
        }
        if user is None:
            is_waiting = provider is not None and provider.waiting(request) is not None
            return json_of(request, {"user": None, "waiting": is_waiting, **doors})
        own = token_id(session_of(request) or "")

        def account(users: UserDatabase) -> dict[str, object]:
            tokens = [asdict(each) for each in users.tokens(user.name)]
            return {
                "user": user.name,
                "role": user.role,
                "has_password": users.user(user.name).has_password,
                "reports": self._desk.reports.is_open,
                "identities": [each.issuer for each in users.identities(user.name)],
                "tokens": [each for each in tokens if each["ends"] is None],
                "sessions": [{**each, "own": each["id"] == own} for each in tokens if each["ends"] is not None],
            }

        found = self._users.in_turn(_host(request), account)
        return found.addCallback(lambda content: json_of(request, {**content, **doors}))

    def _register(self, request: Request, order: Content) -> Deferred[bytes]:
        """Add a user with a password, or one who has logged in at the provider."""
        name, invitation = check_free_name(order.text("name")), order.text("invitation") or None
        provider = self._desk.provider
        identity = None if provider is None or not order.flag("provider") else provider.waiting(request)
        password, now = order.text("password"), self._users.now()
        is_guest = any(each.lower().startswith("guest ") for each in headers_of(request, "authorization"))
        guest = hashes_of_guest(guest_of(request)) if is_guest else ()
        if identity is None:
            self._refuse_uninvited(invitation)
            check_password(password, name)
        host, instant = _host(request), self._desk.clock.seconds()
        if not self._attempts.take(host, instant) or not self._registrations.take(host, instant):
            raise RequestRefused(429, TOO_MANY, ("Retry-After", "3600"))

        def add(users: UserDatabase) -> str:
            hashed = None if identity is not None else hash_password(password, name)
            users.register(NewUser(name, hashed, identity, None if identity else invitation, guest), now)
            return name

        def give_back(failure: Failure) -> Failure:
            """Let the host try another name."""
            self._registrations.give_back(host, instant)
            return failure

        if self._desk.is_borne(name):
            self._registrations.give_back(host, instant)
            raise RequestRefused(409, BORNE)
        added = self._users.in_turn(host, add).addErrback(give_back)
        return added.addCallback(self._note_registered, request).addCallback(self._begin, request, 201)

    def _note_registered(self, name: str, request: Request) -> str:
        host, peer = address_of(request)
        self._users.log_for(host_of(host), peer, f"registered as {logged_name(name)}")
        if self._desk.provider is not None:
            self._desk.provider.forget(request)
        return name

    def _refuse_uninvited(self, invitation: str | None) -> None:
        """Raise RequestRefused if nobody may register in this way."""
        if self._desk.registration is Registration.OFF:
            raise RequestRefused(403, CLOSED)
        if self._desk.registration is Registration.INVITE and invitation is None:
            raise RequestRefused(403, INVITED_ONLY)

    def _log_in(self, request: Request, order: Content) -> Deferred[bytes]:
        return self._check(request, order.text("user"), order.text("password")).addCallback(
            lambda user: self._begin(user.name, request)
        )

    def _check(self, request: Request, user: str, password: str) -> Deferred[User]:
        """Return a Deferred with the user of a password; it fails with LoginRefused."""
        if not user or not password or password.startswith(ACCESS_TOKEN):
            raise RequestRefused(400, "expected user and password")
        host, peer = address_of(request)
        device = cookie_of(request, _device_cookie(user))
        return self._users.authenticate(host_of(host), peer, Credentials(user, password, device=device))

    def _begin(self, name: str, request: Request, code: int = 200) -> Deferred[bytes]:
        """Begin a session for a user who has just been checked."""
        return begin_session(self._users, name, request).addCallback(lambda _: json_of(request, {"user": name}, code))

    @inlineCallbacks
    def _log_out(self, request: Request, order: Content) -> Any:
        """End the session of a browser."""
        user, identity = (yield self._users.user_of(request)), _session_id(request)
        if user is not None:
            yield self._users.in_turn(_host(request), UserDatabase.revoke_token, user.name, identity)
            yield self._users.look()
        keep_session(request, "")
        return json_of(request, {})

    def _reset(self, request: Request, order: Content) -> Deferred[bytes]:
        """Change a password by a link of the operator."""
        link, password, now = order.text("link"), order.text("password"), self._users.now()
        host = _host(request)
        if not self._attempts.take(host, self._desk.clock.seconds()):  # each hashes a password
            raise RequestRefused(429, TOO_MANY, ("Retry-After", "3600"))
        done = self._users.in_turn(host, lambda users: users.reset_password(link, hash_password(password), now))
        return done.addCallback(self._look).addCallback(self._begin, request)

    def _look(self, result: T) -> Deferred[T]:
        """Close the connections whose sessions and tokens are gone."""
        return self._users.look().addCallback(lambda _: result)

    # With a session

    def _user(self, request: Request) -> Deferred[User]:
        """Return a Deferred with the user who asks; it fails with RequestRefused."""

        def there(user: User | None) -> User:
            if user is None:
                raise RequestRefused(401, NO_SESSION)
            return user

        return self._users.user_of(request).addCallback(there)

    def _of_user(self, request: Request, change: Callable[[UserDatabase, str], object]) -> Deferred[bytes]:
        """Change something of the user who asks, and return nothing more than that."""

        def of(user: User) -> Deferred[object]:
            return self._users.in_turn(_host(request), change, user.name)

        done = self._user(request).addCallback(of).addErrback(_refuse)
        return done.addCallback(self._look).addCallback(lambda _: json_of(request, {}))

    @inlineCallbacks
    def _change_password(self, request: Request, order: Content) -> Any:
        """Change the password, and end the other sessions; a user without a password chooses one."""
        user = yield self._user(request)
        yield self._confirm(request, user.name, order)
        own, new, name = _session_id(request), order.text("new"), user.name
        yield self._users.in_turn(_host(request), lambda users: users.set_password(name, hash_password(new, name), own))
        yield self._users.look()
        return json_of(request, {})

    @inlineCallbacks
    def _confirm(self, request: Request, name: str, order: Content) -> Any:
        """Check the password of a user who has one; the Deferred fails with LoginRefused."""
        known = yield self._users.in_turn(_host(request), UserDatabase.user, name)
        if known.has_password:
            yield self._check(request, name, order.text("password"))

    @inlineCallbacks
    def _add_token(self, request: Request, order: Content) -> Any:
        """Make an access token, and tell it this once."""
        user = yield self._user(request)
        label, bot, now = order.text("label"), order.text("bot") or None, self._users.now()
        if len(label) > LONGEST_LABEL or not label.isprintable():
            raise RequestRefused(400, f"a label has at most {LONGEST_LABEL} characters, and no control characters")
        token = yield self._users.in_turn(_host(request), UserDatabase.add_token, user.name, label, now, bot)
        return json_of(request, {"id": token.id, "token": token.text}, 201)

    @inlineCallbacks
    def _report(self, request: Request, order: Content) -> Any:
        """Report the player at a seat of a game to the moderators."""
        user = yield self._user(request)
        seat, reason = order.text("seat"), order.text("reason")
        if seat not in tuple(LETTERS) or reason not in REPORT_REASONS:
            raise RequestRefused(400, f"expected a seat from A to D, and a reason: {', '.join(REPORT_REASONS)}")
        about = order.text("game"), LETTERS.index(seat), REPORT_REASONS[reason]
        yield self._desk.reports.report(user.name, _host(request), *about)
        return json_of(request, {})

    @inlineCallbacks
    def _note_lessons(self, request: Request, order: Content) -> Any:
        """Note which tasks of the course the user has solved, and return all of them."""
        user = yield self._user(request)
        solved = order.given.get("tasks", [])
        if not isinstance(solved, list) or not all(isinstance(task, str) for task in solved):
            raise RequestRefused(400, '"tasks" must be a list of strings')
        known = [task for task in task_names() if task in solved]
        tasks = yield self._users.in_turn(_host(request), UserDatabase.solve, user.name, known)
        return json_of(request, {"tasks": tasks})

    @inlineCallbacks
    def _star(self, request: Request, order: Content) -> Any:
        """Change whom the user has starred, and return all."""
        user, now = (yield self._user(request)), self._users.now()
        added, removed = _stars_of(order)
        stars = yield self._users.in_turn(_host(request), UserDatabase.star, user.name, added, removed, now)
        return json_of(request, {"stars": [asdict(each) for each in stars]})

    @inlineCallbacks
    def _delete(self, request: Request, order: Content) -> Any:
        """Delete the account: what is left of it in records is another name."""
        user = yield self._user(request)
        if order.text("name") != user.name:
            raise RequestRefused(400, WRONG_NAME)
        yield self._confirm(request, user.name, order)
        if self._desk.is_playing(user.name):
            raise RequestRefused(409, STILL_PLAYING)
        now = self._users.now()
        yield self._users.in_turn(_host(request), UserDatabase.delete, user.name, now)
        yield self._users.look()  # so that no game begins with the name
        keep_session(request, "")
        return json_of(request, {})


def _stars_of(order: Content) -> tuple[list[Star], list[str]]:
    """Return the people to star, and the ids of those to star no more; raises RequestRefused or WireError."""
    added, removed = order.given.get("add", []), order.given.get("remove", [])
    for people in (added, removed):
        if not isinstance(people, list):
            raise RequestRefused(400, '"add" and "remove" must be lists')
    stars = [Content(each if isinstance(each, dict) else {}) for each in added]
    found = [Star(each.text("id"), each.text("name")) for each in stars]
    for star in found:
        check_name(star.name, "name")
    if not all(
        isinstance(each, str) and PERSON_ID.fullmatch(each) for each in (*removed, *(star.id for star in found))
    ):
        raise RequestRefused(400, "expected the id of a person")
    return found, removed


def begin_session(users: UserService, name: str, request: Request) -> Deferred[None]:
    """Begin a session for a user, and let the browser keep it, and be known. A new login always has a new session."""
    now = users.now()
    ends = (datetime.fromisoformat(now) + timedelta(days=SESSION_DAYS)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    browser = " ".join(headers_of(request, "user-agent"))
    label = "".join(letter for letter in browser if letter.isprintable())[:LONGEST_LABEL]

    def begin(database: UserDatabase) -> tuple[str, str | None]:
        session = database.begin_session(name, label, now, ends)
        database.note_network(name, network_of(_host(request)), now)
        return session.text, database.new_device(name, now)

    def keep(begun: tuple[str, str | None]) -> None:
        session, device = begun
        keep_session(request, session)
        if device is not None:
            set_cookie(request, own_cookie(request, _device_cookie(name)), device, DEVICE_DAYS * 86_400)

    return users.in_turn(_host(request), begin).addCallback(keep)


def _device_cookie(user: str) -> bytes:
    """Return the name of the cookie by which a browser is known as one of a user, whose name it does not tell."""
    return b"ump-device-" + sha256(skeleton(user).encode("utf-8", "replace")).hexdigest()[:16].encode()


def _refuse(failure: Failure) -> Failure:
    """Turn an error of the database of users into a refusal; raises RequestRefused."""
    for kind, code in _CODES:
        if failure.check(kind) is not None:
            raise RequestRefused(code, failure.getErrorMessage()) from failure.value
    return failure


def _host(request: Request) -> str:
    return host_of(address_of(request)[0])


class ProviderResource(PersonalResource):
    """The way of a browser to the provider (``POST login/provider``), and from there (``GET login/back``).

    The first is an order of a page of this server, so no link and no other page begins a login, or adds an identity.
    """

    def __init__(self, users: UserService, provider: Provider, *, is_back: bool) -> None:
        super().__init__()
        self._users = users
        self._provider = provider
        self._is_back = is_back

    def respond(self, request: Request, below: list[str]) -> Deferred[bytes]:
        """Tell a browser its next address; raises RequestRefused."""
        method = b"GET" if self._is_back else b"POST"
        if request.method != method:
            raise RequestRefused(405, "", ("Allow", method.decode()))
        if below:
            raise RequestRefused(404)
        if not self._users.may_tell(request):
            raise RequestRefused(403, NEED_TLS)
        if not self._users.takes_login(_host(request)):  # each may be a request to the provider
            raise RequestRefused(429, TOO_MANY_LOGINS, ("Retry-After", "60"))
        told = self._come_back(request) if self._is_back else self._go(request)
        return told.addErrback(self._fail, request)

    def _come_back(self, request: Request) -> Deferred[bytes]:
        def go_on(where: str) -> bytes:
            return Response(302, "", (("Location", where),)).render(request)

        return self._provider.end(request).addCallback(go_on)

    def _go(self, request: Request) -> Deferred[bytes]:
        if not headers_of(request, "origin"):
            raise RequestRefused(403, "expected the header Origin")
        wanted = Content.of(request).text("intent")
        if wanted not in ("login", "link"):
            raise RequestRefused(400, "expected the intent login or link")
        asking: Deferred[User | None] = self._users.user_of(request) if wanted == "link" else succeed(None)

        def begin(user: User | None) -> Deferred[str]:
            if wanted == "login":
                return self._provider.begin(request, Intent())
            if user is None:
                raise RequestRefused(401, NO_SESSION)
            return self._provider.begin(request, Intent(user.name, _session_id(request)))

        return asking.addCallback(begin).addCallback(lambda where: json_of(request, {"address": where}))

    def _fail(self, failure: Failure, request: Request) -> Failure:
        """Log a provider that cannot be trusted now; raises RequestRefused."""
        if failure.check(ProviderError) is None:
            return failure
        host, peer = address_of(request)
        text = f"a login at the provider failed: {failure.getErrorMessage()}"
        self._users.log_for(host_of(host), peer, text, LogLevel.error)
        raise RequestRefused(503, "the login failed, because the provider cannot be reached or trusted now; try again")


def greet(users: UserService, identity: Identity, request: Request, intent: Intent) -> Deferred[bool]:
    """Begin a session for the user of an identity, or add the identity to the account of the user who has asked for it.

    The Deferred has False if the identity belongs to nobody. It fails with RequestRefused if the user is banned, has
    another session than at the beginning, or if another user has the identity.
    """

    def log_in(known: User | None) -> bool | Deferred[bool]:
        if known is None:
            return False
        closed = known.closed(users.now())
        if closed is not None:
            raise RequestRefused(403, closed)
        return begin_session(users, known.name, request).addCallback(lambda _: True)

    def link(user: User | None) -> Deferred[bool]:
        if user is None or user.name != intent.user or _session_id(request) != intent.session:
            raise RequestRefused(403, "you have logged out meanwhile; log in and try again")
        done = users.in_turn(_host(request), UserDatabase.link, user.name, identity)
        return done.addCallbacks(lambda _: True, _refuse)

    if intent.user is not None:
        return users.user_of(request).addCallback(link)
    return users.in_turn(_host(request), UserDatabase.user_of, identity).addCallback(log_in)


def _session_id(request: Request) -> str:
    """Return the public part of the session of a browser, "" if it has none."""
    return token_id(session_of(request) or "") or ""


def account_paths(desk: AccountDesk) -> dict[str, Resource]:
    """Return the resources of all paths for accounts, with the path of each."""
    paths: dict[str, Resource] = {"api/account": AccountsResource(desk)}
    if desk.provider is not None:
        paths["login/provider"] = ProviderResource(desk.users, desk.provider, is_back=False)
        paths["login/back"] = ProviderResource(desk.users, desk.provider, is_back=True)
    return paths
