"""The one way in for orders: ``POST /api/admin/order`` with an order in JSON, on HTTP ports and on the admin socket.

On an HTTP port a user with the role admin gives them: a request shows a user and password (``Authorization: Basic``),
an access token (``Bearer``), or the session of a browser.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.server import Request

from ump.net.connection_budget import host_of
from ump.net.http.resources import RequestRefused, address_of, headers_of, session_of
from ump.server.admin import Giver, Orders
from ump.server.http.club import Content, PersonalResource, json_of
from ump.server.orders import OrderError
from ump.server.users.bans import Role
from ump.server.users.gate import ACCESS_TOKEN, NEED_TLS, Credentials, LoginRefused
from ump.server.users.user_service import UserService

if TYPE_CHECKING:
    from ump.server.users.user_database import User

NOT_ADMIN = "your account may not give orders; its role is not admin"

GiverOf: TypeAlias = Callable[[Request], "Deferred[Giver]"]
"""Returns a Deferred with the giver of an order, which may fail with LoginRefused; raises RequestRefused."""


class OrderResource(PersonalResource):
    """Carries out one order for each request."""

    def __init__(self, orders: Orders, giver_of: GiverOf) -> None:
        super().__init__()
        self._orders = orders
        self._giver_of = giver_of

    def respond(self, request: Request, below: list[str]) -> Deferred[bytes]:
        """Check who asks, and respond with what the order has come to; raises RequestRefused."""
        if below:
            raise RequestRefused(404)
        if request.method != b"POST":
            raise RequestRefused(405, "", ("Allow", "POST"))
        order = Content.of(request).given
        done = self._giver_of(request).addCallback(lambda giver: self._orders.carry_out(order, giver))
        done.addCallback(lambda answer: json_of(request, {"ok": True, **answer}))
        return done.addErrback(self._fail, request)

    def _fail(self, failure: Failure, request: Request) -> bytes:
        """Return the response to an order that was not carried out; a bug of the server must not affect its games."""
        refused = failure.value
        if isinstance(refused, LoginRefused):
            if refused.seconds:
                request.setHeader(b"Retry-After", str(ceil(refused.seconds)).encode())
            return json_of(request, {"ok": False, "error": str(refused)}, refused.code)
        if isinstance(refused, OrderError):
            return json_of(request, {"ok": False, "error": str(refused)}, 400)
        self._log.failure("internal error in an order", failure)
        return json_of(request, {"ok": False, "error": "internal error; the log of the server has it"}, 500)


def admins_of(users: UserService) -> GiverOf:
    """Return a function that finds the user behind a request, who must be an admin."""

    def giver_of(request: Request) -> Deferred[Giver]:
        if not users.may_tell(request):
            raise RequestRefused(403, NEED_TLS)
        shown = _credentials(request)
        host, peer = address_of(request)
        return users.authenticate(host_of(host), peer, shown).addCallback(_check_role)

    return giver_of


def _check_role(user: User) -> Giver:
    if user.role != Role.ADMIN.value or user.bot is not None:
        raise LoginRefused(NOT_ADMIN, 403)
    return Giver(user.name, "http")


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
