"""Orders over HTTP, for the page from which a user with the role admin gives them.

``POST /api/admin/order`` takes the orders of ``ump/server/admin.py``, as JSON. Each request shows a user and password
(``Authorization: Basic``), or an access token (``Bearer``): there is no cookie, so a page of another server cannot give
orders in somebody's name.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from ump.net.connection_budget import host_of
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    address_of,
    headers_of,
    is_private,
    refuse_other_origins,
)
from ump.server.admin import Giver, OrderError, Orders
from ump.server.http.club import json_of
from ump.server.users.bans import Role
from ump.server.users.gate import ACCESS_TOKEN, NEED_TLS, Credentials, KnownUser, LoginRefused
from ump.wire.json_text import read_object
from ump.wire.text import WireError

JSON_TYPE = "application/json"

NOT_ADMIN = "your account may not give orders; its role is not admin"


@dataclass(frozen=True)
class OrderDesk:
    """The ways of orders over HTTP."""

    orders: Orders
    check: Callable[[str, str, Credentials], Deferred[KnownUser]]
    """Checks the credentials of a host and of its name in the log, as ``UserService.authenticate``."""
    trusts_all: bool
    """Whether secrets may come over every connection."""


class OrderResource(LeafResource):
    """Carries out one order for each request."""

    METHODS = (b"POST",)
    _log = Logger()

    def __init__(self, desk: OrderDesk) -> None:
        super().__init__()
        self._desk = desk

    def respond(self, request: Request) -> int:
        """Check who asks, and respond with what the order has come to; raises RequestRefused."""
        request.setHeader(b"Cache-Control", b"no-store")
        refuse_other_origins(request)
        types = [each.partition(";")[0].strip().lower() for each in headers_of(request, "content-type")]
        if types != [JSON_TYPE]:
            raise RequestRefused(415, f"expected Content-Type: {JSON_TYPE}")
        if not (self._desk.trusts_all or is_private(request)):
            raise RequestRefused(403, NEED_TLS)
        shown, order = _credentials(request), _order(request)
        host, peer = address_of(request)
        gone: list[object] = []
        request.notifyFinish().addErrback(gone.append)
        done = self._desk.check(host_of(host), peer, shown).addCallback(self._give, order)
        done.addCallback(lambda answer: (200, {"ok": True, **answer})).addErrback(self._refuse, request)
        done.addCallback(_send, request, gone)
        return NOT_DONE_YET

    def _give(self, user: KnownUser, order: Mapping[str, Any]) -> Deferred[dict[str, Any]]:
        if user.role != Role.ADMIN.value:
            raise LoginRefused(NOT_ADMIN, 403)
        return self._desk.orders.carry_out(order, Giver(user.name, "http"))

    def _refuse(self, failure: Failure, request: Request) -> tuple[int, dict[str, object]]:
        """Return the response to an order that was not carried out."""
        refused = failure.value
        if isinstance(refused, LoginRefused):
            if refused.seconds:
                request.setHeader(b"Retry-After", str(ceil(refused.seconds)).encode())
            return refused.code, {"ok": False, "error": str(refused)}
        if isinstance(refused, OrderError):
            return 400, {"ok": False, "error": str(refused)}
        self._log.failure("internal error in an order", failure)
        return 500, {"ok": False, "error": "internal error; the log of the server has it"}


def _send(found: tuple[int, dict[str, object]], request: Request, gone: list[object]) -> None:
    if gone:
        return
    code, content = found
    body = json_of(request, content, code) + b"\n"
    request.setHeader(b"Content-Length", str(len(body)))
    request.write(body)
    request.finish()


def _credentials(request: Request) -> Credentials:
    """Return what a request shows; raises RequestRefused if it shows nothing."""
    shown = headers_of(request, "authorization")
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


def _order(request: Request) -> Mapping[str, Any]:
    """Return the order in a request, whose length the channel bounds; raises RequestRefused."""
    assert request.content is not None
    try:
        return read_object(request.content.read())
    except WireError as error:
        raise RequestRefused(400, str(error)) from error
