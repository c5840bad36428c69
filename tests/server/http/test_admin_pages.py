"""Orders over HTTP: who may give them, and from which pages."""

from __future__ import annotations

import json
from base64 import b64encode
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from support.memory_site import memory_site
from twisted.internet.defer import maybeDeferred
from twisted.internet.task import Clock

from ump.server.admin import NO_USERS, Orders
from ump.server.http.api import PageSources
from ump.server.http.orders import NOT_ADMIN, OrderResource, admins_of
from ump.server.users.gate import WRONG, Gate, GuardedHost
from ump.server.users.login_turns import Acquaintance

if TYPE_CHECKING:
    from ump.server.users.user_database import UserDatabase

CLOSED = "this account is closed until 2027-01-01: two accounts"
ROLES = {"alice": "admin", "bob": "player", "mallory": "admin"}
TOKEN = f"ump_{'0' * 12}_{'x' * 43}"
NO_ORDER: dict[str, Any] = {"order": "tables"}


class Known:
    """Users, each with its name as the password; alice has a token."""

    def acquaintance(self, name: str, network: str, device: str, now: str) -> Acquaintance:
        """Return that alice has logged in from everywhere."""
        return Acquaintance(None, name == "alice")

    def note_network(self, name: str, network: str, now: str) -> None:
        """Forget a network."""

    def login(self, name: str, password: str) -> object:
        """Return the user of a name and password."""
        return self.user(name) if name == password and name in ROLES else None

    def login_with_token(self, text: str, now: str, *, is_session: bool = False) -> object:
        """Return alice."""
        return self.user("alice") if text == TOKEN else None

    def user(self, name: str) -> object:
        """Return a user."""
        if name not in ROLES:
            raise ValueError(name)
        why = CLOSED if name == "mallory" else None
        return SimpleNamespace(name=name, role=ROLES[name], bot=None, login_id="", closed=lambda now: why)


def basic(user: str, password: str) -> dict[str, str]:
    """Return the header with a password."""
    return {"Authorization": f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"}


def test_orders_over_http() -> None:
    """Only an admin gives them, in JSON, from no page of another server, and waits for no failure of others."""
    users, server = cast("UserDatabase", Known()), SimpleNamespace(users=None, rooms=(), clients=())
    clock = Clock()
    gate = Gate(cast(GuardedHost, None), lambda: users, maybeDeferred, clock, attempts=None)
    service = SimpleNamespace(
        authenticate=lambda host, _, shown: gate.authenticate(host, shown), may_tell=lambda request: True
    )
    orders = OrderResource(Orders(cast(Any, server), maybeDeferred), admins_of(cast(Any, service)))
    sources = PageSources(list, list, None, maybeDeferred, orders=orders)
    alice = basic("alice", "alice")
    told = {"told": 0, "not_told": {}, "ok": True}
    rows: list[tuple[dict[str, str], object, int, object]] = [
        (alice, NO_ORDER, 200, {"ok": True, "tables": []}),
        (basic("alice", TOKEN), NO_ORDER, 200, {"ok": True, "tables": []}),
        ({"Authorization": f"Bearer {TOKEN}"}, {"order": "announce", "text": "hi"}, 200, told),
        (alice | {"Origin": "http://here.example:4615"}, NO_ORDER, 200, {"ok": True, "tables": []}),
        (alice, {"order": "kick", "player": "x"}, 400, "nobody of the name"),
        (alice, {"order": "bans"}, 400, NO_USERS),
        (alice, {"order": "drain"}, 400, "only 'ump admin drain'"),
        (alice, [], 400, "not a JSON object"),
        (alice, {"order": "x" * 100_000}, 413, ""),
        (alice | {"Origin": "http://there.example"}, NO_ORDER, 403, "another server"),
        (alice | {"Origin": "null"}, NO_ORDER, 403, "another server"),
        (alice | {"Content-Type": "text/plain"}, NO_ORDER, 415, "application/json"),
        ({}, NO_ORDER, 401, "expected the header"),
        ({"Authorization": "Basic ?"}, NO_ORDER, 401, "expected the header"),
        ({"Authorization": "Guest k"}, NO_ORDER, 401, "expected the header"),
        (basic("bob", "bob"), NO_ORDER, 403, NOT_ADMIN),
        (basic("mallory", "mallory"), NO_ORDER, 401, CLOSED),
        (basic("bob", TOKEN), NO_ORDER, 401, WRONG),
        (basic("carol", "x"), NO_ORDER, 401, WRONG),
        (alice, NO_ORDER, 200, {"ok": True, "tables": []}),  # which waits for no failure of others
    ]
    with memory_site(sources=sources) as site:
        for headers, order, code, said in rows:
            headers = {"Content-Type": "application/json"} | headers
            answer = site.fetch("/api/admin/order", headers, method="POST", body=json.dumps(order).encode())
            assert answer.code == code, (headers, order, answer.text)
            if isinstance(said, str):
                assert said in (json.loads(answer.body)["error"] if answer.text.startswith("{") else answer.text)
            else:
                assert json.loads(answer.body) == said
            assert "www-authenticate" not in answer.headers
        assert site.fetch("/api/admin/order").code == 405
        assert b"admin.js" in site.fetch("/admin").body
    with memory_site(sources=PageSources(list, list, None, maybeDeferred)) as site:
        assert site.fetch("/api/admin/order").code == 404
