"""Accounts that users keep by themselves: who may register, what a session may do, and what is left after deletion."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import pytest
from argon2 import PasswordHasher
from joserfc import jwk, jwt
from support.memory_server import ReactorClock
from support.memory_site import HttpResponse, MemorySite, memory_site
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.interfaces import ISSLTransport
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure
from twisted.web.client import ResponseDone
from twisted.web.iweb import IAgent
from zope.interface import alsoProvides

from ump.database.database import file_place
from ump.net.connection import Connection
from ump.net.connection_limits import OpenConnections
from ump.net.limits import TOO_MANY_LOGINS, Limits
from ump.net.proxy_header import OF_PROXY, ProxyHeader
from ump.server.http.accounts import (
    BORNE,
    CLOSED,
    INVITED_ONLY,
    REGISTRATIONS_AN_HOUR,
    STILL_PLAYING,
    TOO_MANY,
    AccountDesk,
    greet,
)
from ump.server.http.api import PageSources
from ump.server.reports import ReportDesk
from ump.server.seat_tokens import hashes_of_guest
from ump.server.settings import ConfigError, Registration
from ump.server.users import user_database
from ump.server.users.bans import BanKind, Target, folded_hash
from ump.server.users.gate import NEED_TLS, NO_SESSION, WAITING, WRONG, GuardedHost
from ump.server.users.provider import COOKIE_SECONDS, Provider, ProviderSettings
from ump.server.users.user_database import MOST_SESSIONS, NO_INVITATION, UserDatabase
from ump.server.users.user_service import UserService

HERE = "http://here.example:4615"
PASSWORD, OTHER = "a good password", "another password"
NOW, LATER, LATE = "1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z", "1969-12-31T00:00:00Z"


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_database, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


class Direct(UserService):
    """A service that looks users up at once."""

    clients: Sequence[Any] = ()

    def _clients(self) -> list[Any]:
        return [*self.clients]

    def _in_thread(self, call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
        return maybeDeferred(call, *arguments)


class Browser:
    """A browser with its cookies, at a page of the server."""

    def __init__(self, site: MemorySite, host: str = "127.0.0.1") -> None:
        self.site = site
        self.host = host
        self.cookies: dict[str, str] = {}

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a request of the page."""
        cookies = "; ".join(f"{name}={content}" for name, content in self.cookies.items())
        return {"Origin": HERE, "Content-Type": "application/json"} | ({"Cookie": cookies} if cookies else {})

    def fetch(
        self, path: str, method: str = "GET", headers: dict[str, str] | None = None, **given: object
    ) -> HttpResponse:
        """Send a request, and keep the cookies of its response."""
        body = json.dumps(given).encode() if method == "POST" else None
        stream = self.site.stream(self.host)
        answer = stream.fetch(path, self.headers if headers is None else headers, method=method, body=body)
        stream.wire.lose()
        for name, morsel in SimpleCookie(answer.headers.get("set-cookie", "")).items():
            self.cookies[name] = morsel.value
        return answer

    def order(self, what: str, **given: object) -> tuple[int, str]:
        """Send an order about the account; return the code and what was said."""
        answer = self.fetch(f"/api/account/{what}", "POST", None, **given)
        return answer.code, answer.text.strip()

    @property
    def account(self) -> dict[str, Any]:
        """The account."""
        found: dict[str, Any] = json.loads(self.fetch("/api/account").body)
        return found


@contextmanager
def accounts(folder: Path, mode: Registration = Registration.OPEN, **more: Any) -> Iterator[tuple[MemorySite, Direct]]:
    """Open a site where anna is a user."""
    clock, connections = ReactorClock(), OpenConnections(Limits())
    users = UserDatabase(file_place(folder / "users.sqlite"))
    users.add("anna", user_database.hash_password(PASSWORD), NOW)
    records = users
    service = Direct(cast(GuardedHost, None), records, clock, connections, attempts=None, proxies=())
    provider = more.pop("provider", lambda clock, service: None)(clock, service)
    is_playing, is_borne = lambda user: user == "anna", more.pop("is_borne", lambda name: False)
    reports = more.pop("reports", lambda service: ReportDesk(lambda: service, None, list))(service)
    desk = AccountDesk(service, mode, clock, is_playing, is_borne, reports, provider)
    with memory_site(
        sources=PageSources(list, list, None, maybeDeferred, user_of=service.user_of, accounts=desk)
    ) as site:
        yield site, service
    connections.log.close()


