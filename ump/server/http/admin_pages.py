"""Orders over HTTP, for the page from which a user with the role admin gives them.

``POST /api/admin/order`` takes the orders of ``ump/server/admin.py``, as JSON. A request shows a user and password
(``Authorization: Basic``), an access token (``Bearer``), or the session of a browser.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.server import Request

from ump.net.connection_budget import host_of
from ump.net.http.resources import RequestRefused, address_of, headers_of, session_of
from ump.server.admin import Giver, OrderError, Orders
from ump.server.http.club import Content, PersonalResource, json_of
from ump.server.users.bans import Role
from ump.server.users.gate import ACCESS_TOKEN, NEED_TLS, Credentials, KnownUser, LoginRefused
from ump.server.users.user_service import UserService

NOT_ADMIN = "your account may not give orders; its role is not admin"


@dataclass(frozen=True)
class OrderDesk:
    """The ways of orders over HTTP."""

    orders: Orders
    users: UserService


class OrderResource(PersonalResource):
    """Carries out one order for each request."""

    def __init__(self, desk: OrderDesk) -> None:
        super().__init__()
        self._desk = desk

    def respond(self, request: Request, below: list[str]) -> Deferred[bytes]:
        """Check who asks, and respond with what the order has come to; raises RequestRefused."""
        if below:
            raise RequestRefused(404)
        if request.method != b"POST":
            raise RequestRefused(405, "", ("Allow", "POST"))
        order = Content.of(request)
        if not self._desk.users.may_tell(request):
            raise RequestRefused(403, NEED_TLS)
        shown = _credentials(request)
        host, peer = address_of(request)
        done = self._desk.users.authenticate(host_of(host), peer, shown).addCallback(self._give, order.given)
        done.addCallback(lambda answer: json_of(request, {"ok": True, **answer}))
        return done.addErrback(self._fail, request)

    def _give(self, user: KnownUser, order: Mapping[str, Any]) -> Deferred[dict[str, Any]]:
        if user.role != Role.ADMIN.value or user.bot is not None:
            raise LoginRefused(NOT_ADMIN, 403)
        return self._desk.orders.carry_out(order, Giver(user.name, "http"))

    def _fail(self, failure: Failure, request: Request) -> bytes:
        """Return the response to an order that was not carried out."""
        refused = failure.value
        if isinstance(refused, LoginRefused):
            if refused.seconds:
                request.setHeader(b"Retry-After", str(ceil(refused.seconds)).encode())
            return json_of(request, {"ok": False, "error": str(refused)}, refused.code)
        if isinstance(refused, OrderError):
            return json_of(request, {"ok": False, "error": str(refused)}, 400)
        self._log.failure("internal error in an order", failure)
        return json_of(request, {"ok": False, "error": "internal error; the log of the server has it"}, 500)


def _credentials(request: Request) -> Credentials:
    """Return what a request shows; raises RequestRefused if it shows nothing."""
    shown, session = headers_of(request, "authorization"), session_of(request)
    if not shown and session is not None:
        return Credentials(None, token=session, is_cookie=True)
    kind, _, text = shown[0].partition(" ") if len(shown) == 1 else ("", "", "")
    try:
        if kind.lower() == "bearer" and text.startswith(ACCESS_TOKEN):
            return Credentials(None, token=text)
        if kind.lower() == "basic":
            user, colon, password = b64decode(text, validate=True).decode().partition(":")
            if colon and password.startswith(ACCESS_TOKEN):
                return Credentials(user or None, token=password)
            if colon and user:
                return Credentials(user, password)
    except ValueError:
        pass
    raise RequestRefused(401, "expected the header Authorization: Basic USER:PASSWORD, or Bearer TOKEN")
