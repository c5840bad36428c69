"""The end of a server that lets running games go on: in memory, with signals, and as a real process."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

import pytest
from support.memory_server import (
    MemoryServer,
    Peer,
    Robot,
    connect_peer,
    journal_folder,
    memory_server,
    room,
    settings_of,
)
from support.programs import TWIST, UMP, start
from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock

from ump.net.limits import LOGOUT_SECONDS, Limits
from ump.net.lines import Lines
from ump.server.journals import JournalFolder
from ump.server.lobby import NO_NEW_GAMES
from ump.server.room import GameQuota
from ump.server.service import Server
from ump.server.settings import ListeningPort
from ump.wire.session import Interruption

KYOKU = room(length="kyoku")
NAMES = ("a", "b", "c", "d")


def last(peer: Peer) -> str:
    """Return the last line that a client has received, decoded and without its id."""
    peer.heard()
    return unquote(peer.lines[-1].split(" ", 1)[1])


def token_of(peer: Peer) -> str:
    """Return the token that a client has received."""
    (token,) = (line.split()[2] for line in peer.lines if " _resume " in line)
    return token


@pytest.fixture
def journals(tmp_path: Path) -> Iterator[JournalFolder]:
    """An empty folder of journals."""
    folder = journal_folder(tmp_path)
    folder.open()
    yield folder
    folder.close()


@pytest.fixture
def recording(journals: JournalFolder) -> Iterator[MemoryServer]:
    """A server whose games are recorded."""
    with memory_server(KYOKU, recorder_of=journals.create) as opened:
        yield opened


def test_running_games_go_on() -> None:
    """Waiting and new clients hear the reason and are turned away; a game goes on to its end, and no other begins."""
    with memory_server(KYOKU) as server:
        robots = server.robots(*NAMES, options="_games=0")
        waiting = server.enter("e")
        server.lobby.drain()
        newcomer, watcher = server.enter("f"), server.enter("g", "_watch=main")
        for peer in (waiting, newcomer, watcher):
            assert last(peer) == f"error {NO_NEW_GAMES}"
            assert not peer.is_connected
        server.play(robots)
        assert [robot.peer.words()[-2:] for robot in robots] == [["gameend", "bye"]] * 4
        assert robots[0].peer.words().count("gamestart") == 1


def test_players_come_back_while_games_go_on(recording: MemoryServer) -> None:
    """A player who loses its connection meanwhile takes its seat back."""
    robots = recording.robots(*NAMES, options="_resume=1")
    recording.play(robots, until=lambda: "sutehai" in robots[0].peer.words())
    recording.lobby.drain()
    robots[1].peer.hang_up()
    robots[1] = Robot(recording.enter("b", f"_resume={token_of(robots[1].peer)}"))
    recording.play(robots)
    assert [robot.peer.words()[-2:] for robot in robots] == [["gameend", "bye"]] * 4


def test_bots_complete_no_table_any_more() -> None:
    """The built-in bots do not come to a player who has been turned away."""
    with memory_server(room(house=["tsumogiri:3"])) as server:
        alone = server.enter("a")
        server.lobby.drain()
        assert last(alone) == f"error {NO_NEW_GAMES}"
        assert not server.clock.getDelayedCalls()


def test_players_learn_what_becomes_of_their_game(recording: MemoryServer, journals: JournalFolder) -> None:
    """Those who can come back, or ask for explanations, get words; a plain client gets bye, a person a sentence."""
    able, curious, plain = (
        recording.enter("a", "_resume=1"),
        recording.enter("b", "_explain=1"),
        recording.enter("c"),
    )
    person = recording.connect()
    person.say("hello name=d")
    recording.play([])
    recording.lobby.close()
    assert last(able) == f"error {Interruption.RETURNS.value}"
    assert last(curious) == f"error {Interruption.GOES_ON.value}"
    assert last(plain) == "bye"
    *told, hint, back = person.wire.writes[-1].decode().splitlines()
    assert " ".join(line.strip() for line in told).endswith(f"The connection ends: {Interruption.RETURNS.value}")
    assert hint == "When it has started, connect again and type:"
    assert re.fullmatch(r"  back [0-9a-f]{32}", back)
    assert not any(peer.is_connected for peer in (able, curious, plain, person))
    assert len(list(journals.folder.glob("*.journal"))) == 1


def test_a_game_that_nobody_can_come_back_to_ends(recording: MemoryServer) -> None:
    """Nothing is promised about such a game, although it has a journal."""
    curious, *_ = (recording.enter(name, "_explain=1") for name in NAMES)
    recording.lobby.close()
    assert last(curious) == f"error {Interruption.ENDS.value}"


def test_a_game_without_a_record_ends() -> None:
    """It is over when the server stops, and its players hear that."""
    with memory_server(KYOKU) as server:
        curious, *_ = (server.enter(name, "_explain=1 _resume=1") for name in NAMES)
        server.lobby.close()
        assert last(curious) == f"error {Interruption.ENDS.value}"


@pytest.mark.parametrize("games", [0, 5])
def test_a_quota_that_closes(games: int) -> None:
    """No more games begin, and the quota ends with the last running one."""
    ended: list[None] = []
    quota = GameQuota(games, lambda: ended.append(None), most=None)
    assert quota.begin()
    quota.close()
    assert not quota.begin()
    assert (ended, quota.running) == ([], 1)
    quota.end()
    assert ended == [None]
    quota.close()
    assert ended == [None], "the end comes once"


class Reactor(MemoryReactorClock):
    """A reactor in memory that takes calls from other threads and from signals at once."""

    def callFromThread(self, call: Callable[..., object], *arguments: object) -> None:
        """Call at once."""
        call(*arguments)


class Draining:
    """A server in memory with ``drain=30``, under the signals of this process."""

    def __init__(self) -> None:
        self.reactor = Reactor()
        self.ended: list[None] = []
        """Filled when the server receives the order to end, as by the reactor's own handler of SIGTERM."""
        ports = (ListeningPort("listen", "tcp:19000:interface=127.0.0.1"),)
        self.server = Server(
            settings_of(ports, rooms=(KYOKU,), limits=Limits(), drain=30.0, seed="drain"), self.reactor
        )
        signal.signal(signal.SIGTERM, lambda number, frame: self.ended.append(None))
        self.server.startService()
        self.reactor.run()

    def connect(self, name: str) -> Peer:
        """Connect a client and say hello."""
        address = IPv4Address("TCP", "192.0.2.1", 40_000)
        lines = self.reactor.tcpServers[0][1].buildProtocol(address)
        assert isinstance(lines, Lines)
        peer = connect_peer(lines, address)
        peer.say(f"0 hello name={name}")
        return peer