def test_a_session_from_registration_to_deletion(tmp_path: Path) -> None:
    """The cookie is a secret of the browser; each other request is refused; nothing but a hash of the name is left."""
    with accounts(tmp_path) as (site, service):
        mika, other, stranger = Browser(site), Browser(site), Browser(site)
        assert mika.account == {"user": None, "waiting": False, "register": "open", "provider": None}
        guest = mika.headers | {"Authorization": f"Guest {'k' * 22}"}
        answer = mika.fetch("/api/account/register", "POST", guest, name="Mika", password=PASSWORD)
        assert service.users.guests_of("Mika") == sorted(hashes_of_guest("k" * 22))
        assert (answer.code, answer.headers["cache-control"]) == (201, "no-store")
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("ump-4615=ump_") and "HttpOnly" in cookie and "SameSite=lax" in cookie
        assert mika.account["user"] == "Mika"
        assert other.order("login", user="Mika", password=PASSWORD)[0] == 200
        assert sorted(each["own"] for each in mika.account["sessions"]) == [False, True]
        assert other.cookies != mika.cookies
        made = json.loads(mika.fetch("/api/account/tokens", "POST", label="laptop", bot="akagi").body)
        found = service.users.login_with_token(made["token"], NOW)
        assert found is not None and (found.name, found.bot) == ("Mika", "akagi")
        ((token,), sessions) = mika.account["tokens"], mika.account["sessions"]
        assert (token["id"], token["bot"], token["label"]) == (made["id"], "akagi", "laptop")
        assert "hash" not in token
        solved = [["tiles/1", "tiles/0", "tiles/9", "x" * 99], ["shape/0", "tiles/0"], []]
        answers = [
            json.loads(mika.fetch("/api/account/lessons", "POST", tasks=tasks).body)["tasks"] for tasks in solved
        ]
        assert answers == [["tiles/0", "tiles/1"], *[["shape/0", "tiles/0", "tiles/1"]] * 2]
        assert mika.order("lessons", tasks=[7])[0] == mika.order("lessons", tasks="tiles/0")[0] == 400
        assert stranger.order("lessons", tasks=[]) == (401, NO_SESSION)
        star = {"id": "0" * 16, "name": "Bob"}
        assert json.loads(mika.fetch("/api/account/stars", "POST", add=[star]).body) == {"stars": [star]}
        assert json.loads(other.fetch("/api/account/stars", "POST").body) == {"stars": [star]}
        assert json.loads(other.fetch("/api/account/stars", "POST", remove=[star["id"]]).body) == {"stars": []}
        for odd in ({"add": "x"}, {"add": [7]}, {"add": [star | {"name": ""}]}, {"remove": [7]}):
            assert mika.order("stars", **odd)[0] == 400
        assert stranger.order("stars") == (401, NO_SESSION)
        theirs = next(each["id"] for each in sessions if not each["own"])
        assert stranger.fetch(f"/api/account/tokens/{theirs}", "DELETE").code == 401
        assert other.account["user"] == "Mika"
        assert mika.order("password", password=OTHER, new=OTHER) == (401, WRONG)
        site.clock.advance(1)
        service._reactor.advance(1)
        assert mika.order("password", password=PASSWORD, new=OTHER)[0] == 200
        assert (other.account["user"], mika.account["user"]) == (None, "Mika")
        logged_in, told = service.users.login("Mika", OTHER), list[str]()
        assert logged_in is not None
        bots = [
            SimpleNamespace(user="Mika", login_id=login, place=None, is_closing=False, fail_safely=told.append)
            for login in (made["id"], logged_in.login_id)
        ]
        service.clients = bots
        assert mika.fetch(f"/api/account/tokens/{made['id']}", "DELETE").code == 200
        assert told == [NO_SESSION]  # to the bot that has logged in with it, not with the password
        assert mika.order("password", password=OTHER, new=OTHER)[0] == 200
        assert told == [NO_SESSION] * 3
        service.clients = ()
        assert mika.order("delete", name="Mina", password=OTHER)[0] == 400
        assert mika.order("delete", name="Mika", password=OTHER)[0] == 200
        assert (mika.account["user"], mika.cookies["ump-4615"]) == (None, "")
        assert stranger.order("register", name="mlka", password=PASSWORD)[0] == 409
        users = service.users
        assert [each.name for each in users.users()] == ["anna"]
        assert users.is_reserved("Mika") and users.is_reserved("deleted user 7")
        assert [(each.alias, each.folded_hash) for each in users.deleted_since(0)] == [
            ("deleted user 1", folded_hash("MIKA"))
        ]


