"""The path of Socket.IO: who polls with which id. Only polling is offered, and clients stay with it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial

from twisted.internet.interfaces import IReactorTime
from twisted.web.server import Request

from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.http.endpoint import Endpoint, Refused, address_of, argument_of, refuse_other_pages
from ump.net.http.limits import MAX_BODY, PING_INTERVAL, PING_TIMEOUT
from ump.net.http.login import Login, Logins
from ump.net.http.packets import Kind, PayloadError, read_payload, write_payload
from ump.net.http.polling import CONNECTED, DISCONNECT, EVENT, Polling
from ump.wire import json_text
from ump.wire.majiang.socketio_session import LoggedIn
from ump.wire.session import Session

STRANGER = "stranger"
"""The id of all who have not logged in: nothing is kept for them, and everybody gets the same answer."""

_TO_STRANGERS = write_payload((CONNECTED + '{"sid":"stranger"}', EVENT + '["HELLO",null]', DISCONNECT))


class SocketIO(Endpoint):
    """Where clients of net play poll."""

    METHODS = (b"GET", b"POST")

    def __init__(
        self,
        logins: Logins,
        open_session: Callable[[LoggedIn], Session],
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
    ) -> None:
        super().__init__()
        self._logins = logins
        self._open_session = open_session
        self._host = host
        self._connections = connections
        self._clock = clock
        self._polling: dict[str, tuple[Login, Polling]] = {}

    def answer(self, request: Request) -> int | bytes:
        """Answer a poll, a post, or the request that opens; raises Refused."""
        refuse_other_pages(request)
        if argument_of(request, "transport") != "polling":
            raise _refusal(0, "Transport unknown")
        if argument_of(request, "EIO") != "4":
            raise _refusal(5, "Unsupported protocol version")
        login, sid = self._logins.of(request), argument_of(request, "sid")
        if sid is None:
            if request.method != b"GET":
                raise _refusal(2, "Bad handshake method")
            return self._open(request, login)
        if sid == STRANGER:
            return b"ok" if request.method == b"POST" else _TO_STRANGERS
        owner, polling = self._polling.get(sid, (None, None))
        if polling is None or owner is not login:  # who asks for another's is told no more than who guesses
            raise _refusal(1, "Session ID unknown")
        if request.method == b"GET":
            return polling.poll(request)
        return _post(request, polling)

    def _open(self, request: Request, login: Login | None) -> bytes:
        """Open a connection, in place of another one of the same login."""
        if login is None:
            return _opening(STRANGER)
        if login.guest is not None:
            login.guest.replace()
        self._logins.renew(login)
        sid = secrets.token_urlsafe(15)
        connection = Connection(self._open_session(login.who), self._host, self._connections, self._clock)
        polling = Polling(address_of(request), connection, self._clock, partial(self._leave, sid))
        login.guest = polling
        self._polling[sid] = login, polling
        polling.open()
        return _opening(sid)

    def _leave(self, sid: str) -> None:
        login, polling = self._polling.pop(sid)
        if login.guest is polling:
            login.guest = None


def _opening(sid: str) -> bytes:
    """Return the first packet that is sent."""
    content = {
        "sid": sid,
        "upgrades": [],
        "pingInterval": PING_INTERVAL * 1000,
        "pingTimeout": PING_TIMEOUT * 1000,
        "maxPayload": MAX_BODY,
    }
    return write_payload([Kind.OPEN.value + json_text.write(content)])


def _post(request: Request, polling: Polling) -> bytes:
    """Hand on what was posted; raises Refused."""
    assert request.content is not None
    try:
        polling.take(read_payload(request.content.read()))
    except PayloadError as error:
        polling.drop()
        raise _refusal(3, "Bad request") from error
    return b"ok"


def _refusal(code: int, message: str) -> Refused:
    """Return a refusal in Engine.IO's own words."""
    return Refused(400, json_text.write({"code": code, "message": message}), ("Content-Type", "application/json"))
