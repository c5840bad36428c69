"""Net play over HTTP: logins by cookie, and the path of Socket.IO. Only polling is offered, no upgrade."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol
from urllib.parse import parse_qs

from twisted.internet.interfaces import IReactorTime
from twisted.web.server import Request

from ump.net.connection import Connection, Host
from ump.net.connection_budget import HOST_SHARE, host_of
from ump.net.connection_limits import OpenConnections
from ump.net.http.polling import (
    CONNECTED,
    DISCONNECT,
    EVENT,
    PacketKind,
    PayloadError,
    Polling,
    read_payload,
    write_payload,
)
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    Response,
    address_of,
    argument_of,
    is_encrypted,
    is_private,
    refuse_other_origins,
)
from ump.net.limits import MAX_BODY, MAX_LOGINS, PING_INTERVAL, TOO_MANY_LOGINS
from ump.server.seat_tokens import SeatTokens
from ump.wire import json_text
from ump.wire.dialect import Caller, Dialect, LoggedIn, RoomInfo
from ump.wire.names import check_name
from ump.wire.text import MAX_SECRET, WireError

COOKIE = "MAJIANG"
"""The name of the cookie that majiang-bot looks for."""

COOKIE_LENGTH = 33
"""The length of a cookie that begins with the letter of a server."""

_MAX_FIELDS = 16
"""Fields of a form that are read. A login has two."""


class LoginConnection(Protocol):
    """The connection that belongs to a login."""

    def replace(self) -> None:
        """Close, because the client has opened a newer connection."""

    def leave(self) -> None:
        """Leave the place, and close at once."""


class Login:
    """One login, with its cookie and its connection."""

    def __init__(self, who: LoggedIn, cookie: str, host: str) -> None:
        """``host``: the host that it was made from; "" has no limit."""
        self.who = who
        self.host = host
        self.cookie = cookie
        """The secret that the client sends with each request."""
        self.connection: LoginConnection | None = None


class Logins:
    """All logins, the least recently used first."""

    def __init__(self, tokens: SeatTokens, most: int = MAX_LOGINS) -> None:
        """Keep ``most`` logins at a time. ``tokens`` knows the seats that a login leads back to, by its cookie."""
        self._most = most
        self._tokens = tokens
        self._logins: dict[str, Login] = {}
        self._hosts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._logins)

    def log_in(self, name: str, password: str, host: str) -> Login:
        """Return a new login from a host, which replaces the oldest without a connection if there are too many.

        A host with a quarter of all logins replaces its own. Raises RequestRefused if all of them have a connection.
        """
        cookie = self._tokens.letter.upper() + secrets.token_urlsafe(24)
        return self._enter(Login(LoggedIn(name, secrets.token_hex(8), name, password, cookie), cookie, host))

    def _enter(self, login: Login) -> Login:
        if login.host and self._hosts[login.host] >= max(1, self._most // HOST_SHARE):
            self._forget_oldest(each for each in self._logins.values() if each.host == login.host)
        elif len(self._logins) >= self._most:
            self._forget_oldest(self._logins.values())
        self._logins[login.cookie] = login
        self._hosts[login.host] += 1
        return login

    def _forget_oldest(self, logins: Iterable[Login]) -> None:
        """Forget the first of these that has no connection; raises RequestRefused if there is none."""
        oldest = next((login for login in logins if login.connection is None), None)
        if oldest is None:
            raise RequestRefused(503, "too many users have logged in")
        self._forget(oldest)

    def _forget(self, login: Login) -> None:
        if self._logins.pop(login.cookie, None) is not None:
            self._hosts[login.host] -= 1
            if not self._hosts[login.host]:
                del self._hosts[login.host]

    def find(self, request: Request) -> Login | None:
        """Return the login whose cookie comes with a request.

        A login from before a restart of the server is known by its seat. Raises RequestRefused if there are too many.
        """
        cookie = _cookie_of(request)
        login = self._logins.get(cookie)
        kept = self._tokens.find(cookie) if login is None and cookie else None
        if kept is None:
            return login
        return self._enter(
            Login(LoggedIn(kept.name, secrets.token_hex(8), cookie=cookie), cookie, host_of(address_of(request)[0]))
        )

    def knows(self, request: Request) -> bool:
        """Return whether a request has the cookie of a login, or of a seat."""
        cookie = _cookie_of(request)
        return cookie in self._logins or (cookie != "" and self._tokens.find(cookie) is not None)

    def has_seat(self, login: Login) -> bool:
        """Return whether a login leads back to a running game."""
        return self._tokens.find(login.cookie) is not None

    def renew(self, login: Login) -> None:
        """Make a login the most recently used one."""
        self._logins[login.cookie] = self._logins.pop(login.cookie)

    def log_out(self, login: Login) -> None:
        """Forget a login, and let its client leave."""
        self._forget(login)
        self._tokens.revoke(login.cookie)
        if login.connection is not None:
            login.connection.leave()


class LoginResource(LeafResource):
    """The path for logging in, with a form of ``name`` and ``passwd``. The password is not checked."""

    METHODS = (b"POST",)

    def __init__(self, logins: Logins, connections: OpenConnections, clock: IReactorTime) -> None:
        """Let clients log in as often as the rates of ``connections`` allow each host."""
        super().__init__()
        self._logins = logins
        self._connections = connections
        self._clock = clock

    def respond(self, request: Request) -> bytes:
        """Log a client in, after logging out the login of its cookie."""
        refuse_other_origins(request)
        host = host_of(address_of(request)[0])
        if host and not self._connections.logins.take(host, self._clock.seconds()):
            raise RequestRefused(429, TOO_MANY_LOGINS, ("Retry-After", "60"))
        assert request.content is not None
        name, password = _read_form(request.content.read())
        before = self._logins.find(request)
        if before is not None:
            self._logins.log_out(before)
        _set_cookie(request, self._logins.log_in(name, password, host).cookie)
        return Response(302, "logged in", (("Location", "/"),)).render(request)


class LogoutResource(LeafResource):
    """The path for logging out."""

    METHODS = (b"POST",)

    def __init__(self, logins: Logins) -> None:
        super().__init__()
        self._logins = logins

    def respond(self, request: Request) -> bytes:
        """Log a client out. A client that has not logged in gets the same response."""
        refuse_other_origins(request)
        login = self._logins.find(request)
        if login is not None:
            self._logins.log_out(login)
        _set_cookie(request, "", max_age="0")
        return Response(302, "logged out", (("Location", "/"),)).render(request)


def _cookie_of(request: Request) -> str:
    """Return the cookie that comes with a request, or ""."""
    return (request.getCookie(COOKIE.encode()) or b"").decode("latin-1")


def _set_cookie(request: Request, content: str, max_age: str | None = None) -> None:
    """Set the cookie, by default until the browser closes. It has no date, because bots split headers at commas."""
    request.addCookie(
        COOKIE, content, path="/", max_age=max_age, secure=is_encrypted(request), httpOnly=True, sameSite="lax"
    )


def _read_form(body: bytes) -> tuple[str, str]:
    """Return name and password; raises RequestRefused."""
    try:
        form = parse_qs(
            body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MAX_FIELDS,
        )
        (name,), (password,) = form.get("name", [""]), form.get("passwd", [""])
        check_name(name, "name")
    except WireError as error:
        raise RequestRefused(400, str(error)) from error
    except ValueError as error:
        raise RequestRefused(400, "expected a form with name and passwd") from error
    if len(password) > MAX_SECRET:
        raise RequestRefused(400, f"passwd: expected at most {MAX_SECRET} characters")
    return name, password


STRANGER = "stranger"
"""The id of all clients that have not logged in. Nothing is kept for them, and all of them get the same response."""

_TO_STRANGERS = write_payload((CONNECTED + '{"sid":"stranger"}', EVENT + '["HELLO",null]', DISCONNECT))


class SocketIOResource(LeafResource):
    """The path that clients of net play poll."""

    METHODS = (b"GET", b"POST")

    def __init__(
        self,
        logins: Logins,
        dialect: Dialect,
        rooms: Sequence[RoomInfo],
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
    ) -> None:
        """Serve a dialect to clients that have logged in. ``rooms`` are those of the server."""
        super().__init__()
        self._logins = logins
        self._dialect = dialect
        self._rooms = rooms
        self._host = host
        self._connections = connections
        self._clock = clock
        self._polling: dict[str, tuple[Login, Polling]] = {}
        """Each connection with its login, by id."""

    def respond(self, request: Request) -> int | bytes:
        """Respond to a poll, a post, or the request that opens a connection; raises RequestRefused."""
        refuse_other_origins(request)
        if argument_of(request, "transport") != "polling":
            raise _refusal(0, "Transport unknown")
        if argument_of(request, "EIO") != "4":
            raise _refusal(5, "Unsupported protocol version")
        login, sid = self._logins.find(request), argument_of(request, "sid")
        if sid is None:
            if request.method != b"GET":
                raise _refusal(2, "Bad handshake method")
            return self._open(request, login)
        if sid == STRANGER:
            return b"ok" if request.method == b"POST" else _TO_STRANGERS
        owner, polling = self._polling.get(sid, (None, None))
        if polling is None or owner is not login:  # the same refusal for another's id as for a guessed one
            raise _refusal(1, "Session ID unknown")
        if request.method == b"GET":
            return polling.poll(request)
        return _post(request, polling)

    def _open(self, request: Request, login: Login | None) -> bytes:
        """Open a connection. It replaces an older one of the same login."""
        if login is None:
            return self._opening(STRANGER)
        self._logins.renew(login)
        sid = secrets.token_urlsafe(15)
        who = replace(login.who, has_seat=self._logins.has_seat(login))
        session = self._dialect.open_session(Caller(tuple(self._rooms), login=who))
        connection = Connection(session, self._host, self._connections, self._clock)
        polling = Polling(
            address_of(request),
            connection,
            self._clock,
            partial(self._leave, sid),
            is_private=is_private(request),
        )
        self._polling[sid] = login, polling
        polling.open()  # the older connection stays if there is no room for the new one
        older, login.connection = login.connection, polling
        if older is not None:
            older.replace()
        return self._opening(sid)

    def _opening(self, sid: str) -> bytes:
        """Return the packet that opens a connection."""
        content = {
            "sid": sid,
            "upgrades": [],
            "pingInterval": PING_INTERVAL * 1000,
            "pingTimeout": self._connections.limits.client.pong_seconds * 1000,
            "maxPayload": MAX_BODY,
        }
        return write_payload([PacketKind.OPEN.value + json_text.write(content)])

    def _leave(self, sid: str) -> None:
        login, polling = self._polling.pop(sid)
        if login.connection is polling:
            login.connection = None


def _post(request: Request, polling: Polling) -> bytes:
    """Pass the packets of a post on; raises RequestRefused if they cannot be read."""
    assert request.content is not None
    try:
        polling.take(read_payload(request.content.read()))
    except PayloadError as error:
        polling.drop()
        raise _refusal(3, "Bad request") from error
    return b"ok"


def _refusal(code: int, message: str) -> RequestRefused:
    """Return a refusal with a code and a message of Engine.IO."""
    return RequestRefused(
        400, json_text.write({"code": code, "message": message}), ("Content-Type", "application/json")
    )