def test_requests_about_accounts_that_are_refused(tmp_path: Path) -> None:
    """None changes anything: of other pages, without a session, over plain HTTP from elsewhere, of players in games."""
    with accounts(tmp_path) as (site, service):
        anna = Browser(site)
        assert anna.order("login", user="anna", password=PASSWORD)[0] == 200
        headers, far = anna.headers, Browser(site, "192.0.2.1")
        far.cookies = anna.cookies
        without_origin = {name: content for name, content in headers.items() if name != "Origin"}
        rows: list[tuple[Browser, str, dict[str, str], dict[str, object], int, str]] = [
            (anna, "tokens", without_origin, {}, 401, NO_SESSION),
            (anna, "tokens", headers | {"Origin": "http://there.example"}, {}, 403, "another server"),
            (anna, "tokens", headers | {"Origin": "null"}, {}, 403, "another server"),
            (anna, "tokens", headers | {"Content-Type": "text/plain"}, {}, 415, "application/json"),
            (anna, "tokens", headers | {"Cookie": "ump-4615=ump_x"}, {}, 401, NO_SESSION),
            (anna, "tokens", headers, {"label": "x" * 101}, 400, "at most 100"),
            (anna, "tokens", headers, {"bot": "x/\0"}, 400, "no control characters"),
            (anna, "tokens", headers, {"label": 7}, 400, "must be a string"),
            (anna, "delete", headers, {"name": "anna", "password": PASSWORD}, 409, STILL_PLAYING),
            (anna, "login", headers, {"user": "anna"}, 400, "expected user and password"),
            (anna, "register", headers, {"name": "adm1n", "password": PASSWORD}, 400, "nobody may be called"),
            (anna, "register", headers, {"name": "guest", "password": PASSWORD}, 400, "nobody may be called"),
            (anna, "register", headers, {"name": "deleted user 4", "password": PASSWORD}, 400, "nobody may"),
            (anna, "register", headers, {"name": "Anna", "password": PASSWORD}, 409, "looks like the user"),
            (anna, "register", headers, {"name": "bo", "password": "short"}, 400, "12 characters"),
            (anna, "reset", headers, {"link": "ump_x", "password": PASSWORD}, 403, NO_INVITATION),
            (anna, "other", headers, {}, 404, ""),
            (far, "login", headers, {"user": "anna", "password": PASSWORD}, 403, NEED_TLS),
        ]
        for browser, what, given_headers, given, code, said in rows:
            answer = browser.fetch(f"/api/account/{what}", "POST", given_headers, **given)
            assert (answer.code, said in answer.text) == (code, True), (what, given, answer.text)
        assert far.account["user"] is None
        assert anna.fetch("/api/account", "PUT").code == 405
        assert anna.fetch("/api/account/tokens/%00", "DELETE").code == 404
        assert anna.order("login", user="\ud800", password=PASSWORD) == (401, WRONG)
        service._reactor.advance(1)
        bound = json.loads(anna.fetch("/api/account/tokens", "POST", bot="akagi").body)["token"]
        bot = Browser(site)
        bot.cookies = {"ump-4615": bound}
        assert bot.account["user"] is None
        assert service.users.login_with_token(anna.cookies["ump-4615"], NOW) is None
        users = service.users
        users.ban(Target(BanKind.USER, "anna"), "2027-01-01T00:00:00Z", "two accounts", "root", NOW)
        assert anna.account["user"] is None
        told = Browser(site).order("login", user="anna", password=PASSWORD)
        assert told == (401, "this account is closed until 2027-01-01: two accounts")
        assert Browser(site).order("login", user="anna", password=OTHER) == (401, WRONG)
        for seconds in (1, 2, 4, 8, 16):
            late = site.stream("127.0.0.1")
            late.ask(
                "/api/account/login", Browser(site).headers, method="POST", body=b'{"user":"anna","password":"wrong"}'
            )
            assert [each.text for each in late.answers()] == []
            service._reactor.advance(seconds)
            assert [each.code for each in late.answers()] == [401]
        assert Browser(site).order("login", user="anna", password=OTHER) == (429, WAITING)  # for 32 seconds


