"""A whole server in memory: rooms, a clock that the test moves, and clients that send and receive lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IAddress
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from ump.model.events import Event
from ump.model.seats import Seat
from ump.net.connection import Connection, Host
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits
from ump.net.lines import LineFactory, Lines
from ump.net.proxy_header import ProxiedFactory, ProxiedStream, ProxyHeader
from ump.server.bots import ChildBots
from ump.server.config import read_table, room_settings
from ump.server.journals import JournalFolder, Sync
from ump.server.lobby import Lobby
from ump.server.open_line import gathering_of
from ump.server.people import People
from ump.server.private_tables import PrivateTables
from ump.server.room import GameQuota, Room, ServerParts
from ump.server.seat_tokens import SeatTokens
from ump.server.seeds import Seals, SeedSource
from ump.server.settings import ROOM_OPTIONS, ListeningPort, RoomSettings, ServerSettings
from ump.server.spectators import SpectatorTurns
from ump.server.status import GameTotals
from ump.server.table_runner import TableRunner
from ump.server.users.gate import Attempts, Gate
from ump.wire.session import Render

if TYPE_CHECKING:
    from ump.server.users.user_database import UserDatabase

MAX_LINES = 100_000
"""Rounds of answers after which a game counts as endless."""


class ReactorClock(Clock):
    """A clock whose ``advance`` is one turn of a reactor: new calls with delay 0 wait for the next turn."""

    def advance(self, amount: float) -> None:
        """Let time pass, and run the calls that are due by then."""
        self.rightNow += amount
        for call in [call for call in self.calls if call.getTime() <= self.rightNow]:
            if call.active():
                self.calls.remove(call)
                call.called = 1
                call.func(*call.args, **call.kw)


class MemoryTransport(StringTransport):
    """A transport in memory that keeps each write, and closes at once unless it is stuck."""

    def __init__(self, peer: IAddress) -> None:
        super().__init__(peerAddress=peer)
        self.writes: list[bytes] = []
        self.is_stuck = False
        """Whether the client does not read the rest when the server closes."""
        self.ignored_aborts = 0
        """The number of calls of ``abortConnection`` that have no effect."""
        self.was_aborted = False
        self.protocol: Lines | None = None

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Ignore the option."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Ignore the option."""

    def write(self, data: bytes) -> None:
        """Keep data."""
        self.writes.append(data)

    def loseConnection(self) -> None:
        """Close, unless the client is stuck."""
        self.disconnecting = True
        if not self.is_stuck:
            self._lose()

    def abortConnection(self) -> None:
        """Close at once."""
        self.disconnecting = self.was_aborted = True
        self.ignored_aborts -= 1
        if self.ignored_aborts < 0:
            self._lose()

    def _lose(self) -> None:
        if self.connected and self.protocol is not None:
            protocol, self.protocol, self.producer = self.protocol, None, None  # as a socket forgets both
            self.connected = False
            protocol.connectionLost(Failure(ConnectionDone()))


class RawSentences:
    """An outgoing event whose sentences the test chooses."""

    def __init__(self, *sentences: str) -> None:
        self._sentences = sentences

    def seen_by(self, seat: Seat | None) -> Event:
        """Fail: the sentences belong to no event."""
        raise NotImplementedError

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the sentences."""
        return self._sentences


def connect_peer(lines: Lines, address: IAddress, header: ProxyHeader | None = None) -> Peer:
    """Connect a client from this address; ``header`` is that of a proxy between."""
    wire = MemoryTransport(address)
    wire.protocol = lines
    lines.makeConnection(wire if header is None else proxied(wire, header))
    return Peer(lines, wire)


def proxied(wire: object, header: ProxyHeader) -> ProxiedStream:
    """Return the stream of a client whose proxy has sent this header."""
    stream = ProxiedStream(cast(ProxiedFactory, None))
    stream.header, stream.transport = header, cast(Any, wire)
    return stream


TELNET = re.compile(rb"\xff[\xfb-\xfe].", re.DOTALL)
"""A command of telnet about an option."""


class Peer:
    """A client whose lines the test sends and reads."""

    def __init__(self, protocol: Lines, wire: MemoryTransport) -> None:
        self.protocol = protocol
        self.wire = wire
        self.lines: list[str] = []
        """Every line that the client has received."""
        self._read = 0
        self._new = 0

    def send(self, data: bytes) -> None:
        """Send bytes."""
        if self.is_connected:
            self.protocol.dataReceived(data)

    def say(self, line: str) -> None:
        """Send a line."""
        self.send(line.encode() + b"\r\n")

    def hang_up(self) -> None:
        """Lose the connection."""
        self.wire.abortConnection()

    @property
    def connection(self) -> Connection:
        """The server's connection to this client."""
        return self.protocol.connection

    @property
    def is_connected(self) -> bool:
        """Whether the server has not closed."""
        return bool(self.wire.connected) and not self.wire.disconnecting

    def heard(self) -> list[str]:
        """Return the lines received since the last call."""
        self._take()
        new, self._new = self.lines[self._new :], len(self.lines)
        return new

    def words(self) -> list[str]:
        """Return the commands of all lines received so far."""
        self._take()
        return [line.split()[1] for line in self.lines]

    def _take(self) -> None:
        text = TELNET.sub(b"", b"".join(self.wire.writes[self._read :])).decode()
        self._read = len(self.wire.writes)
        assert not text or text.endswith("\n")
        self.lines += [line.removesuffix("\r") for line in text.split("\n")[:-1]]


