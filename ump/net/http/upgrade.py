"""The paths of the WebSockets: which request becomes one, in which room it begins, and with which token."""

from __future__ import annotations

import binascii
import dataclasses
import hashlib
import re
from base64 import b64decode
from collections.abc import Callable
from functools import partial

from twisted.internet.interfaces import IReactorTime
from twisted.web.server import NOT_DONE_YET, Request
from wsproto.utilities import generate_accept_token

from ump.model.value import value
from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.http.channel import Channel
from ump.net.http.endpoint import Endpoint, Refused, address_of, argument_of, headers_of, refuse_other_pages
from ump.net.http.websocket import WebSocket
from ump.wire.session import Introduction, Session
from ump.wire.text import WireError, check_name

VERSION = "13"
"""The version of the protocol: there is only this one."""

_BEARER = re.compile(r"bearer +([\x21-\x7e]+)", re.IGNORECASE)


@value
class Caller:
    """What is known of a client before its first message."""

    room: str | None = None
    """The room that it wants."""
    token: str | None = None
    """What it says that it is entitled by: a secret, and no name."""


OpenSession = Callable[[Caller], Session]
"""Begins a session for a client."""


class Towards:
    """A host who shows those that name no room to the one in their address."""

    def __init__(self, host: Host, room: str) -> None:
        self._host = host
        self._room = room

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Make the connection an occupant of a room, or turn it away."""
        if introduction.room is None and introduction.watch is None:
            introduction = dataclasses.replace(introduction, room=self._room)
        self._host.welcome(connection, introduction)


class Newest:
    """Who is connected with which token: a newer connection replaces the older."""

    def __init__(self) -> None:
        self._connections: dict[bytes, Connection] = {}
        """By a digest of the token: the secret itself need not stay."""

    def enter(self, token: str, connection: Connection) -> Callable[[], None]:
        """Replace whoever has the token; return what is to be called when this connection is gone."""
        digest = hashlib.sha256(token.encode()).digest()
        older = self._connections.get(digest)
        self._connections[digest] = connection
        if older is not None:
            older.fail("replaced by a newer connection with the same token")
        return partial(self._leave, digest, connection)

    def _leave(self, digest: bytes, connection: Connection) -> None:
        if self._connections.get(digest) is connection:
            del self._connections[digest]


class Upgrade(Endpoint):
    """A path whose requests become WebSockets."""

    def __init__(
        self,
        open_session: OpenSession,
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
        *,
        room: str | None = None,
        wants_token: bool = False,
        newest: Newest | None = None,
    ) -> None:
        """``room``, where given, is that of all who come; ``newest``: a token is good for one connection."""
        super().__init__()
        self._open_session = open_session
        self._host = host
        self._connections = connections
        self._clock = clock
        self._room = room
        self._wants_token = wants_token
        self._newest = newest

    def answer(self, request: Request) -> int:
        """Let a request become a WebSocket; raises Refused."""
        accept = _accept(request)
        refuse_other_pages(request)
        caller = Caller(self._room or _room_of(request), _token_of(request) if self._wants_token else None)
        host = self._host if caller.room is None else Towards(self._host, caller.room)
        connection = Connection(self._open_session(caller), host, self._connections, self._clock)
        leave = _nothing
        if self._newest is not None and caller.token is not None:
            leave = self._newest.enter(caller.token, connection)
        channel = request.channel
        assert isinstance(channel, Channel)
        channel.transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        socket = WebSocket(channel, address_of(request), connection, self._clock, leave)
        channel.hand_over(socket)
        socket.open()
        return NOT_DONE_YET


def _nothing() -> None:
    """Leave nothing behind."""


def _accept(request: Request) -> bytes:
    """Return what proves that we speak WebSocket; raises Refused where the client does not."""
    upgrade, connection = (_words(headers_of(request, name)) for name in ("upgrade", "connection"))
    if request.clientproto != b"HTTP/1.1" or "websocket" not in upgrade or "upgrade" not in connection:
        raise Refused(426, "a WebSocket is wanted here", ("Upgrade", "websocket"), ("Connection", "Upgrade"))
    if headers_of(request, "sec-websocket-version") != [VERSION]:
        raise Refused(426, f"WebSocket version {VERSION} is wanted", ("Sec-WebSocket-Version", VERSION))
    keys = headers_of(request, "sec-websocket-key")
    try:
        is_key = len(keys) == 1 and len(b64decode(keys[0], validate=True)) == 16
    except (binascii.Error, ValueError):
        is_key = False
    if not is_key:
        raise Refused(400, "Sec-WebSocket-Key wants 16 bytes in base64")
    return generate_accept_token(keys[0].encode())


def _words(headers: list[str]) -> list[str]:
    return [word.strip().lower() for header in headers for word in header.split(",")]


def _room_of(request: Request) -> str | None:
    room = argument_of(request, "room")
    try:
        return None if room is None else check_name(room, "room")
    except WireError as error:
        raise Refused(400, str(error)) from error


def _token_of(request: Request) -> str:
    headers = headers_of(request, "authorization")
    found = _BEARER.fullmatch(headers[0]) if len(headers) == 1 else None
    if found is None:
        raise Refused(401, "Authorization: Bearer TOKEN is wanted", ("WWW-Authenticate", "Bearer"))
    return found.group(1)