def test_a_browser_that_is_known(tmp_path: Path) -> None:
    """It logs in at once, from any address, while others guess; its cookie tells no name, and no other user's helps."""
    with accounts(tmp_path) as (site, _):
        known, neighbour = Browser(site), Browser(site)
        assert neighbour.order("register", name="Mika", password=PASSWORD)[0] == 201
        answer = known.fetch("/api/account/login", "POST", user="anna", password=PASSWORD)
        (name,) = [each for each in known.cookies if each.startswith("ump-device-")]
        assert (
            "anna" not in name
            and f"{name}={known.cookies[name]}; Path=/; Max-Age=31536000" in answer.headers["set-cookie"]
        )
        for _ in range(3):
            neighbour.site.stream("127.0.0.1").ask(
                "/api/account/login", neighbour.headers, method="POST", body=b'{"user":"anna","password":"wrong"}'
            )
        assert known.order("login", user="anna", password=PASSWORD)[0] == 200
        late = site.stream("127.0.0.1")
        body = json.dumps({"user": "anna", "password": PASSWORD}).encode()
        late.ask("/api/account/login", neighbour.headers, method="POST", body=body)
        assert not late.answers()


def test_a_name_that_somebody_bears(tmp_path: Path) -> None:
    """Nobody registers it from under a player; another name is free."""
    with accounts(tmp_path, is_borne=lambda name: name == "Mika") as (site, service):
        for _ in range(REGISTRATIONS_AN_HOUR + 1):
            assert Browser(site).order("register", name="Mika", password=PASSWORD) == (409, BORNE)
        assert Browser(site).order("register", name="Miko", password=PASSWORD)[0] == 201
        assert sorted(each.name for each in service.users.users()) == ["Miko", "anna"]


@pytest.mark.parametrize("mode", [Registration.OFF, Registration.INVITE])
def test_links_of_the_operator(tmp_path: Path, mode: Registration) -> None:
    """An invitation registers so many users; a link for a password ends all sessions; late ones do nothing."""
    with accounts(tmp_path, mode) as (site, service):
        users = service.users
        links = [users.invite(2, LATER, "root", NOW), users.invite(1, LATE, "root", "1969-01-01T00:00:00Z")]
        anna, codes = Browser(site), []
        for name, link in (("a1", links[0]), ("a2", links[0]), ("a3", links[0]), ("a4", links[1]), ("a5", "")):
            codes.append(Browser(site).order("register", name=name, password=PASSWORD, invitation=link))
        refused = (403, NO_INVITATION)
        expected: list[object] = [201, 201, refused, refused, (403, INVITED_ONLY)]
        if mode is Registration.OFF:
            expected = [(403, CLOSED)] * 5
        assert [each if each[0] == 403 else each[0] for each in codes] == expected
        anna.order("login", user="anna", password=PASSWORD)
        link = users.let_reset("anna", LATER, "root", NOW)
        assert Browser(site).order("register", name="b", password=PASSWORD, invitation=link)[0] == 403
        assert Browser(site).order("reset", link=link, password=OTHER)[0] == 200
        assert anna.account["user"] is None
        assert Browser(site).order("reset", link=link, password=OTHER) == refused
        assert Browser(site).order("login", user="anna", password=OTHER)[0] == 200


