"""The server over real sockets: whole games, a person at a terminal, TLS, a proxy, slow clients, signals."""

from __future__ import annotations

import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import STDOUT
from typing import Any, cast

import pytest
from support.certificates import certificate
from support.memory_server import RawSentences, room, server_parts, settings_of
from support.programs import TWIST, start
from twisted.application.service import MultiService
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import SSL4ClientEndpoint, TCP4ClientEndpoint, connectProtocol
from twisted.internet.interfaces import IListeningPort, IStreamClientEndpoint
from twisted.internet.protocol import connectionDone
from twisted.internet.ssl import CertificateOptions
from twisted.internet.task import Clock
from twisted.internet.tcp import Connection as TCPConnection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase

from ump.net import lines as lines_module
from ump.net.connection import Connection
from ump.net.connection_budget import Budget, TurnedAway
from ump.net.connection_limits import OpenConnections
from ump.net.limits import CLOSE_SECONDS, Limits, Rates
from ump.net.lines import LineFactory
from ump.net.listener import Listener
from ump.server.lobby import Lobby
from ump.server.open_line import gathering_of
from ump.server.room import Room
from ump.server.service import Drain, Server
from ump.server.settings import ListeningPort, RoomSettings

reactor: Any = installed


class Client(LineOnlyReceiver):
    """A client that keeps the lines it receives, and may answer by itself."""

    transport: TCPConnection
    delimiter = b"\r\n"

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.gone: Deferred[None] = Deferred()
        """Fires when the connection is closed."""
        self.answer: Callable[[Client, str, str], None] | None = None
        """Called with the id and the command of each line."""
        self.drawn = ""
        self._awaited: list[tuple[str, Deferred[str]]] = []

    def say(self, text: str) -> None:
        """Type a line, with the bare LF of a terminal."""
        self.transport.write(text.encode() + b"\n")

    def heard(self, command: str, after: int = 0) -> Deferred[str]:
        """Return a Deferred that fires with the first line of this command, from line number ``after`` on."""
        found = next((line for line in self.lines[after:] if line.split()[1] == command), None)
        waited: Deferred[str] = Deferred()
        if found is not None:
            waited.callback(found)
        else:
            self._awaited.append((command, waited))
        return waited.addTimeout(30, reactor)

    def lineReceived(self, line: bytes) -> None:
        """Keep a line, answer it, and fire the Deferreds that wait for it."""
        text = line.decode("ascii")
        self.lines.append(text)
        number, command, *arguments = text.split()
        if command == "tsumo" and len(arguments) == 3:
            self.drawn = arguments[2]
        if self.answer is not None:
            self.answer(self, number, command)
        ready = [waited for awaited, waited in self._awaited if awaited == command]
        self._awaited = [(awaited, waited) for awaited, waited in self._awaited if awaited != command]
        for waited in ready:
            waited.callback(text)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Fire ``gone``."""
        self.gone.callback(None)


RATES = Rates()

ANSWERS = {"ready?": "ok", "sutehai?": "sute {} tsumogiri", "naku?": "no", "tenpai?": "yes", "bye": "bye"}


def as_a_robot(client: Client, number: str, command: str) -> None:
    """Answer with ids: discard the drawn tile, and pass."""
    if command in ANSWERS:
        client.say(f"{number} {ANSWERS[command].format(client.drawn)}")


def as_a_person(client: Client, number: str, command: str) -> None:
    """Answer like ``as_a_robot``, but without ids."""
    if command in ANSWERS:
        client.say(ANSWERS[command].format(client.drawn))


class LoopbackTests(TestCase):
    """Each test has its own server, on a port that the system chooses."""

    timeout = 60

    def serve(
        self,
        *rooms: RoomSettings,
        listen: str = "tcp:0:interface=127.0.0.1",
        per_host: int = 9,
        rates: Rates = RATES,
    ) -> MultiService:
        """Start a server, and stop it after the test."""
        limits = Limits(Budget(per_host=per_host), rates=rates)
        settings = settings_of((ListeningPort("listen", listen),), rooms=rooms, limits=limits, seed="s")
        server = Server(settings, reactor)
        server.startService()
        self.addCleanup(lambda: server.stopService() if server.running else None)
        listener = next(service for service in server if isinstance(service, Listener))
        assert listener._waitingForPort is not None
        listener._waitingForPort.addCallback(self._note_port)
        return server

    def _note_port(self, port: IListeningPort) -> IListeningPort:
        self.port: int = port.getHost().port  # type: ignore[attr-defined]
        return port

    def connect(self, endpoint: IStreamClientEndpoint | None = None) -> Deferred[Client]:
        """Connect a client."""
        client = Client()
        self.addCleanup(lambda: client.gone)
        self.addCleanup(lambda: client.gone.called or client.transport.abortConnection())
        joined = connectProtocol(endpoint or TCP4ClientEndpoint(reactor, "127.0.0.1", self.port), client)
        return cast("Deferred[Client]", joined)

    async def test_two_games(self) -> None:
        """Four clients that stay for two hanchan play both, and receive bye."""
        self.serve(room(length="hanchan"))
        robots = [await self.connect() for _ in range(4)]
        for number, robot in enumerate(robots):
            robot.answer = as_a_robot
            robot.say(f"0 hello ump=0.1 name=r{number} _games=2")
        await gatherResults([robot.gone for robot in robots])
        for robot in robots:
            words = [line.split()[1] for line in robot.lines]
            assert (words.count("gamestart"), words.count("gameend"), words[-1]) == (2, 2, "bye")

    async def test_a_person_at_a_terminal(self) -> None:
        """Bare LF, lines without ids, typing errors, accents and arrow keys cost neither connection nor seat."""
        self.serve(room(house=["tsumogiri:3"], house_after=0, length="kyoku"))
        me = await self.connect()
        me.say("0 hello name=me _offer=1 _explain=1 _hand=1")
        seat = (await me.heard("gamestart")).split()[2]
        await me.heard("ready?")
        me.say("  ok ")
        asked = await me.heard("sutehai?")
        assert " sute=" in asked and " _hand=" in asked
        for typed in ("sute 9z", "sut\xe9 1m"):
            seen = len(me.lines)
            me.say(typed)
            assert (await me.heard("_illegal", seen)).endswith(f" {asked.split()[0]} unreadable")
            asked = await me.heard("sutehai?", seen)
        seen = len(me.lines)
        me.answer = as_a_person
        me.say("\x1b[A")
        assert (await me.heard("sutehai", seen)).endswith(f" {seat} {me.drawn} tsumogiri")
        await me.gone
        words = [line.split()[1] for line in me.lines]
        assert words[-2:] == ["gameend", "bye"]
        assert words.count("_illegal") == 3

    async def test_too_many_from_one_host(self) -> None:
        """A connection beyond the limit of its host receives an error, and is closed."""
        self.serve(room(), per_host=1)
        first = await self.connect()
        assert (await first.heard("hello")).startswith("0 hello ")
        second = await self.connect()
        await second.gone
        assert second.lines == ["0 error too%20many%20connections"]

    async def test_too_many_from_one_host_in_a_minute(self) -> None:
        """A host that connects too fast is closed at once, without a session that could say why."""
        server = self.serve(room(), rates=Rates(connections=2))
        clients = [await self.connect() for _ in range(3)]
        await clients[2].gone
        assert clients[2].lines == []
        assert (await clients[1].heard("hello")).startswith("0 hello ")
        assert isinstance(server, Server)
        assert dict(server._connections.refused) == {TurnedAway.RATE: 1}

    @pytest.mark.filterwarnings("ignore:Passing pyOpenSSL:DeprecationWarning")  # Twisted does
    async def test_too_many_from_one_host_over_tls(self) -> None:
        """A port with TLS refuses at once too, before the handshake, although its sessions are wrapped."""
        self.patch(lines_module, "CLOSE_SECONDS", 1_000)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "both.pem"
        path.write_bytes(certificate())
        listen = f"ssl:0:interface=127.0.0.1:privateKey={path}:certKey={path}"
        server = self.serve(room(), listen=listen, rates=Rates(connections=1))
        endpoint = SSL4ClientEndpoint(reactor, "127.0.0.1", self.port, CertificateOptions())
        clients = [await self.connect(endpoint) for _ in range(2)]
        await clients[1].gone
        assert (await clients[0].heard("hello")).startswith("0 hello ")
        assert isinstance(server, Server)
        assert dict(server._connections.refused) == {TurnedAway.RATE: 1}

    async def test_behind_a_proxy(self) -> None:
        """Behind a proxy, clients are counted by the address that the proxy passes on."""
        self.serve(room(), listen="haproxy:tcp:0:interface=127.0.0.1", per_host=1)
        clients = []
        for host in ("192.0.2.1", "192.0.2.2", "192.0.2.1"):
            clients.append(await self.connect())
            clients[-1].say(f"PROXY TCP4 {host} 192.0.2.9 40000 19000\r")
            clients[-1].say("0 hello _explain=1")
        await clients[2].gone
        assert clients[2].lines == ["0 error too%20many%20connections"]
        assert (await clients[1].heard("_waiting")).endswith(" 2 4")

    @pytest.mark.filterwarnings("ignore:Passing pyOpenSSL:DeprecationWarning")  # Twisted does
    async def test_closing_over_tls(self) -> None:
        """A connection over TLS ends without being cut, and the last messages arrive."""
        self.patch(lines_module, "CLOSE_SECONDS", 1_000)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "both.pem"
        path.write_bytes(certificate())
        self.serve(room(), listen=f"ssl:0:interface=127.0.0.1:privateKey={path}:certKey={path}")
        client = await self.connect(SSL4ClientEndpoint(reactor, "127.0.0.1", self.port, CertificateOptions()))
        client.say("0 bye")
        await client.gone
        assert [line.split()[1] for line in client.lines] == ["hello", "bye"]

    async def test_stopping_with_a_stalled_reader(self) -> None:
        """A client that reads receives bye, one that does not is cut, and the server ends in time."""
        clock = Clock()  # a busy machine must not cut the one that reads
        connections, settings = OpenConnections(Limits()), room()
        parts = server_parts(reactor)
        lobby = Lobby([Room(settings, parts, gathering_of)], parts.tokens)
        factory = LineFactory("listen", [settings.info], lobby, connections, clock)
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.port = port.getHost().port
        stalled = await self.connect()
        await stalled.heard("hello")
        stalled.transport.pauseProducing()
        for connection in connections:
            assert isinstance(connection, Connection)
            connection.session.tell(RawSentences(*["x" * 1_000] * 10_000), 0.0)
            connection.flush()
        reader = await self.connect()
        await reader.heard("hello")
        stopped = Drain(lobby, connections, reactor).stopService()
        await reader.gone
        clock.advance(CLOSE_SECONDS)
        await stopped
        assert reader.lines[-1] == "1 bye"
        assert not len(connections)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal(number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM end the program soon, with a bye to all clients and without a traceback."""
    closed = ["--mjai=none", "--http=none", "--record-dir=none"]
    with start(*TWIST, "--listen=0", *closed, stderr=STDOUT) as program:
        address = ("127.0.0.1", program.port())
        with socket.create_connection(address, 30) as client, client.makefile("rb") as lines:
            assert lines.readline().startswith(b"0 hello ")
            program.send_signal(number)
            assert lines.readline() == b"1 bye\r\n"
            assert lines.readline() == b""
        rest, _ = program.communicate()
    assert "Traceback" not in program.log + rest
    assert program.returncode in (0, -number)
