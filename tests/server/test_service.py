"""The whole service: its ports, and its orderly end."""

from __future__ import annotations

import errno
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.memory_server import Peer, connect_peer, journal_folder, memory_server, room, settings_of
from twisted.application.service import MultiService
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogLevel, capturedLogs, formatEvent

from ump.net.limits import CLOSE_SECONDS, DRAIN_SECONDS, LOGOUT_SECONDS, Limits
from ump.net.lines import Lines
from ump.server.service import Drain, Server
from ump.server.settings import ListeningPort

LOCAL = "tcp:19000:interface=127.0.0.1"


@dataclass
class Running:
    """A server that was started in a memory reactor."""

    reactor: MemoryReactorClock
    server: MultiService

    def connect(self, port: int = 0) -> Peer:
        """Connect a client to one of the server's ports."""
        factory = self.reactor.tcpServers[port][1]
        address = IPv4Address("TCP", "192.0.2.1", 40_000)
        connection = factory.buildProtocol(address)
        assert isinstance(connection, Lines)
        return connect_peer(connection, address)

    def stop(self) -> list[None]:
        """Begin to stop; return a list that is filled when the server has stopped."""
        stopped: list[None] = []
        ended = self.server.stopService()
        assert isinstance(ended, Deferred)
        ended.addCallback(lambda _: stopped.append(None))
        return stopped


def start(*listen: str) -> Running:
    """Start a server with one room."""
    reactor = MemoryReactorClock()
    ports = tuple(ListeningPort("listen", endpoint) for endpoint in listen)
    server = Server(settings_of(ports, rooms=(room(),), limits=Limits()), reactor)
    server.startService()
    return Running(reactor, server)


@pytest.fixture
def running() -> Iterator[Running]:
    """A server on one port; after the test no timer is left."""
    started = start(LOCAL)
    yield started
    assert not started.reactor.getDelayedCalls()


def test_endpoints() -> None:
    """Each endpoint is opened once, under twistd and under twist."""
    for privileged in (False, True):
        reactor = MemoryReactorClock()
        settings = settings_of(
            (ListeningPort("listen", LOCAL), ListeningPort("listen", "tcp:19001")), rooms=(room(),), limits=Limits()
        )
        server = Server(settings, reactor)
        if privileged:  # twistd calls both, twist the second alone
            server.privilegedStartService()
        server.startService()
        assert [(port, interface) for port, _, _, interface in reactor.tcpServers] == [
            (19000, "127.0.0.1"),
            (19001, ""),
        ]


BANNER = """\
The server is ready.
  to play, type      telnet localhost 19000
  or                 ump connect localhost:19000
  and then           a name and a room, as in: alice quick
  on a drawn table   ump play localhost:19000
  to play, type      telnet 2001:db8::1 19000
  or                 ump connect [2001:db8::1]:19000
  and then           a name and a room, as in: alice quick
  on a drawn table   ump play [2001:db8::1]:19000
  --listen           unix:ump.sock
  not open           port 11600 is in use; another ump-server? choose one with --mjai PORT
  in a browser       http://localhost:8080/
  WebSocket bots     ws://localhost:8080/ump  (or /mjai, /ws/ranked, /ws/validate, /majiang)
  majiang-bot        majiang-bot -r quick http://localhost:8080/server
  room main          hanchan, rules ump, time 10+20, no built-in bots
  room quick         one kyoku, rules tenhou, time 60+600, 3 built-in bots: efficiency
  room three         hanchan, rules ump, time 10+20, 2 built-in bots: old, efficiency
  records of games   none; --record-dir FOLDER keeps them
  logs of games      games"""