def test_limits_of_registrations_and_sessions(tmp_path: Path) -> None:
    """A host registers a few users in an hour; the oldest session makes room; a session ends after thirty days."""
    with accounts(tmp_path) as (site, service):
        told = [
            Browser(site, "192.0.2.9").order("register", name=f"m{number}", password=PASSWORD)[0] for number in range(2)
        ]
        assert told == [403, 403]  # it needs TLS
        codes = [Browser(site).order("register", name=f"n{number}", password=PASSWORD)[0] for number in range(5)]
        assert codes == [201] * REGISTRATIONS_AN_HOUR
        assert Browser(site).order("register", name="n5", password="short")[0] == 400
        assert Browser(site).order("register", name="n5", password=PASSWORD) == (429, TOO_MANY)
        while Browser(site).order("reset", link="x", password=PASSWORD)[0] == 403:
            pass  # each hashes a password
        assert Browser(site).order("reset", link="x", password=PASSWORD) == (429, TOO_MANY)
        while service.takes_login("127.0.0.1"):
            pass
        assert Browser(site).order("login", user="anna", password=PASSWORD) == (429, TOO_MANY_LOGINS)
        service._reactor.advance(3_600)
        assert Browser(site).order("register", name="n5", password=PASSWORD)[0] == 201
        first, *others = [Browser(site) for _ in range(MOST_SESSIONS + 1)]
        for number, browser in enumerate((first, *others)):
            service._reactor.advance(number and 1)
            assert browser.order("login", user="anna", password=PASSWORD)[0] == 200
        assert first.account["user"] is None
        assert len(others[0].account["sessions"]) == MOST_SESSIONS
        service._reactor.advance(30 * 86_400)
        assert others[-1].account["user"] is None


# A provider in memory

KEYS = {kid: jwk.RSAKey.generate_key(2048, {"kid": kid}) for kid in ("one", "two")}
ISSUER = "https://id.example"


