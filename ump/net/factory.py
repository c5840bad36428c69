"""Makes connections, for one port."""

from __future__ import annotations

from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.internet.protocol import Factory

from ump.net.config import RoomSettings
from ump.net.connection import Connection, Host
from ump.net.door import Door
from ump.wire.ump01.server import Hello
from ump.wire.ump01.session import Session

SERVER_NAME = "ump"

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


class ConnectionFactory(Factory):
    """Makes the connections of one port; the lobby and the door are those of the whole server."""

    noisy = False

    def __init__(self, hello: Hello, host: Host, door: Door, clock: IReactorTime, *, is_proxied: bool) -> None:
        self._hello = hello
        self._host = host
        self._door = door
        self._clock = clock
        self._is_proxied = is_proxied

    def logPrefix(self) -> str:
        """Name the server in Twisted's own lines."""
        return SERVER_NAME

    def buildProtocol(self, addr: IAddress | None) -> Connection:
        """Make a connection; whether there is room for it, it finds out itself."""
        return Connection(Session(self._hello), self._host, self._door, self._clock, is_proxied=self._is_proxied)
