"""The path of Socket.IO: finds the connection that a poll belongs to. Only polling is offered, no upgrade."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from twisted.internet.interfaces import IReactorTime
from twisted.web.server import Request

from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.http.polling import CONNECTED, DISCONNECT, EVENT, Kind, PayloadError, Polling, read_payload, write_payload
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    address_of,
    argument_of,
    is_private,
    refuse_other_origins,
)
from ump.net.limits import MAX_BODY, PING_INTERVAL, PING_TIMEOUT
from ump.server.http.login import Login, Logins
from ump.wire import json_text
from ump.wire.dialect import Caller, Dialect, RoomInfo

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
            return _opening(STRANGER)
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
        return _opening(sid)

    def _leave(self, sid: str) -> None:
        login, polling = self._polling.pop(sid)
        if login.connection is polling:
            login.connection = None


def _opening(sid: str) -> bytes:
    """Return the packet that opens a connection."""
    content = {
        "sid": sid,
        "upgrades": [],
        "pingInterval": PING_INTERVAL * 1000,
        "pingTimeout": PING_TIMEOUT * 1000,
        "maxPayload": MAX_BODY,
    }
    return write_payload([Kind.OPEN.value + json_text.write(content)])


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
