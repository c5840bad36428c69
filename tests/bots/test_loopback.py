"""A blocking client over real sockets: whole games in every protocol and over every transport, and wrong ports."""

from __future__ import annotations

from typing import Any

import pytest
from support.client_chair import Watched
from support.memory_server import room, settings_of
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IListeningPort
from twisted.internet.threads import deferToThread
from twisted.logger import capturedLogs
from twisted.trial.unittest import TestCase

from ump.bots import links, session
from ump.bots.bot import Legal
from ump.bots.links import read_address
from ump.bots.session import ClientOptions, PlayedGames, play
from ump.model.actions import Action
from ump.net.limits import Limits
from ump.net.listener import Listener
from ump.players.observation import Observation
from ump.server.service import Server
from ump.server.settings import ListeningPort
from ump.wire.mjai.session_base import MjaiSession

reactor: Any = installed

PORTS = ("listen", "mjai", "majiang", "http")

WAYS = [
    ("127.0.0.1:{listen}", "ump-0.1"),
    ("127.0.0.1:{listen}", "ump-0.2"),
    ("mjsonp://127.0.0.1:{mjai}/default", None),
    ("127.0.0.1:{majiang}", "majiang"),
    ("ws://127.0.0.1:{http}/ump", None),
    ("ws://127.0.0.1:{http}/ump", "ump-0.2"),
    ("ws://127.0.0.1:{http}/majiang", None),
    ("ws://127.0.0.1:{http}/mjai", None),
    ("ws://127.0.0.1:{http}/ws/ranked", None),
]
"""Every address at which bots reach the server, with the protocol if it is not the usual one."""

WRONG = [
    ("127.0.0.1:{http}", None, "{} is a port for HTTP (and WebSocket); UMP is usually on port 19000"),
    ("127.0.0.1:{mjai}", None, "{} is a port for mjai in lock-step; UMP is usually on port 19000"),
    ("127.0.0.1:{majiang}", "ump-0.2", "{} is a port for Majiang; UMP is usually on port 19000"),
    ("mjsonp://127.0.0.1:{listen}", None, "{} is a port for UMP; mjai in lock-step is usually on port 11600"),
    ("127.0.0.1:{listen}", "majiang", "{} is a port for UMP; Majiang is usually on port 19001"),
    ("127.0.0.1:{http}", "majiang", "{} is a port for HTTP (and WebSocket); Majiang is usually on port 19001"),
    ("ws://127.0.0.1:{http}/nowhere", None, "{}?name=bot refuses the WebSocket: status 404 Not Found"),
    ("ws://127.0.0.1:{listen}/ump", None, " is a port for UMP; HTTP (and WebSocket) is usually on port 8080"),
    ("127.0.0.1:1", None, "no connection to {}: Connection refused"),
]
"""Addresses at which a protocol is not spoken, and what the client says."""

SILENT = ("127.0.0.1:{http}", "127.0.0.1:{majiang}")
"""The addresses at which the client must speak first."""


class Default(Watched):
    """Plays what a server plays for an absent seat."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the default."""
        return legal.default


class LoopbackTests(TestCase):
    """One server with all its ports for each test; the client runs in a thread."""

    timeout = 60

    def setUp(self) -> None:
        """Start the server, which closes soon after a game of mjai."""
        self.patch(MjaiSession, "LINGER", 0.05)
        listening = tuple(ListeningPort(name, "tcp:0:interface=127.0.0.1") for name in PORTS)
        rooms = (room(house=["tsumogiri:3"], house_after=0, length="kyoku"),)
        server = Server(settings_of(listening, rooms=rooms, limits=Limits(), seed="s"), reactor)
        server.startService()
        self.addCleanup(self.stop)
        self.server = server
        self.ports: dict[str, int] = {}
        listeners = [service for service in server if isinstance(service, Listener)]
        for name, listener in zip(PORTS, listeners, strict=True):
            assert listener._waitingForPort is not None
            listener._waitingForPort.addCallback(self._note_port, name)

    def stop(self) -> Deferred[None]:
        """Cut what the server keeps open for a while after a refusal, since the clients have gone; then stop it."""
        for connection in self.server._connections:
            connection.cut()
        return self.server._connections.empty().addCallback(lambda _: self.server.stopService())

    def _note_port(self, port: IListeningPort, name: str) -> IListeningPort:
        self.ports[name] = port.getHost().port  # type: ignore[attr-defined]
        return port

    async def play(self, address: str, **options: Any) -> tuple[PlayedGames, Default]:
        """Return the outcome of games at an address, and the bot."""
        bot = Default()
        client = ClientOptions(read_address(address.format(**self.ports)), **options)
        outcome = await deferToThread(play, bot, client, lambda text: None, lambda ranking: None, lambda pause: None)
        return outcome, bot

    async def test_two_games_on_every_way(self) -> None:
        """Two games are played: over one connection, or over one each."""
        for address, protocol in WAYS:
            outcome, bot = await self.play(address, protocol=protocol, games=2, token="secret", name="me")
            assert outcome == PlayedGames(2, 0, 0, None), address
            assert len(bot.ranking) == 2

    async def test_walls_with_texts_of_the_client(self) -> None:
        """The client adds to the walls of each game, over one connection for all or one each; everything fits."""
        for protocol in ("ump-0.1", "ump-0.2"):
            reports: list[str] = []
            address = read_address("127.0.0.1:{listen}".format(**self.ports))
            options = ClientOptions(address, protocol=protocol, games=2, seed=True)
            with capturedLogs() as logs:
                outcome = await deferToThread(play, Default(), options, reports.append)
            assert (outcome, reports) == (PlayedGames(2, 0, 0, None), [])
            assert [str(event["seed"]).count("/") for event in logs if "seed" in event] == [4, 4]

    async def test_wrong_ports(self) -> None:
        """The client gives up at once, says why, and names the right port."""
        patch = pytest.MonkeyPatch()
        patch.setattr(links, "PROBE_SECONDS", 60)
        self.addCleanup(patch.undo)
        for address, protocol, complaint in WRONG:
            seconds = 0.1 if address in SILENT else 60  # a busy machine delays a greeting
            patch.setattr(links, "GREETING_SECONDS", seconds)
            patch.setattr(session, "GREETING_SECONDS", seconds)
            outcome, _ = await self.play(address, protocol=protocol)
            assert outcome.games == 0
            assert outcome.failure is not None
            assert complaint.format(address.format(**self.ports)) in outcome.failure

    async def test_refusals(self) -> None:
        """A refusal of the server is reported, and the client does not try again."""
        for address, room_name, complaint in [
            ("127.0.0.1:{listen}", "none", "the server says: unknown room 'none'"),
            ("mjsonp://127.0.0.1:{mjai}", "none", "the server says: unknown room 'none'"),
            ("ws://127.0.0.1:{http}/mjai", "none", "the server says: unknown room 'none'"),
            ("ws://127.0.0.1:{http}/ws/ranked", None, "refuses the WebSocket: status 401"),
        ]:
            outcome, _ = await self.play(address, room=room_name)
            assert complaint in (outcome.failure or ""), address

    async def test_a_validation(self) -> None:
        """The server's verdict on a bot under test is reported."""
        reports: list[str] = []
        address = read_address("ws://127.0.0.1:{http}/ws/validate".format(**self.ports))
        outcome = await deferToThread(play, Default(), ClientOptions(address, token="t"), reports.append)
        assert (outcome.games, reports) == (1, ["validation: passed"])