class ProviderAgent:
    """Answers as a provider would; ``claims`` change those of the tokens."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, list[str]]]] = []
        self.claims: dict[str, Any] = {}
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "one"}
        self.key: Any = KEYS["one"]
        self.published = ["one"]
        self.nonce = ""
        self.code = 200

    def request(self, method: bytes, uri: bytes, headers: Any = None, bodyProducer: Any = None) -> Deferred[Any]:
        """Answer a request."""
        form = parse_qs(bodyProducer._inputFile.getvalue().decode()) if bodyProducer else {}
        if bodyProducer:
            assert headers.getRawHeaders(b"authorization") == [b"Basic dW1wOnMlMjZ0"]
        self.asked.append((uri.decode(), form))
        answers: dict[str, Any] = {
            f"{ISSUER}/.well-known/openid-configuration": {
                "issuer": ISSUER,
                "authorization_endpoint": f"{ISSUER}/auth?x=1",
                "token_endpoint": f"{ISSUER}/token",
                "jwks_uri": f"{ISSUER}/keys",
            },
            f"{ISSUER}/keys": {"keys": [KEYS[kid].as_dict(private=False) for kid in self.published]},
            f"{ISSUER}/token": {"id_token": self.token()},
        }
        content = answers[uri.decode()]
        return succeed(ProviderResponse(self.code, json.dumps(content).encode()))

    def token(self) -> str:
        """Return an ID token."""
        claims = {"iss": ISSUER, "aud": "ump", "sub": "7", "exp": 300, "iat": 0, "nonce": self.nonce}
        claims = {name: content for name, content in (claims | self.claims).items() if content is not None}
        algorithms = [self.header["alg"]]
        return jwt.encode(self.header, claims, self.key, algorithms=algorithms)


class ProviderResponse:
    """A response with a body."""

    def __init__(self, code: int, body: bytes) -> None:
        self.code = code
        self._body = body

    def deliverBody(self, protocol: Protocol) -> None:
        """Deliver the body at once."""
        protocol.dataReceived(self._body)
        protocol.connectionLost(Failure(ResponseDone()))


def provider_with(agent: ProviderAgent, clock: Any, service: UserService) -> Provider:
    """Return a provider whose requests an agent answers."""
    settings = ProviderSettings(ISSUER, "ump", "s&t", "Example ID")
    return Provider(settings, clock, cast(IAgent, agent), partial(greet, service))


def go(browser: Browser, agent: ProviderAgent, intent: str = "login") -> dict[str, str]:
    """Let a browser go to the provider; return what it says there."""
    sent = browser.fetch("/login/provider", "POST", intent=intent)
    assert sent.code == 200
    query = {name: found[0] for name, found in parse_qs(urlsplit(json.loads(sent.body)["address"]).query).items()}
    assert query["redirect_uri"] == f"{HERE}/login/back" and query["x"] == "1"
    agent.nonce = query["nonce"]
    return query


def come_back(browser: Browser, agent: ProviderAgent, intent: str = "login", **changes: str) -> HttpResponse:
    """Let a browser go to the provider and come back."""
    state = changes.get("state", go(browser, agent, intent)["state"])
    return browser.fetch(f"/login/back?code=c&state={state}")


def test_people_of_a_provider(tmp_path: Path) -> None:
    """They choose a name once, and log in from then on; a user who has logged in adds the login to the account."""
    agent = ProviderAgent()
    with accounts(tmp_path, Registration.OFF, provider=partial(provider_with, agent)) as (site, service):
        mika = Browser(site)
        assert come_back(mika, agent).headers["location"] == "/account"
        form = agent.asked[-2][1]
        assert form["redirect_uri"] == [f"{HERE}/login/back"] and len(form["code_verifier"][0]) >= 43
        assert mika.account == {"user": None, "waiting": True, "register": "off", "provider": "Example ID"}
        assert Browser(site).order("register", name="Mika", provider=True) == (403, CLOSED)
        twice = Browser(site)
        twice.cookies = {**mika.cookies}
        assert mika.order("register", name="Mika", provider=True)[0] == 201
        assert (mika.account["user"], mika.account["has_password"]) == ("Mika", False)
        assert twice.order("register", name="Miko", provider=True) == (400, "this login belongs to another user")
        assert not mika.account.get("waiting")
        again = Browser(site)
        come_back(again, agent)
        assert again.account["user"] == "Mika"
        anna = Browser(site)
        anna.order("login", user="anna", password=PASSWORD)
        agent.claims = {"sub": "8"}
        assert come_back(anna, agent, "link").headers["location"] == "/account#linked"
        come_back(anna, agent, "link")
        assert anna.account["identities"] == [ISSUER]
        users = service.users
        users.ban(Target(BanKind.USER, "Mika"), None, "no", "root", NOW)
        agent.claims = {}
        banned = come_back(Browser(site), agent)
        assert (banned.code, banned.text.strip()) == (403, "this account is closed: no")
        agent.published, agent.key, agent.header = ["one", "two"], KEYS["two"], {"alg": "RS256", "kid": "two"}
        agent.claims = {"sub": "8"}
        service._reactor.advance(60)
        later = Browser(site)
        agent.claims |= {"iat": 60, "exp": 360}
        assert come_back(later, agent).code == 302  # the keys are read again
        assert later.account["user"] == "anna"
        assert Browser(site).fetch("/login/back?error=access_denied").code == 403
        headers = {"Origin": HERE.replace("http:", "https:"), "Content-Type": "application/json"}
        stream = site.stream(header=replace(OF_PROXY, is_encrypted=True))
        over_tls = stream.fetch("/login/provider", headers, method="POST", body=b'{"intent":"login"}')
        assert "redirect_uri=https%3A%2F%2Fhere.example%3A4615%2Flogin%2Fback" in over_tls.text
        while service.takes_login("127.0.0.1"):
            pass
        assert Browser(site).fetch("/login/provider", "POST", intent="login").code == 429


def test_nobody_adds_an_identity_unasked(tmp_path: Path) -> None:
    """Neither a link, nor another page, nor a login; nor what was asked for in another session, or is somebody's."""
    agent = ProviderAgent()
    with accounts(tmp_path, provider=partial(provider_with, agent)) as (site, service):
        anna, mika = Browser(site), Browser(site)
        anna.order("login", user="anna", password=PASSWORD)
        mika.order("register", name="Mika", password=PASSWORD)
        headers = anna.headers
        without_origin = {name: content for name, content in headers.items() if name != "Origin"}
        rows: list[tuple[Browser, dict[str, str], str, int, str]] = [
            (anna, without_origin, "login", 403, "expected the header Origin"),
            (anna, without_origin, "link", 403, "expected the header Origin"),
            (anna, headers | {"Origin": "http://there.example"}, "link", 403, "another server"),
            (anna, headers | {"Content-Type": "text/plain"}, "link", 415, "application/json"),
            (anna, headers, "", 400, "expected the intent"),
            (Browser(site), Browser(site).headers, "link", 401, NO_SESSION),
        ]
        for browser, given_headers, intent, code, said in rows:
            answer = browser.fetch("/login/provider", "POST", given_headers, intent=intent)
            assert (answer.code, said in answer.text) == (code, True), (intent, answer.text)
        assert anna.fetch("/login/provider").code == 405
        assert not agent.asked
        come_back(anna, agent)  # a login
        assert anna.account["user"] == "anna" and anna.account["identities"] == []
        state = go(anna, agent, "link")["state"]
        for other in (mika, Browser(site)):
            other.cookies["ump-login"] = anna.cookies["ump-login"]
            answer = other.fetch(f"/login/back?code=c&state={state}")
            assert (answer.code, "logged out meanwhile" in answer.text) == (403, True)
        assert come_back(mika, agent, "link").code == 302
        told = come_back(anna, agent, "link")
        assert (told.code, told.text.strip()) == (400, "this login belongs to another user")
        assert service.users.identities("anna") == []


