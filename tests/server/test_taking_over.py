"""A newer connection of a playing client takes over its seat, whatever it speaks; the older one reads why."""

from __future__ import annotations

import re
from random import Random
from typing import ClassVar
from urllib.parse import unquote

from support.dialect_clients import PersonClient, Ump01Client, Ump02Client
from support.memory_server import MemoryServer, Peer, memory_server, room
from support.rows import each_row
from support.swapped_tiles import DialectClient

from ump.net.dialects import DIALECTS
from ump.wire.dialect import Caller, StandardStreams
from ump.wire.human.session import HumanSession
from ump.wire.majiang.session import MajiangSession, SocketIOMajiangSession
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import REPLACED
from ump.wire.ump.speech import Speech01, Speech02

ROOM = room(length="kyoku", time="10+20", house=["tsumogiri:3"], house_after=0)


class Ump01(Ump01Client):
    """A client of UMP 0.1 that receives its offers and asks for a token."""

    HELLO = "0 hello ump=0.1 name=d _offer=1 _hand=1 _resume=1"
    BACK = "0 hello ump=0.1 _offer=1 _hand=1 _resume={token}"


class Ump02(Ump02Client):
    """A client of UMP 0.2 that asks for a token."""

    HELLO = "0 hello ump=0.2 name=d _resume=1"
    BACK = "0 hello ump=0.2 _resume={token}"

    def hear(self, message: str) -> list[bytes]:
        """Answer, without the option of a repeated sentence."""
        return super().hear(message.replace(" reconnect=1", ""))


class Person(PersonClient):
    """A person, who is shown a token."""

    HELLO = "d"
    BACK = "back {token}"


Client = type[Ump01] | type[Ump02] | type[Person]

CLIENTS: dict[str, Client] = {
    Speech01.DIALECT: Ump01,
    Speech02.DIALECT: Ump02,
    HumanSession.DIALECT: Person,
}
"""The clients of the port for UMP, by dialect."""

IN_JSON = (LockstepSession, RequestSession, MajiangSession, SocketIOMajiangSession)
"""The sessions that ``test_coming_back_in_json`` tries."""


class Seated:
    """A client on its connection."""

    TOKEN: ClassVar = re.compile(r"\b[0-9a-f]{32}\b")

    def __init__(self, server: MemoryServer, client: DialectClient, first: str) -> None:
        """Connect, and say the first line."""
        self.peer = server.connect()
        self._server = server
        self._client = client
        self.peer.heard()
        self.peer.say(first)

    def play(self, *, until: int = 10_000) -> None:
        """Read and answer until the connection is closed, or so many lines have come."""
        for _ in range(20_000):
            heard = self.peer.heard()
            for line in heard:
                for reply in self._client.hear(line):
                    self.peer.send(reply + b"\r\n")
            if not self.peer.is_connected or len(self.peer.lines) >= until:
                return
            self._server.clock.advance(0 if heard else 0.5)
        raise AssertionError("the game does not end")

    @property
    def token(self) -> str:
        """The token that it was given."""
        found = self.TOKEN.search("\n".join(self.peer.lines))
        assert found is not None
        return found[0]


def said_last(peer: Peer) -> str:
    """Return the last line that a client has received, decoded."""
    peer.heard()
    return unquote(peer.lines[-1])


@each_row("dialect", CLIENTS)
def test_the_newer_connection_plays_on(dialect: str) -> None:
    """The game is the same and ends for the newer connection; nothing that the older one sends counts any more."""
    kind = CLIENTS[dialect]
    with memory_server(ROOM) as server:
        older = Seated(server, kind(Random(1)), kind.HELLO)
        older.play(until=60)
        (table,) = server.rooms[0].tables
        newer = Seated(server, kind(Random(2)), kind.BACK.format(token=older.token))
        assert f"{REPLACED} of the same player" in said_last(older.peer)
        assert not older.peer.is_connected
        assert newer.peer.is_connected
        assert server.rooms[0].tables == (table,)
        newer.play(until=len(newer.peer.lines) + 10)
        assert [each.connection for each in table.players.values()] == [newer.peer.connection]
        newer.play()
        assert table.numbers.end.value == "completed"


def test_every_dialect_is_tried() -> None:
    """Each dialect of a port is listed here or tried in ``test_coming_back_in_json``."""
    on_ports = [
        dialect for dialect in DIALECTS if not all(isinstance(each, StandardStreams) for each in dialect.transports)
    ]
    sessions = {dialect.open_session(Caller()).DIALECT for dialect in on_ports} | {Speech02.DIALECT}
    assert sessions == {*CLIENTS, *(session.DIALECT for session in IN_JSON)}