class Robot:
    """A peer that discards each drawn tile and always passes."""

    ANSWERS = {"ready?": "ok", "naku?": "no", "tenpai?": "yes", "bye": "bye"}  # noqa: RUF012

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.is_mute = False
        """Whether it has stopped answering."""
        self._drawn = ""

    def play(self) -> bool:
        """Answer the questions received since the last call; return whether there were any lines."""
        lines = self.peer.heard()
        for line in lines:
            number, command, *arguments = line.split()
            if command == "tsumo" and len(arguments) == 3:
                self._drawn = arguments[2]
            answer = f"sute {self._drawn} tsumogiri" if command == "sutehai?" else self.ANSWERS.get(command)
            if answer is not None and not self.is_mute:
                self.peer.say(f"{number} {answer}")
        return bool(lines)


class MemoryServer:
    """A server without sockets."""

    def __init__(
        self,
        *rooms: RoomSettings,
        limits: Limits | None = None,
        seed: str | None = "venue",
        users: UserDatabase | None = None,
        in_thread: Callable[..., Deferred[Any]] = maybeDeferred,
        clock: ReactorClock | None = None,
        attempts: Attempts | None = None,
        **parts: Any,
    ) -> None:
        """``parts`` are those of the server that the test brings along, by the names of ``ServerParts``."""
        limits = limits or Limits()
        self.clock = clock or ReactorClock()
        self.parts = server_parts(self.clock, limits, seed=seed, **parts)
        self.connections = OpenConnections(limits)
        self.rooms = [Room(settings, self.parts, gathering_of) for settings in rooms or (room(),)]
        tables = PrivateTables(self.parts, limits.private_tables)
        self.lobby = Lobby(self.rooms, self.parts.tokens, tables=tables, people=self.parts.people)
        self.host: Host = (
            self.lobby if users is None else Gate(self.lobby, lambda: users, in_thread, self.clock, attempts=attempts)
        )
        self.peers: list[Peer] = []
        self._ports = count(40_000)

    def connect(
        self,
        host: str = "192.0.2.1",
        *,
        port: str = "listen",
        header: ProxyHeader | None = None,
        address: IAddress | None = None,
    ) -> Peer:
        """Let a client connect from a host to the port of this option; ``header`` is that of a proxy before it."""
        infos = [room.settings.info for room in self.rooms]
        has_users = isinstance(self.host, Gate)
        factory = LineFactory(port, infos, self.host, self.connections, self.clock, has_users=has_users)
        address = address or IPv4Address("TCP", host, next(self._ports))
        peer = connect_peer(factory.buildProtocol(None), address, header)
        self.peers.append(peer)
        return peer

    def enter(self, name: str, options: str = "") -> Peer:
        """Let a client connect and say hello."""
        peer = self.connect()
        peer.say(f"0 hello ump=0.1 name={name} {options}")
        return peer

    def robots(self, *names: str, options: str = "") -> list[Robot]:
        """Let robots connect and say hello."""
        return [Robot(self.enter(name, options)) for name in names]

    @property
    def table(self) -> TableRunner:
        """The oldest running table of the first room."""
        return self.rooms[0].tables[0]

    def play(self, robots: list[Robot], *, until: Callable[[], bool] = lambda: False) -> None:
        """Let robots and built-in bots play until nothing happens any more without waiting, or ``until`` is true."""
        for _ in range(MAX_LINES):
            if until():
                return
            heard = [robot.play() for robot in robots]
            due = [call.getTime() for call in self.clock.getDelayedCalls()]
            if not any(heard) and min(due, default=1e9) > self.clock.seconds():
                return
            self.clock.advance(0)
        raise AssertionError("the game does not end")

    def close(self) -> None:
        """Disconnect all clients, and check that no timer and no connection is left."""
        self.lobby.close()
        for peer in self.peers:
            peer.hang_up()
        self.connections.close_logs()
        assert not self.clock.getDelayedCalls()
        assert not len(self.connections)


def journal_folder(
    folder: Path, sync: Sync = Sync.NEVER, in_thread: Callable[..., Deferred[Any]] = maybeDeferred, **parts: Any
) -> JournalFolder:
    """Return a folder of journals with an index of its own; ``parts`` are others by the names of its constructor."""
    return JournalFolder(folder, sync, in_thread, **{"seals": Seals(), "index": None, "clock": Clock()} | parts)


def server_parts(clock: Any, limits: Limits | None = None, *, seed: str | None = "venue", **others: Any) -> ServerParts:
    """Return the parts of a server that its rooms share, with those of the test in the place of the usual ones."""
    limits = limits or Limits()
    usual = ServerParts(
        clock,
        SeedSource(seed),
        GameQuota(0, lambda: None, most=None),
        ChildBots(limits, clock),
        SeatTokens(limits.budget.most_left),
        GameTotals(),
        SpectatorTurns(clock),
        Seals(),
        people=People(clock),
    )
    return replace(usual, **others)


def room(name: str = "main", /, **said: object) -> RoomSettings:
    """Return a room's settings, from keys and values as in a file of rooms."""
    return room_settings(name, read_table(said, ROOM_OPTIONS, ""))


def settings_of(
    ports: tuple[ListeningPort, ...], rooms: tuple[RoomSettings, ...], limits: Limits, **settings: Any
) -> ServerSettings:
    """Return the settings of a server that, by default, neither records games nor announces itself."""
    return ServerSettings(ports, rooms, limits, **{"record_folder": None, "is_announced": False, **settings})


@contextmanager
def memory_server(*rooms: RoomSettings, **options: Any) -> Iterator[MemoryServer]:
    """Open a server with the options of ``MemoryServer``; after the test, close it and check that nothing is left."""
    opened = MemoryServer(*rooms, **options)
    yield opened
    opened.close()