def test_cookies_of_a_login_that_are_not_ours(tmp_path: Path) -> None:
    """Those that were changed, made for something else, or kept too long begin nothing."""
    agent = ProviderAgent()
    with accounts(tmp_path, provider=partial(provider_with, agent)) as (site, service):
        browser = Browser(site)
        come_back(browser, agent)
        identity = browser.cookies["ump-identity"]
        state = go(browser, agent)["state"]
        text, _, seal = browser.cookies["ump-login"].partition(".")
        forged = base64.urlsafe_b64encode(json.dumps([state, "n", "v", "anna", "0123456789ab", 1e9]).encode()).decode()
        for cookie in (f"{forged}.{seal}", f"{text}.", f"{text}.ä", "", "x", identity):
            browser.cookies["ump-login"] = cookie
            assert browser.fetch(f"/login/back?code=c&state={state}").code == 403
        browser.cookies["ump-identity"] = f"{text}.{seal}"
        assert browser.account["waiting"] is False
        browser.cookies["ump-login"] = f"{text}.{seal}"
        service._reactor.advance(COOKIE_SECONDS)
        assert browser.fetch(f"/login/back?code=c&state={state}").code == 403


def test_tokens_of_a_provider_that_cannot_be_trusted(tmp_path: Path) -> None:
    """None lets anybody in, whatever is wrong."""
    secret_key = jwk.OctKey.import_key("x" * 32)
    rows: list[tuple[dict[str, Any], dict[str, Any], Any]] = [
        ({"nonce": "other"}, {}, None),
        ({"nonce": None}, {}, None),
        ({"aud": "other"}, {}, None),
        ({"aud": ["ump", "other"]}, {}, None),
        ({"aud": ["ump", "other"], "azp": "other"}, {}, None),
        ({"azp": "other"}, {}, None),
        ({"iss": "https://other.example"}, {}, None),
        ({"exp": -61}, {}, None),
        ({"exp": None}, {}, None),
        ({"iat": 3_600}, {}, None),
        ({"sub": None}, {}, None),
        ({"sub": 7}, {}, None),
        ({}, {"alg": "none"}, None),
        ({}, {"alg": "HS256"}, secret_key),
        ({}, {"kid": "two"}, KEYS["two"]),
        ({}, {}, KEYS["two"]),
    ]
    agent = ProviderAgent()
    with accounts(tmp_path, provider=partial(provider_with, agent)) as (site, _):
        for claims, header, key in rows:
            agent.claims, agent.header = claims, {"alg": "RS256", "kid": "one"} | header
            agent.key = key or KEYS["one"]
            browser = Browser(site)
            assert come_back(browser, agent).code == 503, (claims, header)
            assert browser.account["waiting"] is False
        agent.claims, agent.header, agent.key = (
            {"aud": ["ump", "other"], "azp": "ump"},
            {"alg": "RS256", "kid": "one"},
            KEYS["one"],
        )
        assert come_back(Browser(site), agent).code == 302
        assert come_back(Browser(site), agent, state="other").code == 403
        forged = Browser(site)
        come_back(forged, agent)
        text, _, seal = forged.cookies["ump-identity"].partition(".")
        forged.cookies["ump-identity"] = f"{text[:-2]}A=.{seal}"
        assert forged.account["waiting"] is False
        agent.code = 500
        assert come_back(Browser(site), agent).code == 503


