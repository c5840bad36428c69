"""Logging in to net play and out again: forms, cookies, and the limit on logins."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, ClassVar
from urllib.parse import urlencode

import pytest
from support.memory_site import POLLING, MemorySite, PollingClient, memory_site
from support.rows import each_row

from ump.model.seats import Seat
from ump.net.connection_budget import HOST_SHARE
from ump.net.http.resources import RequestRefused
from ump.net.limits import Limits, Rates
from ump.net.proxy_header import OF_PROXY
from ump.server.http.net_play import Logins
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import KeptSeat, SeatTokens, hash_of
from ump.wire.text import MAX_SECRET


@pytest.fixture
def site() -> Iterator[MemorySite]:
    """A site with Parrot sessions."""
    with memory_site() as opened:
        yield opened


@pytest.mark.parametrize("base", ["", "/server"])
def test_logging_in_sets_a_cookie_and_redirects(site: MemorySite, base: str) -> None:
    """A login sets a cookie that scripts cannot read, and redirects, as majiang-bot expects."""
    body = b"name=*%E3%83%9C%E3%83%83%E3%83%88*&passwd=*"
    answer = site.stream().fetch(f"{base}/auth/", method="POST", body=body)
    assert (answer.code, answer.headers["location"]) == (302, "/")
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert cookie.startswith("MAJIANG=") and len(cookie) == len("MAJIANG=") + 32
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=lax"]
    assert "," not in answer.headers["set-cookie"]
    client = PollingClient(site, cookie.removeprefix("MAJIANG="))
    assert client.connect() == ['42["HELLO", "*\\u30dc\\u30c3\\u30c8*"]']
    (caller,) = site.callers
    login = caller.login
    assert login is not None
    assert (login.name, login.user, login.password) == ("*ボット*", "*ボット*", "*")
    assert login.uid not in cookie


@each_row(
    "body",
    [
        b"",
        b"name",
        b"passwd=x",
        b"name=&passwd=x",
        b"name=%20",
        b"name=%FF",
        b"name=a%0Ab",
        b"name=a%E2%80%AEb",
        b"name=" + b"a" * 33,
        b"name=a&name=b",
        b"name=a&passwd=b&passwd=c",
        b"name=a&passwd=" + b"a" * (MAX_SECRET + 1),
        b"name=a" + b"&b=c" * 16,
        "name=é".encode(),
        b"\xff",
        b'{"name":"a"}',
    ],
)
def test_invalid_forms_are_refused(site: MemorySite, body: bytes) -> None:
    """An invalid form is refused with one line, and sets no cookie."""
    answer = site.stream().fetch("/auth/", method="POST", body=body)
    assert answer.code == 400
    assert "set-cookie" not in answer.headers
    assert answer.text.count("\n") == 1


@pytest.mark.parametrize("path", ["/auth/", "/logout", POLLING])
def test_pages_of_other_servers_are_refused(site: MemorySite, path: str) -> None:
    """Pages of other servers cannot log in or out, or poll."""
    answer = site.stream().fetch(path, {"Origin": "http://evil.example"}, method="POST", body=b"name=a&passwd=b")
    assert answer.code == 403
    assert "set-cookie" not in answer.headers


def test_logging_out_ends_the_login_and_its_connection(site: MemorySite) -> None:
    """After a logout the cookie is invalid and the connection closed. A second logout is harmless."""
    client = site.client()
    client.connect()
    held = client.poll()
    for _ in range(2):
        answer = site.stream().fetch("/server/logout", client.headers, method="POST", body=b"")
        assert (answer.code, answer.headers["location"]) == (302, "/")
        assert "Max-Age=0" in answer.headers["set-cookie"]
    assert [answer.text for answer in held.answers()] == ["6"]
    assert not len(site.connections)
    assert client.post("3").code == 400
    client.open()
    assert client.sid == "stranger"


def test_logging_in_again_ends_the_first_login(site: MemorySite) -> None:
    """A second login of the same client ends the first, with its connection."""
    client = site.client()
    client.connect()
    body = urlencode({"name": "other"}).encode()
    answer = site.stream().fetch("/auth/", client.headers, method="POST", body=body)
    assert answer.code == 302
    assert answer.headers["set-cookie"].partition(";")[0] not in client.headers["Cookie"]
    assert not len(site.connections)
    assert client.poll().answers()[0].code == 400


def test_logins_are_limited() -> None:
    """The oldest login without a connection is forgotten; if all have one, a new login is refused."""
    logins = Logins(SeatTokens(), 3)
    first, second, third = (logins.log_in(name, "", "") for name in "abc")
    first.connection = _Somebody()
    logins.renew(second)
    assert [login.who.name for login in (logins.log_in("d", "", ""), logins.log_in("e", "", ""))] == ["d", "e"]
    assert len(logins) == 3
    for login in (second, third):
        login.connection = _Somebody()
    everybody = [logins.log_in(name, "", "") for name in "fg"]
    for login in everybody:
        login.connection = _Somebody()
    with pytest.raises(RequestRefused):
        logins.log_in("h", "", "")
    logins.log_out(first)
    assert logins.log_in("h", "", "").who.name == "h"


def test_a_host_has_a_share_of_the_logins() -> None:
    """A host with a quarter of all logins replaces its own oldest login, never that of another host."""
    logins = Logins(SeatTokens(), 2 * HOST_SHARE)
    other = logins.log_in("other", "", "192.0.2.2")
    made = [logins.log_in(str(number), "", "192.0.2.1") for number in range(100)]
    assert len(logins) == 3
    logins.log_out(other)
    assert len(logins) == 2
    for login in made:
        logins.log_out(login)
    assert len(logins) == 0


def test_logins_of_a_host_have_a_rate() -> None:
    """A host that logs in too often is refused for a while; other hosts are not."""
    with memory_site(Limits(rates=Rates(logins=3))) as site:
        body = b"name=bot&passwd=*"
        codes = [site.fetch("/auth/", method="POST", body=body).code for _ in range(4)]
        assert codes == [302, 302, 302, 429]
        assert site.stream("192.0.2.2").fetch("/auth/", method="POST", body=body).code == 302
        site.clock.advance(60 / 3)
        assert site.fetch("/auth/", method="POST", body=body).code == 302


def test_hellos_and_logins_of_a_host_share_a_rate() -> None:
    """Other addresses of the same /64 are the same host, also over WebSocket and behind a proxy."""
    body = b"name=bot&passwd=*"
    for header in (None, OF_PROXY):
        with memory_site(Limits(rates=Rates(logins=2))) as site:
            assert site.stream("2001:db8::1", header).fetch("/auth/", method="POST", body=body).code == 302
            assert site.connections.logins.take("2001:db8::/64", site.clock.seconds())
            assert site.stream("2001:db8::2", header).fetch("/auth/", method="POST", body=body).code == 429
            assert not site.connections.logins.take("2001:db8::/64", site.clock.seconds())


def test_a_login_is_known_by_its_seat_after_a_restart() -> None:
    """The cookie leads to a new login with the name of the seat, until its client logs out."""
    tokens = SeatTokens()
    before = Logins(tokens).log_in("ann", "secret", "192.0.2.1")
    tokens.enter(hash_of(before.cookie), KeptSeat(_Table(), 2, "ann"))
    logins = Logins(tokens)
    again = logins.find(_request(before.cookie))
    assert again is not None
    assert (again.who.name, again.cookie, logins.has_seat(again)) == ("ann", before.cookie, True)
    assert again.who.uid != before.who.uid
    assert logins.find(_request(before.cookie)) is again
    assert logins.knows(_request(before.cookie))
    assert logins.find(_request(before.cookie + "x")) is None
    assert logins.find(_request("")) is None
    assert not logins.knows(_request("")) and not logins.knows(_request("x"))
    logins.log_out(again)
    assert logins.find(_request(before.cookie)) is None


def _request(cookie: str) -> Any:
    return SimpleNamespace(getCookie=lambda name: cookie.encode(), came_from=("192.0.2.1", "192.0.2.1:1"))


class _Table:
    """A table that nobody comes back to."""

    name = "main-1"
    players: ClassVar[dict[Seat, PlayerConnection]] = {}

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Stay away."""

    def leave(self, seat: Seat) -> None:
        """Stay away."""


class _Somebody:
    """A connection."""

    def replace(self) -> None:
        """Stay."""

    def leave(self) -> None:
        """Stay."""
