"""Logins to net play: who has logged in, by cookie, and the two paths where that begins and ends."""

from __future__ import annotations

import secrets
from typing import Protocol
from urllib.parse import parse_qs

from twisted.web.server import Request

from ump.net.http.endpoint import Answer, Endpoint, Refused, refuse_other_pages
from ump.net.http.limits import MAX_LOGINS, MAX_SECRET
from ump.wire.majiang.socketio_session import LoggedIn
from ump.wire.text import WireError, check_name

COOKIE = "MAJIANG"
"""The name that majiang-bot looks for."""

_FIELDS = 16
"""Fields of the form that are read; there are two."""


class Guest(Protocol):
    """A connection that came with a login."""

    def replace(self) -> None:
        """Give way to a newer connection with the same login."""

    def drop(self) -> None:
        """Be gone at once."""


class Login:
    """Somebody who has logged in, and the one connection that this is good for."""

    def __init__(self, who: LoggedIn) -> None:
        self.who = who
        self.cookie = secrets.token_urlsafe(24)
        """What proves it: a secret."""
        self.guest: Guest | None = None
        """The connection, while there is one."""


class Logins:
    """Everybody who has logged in, those who came or connected last at the end."""

    def __init__(self, most: int = MAX_LOGINS) -> None:
        self._most = most
        self._logins: dict[str, Login] = {}

    def __len__(self) -> int:
        return len(self._logins)

    def enter(self, name: str, password: str) -> Login:
        """Let somebody log in; raises Refused where all places are in use."""
        if len(self._logins) >= self._most:
            oldest = next((login for login in self._logins.values() if login.guest is None), None)
            if oldest is None:
                raise Refused(503, "too many have logged in")
            del self._logins[oldest.cookie]
        login = Login(LoggedIn(name, secrets.token_hex(8), name, password))
        self._logins[login.cookie] = login
        return login

    def of(self, request: Request) -> Login | None:
        """Return whose cookie comes with a request."""
        cookie = (request.getCookie(COOKIE.encode()) or b"").decode("latin-1")
        return self._logins.get(cookie)

    def renew(self, login: Login) -> None:
        """Let a login be the last to be forgotten."""
        self._logins[login.cookie] = self._logins.pop(login.cookie)

    def leave(self, login: Login) -> None:
        """Forget a login, and end its connection."""
        self._logins.pop(login.cookie, None)
        if login.guest is not None:
            login.guest.drop()


class Enter(Endpoint):
    """Where one logs in, with a form: ``name``, and ``passwd``, which only a server with a user file looks at."""

    METHODS = (b"POST",)

    def __init__(self, logins: Logins) -> None:
        super().__init__()
        self._logins = logins

    def answer(self, request: Request) -> bytes:
        """Let somebody log in, in place of who had this cookie before."""
        refuse_other_pages(request)
        assert request.content is not None
        name, password = _read_form(request.content.read())
        before = self._logins.of(request)
        if before is not None:
            self._logins.leave(before)
        _set_cookie(request, self._logins.enter(name, password).cookie)
        return Answer(302, "logged in", (("Location", "/"),)).put(request)


class Leave(Endpoint):
    """Where one logs out."""

    METHODS = (b"POST",)

    def __init__(self, logins: Logins) -> None:
        super().__init__()
        self._logins = logins

    def answer(self, request: Request) -> bytes:
        """Let somebody log out; who has not logged in may too."""
        refuse_other_pages(request)
        login = self._logins.of(request)
        if login is not None:
            self._logins.leave(login)
        _set_cookie(request, "", max_age="0")
        return Answer(302, "logged out", (("Location", "/"),)).put(request)


def _set_cookie(request: Request, content: str, max_age: str | None = None) -> None:
    """Set the cookie; without an age a browser keeps it until it closes. No date: bots split headers at commas."""
    request.addCookie(
        COOKIE, content, path="/", max_age=max_age, secure=request.isSecure(), httpOnly=True, sameSite="lax"
    )


def _read_form(body: bytes) -> tuple[str, str]:
    """Return name and password; raises Refused."""
    try:
        form = parse_qs(
            body.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=_FIELDS
        )
        (name,), (password,) = form.get("name", [""]), form.get("passwd", [""])
        check_name(name, "name")
    except WireError as error:
        raise Refused(400, str(error)) from error
    except ValueError as error:
        raise Refused(400, "a form is wanted, with name and passwd") from error
    if len(password) > MAX_SECRET:
        raise Refused(400, f"passwd wants {MAX_SECRET} characters at most")
    return name, password