def test_files_that_describe_a_provider(tmp_path: Path) -> None:
    """Each has four texts and a safe address."""
    file = tmp_path / "provider.toml"
    texts = {"issuer": ISSUER, "client_id": "ump", "client_secret": "s", "name": "ID"}
    rows = [
        (texts, None),
        (texts | {"issuer": "http://127.0.0.1:8000"}, None),
        (texts | {"issuer": "http://id.example"}, "https://"),
        (texts | {"name": ""}, "expected the texts issuer, client_id"),
        (texts | {"extra": "x"}, "nothing else"),
        ({"issuer": ISSUER}, "expected the texts"),
    ]
    for given, error in rows:
        file.write_text("\n".join(f'{name} = "{text}"' for name, text in given.items()), "utf-8")
        if error is None:
            assert ProviderSettings.read(file).client_id == "ump"
        else:
            with pytest.raises(ConfigError, match=error):
                ProviderSettings.read(file)
    with pytest.raises(ConfigError, match="No such file"):
        ProviderSettings.read(tmp_path / "none")


@pytest.mark.parametrize("header", [None, replace(OF_PROXY, is_encrypted=True)], ids=["own", "of a proxy"])
def test_a_session_over_tls(tmp_path: Path, header: ProxyHeader | None) -> None:
    """It is for pages that came over TLS, too: others may be anybody's who is on the way."""
    with accounts(tmp_path) as (site, _):

        def order(scheme: str, what: str, cookie: str = "", **given: str) -> HttpResponse:
            stream = site.stream(header=header)
            if header is None:
                alsoProvides(stream.wire, ISSLTransport)
            headers = {"Origin": HERE.replace("http", scheme), "Content-Type": "application/json", "Cookie": cookie}
            return stream.fetch(f"/api/account/{what}", headers, method="POST", body=json.dumps(given).encode())

        begun, *attributes = order("http", "login", user="anna", password=PASSWORD).headers["set-cookie"].split("; ")
        assert begun.startswith("__Host-ump=") and "Secure" in attributes
        assert [order(scheme, "tokens", begun).code for scheme in ("https", "http")] == [201, 401]


def test_a_browser_plays_under_the_name_of_its_user(tmp_path: Path) -> None:
    """A WebSocket has the session of the page, and no other page's."""
    with accounts(tmp_path) as (site, _):
        browser = Browser(site)
        browser.order("login", user="anna", password=PASSWORD)
        cookie = {"Cookie": browser.headers["Cookie"]}
        found: list[Connection] = []
        for headers in (cookie | {"Origin": HERE}, cookie, {"Origin": HERE}):
            socket = site.socket("/ump", headers)
            socket.say('["hello"]')
            found.append(site.usher.came[-1][0])
        assert [each.cookie for each in found] == [browser.cookies["ump-4615"], None, None]
