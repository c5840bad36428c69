"""WebSocket paths: checks the handshake, reads the client's name, room and token, and hands the stream over."""

from __future__ import annotations

import binascii
import dataclasses
import re
from base64 import b64decode
from collections.abc import Sequence

from twisted.internet.interfaces import IReactorTime
from twisted.web.server import NOT_DONE_YET, Request
from wsproto.utilities import generate_accept_token

from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.http.channel import Channel
from ump.net.http.resources import (
    LeafResource,
    RequestRefused,
    address_of,
    argument_of,
    headers_of,
    refuse_other_origins,
)
from ump.net.http.websocket import WebSocket
from ump.wire.dialect import Caller, Dialect, RoomInfo, TokenUse, WebSocketPath
from ump.wire.names import check_name
from ump.wire.session import Introduction
from ump.wire.text import WireError

VERSION = "13"
"""The version of the WebSocket protocol."""

_BEARER = re.compile(r"bearer +([\x21-\x7e]+)", re.IGNORECASE)


class RoomHost:
    """A host that sends clients to the room in their URL if they name none themselves."""

    def __init__(self, host: Host, room: str) -> None:
        self._host = host
        self._room = room

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Pass a connection on to the host, with the room."""
        if introduction.room is None and introduction.watch is None:
            introduction = dataclasses.replace(introduction, room=self._room)
        self._host.welcome(connection, introduction)


class WebSocketResource(LeafResource):
    """A path whose requests become WebSockets of one dialect."""

    def __init__(
        self,
        dialect: Dialect,
        path: WebSocketPath,
        rooms: Sequence[RoomInfo],
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
    ) -> None:
        """Serve a dialect at one of its paths. ``rooms`` are those of the server."""
        super().__init__()
        self._dialect = dialect
        self._path = path
        self._rooms = rooms
        self._host = host
        self._connections = connections
        self._clock = clock

    def respond(self, request: Request) -> int:
        """Turn a request into a WebSocket; raises RequestRefused."""
        accept = _accept_token(request)
        refuse_other_origins(request)
        caller = self._caller(request)
        host = self._host if caller.room is None else RoomHost(self._host, caller.room)
        connection = Connection(self._dialect.open_session(caller), host, self._connections, self._clock)
        channel = request.channel
        assert isinstance(channel, Channel)
        channel.transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + self._subprotocol(request) + b"\r\n\r\n"
        )
        socket = WebSocket(channel, address_of(request), connection, self._clock, self._path.framing)
        channel.hand_over(socket)
        socket.open()
        return NOT_DONE_YET

    def _caller(self, request: Request) -> Caller:
        """Return the facts in a request about its client; raises RequestRefused."""
        room = self._path.room or _name_in(request, "room")
        return Caller(tuple(self._rooms), name=_name_in(request, "name"), room=room, token=self._token(request))

    def _subprotocol(self, request: Request) -> bytes:
        """Return the header that confirms the path's subprotocol, if the client offers it; others are not confirmed."""
        name = self._path.subprotocol
        if name is None or name not in _words(headers_of(request, "sec-websocket-protocol")):
            return b""
        return b"\r\nSec-WebSocket-Protocol: " + name.encode("ascii")

    def _token(self, request: Request) -> str | None:
        """Return the bearer token of a request, and behind a space the session that its URL names, if any."""
        use = self._path.token
        if use is TokenUse.IGNORED or (use is TokenUse.OPTIONAL and not headers_of(request, "authorization")):
            return None
        session = _name_in(request, "session")
        token = _token_of(request)
        return token if session is None else f"{token} {session}"


def _accept_token(request: Request) -> bytes:
    """Return the header that accepts a handshake; raises RequestRefused if the request is not a handshake."""
    upgrade, connection = (_words(headers_of(request, name)) for name in ("upgrade", "connection"))
    if request.clientproto != b"HTTP/1.1" or "websocket" not in upgrade or "upgrade" not in connection:
        raise RequestRefused(426, "expected a WebSocket handshake", ("Upgrade", "websocket"), ("Connection", "Upgrade"))
    if headers_of(request, "sec-websocket-version") != [VERSION]:
        raise RequestRefused(426, f"expected WebSocket version {VERSION}", ("Sec-WebSocket-Version", VERSION))
    keys = headers_of(request, "sec-websocket-key")
    try:
        is_key = len(keys) == 1 and len(b64decode(keys[0], validate=True)) == 16
    except (binascii.Error, ValueError):
        is_key = False
    if not is_key:
        raise RequestRefused(400, "Sec-WebSocket-Key: expected 16 bytes in base64")
    return generate_accept_token(keys[0].encode())


def _words(headers: list[str]) -> list[str]:
    return [word.strip().lower() for header in headers for word in header.split(",")]


def _name_in(request: Request, argument: str) -> str | None:
    """Return the name of a player or a room in the URL, or None; raises RequestRefused if it is not a valid name."""
    name = argument_of(request, argument)
    try:
        return None if name is None else check_name(name, argument)
    except WireError as error:
        raise RequestRefused(400, str(error)) from error


def _token_of(request: Request) -> str:
    """Return the bearer token of a request; raises RequestRefused if it has none."""
    headers = headers_of(request, "authorization")
    found = _BEARER.fullmatch(headers[0]) if len(headers) == 1 else None
    if found is None:
        raise RequestRefused(401, "expected Authorization: Bearer TOKEN", ("WWW-Authenticate", "Bearer"))
    return found.group(1)