def test_loaded_code_is_not_looked_through_again() -> None:
    """Once the reactor runs, a garbage collection passes over what was there at the start."""
    reactor = MemoryReactorClock()
    server = Server(settings_of((ListeningPort("listen", LOCAL),), rooms=(room(),), limits=Limits()), reactor)
    server.startService()
    try:
        reactor.run()
        assert gc.get_freeze_count() > 10 * len(gc.get_objects())
    finally:
        gc.unfreeze()
        server.stopService()
        reactor.advance(DRAIN_SECONDS)


def test_the_limit_of_an_ordered_drain() -> None:
    """It ends the server, without the time that SIGTERM would grant again."""
    reactor = MemoryReactorClock()
    settings = settings_of((ListeningPort("listen", LOCAL),), rooms=(room(),), limits=Limits(), drain=600)
    server = Server(settings, reactor)
    server.startService()
    assert server._parts.quota.begin()
    assert server.drain(30) == 1
    reactor.advance(29)
    assert not reactor.hasStopped
    reactor.advance(1)
    assert reactor.hasStopped
    server.stopService()
    reactor.advance(DRAIN_SECONDS)


def test_the_banner(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """When all ports are open and the reactor runs, one block says how to reach each, and what the server offers."""

    class OnePortTaken(MemoryReactorClock):
        def listenTCP(self, port: int, factory: object, backlog: int = 50, interface: str = "") -> object:
            if port == 11600:
                raise CannotListenError("127.0.0.1", port, OSError(errno.EADDRINUSE, "Address already in use"))
            return super().listenTCP(port, factory, backlog, interface)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ump.net.listener.shutil.which", str)
    ports = (
        ListeningPort("listen", LOCAL),
        ListeningPort("listen", r"tcp6:19000:interface=2001\:db8\:\:1"),
        ListeningPort("listen", "unix:ump.sock"),
        ListeningPort("mjai", "tcp:11600:interface=127.0.0.1", is_needed=False),
        ListeningPort("http", "tcp:8080"),
    )
    quick = room("quick", rules="tenhou", length="kyoku", time="60+600", house=["efficiency:9"])
    rooms = (room(), quick, room("three", house=["mjai:old=cat", "efficiency:1"]))
    told: list[str] = []
    reactor = OnePortTaken()
    settings = settings_of(ports, rooms=rooms, limits=Limits(), log_folder=Path("games"))
    Server(settings, reactor, told.append).startService()
    assert told == []
    reactor.run()
    assert told == [BANNER]


@pytest.mark.parametrize(
    ("on_path", "beside", "command"),
    [("/usr/bin/ump", True, "ump"), (None, True, "bin/ump"), (None, False, "python -m ump")],
)
def test_the_banner_names_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, on_path: str | None, beside: bool, command: str
) -> None:
    """The command to type works in the folder in which the server was started, with and without PATH."""
    (tmp_path / "bin").mkdir()
    if beside:
        (tmp_path / "bin" / "ump").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ump.net.listener.shutil.which", lambda name: on_path)
    monkeypatch.setattr("ump.net.listener.sys.executable", str(tmp_path / "bin" / "python"))
    told: list[str] = []
    reactor = MemoryReactorClock()
    Server(settings_of((ListeningPort("listen", LOCAL),), (room(),), Limits()), reactor, told.append).startService()
    reactor.run()
    assert f"  {command} connect localhost:19000\n" in told[0]


def test_a_required_port_in_use() -> None:
    """A server whose required port is in use ends with one line."""

    class Taken(MemoryReactorClock):
        def listenTCP(self, *args: object, **kwargs: object) -> object:
            raise CannotListenError("127.0.0.1", 19000, OSError(errno.EADDRINUSE, "Address already in use"))

    server = Server(settings_of((ListeningPort("listen", LOCAL),), rooms=(room(),), limits=Limits()), Taken())
    with pytest.raises(SystemExit) as caught:
        server.startService()
    assert str(caught.value) == ("ump-server: port 19000 is in use; another ump-server? choose one with --listen PORT")


