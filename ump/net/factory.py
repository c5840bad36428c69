"""Makes connections, for one port each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.internet.protocol import Factory

from ump.net.config import RoomSettings
from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.lines import Lines
from ump.wire.majiang.session import MajiangSession
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.session import Session
from ump.wire.ump01.server_messages import Hello
from ump.wire.ump01.session import TakeOver, Ump01Session
from ump.wire.ump02.session import take_over

SERVER_NAME = "ump"

CR_LF = "\r\n"
"""What ends a line of UMP."""

LF = "\n"
"""What ends a line of JSON."""

VERSIONS: Mapping[str, TakeOver] = {"0.2": take_over}
"""Who speaks the other versions of UMP."""

EXTENSIONS = ("_offer", "_explain", "_lang", "_hand", "_time", "_room", "_games", "_watch")
"""What a client may ask for in its hello."""


def greeting(first: RoomSettings) -> Hello:
    """Return the server's hello: what it speaks, and what is played in the room for clients that name none."""
    return Hello(
        (
            ("ump", "0.1"),
            ("name", SERVER_NAME),
            ("_rule", first.ruleset.name),
            ("_length", first.ruleset.length.value),
            ("_ext", ",".join(EXTENSIONS)),
        )
    )


class LineFactory(Factory):
    """Makes the connections of one port that takes lines."""

    noisy = False

    def __init__(
        self,
        open_session: Callable[[], Session],
        ending: str,
        host: Host,
        connections: OpenConnections,
        clock: IReactorTime,
        *,
        is_proxied: bool = False,
    ) -> None:
        """``open_session`` begins a session of the port's dialect; ``ending`` ends each line that is written."""
        self._open_session = open_session
        self._ending = ending
        self._host = host
        self._connections = connections
        self._clock = clock
        self._is_proxied = is_proxied

    def logPrefix(self) -> str:
        """Name the server in Twisted's own lines."""
        return SERVER_NAME

    def buildProtocol(self, addr: IAddress | None) -> Lines:
        """Make a connection; whether there is room for it, it finds out itself."""
        connection = Connection(self._open_session(), self._host, self._connections, self._clock)
        return Lines(connection, self._ending, self._clock, is_proxied=self._is_proxied)


def ump_factory(
    first: RoomSettings, host: Host, connections: OpenConnections, clock: IReactorTime, *, is_proxied: bool
) -> LineFactory:
    """Make the factory of a port for UMP, of whatever version the client asks for."""
    hello = greeting(first)
    return LineFactory(lambda: Ump01Session(hello, VERSIONS), CR_LF, host, connections, clock, is_proxied=is_proxied)


def mjai_factory(host: Host, connections: OpenConnections, clock: IReactorTime, *, is_proxied: bool) -> LineFactory:
    """Make the factory of a port for mjai's bots, in lock-step as gimite's server has it."""
    return LineFactory(LockstepSession, LF, host, connections, clock, is_proxied=is_proxied)


def majiang_factory(host: Host, connections: OpenConnections, clock: IReactorTime, *, is_proxied: bool) -> LineFactory:
    """Make the factory of a port for Majiang's messages, one to a line."""
    return LineFactory(MajiangSession, LF, host, connections, clock, is_proxied=is_proxied)
