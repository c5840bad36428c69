"""The registry of dialects: a toy dialect that is only listed there, and the pages that list the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.memory_server import Robot, connect_peer
from support.memory_site import memory_site
from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock
from wsproto.events import TextMessage

from ump.cli.bot import join as join_command
from ump.net.connection_limits import AdmittingFactory
from ump.net.dialects import DIALECTS, HTTP, bot_dialects, hints, over, port_options
from ump.net.lines import Lines
from ump.server.http.site import BoundedSite
from ump.server.service import Server
from ump.server.tap import options_for
from ump.wire.dialect import (
    Caller,
    DefaultPort,
    Dialect,
    Framing,
    Hint,
    LinePort,
    NetPlay,
    PortOption,
    StandardStreams,
    WebSocketPath,
)
from ump.wire.session import Received
from ump.wire.ump.hello import greeting
from ump.wire.ump.session import UmpSession

ROOT = Path(__file__).resolve().parent.parent.parent


class ToySession(UmpSession):
    """UMP with another hello: ``I am alice``."""

    __slots__ = ()

    def greet(self) -> None:
        """Ask for a name."""
        self._out.append("Who are you?")

    def receive(self, message: bytes, now: float) -> Received:
        """Take a line."""
        return super().receive(message.replace(b"I am ", b"hello name="), now)


TOY = Dialect(
    name="toy",
    open_session=lambda caller: ToySession(greeting(caller)),
    transports=(
        LinePort(
            PortOption("toy", 4242, DefaultPort.OPTIONAL, "toys"), "\r\n", (Hint("toys", "toy://{host}:{port}/{room}"),)
        ),
        WebSocketPath("games/toy", "toys", Framing.LINES),
        StandardStreams("toy"),
    ),
)


def start(line: str) -> tuple[Server, MemoryReactorClock, str]:
    """Start a server that knows the toy dialect; return it with its banner."""
    options = options_for((*DIALECTS, TOY))()
    options.parseOptions([*line.split(), "--record-dir", "none"])
    reactor = MemoryReactorClock()
    told: list[str] = []
    server = Server(options.settings, reactor, told.append)
    server.startService()
    reactor.run()
    return server, reactor, told[0]


def test_a_toy_dialect_on_a_port_of_its_own() -> None:
    """The dialect's option opens its port, the banner has its hint, and a client plays in it."""
    server, reactor, banner = start(
        "--listen none --mjai none --http none --toy 4243 --house tsumogiri:3 --house-after 0 --length kyoku --seed toy"
    )
    assert "\n  toys               toy://localhost:4243/main\n" in banner
    ((port, factory, *_),) = reactor.tcpServers
    assert port == 4243
    address = IPv4Address("TCP", "192.0.2.1", 40_000)
    lines = factory.buildProtocol(address)
    assert isinstance(lines, Lines)
    peer = connect_peer(lines, address)
    assert peer.heard() == ["Who are you?"]
    peer.say("I am toy")
    robot = Robot(peer)
    for _ in range(2_000):
        robot.play()
        reactor.advance(0)
    assert peer.words()[-2:] == ["gameend", "bye"]
    peer.hang_up()
    server.stopService()


def test_a_toy_dialect_over_websocket() -> None:
    """The dialect's path is served, listed on the first page and in the banner, and greets."""
    server, reactor, banner = start("--listen none --mjai none --toy none --http 8081 --http-name here.example")
    assert "/games/toy" in banner
    port = reactor.tcpServers[0][1]
    assert isinstance(port, AdmittingFactory)
    site = port.factory
    assert isinstance(site, BoundedSite)
    with memory_site() as opened:
        opened.site = site
        assert "/games/toy       WebSocket, toys\n" in opened.stream().fetch("/").text
        socket = opened.socket("/games/toy")
        socket.say("I am toy\n")
        assert socket.events() == [TextMessage("Who are you?")]
        server.stopService()
        reactor.advance(10)
        for stream in opened.streams:
            stream.wire.lose()


def test_a_toy_dialect_among_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    """The dialect has a default port and a line of help."""
    options = options_for((*DIALECTS, TOY))()
    options.parseOptions([])
    assert ("toy", "tcp:4242:interface=127.0.0.1", False) in [
        (port.option, port.endpoint, port.is_needed) for port in options.settings.ports
    ]
    assert "Port of 127.0.0.1, or endpoint, for toys; none closes it. [repeatable; default: 4242]" in " ".join(
        str(options).split()
    )


def test_a_toy_dialect_of_child_processes() -> None:
    """The key before a bot's command selects the dialect."""
    assert bot_dialects((*DIALECTS, TOY))["toy"].open_session(Caller(name="toy")).take() == []


def test_options_of_join() -> None:
    """``ump join`` has an option for each dialect of child processes."""
    assert {option for parameter in join_command.params for option in parameter.opts} >= {
        f"--{key}" for key in bot_dialects()
    }


def test_names_are_used_once() -> None:
    """No two dialects share a name, an option, a port, a path or a key."""
    for names in (
        [dialect.name for dialect in DIALECTS],
        [option.name for option in port_options()],
        [option.number for option in port_options()],
        [path.path for _, path in over(WebSocketPath)],
        [folder.folder for _, folder in over(NetPlay)],
        [streams.key for _, streams in over(StandardStreams)],
    ):
        assert len(set(names)) == len(names)


def test_hints() -> None:
    """The hints of the HTTP port name all of its paths."""
    web_sockets, majiang_bot = hints(HTTP.name)
    assert web_sockets.at("localhost", 8080) == (
        "ws://localhost:8080/ump  (or /mjai, /ws/ranked, /ws/validate, /majiang)"
    )
    assert majiang_bot.at("localhost", 8080) == "majiang-bot -r main http://localhost:8080/server"
    assert majiang_bot.in_room("club").at("localhost", 8080) == "majiang-bot -r club http://localhost:8080/server"
    assert hints(HTTP.name, ()) == ()


def test_the_paths_on_the_page_of_the_protocols() -> None:
    """docs/protocols/README.md lists each path of the HTTP port."""
    page = (ROOT / "docs" / "protocols" / "README.md").read_text(encoding="utf-8")
    for _, path in over(WebSocketPath):
        assert f"`/{path.path}`" in page
    for _, net_play in over(NetPlay):
        assert f"/{net_play.folder}" in page