@pytest.fixture
def draining() -> Iterator[Draining]:
    """A server that lets games go on for 30 seconds; after the test no timer is left."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        started = Draining()
        yield started
        started.server.stopService()
        started.reactor.advance(0)
        assert not started.reactor.getDelayedCalls()
    finally:
        signal.signal(signal.SIGTERM, before)


def sigterm() -> None:
    """Send SIGTERM to this process."""
    signal.raise_signal(signal.SIGTERM)


def test_the_time_for_running_games(draining: Draining) -> None:
    """The ports stay open, and the server ends when the time is up."""
    peers = [draining.connect(name) for name in NAMES]
    sigterm()
    assert last(draining.connect("e")) == f"error {NO_NEW_GAMES}"
    draining.reactor.advance(29)
    assert all(peer.is_connected for peer in peers)
    assert not draining.ended
    draining.reactor.advance(1)
    assert draining.ended == [None]


def test_the_second_signal(draining: Draining) -> None:
    """It ends the server at once."""
    draining.connect("a")
    for name in NAMES[1:]:
        draining.connect(name)
    sigterm()
    assert not draining.ended
    sigterm()
    assert draining.ended == [None]


def test_the_games_end_before_the_time_is_up(draining: Draining) -> None:
    """The server ends soon after its last game."""
    robots = [Robot(draining.connect(name)) for name in NAMES]
    sigterm()
    while sum(robot.play() for robot in robots):
        draining.reactor.advance(0)
    draining.reactor.pump([0, LOGOUT_SECONDS])
    assert draining.ended == [None]
    assert draining.reactor.seconds() < 2


def test_an_idle_server_ends_at_once(draining: Draining) -> None:
    """Without running games there is nothing to wait for."""
    waiting = draining.connect("a")
    sigterm()
    assert last(waiting) == f"error {NO_NEW_GAMES}"
    draining.reactor.pump([0, LOGOUT_SECONDS])
    assert draining.ended == [None]


def dialogue(port: int, hello: bytes) -> BinaryIO:
    """Connect a client, say hello, and return the stream of the server's lines."""
    with socket.create_connection(("127.0.0.1", port), 30) as client:
        client.sendall(hello + b"\r\n")
        return client.makefile("rb")  # the connection stays open until the stream is closed


@pytest.mark.once
@pytest.mark.parametrize("starter", [[*UMP, "serve"], TWIST])
def test_two_signals(tmp_path: Path, starter: Sequence[str]) -> None:
    """A real server refuses new players after the first SIGTERM, and leaves its game for later at the second."""
    options = ["--listen=0", "--mjai=none", "--http=none", "--drain=600", "--house=tsumogiri:3", "--house-after=0"]
    with start(*starter, *options, cwd=tmp_path) as server:
        port = server.port()
        with dialogue(port, b"0 hello name=me _resume=1") as player:
            next(line for line in player if b"ready?" in line)
            server.send_signal(signal.SIGTERM)
            server.read_until("no new games; 1 running games")
            with dialogue(port, b"0 hello name=late") as late:
                assert unquote(late.readlines()[-1].decode()) == f"1 error {NO_NEW_GAMES}\r\n"
            server.send_signal(signal.SIGTERM)
            assert unquote(player.readlines()[-1].decode()).endswith(f" error {Interruption.RETURNS.value}\r\n")
        rest, _ = server.communicate()
    assert server.returncode == -signal.SIGTERM
    assert "Traceback" not in rest
    assert len(list((tmp_path / "ump-records").glob("*.journal"))) == 1
