"""The limits of open connections: in all, from one host, before anything is made for them, and in the log."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

import pytest
from support.memory_server import MemoryServer, Peer, memory_server, room
from support.rows import each_row
from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.logger import LogEvent, LogLevel, capturedLogs, formatEvent

from ump.net import connection_limits
from ump.net.connection_budget import HOST_SHARE, Budget, ConnectionKind, NetworkList, TurnedAway
from ump.net.connection_limits import AdmittingFactory, HostLog, OpenConnections, Said, admitting
from ump.net.limits import TOO_MANY_CODES, TOO_MANY_LEFT, Limits, Rates
from ump.net.proxy_header import ProxyHeader
from ump.server.settings import WRONG_CODE

TURNED_AWAY = ["0 error too%20many%20connections"]


def limited(**most: int) -> Limits:
    """Return limits with this budget."""
    return Limits(Budget(**most))


def test_in_all() -> None:
    """A connection beyond the limit gets an error at once; a connection that closes makes room for another."""
    with memory_server(limits=limited(connections=3)) as server:
        first, *_ = waiting = [server.connect(f"192.0.2.{number}") for number in range(3)]
        for number, each in enumerate(waiting):
            each.say(f"0 hello ump=0.1 name=p{number}")
        third = server.connect("192.0.2.3")
        assert third.heard() == TURNED_AWAY
        assert dict(server.connections.refused) == {TurnedAway.FULL: 1}
        assert not third.is_connected
        first.hang_up()
        assert server.connect("192.0.2.3").is_connected


def test_newcomers_displace_the_oldest() -> None:
    """If all places are taken, the client that has gone the longest without a hello makes room for a new one."""
    with memory_server(limits=limited(connections=8, newcomers=3)) as server, capturedLogs() as events:
        silent = [server.connect(f"192.0.2.{number}") for number in range(3)]
        silent[0].say("0 hello ump=0.1 name=a")
        silent.append(server.connect("192.0.2.9"))
        assert all(each.is_connected for each in silent)
        for number in range(10, 20):
            assert server.connect(f"192.0.2.{number}").is_connected
        assert [each.is_connected for each in silent] == [True, False, False, False]
        assert silent[1].heard()[-1] == "1 error too%20many%20connections"
        assert len([event for event in events if "run short" in event["log_format"]]) == 1


def test_from_one_host() -> None:
    """The connections of each host are counted separately."""
    with memory_server(limits=Limits(Budget(per_host=1))) as server:
        first = server.connect("192.0.2.1")
        assert server.connect("192.0.2.1").heard() == TURNED_AWAY
        assert server.connect("192.0.2.2").is_connected
        first.hang_up()
        assert server.connect("192.0.2.1").is_connected


def test_local_sockets() -> None:
    """Clients on UNIX sockets are not counted as one host."""
    with memory_server(limits=Limits(Budget(per_host=1))) as server:
        assert all(server.connect(address=UNIXAddress(None)).is_connected for _ in range(3))


def test_one_host_cannot_lock_others_out() -> None:
    """With the defaults, one host that opens as many connections of each kind as it can leaves room for others."""
    with memory_server() as server:
        for _ in range(2 * Limits().budget.per_host):
            server.connect("192.0.2.1")
            server.connect("192.0.2.2").say("0 hello ump=0.1 _watch=main")
            server.connect("192.0.2.3").say("0 hello ump=0.1 name=a")
        other = server.connect("192.0.2.9")
        other.say("0 hello ump=0.1 _watch=main")
        assert other.is_connected
        assert server.connect("192.0.2.9").is_connected


def test_spectators_have_a_budget_of_their_own() -> None:
    """Spectators beyond their budget hear why; players still come in."""
    with memory_server(limits=limited(spectators=4)) as server:
        watchers = [server.enter("w", "_watch=main") for _ in range(2)]
        assert [watcher.is_connected for watcher in watchers] == [True, False]
        assert watchers[1].heard()[-1] == "1 error too%20many%20spectators;%20try%20again%20later"
        server.robots("a", "b", "c", "d")
        watchers[0].hang_up()
        assert server.enter("w", "_watch=main").is_connected


def test_waiting_players_have_a_budget_of_their_own() -> None:
    """Players beyond the budget of the line hear why."""
    with memory_server(limits=limited(waiting=8)) as server:
        waiting = [server.enter(name) for name in "abc"]
        assert [each.is_connected for each in waiting] == [True, True, False]
        assert waiting[2].heard()[-1].endswith("error too%20many%20players%20are%20waiting;%20try%20again%20later")


def test_four_hosts_do_not_lock_everybody_out() -> None:
    """If all places to wait are taken, the host with the most of them gives up the one that was taken first.

    Hosts that have as few as the newcomer keep theirs, and all that are refused count.
    """
    rooms = [room(name) for name in ("first", "second", "third")]
    with memory_server(*rooms, limits=limited(waiting=8)) as server:

        def enter(host: int, number: int) -> Peer:
            client = server.connect(f"192.0.2.{host}")
            client.say(f"0 hello ump=0.1 name=p{number}-{host} _room={rooms[number // 3].name}")
            return client

        waiting = [enter(number // 2, number) for number in range(8)]
        assert server.connections.turned_away == 0
        assert all(each.is_connected for each in waiting)
        assert enter(9, 8).is_connected
        assert [each.is_connected for each in waiting] == [False, *[True] * 7]
        assert waiting[0].heard()[-1].endswith("error too%20many%20players%20are%20waiting;%20try%20again%20later")
        assert not enter(3, 8).is_connected
        assert dict(server.connections.refused) == {TurnedAway.FULL: 1, TurnedAway.HOST: 1}
        assert server.connections.count(ConnectionKind.WAITING) == 8


def test_room_is_kept_for_newcomers() -> None:
    """A part of all connections is left for clients that come, however many players wait and watch."""
    with memory_server(limits=limited(connections=16)) as server:
        for number in range(30):
            server.connect(f"192.0.2.{number}").say("0 hello ump=0.1 _watch=main")
        assert server.connections.count(ConnectionKind.SPECTATOR) == 12
        assert server.connect("192.0.2.99").is_connected


def test_after_a_game() -> None:
    """A player who stays after a game never loses its place to the budget of waiting players."""
    with memory_server(limits=limited(waiting=16)) as server:
        robots = [*server.robots("a", "b", "c", options="_games=2"), *server.robots("d")]
        server.play(robots)
        assert [robot.peer.is_connected for robot in robots] == [True, True, True, False]
        assert server.connections.count(ConnectionKind.WAITING) == 3


def test_a_host_that_breaks_protocols_may_not_connect_for_a_while() -> None:
    """Connections that are open go on, other hosts come in, and with time the host may connect again."""
    with memory_server(limits=Limits(rates=Rates(violations=2))) as server:
        open_before = server.connect("192.0.2.1")
        for _ in range(2):
            wrong = server.connect("192.0.2.1")
            assert wrong.is_connected
            wrong.say("0 hello name=")
            assert not wrong.is_connected
        assert server.connect("192.0.2.1").heard() == ["0 error too%20many%20connections"]
        assert dict(server.connections.refused) == {TurnedAway.VIOLATIONS: 1}
        assert server.connect("192.0.2.2").is_connected
        open_before.say("0 hello ump=0.1 name=a")
        assert open_before.is_connected
        server.clock.advance(30)
        assert server.connect("192.0.2.1").is_connected


def test_guesses() -> None:
    """The codes of a host that has guessed too often are not looked at, not even the right one; all else goes on."""
    rooms = room("main"), room("club", access="code:Sakura7")
    with memory_server(*rooms, limits=Limits(rates=Rates(violations=2))) as server:

        def said(name: str, room: str, host: str = "192.0.2.1") -> str:
            peer = server.connect(host)
            peer.say(f"0 hello ump=0.1 name={name} _explain=1 _room={room}")
            return peer.heard()[-1].replace("%20", " ")

        assert WRONG_CODE in said("a", "club:Sakura1")
        assert WRONG_CODE in said("b", "club:Sakura2")
        assert TOO_MANY_CODES in said("c", "club:Sakura7")
        assert "_waiting" in said("d", "main")
        assert "_waiting" in said("e", "club:Sakura7", "192.0.2.2")
        server.clock.advance(30)
        assert "_waiting" in said("f", "club:Sakura7")
        assert not server.connections.turned_away


def test_what_the_server_refuses_is_no_violation() -> None:
    """A client that asks for a room that does not exist has broken no protocol, however often it asks."""
    with memory_server(limits=Limits(rates=Rates(violations=1))) as server:
        for _ in range(3):
            peer = server.connect("192.0.2.1")
            peer.say("0 hello ump=0.1 name=a _room=attic")
            assert "unknown%20room" in peer.heard()[-1]


def test_the_rate_of_connections() -> None:
    """A host that connects too often is turned away, until some time has passed; others are not."""
    with memory_server(limits=Limits(rates=Rates(connections=2))) as server:
        assert [server.connect("192.0.2.1").is_connected for _ in range(3)] == [True, True, False]
        assert server.connect("192.0.2.2").is_connected
        assert dict(server.connections.refused) == {TurnedAway.RATE: 1}
        server.clock.advance(30)
        assert [server.connect("192.0.2.1").is_connected for _ in range(2)] == [True, False]


@each_row(("per_host", "most"), [(2, 5), (9, 9)])
def test_a_minute_is_not_spent_at_once(per_host: int, most: int) -> None:
    """A host that comes for the first time has the connections, logins and games of ten seconds, or per_host."""
    limits = Limits(Budget(per_host=per_host), rates=Rates(connections=30, logins=30, games=30))
    connections = OpenConnections(limits)
    for take in (connections.logins.take, connections.games.take):
        assert [take("192.0.2.1", 0.0) for _ in range(10)] == [True] * most + [False] * (10 - most)
    entered = [connections.enter(ConnectionKind.HTTP, "192.0.2.1", 0.0, lambda: None) for _ in range(10)]
    assert connections.refused[TurnedAway.RATE] == 10 - most
    assert entered[-1] is None


def test_the_rate_of_logins() -> None:
    """A host that says hello too often hears why."""
    with memory_server(limits=Limits(rates=Rates(logins=1))) as server:
        server.enter("a")
        assert (
            server.enter("b")
            .heard()[-1]
            .endswith("error too%20many%20logins%20from%20your%20address;%20try%20again%20in%20a%20minute")
        )


def test_a_host_leaves_few_seats_behind() -> None:
    """Tables wait for players who have gone: their host begins no more games until one of them is over."""
    with memory_server(
        room(house=["tsumogiri:3"], house_after=0, grace=60), limits=Limits(Budget(per_host=2 * HOST_SHARE))
    ) as server:

        def enter(host: str, options: str = "_resume=1") -> Peer:
            peer = server.connect(host)
            peer.say(f"0 hello name=a{host[-1]} {options}")
            server.clock.advance(0)
            return peer

        left = [enter("192.0.2.1") for _ in range(3)]
        tokens = [next(line.split()[2] for line in peer.heard() if " _resume " in line) for peer in left]
        for peer in left[:2]:
            peer.hang_up()
        assert f"error {TOO_MANY_LEFT}" in unquote(enter("192.0.2.1").heard()[-1])
        assert "gamestart" in enter("192.0.2.2").words()
        assert "gamestart" in enter("192.0.2.1", f"_resume={tokens[0]}").words()
        assert "gamestart" in enter("192.0.2.1").words()


def test_the_rate_of_games() -> None:
    """A host whose players join too many games hears why, at the hello or after a game."""
    with memory_server(limits=Limits(rates=Rates(games=5))) as server:
        robots = server.robots("a", "b", "c", "d", options="_games=9")
        server.play(robots)
        connected = [robot.peer for robot in robots if robot.peer.is_connected]
        assert len(connected) == 1
        turned_away = robots[3].peer
        assert turned_away.lines[-1].endswith(
            "error too%20many%20games%20from%20your%20address;%20try%20again%20in%20a%20minute"
        )
        assert server.enter("e").heard()[-1].partition(" ")[2] == turned_away.lines[-1].partition(" ")[2]


def test_denied_addresses() -> None:
    """A denied address is turned away, directly and behind a proxy; so is a network."""
    deny = NetworkList.parse("192.0.2.7  # a flood\n2001:db8::/32\n")
    with memory_server(limits=Limits(deny=deny)) as server:
        assert server.connect("192.0.2.7").heard() == TURNED_AWAY
        assert server.connect("2001:db8::1").heard() == TURNED_AWAY
        assert server.connect("192.0.2.8").is_connected
        header = ProxyHeader(IPv4Address("TCP", "192.0.2.7", 1), None, is_encrypted=False)
        assert not server.connect("10.0.0.1", header=header).is_connected
        assert dict(server.connections.refused) == {TurnedAway.DENIED: 3}


@each_row("refused", [1, 100])
def test_the_log_stays_short(refused: int) -> None:
    """The log has one line for the first, second, fourth, eighth .. connection that is turned away."""
    with memory_server(limits=limited(connections=1, per_host=1)) as server, capturedLogs() as events:
        server.connect()
        for _ in range(refused):
            server.connect()
        told = [
            event for event in events if event["log_level"] is LogLevel.info and "turned away" in event["log_format"]
        ]
        assert len(told) == refused.bit_length()
        assert told[-1]["count"] <= refused < 2 * told[-1]["count"]


class Making(Factory):
    """Counts the protocols that it makes."""

    noisy = False

    def __init__(self) -> None:
        self.made = 0

    def logPrefix(self) -> str:
        """Return a name."""
        return "making"

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        """Make one."""
        self.made += 1
        return Protocol()


V4, V6 = IPv4Address("TCP", "192.0.2.7", 1), IPv6Address("TCP", "2001:db8::1", 1)


@each_row(
    ("limits", "address", "why"),
    [
        (Limits(deny=NetworkList.parse("192.0.2.0/24")), V4, TurnedAway.DENIED),
        (Limits(deny=NetworkList.parse("2001:db8::/32")), V6, TurnedAway.DENIED),
        (Limits(rates=Rates(connections=1)), V4, TurnedAway.RATE),
        (Limits(rates=Rates(violations=1)), V4, TurnedAway.VIOLATIONS),
    ],
)
def test_nothing_is_made_for_a_host_that_may_not_connect(limits: Limits, address: IAddress, why: TurnedAway) -> None:
    """The reason is counted, and other hosts are let in."""
    connections, clock, inner = OpenConnections(limits), Clock(), Making()
    factory = AdmittingFactory(inner, connections, clock)
    if why is TurnedAway.RATE:
        assert factory.buildProtocol(address) is not None
        assert connections.enter(ConnectionKind.NEWCOMER, "192.0.2.7", clock.seconds(), lambda: None) is not None
    elif why is TurnedAway.VIOLATIONS:
        connections.violations.take("192.0.2.7", clock.seconds())
    made = inner.made
    assert factory.buildProtocol(address) is None
    assert inner.made == made
    assert dict(connections.refused) == {why: 1}
    assert factory.buildProtocol(IPv4Address("TCP", "198.51.100.1", 1)) is not None
    assert factory.buildProtocol(UNIXAddress("")) is not None
    clock.advance(60)
    assert (factory.buildProtocol(address) is None) is (why is TurnedAway.DENIED)


def test_the_look_takes_no_token() -> None:
    """Only the connection itself counts as a new connection of its host."""
    connections, clock = OpenConnections(Limits(rates=Rates(connections=1))), Clock()
    factory = AdmittingFactory(Making(), connections, clock)
    for _ in range(3):
        assert factory.buildProtocol(V4) is not None
    assert connections.enter(ConnectionKind.NEWCOMER, "192.0.2.7", clock.seconds(), lambda: None) is not None
    assert factory.buildProtocol(V4) is None


def test_the_inner_factory_starts_and_stops() -> None:
    """The port starts and stops both, and has the name of the inner one."""
    inner = Making()
    factory = AdmittingFactory(inner, OpenConnections(Limits()), Clock())
    assert factory.logPrefix() == "making"
    factory.doStart()
    assert inner.numPorts == 1
    factory.doStop()
    assert inner.numPorts == 0


@each_row(
    ("endpoint", "is_early"),
    [("tcp:19000", True), ("tcp6:0", True), ("systemd:domain=INET:index=0", True)]
    + [(each, False) for each in ("ssl:19000", "tls:certs:19443", "haproxy:tcp:19000", "unix:ump.sock")],
)
def test_endpoints_that_wrap_are_left_alone(endpoint: str, is_early: bool) -> None:
    """The factory inside TLS and the PROXY header must return a protocol."""
    inner = Making()
    assert isinstance(admitting(endpoint, inner, OpenConnections(Limits()), Clock()), AdmittingFactory) is is_early


def texts(events: Sequence[LogEvent]) -> list[str]:
    """Return the lines of the log."""
    return [formatEvent(event) for event in events]


def admitted(log: HostLog, host: str, said: Said, clock: Clock, times: int) -> int:
    """Return how many of these lines are written."""
    return sum(log.admits(host, said, clock) for _ in range(times))


def test_the_first_lines_of_each_host_are_written() -> None:
    """Then the others are counted, and the minute ends with one line about all hosts."""
    log, clock = HostLog(3), Clock()
    clock.advance(1_000)
    with capturedLogs() as events:
        assert admitted(log, "192.0.2.7", Said.JOINS, clock, 2) == 2
        clock.advance(20)
        assert admitted(log, "192.0.2.7", Said.CLOSED, clock, 5) == 1
        assert admitted(log, "192.0.2.7", Said.JOINS, clock, 2) == 0
        assert admitted(log, "", Said.CUT, clock, 4) == 3
        clock.advance(39.9)
        assert not events
        clock.advance(0.1)
    assert texts(events) == [
        "7 more lines about connections within a minute: 192.0.2.7 6 (joins 2, closed 4), no host 1 (cut 1)"
    ]
    assert admitted(log, "192.0.2.7", Said.JOINS, clock, 4) == 3
    assert len(clock.getDelayedCalls()) == 1
    log.close()
    assert not clock.getDelayedCalls()
    log.close()


def test_a_quiet_minute_writes_nothing() -> None:
    """Lines are counted anew after a minute, and no timer runs as long as all of them are written."""
    log, clock = HostLog(1), Clock()
    for _ in range(5):
        assert log.admits("192.0.2.7", Said.JOINS, clock)
        assert not clock.getDelayedCalls()
        clock.advance(60)


def test_many_hosts_write_no_more_than_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """All hosts together have a limit as well, and the summary names five; the memory for hosts is bounded."""
    monkeypatch.setattr(connection_limits, "MOST_LINES", 100)
    monkeypatch.setattr(connection_limits, "MOST_HOSTS", 50)
    log, clock = HostLog(20), Clock()
    with capturedLogs() as events:
        hosts = [f"198.51.100.{number}" for number in range(200)]
        assert sum(admitted(log, host, Said.CLOSED, clock, 3) for host in hosts) == 100
        assert len(log._written) <= 51
        assert len(log._left_out) <= 51
        clock.advance(60)
    (line,) = texts(events)
    assert line.startswith("500 more lines about connections within a minute: other hosts 35")
    assert line.count("(closed") == 5
    assert len(line) < 400


def bytes_of(server: MemoryServer, connections: int) -> int:
    """Let one host connect and break the protocol this many times in a minute; return the bytes in the log."""
    with capturedLogs() as events:
        for _ in range(connections):
            server.connect("192.0.2.7").say("0 hello name=")
            server.connect("192.0.2.7").say("0 hello name=ann")
            server.peers[-1].hang_up()
        server.clock.advance(60)
    return sum(map(len, texts(events)))


def test_a_hostile_host_costs_no_more_log_than_the_limit() -> None:
    """Ten times as many connections cost a few digits more, debug lines included."""
    with memory_server(limits=Limits(log_lines=5, rates=Rates(violations=1_000))) as server:
        few, many = bytes_of(server, 20), bytes_of(server, 200)
    assert 100 < few <= many < few + 20
