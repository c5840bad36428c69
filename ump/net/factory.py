"""Factories of line ports: each new TCP connection gets a session of the port's dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.internet.protocol import Factory

from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import DIALECTS, line_ports
from ump.net.lines import Lines
from ump.net.turns import Turns
from ump.wire.dialect import Caller, Dialect, RoomInfo
from ump.wire.ump.dialect import SERVER_NAME

TakesSecrets: TypeAlias = Callable[[IAddress | None], bool]
"""Returns whether a client from an address may send passwords and access tokens."""

AUTH = ("password", "token")
"""What a user can log in with."""


class LineFactory(Factory):
    """Makes the connections of a port that carries lines."""

    noisy = False

    def __init__(
        self,
        option: str,
        rooms: Sequence[RoomInfo],
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
        *,
        is_proxied: bool = False,
        dialects: Sequence[Dialect] = DIALECTS,
        turns: Turns | None = None,
        takes_secrets_from: TakesSecrets = lambda address: False,
    ) -> None:
        """Serve the dialect whose port this option opens.

        ``rooms`` are those of the server, and may change. ``is_proxied``: a client's own address is known only with its
        first message, because a proxy stands before the port. ``turns`` are those of the server.
        ``takes_secrets_from``: whether a client from an address may log in.
        """
        self._dialect, self._port = line_ports(dialects)[option]
        self._rooms = rooms
        self._host = host
        self._connections = connections
        self._clock = clock
        self._turns = Turns(clock) if turns is None else turns
        self._is_proxied = is_proxied
        self._takes_secrets_from = takes_secrets_from

    def logPrefix(self) -> str:
        """Return the server's name for Twisted's own log lines."""
        return SERVER_NAME

    def buildProtocol(self, addr: IAddress | None) -> Lines:
        """Return the protocol of a new connection. The connection itself checks the limits."""
        auth = AUTH if self._takes_secrets_from(addr) else ()
        session = self._dialect.open_session(Caller(tuple(self._rooms), auth=auth))
        connection = Connection(session, self._host, self._connections, self._clock)
        return Lines(connection, self._port.ending, self._clock, self._turns, is_proxied=self._is_proxied)