def test_an_optional_port_in_use() -> None:
    """The server goes on without an optional port that is in use, and logs how to choose another."""

    class Taken(MemoryReactorClock):
        def listenTCP(self, port: int, *args: object, **kwargs: object) -> object:
            if port == 8080:
                raise CannotListenError("127.0.0.1", port, OSError(errno.EADDRINUSE, "Address already in use"))
            return super().listenTCP(port, *args, **kwargs)

    ports = (ListeningPort("listen", LOCAL), ListeningPort("http", "tcp:8080", is_needed=False))
    reactor = Taken()
    with capturedLogs() as events:
        server = Server(settings_of(ports, rooms=(room(),), limits=Limits()), reactor)
        server.startService()
    assert [each[0] for each in reactor.tcpServers] == [19000]
    warning = "port 8080 is in use; another ump-server? choose one with --http PORT"
    assert warning in [formatEvent(event) for event in events if event["log_level"] is LogLevel.warn]
    stopped: list[object] = []
    ended = server.stopService()
    assert isinstance(ended, Deferred)
    ended.addCallback(stopped.append)
    assert stopped


@pytest.mark.parametrize("privileged", [False, True])
def test_unfinished_games_go_on(tmp_path: Path, *, privileged: bool) -> None:
    """The games in the folder go on under every starter: ``twistd`` calls two methods, the others only one."""
    journals = journal_folder(tmp_path)
    with memory_server(room(grace=60), recorder_of=journals.create) as opened:
        opened.robots("a", "b", "c", "d", options="_resume=1")
    settings = settings_of((ListeningPort("listen", LOCAL),), (room(),), Limits(), record_folder=tmp_path)
    server = Server(settings, MemoryReactorClock())
    server.open_records()
    with capturedLogs() as events:
        if privileged:
            server.privilegedStartService()
        server.startService()
    assert [str(formatEvent(event))[:14] for event in events].count("main-1 goes on") == 1
    server.stopService()


def test_ports_share_rooms_and_limits() -> None:
    """Clients of different ports play at the same table."""
    running = start(LOCAL, "tcp:19001")
    peers = [running.connect(port) for port in (0, 1, 0, 1)]
    for peer in peers:
        peer.say("0 hello")
    assert all("gamestart" in peer.words() for peer in peers)
    running.stop()


@pytest.mark.parametrize(
    ("endpoint", "is_told"),
    [("tcp:18080:interface=127.0.0.1", True), ("haproxy:tcp:18080", False)],
    ids=["plain", "behind a proxy"],
)
def test_the_hello_names_the_port_of_the_pages(endpoint: str, is_told: bool) -> None:
    """Clients find rooms and games there; of a port behind a proxy they are not told."""
    reactor = MemoryReactorClock()
    ports = ListeningPort("listen", LOCAL), ListeningPort("http", endpoint)
    server = Server(settings_of(ports, rooms=(room(),), limits=Limits()), reactor)
    server.startService()
    running = Running(reactor, server)
    peer = running.connect()
    (hello,) = peer.heard()
    assert ("_http=" in hello) == is_told
    peer.hang_up()
    running.stop()


def test_an_empty_server_stops_at_once(running: Running) -> None:
    """A server without clients stops at once."""
    assert running.stop()


def test_bye_to_all_clients(running: Running) -> None:
    """Players, waiting clients, spectators and clients before their hello get bye; then the server stops."""
    players = [running.connect() for _ in range(5)]
    for player in players:
        player.say("0 hello")
    watcher, newcomer = running.connect(), running.connect()
    watcher.say("0 hello _watch=main")
    stopped = running.stop()
    for peer in (*players, watcher, newcomer):
        assert peer.words()[-1] == "bye"
        assert not peer.is_connected
    assert stopped


def test_a_client_that_does_not_read(running: Running) -> None:
    """A client that does not read delays the end by CLOSE_SECONDS."""
    stalled = running.connect()
    stalled.wire.is_stuck = True
    stopped = running.stop()
    running.reactor.advance(CLOSE_SECONDS - 1)
    assert not stopped
    running.reactor.advance(1)
    assert stalled.wire.was_aborted
    assert stopped


def test_a_connection_that_cannot_be_cut(running: Running) -> None:
    """The server stops after DRAIN_SECONDS, even if a connection stays open."""
    stalled = running.connect()
    stalled.wire.is_stuck = True
    stalled.wire.ignored_aborts = 1
    stopped = running.stop()
    running.reactor.advance(CLOSE_SECONDS)
    assert not stopped
    running.reactor.advance(DRAIN_SECONDS - CLOSE_SECONDS)
    assert stalled.wire.was_aborted
    assert stopped


def drain_by_quota(running: Running) -> list[None]:
    """End the quota of games; return a list that is filled when the server may stop."""
    ended: list[None] = []
    (drain,) = (service for service in running.server if isinstance(service, Drain))
    drain.drain(lambda: ended.append(None))
    running.reactor.advance(0)
    return ended


def test_the_end_of_a_quota(running: Running) -> None:
    """Clients that have received bye get time to answer; all others receive it now, and new clients an error."""
    leaving, waiting, watcher = (running.connect() for _ in range(3))
    leaving.say("0 hello")
    waiting.say("0 hello")
    watcher.say("0 hello _watch=main")
    leaving.connection.say_bye()
    ended = drain_by_quota(running)
    assert [peer.words()[-1] for peer in (leaving, waiting, watcher)] == ["bye"] * 3
    assert [peer.is_connected for peer in (leaving, waiting, watcher)] == [True, False, False]
    running.reactor.advance(1)
    newcomer = running.connect()
    newcomer.say("0 hello")
    assert newcomer.words()[-1] == "error"
    assert not newcomer.is_connected
    leaving.say("bye")
    assert not leaving.is_connected
    assert not ended
    running.reactor.advance(LOGOUT_SECONDS)
    assert ended
    running.stop()


def test_the_end_of_a_quota_with_a_connection_that_stays(running: Running) -> None:
    """The server stops after DRAIN_SECONDS, even if a client does not leave."""
    stalled = running.connect()
    stalled.wire.is_stuck = True
    stalled.wire.ignored_aborts = 1
    ended = drain_by_quota(running)
    running.reactor.pump([DRAIN_SECONDS, LOGOUT_SECONDS])
    assert ended
    running.stop()
    running.reactor.advance(DRAIN_SECONDS)


def test_a_server_that_stops_during_the_end_of_its_quota(running: Running) -> None:
    """A server that is already stopping is not stopped again."""
    ended = drain_by_quota(running)
    assert running.stop()
    running.reactor.advance(LOGOUT_SECONDS)
    assert not ended


def test_the_http_port_closes_last() -> None:
    """The HTTP port stays open until all clients have gone; the other ports close at once."""
    reactor = MemoryReactorClock()
    closed: list[int] = []

    class Watched(MemoryReactorClock):
        def listenTCP(self, port: int, *args: object, **kwargs: object) -> object:
            opened = reactor.listenTCP(port, *args, **kwargs)
            opened.stopListening = lambda: closed.append(port)
            return opened

    clock = Watched()
    settings = settings_of(
        (ListeningPort("listen", LOCAL), ListeningPort("http", "tcp:8080")), rooms=(room(),), limits=Limits()
    )
    server = Server(settings, clock)
    server.startService()
    address = IPv4Address("TCP", "192.0.2.1", 40_000)
    protocol = reactor.tcpServers[0][1].buildProtocol(address)
    assert isinstance(protocol, Lines)
    connect_peer(protocol, address).wire.is_stuck = True
    server.stopService()
    assert closed == [19000]
    clock.advance(CLOSE_SECONDS)
    assert closed == [19000]
    clock.advance(LOGOUT_SECONDS)
    assert closed == [19000, 8080]
