"""The reactor for short messages reads, writes and closes as Twisted's own does."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable, Iterator

import pytest
from support.programs import run
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IAddress
from twisted.internet.main import CONNECTION_DONE
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import capturedLogs
from twisted.python.failure import Failure

if not hasattr(select, "epoll"):
    pytest.skip("this system has no epoll", allow_module_level=True)

from ump.net.connection_budget import Budget, ConnectionKind, Ledger
from ump.net.reactor import ACCEPTS, FEW, PlayersFirstReactor


class Wire:
    """One end of a pair of sockets, as the reactor sees it."""

    def __init__(self, read: Callable[[bytes], object]) -> None:
        self.socket, self.peer = socket.socketpair()
        self.socket.setblocking(False)
        self.lost: list[type[BaseException] | None] = []
        self.wrote = 0
        self.protocol: object = None
        self._read = read

    def fileno(self) -> int:
        """Return the descriptor; -1 once it is closed."""
        return self.socket.fileno()

    def logPrefix(self) -> str:
        """Name it in Twisted's older log."""
        return "wire"

    def doRead(self) -> object:
        """Pass what has arrived to ``read``."""
        data = self.socket.recv(100)
        return self._read(data) if data else CONNECTION_DONE

    def doWrite(self) -> None:
        """Count a turn in which the socket could be written."""
        self.wrote += 1

    def connectionLost(self, reason: Failure) -> None:
        """Note why it was closed."""
        self.lost.append(reason.type)
        self.socket.close()
        self.peer.close()


@pytest.fixture
def reactor() -> Iterator[PlayersFirstReactor]:
    """Return one that is not installed; close all that it still watches at the end."""
    reactor = PlayersFirstReactor()
    yield reactor
    for wire in reactor.removeAll():
        wire.socket.close()
        wire.peer.close()
    for end in (reactor.waker.i, reactor.waker.o):
        os.close(end) if isinstance(end, int) else end.close()
    reactor._poller.close()


def test_readers_get_what_arrives(reactor: PlayersFirstReactor) -> None:
    """In each turn, everything that waits."""
    got: list[bytes] = []
    wires = [Wire(got.append) for _ in range(3)]
    for number, wire in enumerate(wires):
        reactor.addReader(wire)
        wire.peer.send(b"%d" % number)
    reactor.doIteration(0)
    assert sorted(got) == [b"0", b"1", b"2"]
    reactor.doIteration(0)
    assert len(got) == 3


def test_a_failing_reader_is_closed_alone(reactor: PlayersFirstReactor) -> None:
    """The error goes to the log, and the others are read in the same turn."""
    got: list[bytes] = []
    wires = [Wire(lambda data: 1 // 0), Wire(got.append)]
    for wire in wires:
        reactor.addReader(wire)
        wire.peer.send(b"x")
    with capturedLogs() as logs:
        reactor.doIteration(0)
    assert (wires[0].lost, wires[1].lost, got) == ([ZeroDivisionError], [], [b"x"])
    assert [log["failure"].type for log in logs] == [ZeroDivisionError]
    assert wires[0] not in reactor.getReaders()


def test_a_reader_may_close_another(reactor: PlayersFirstReactor) -> None:
    """It is not read any more, although its event has been reported."""
    wires: list[Wire] = []

    def close_both(data: bytes) -> None:
        for wire in wires:
            reactor.removeReader(wire)
            wire.lost.append(None)
            wire.socket.close()
            wire.peer.close()

    wires += [Wire(close_both), Wire(close_both)]
    for wire in wires:
        reactor.addReader(wire)
        wire.peer.send(b"x")
    reactor.doIteration(0)
    assert [wire.lost for wire in wires] == [[None], [None]]


def test_the_end_of_the_peer(reactor: PlayersFirstReactor) -> None:
    """A closed peer ends the connection cleanly, whether or not it has sent something before."""
    got: list[bytes] = []
    silent, talking = Wire(got.append), Wire(got.append)
    talking.peer.send(b"bye")
    for wire in (silent, talking):
        reactor.addReader(wire)
        wire.peer.close()
    reactor.doIteration(0)
    reactor.doIteration(0)
    assert got == [b"bye"]
    assert [*silent.lost, *talking.lost] == [ConnectionDone, ConnectionDone]


def test_writers_and_what_is_lost_while_nothing_is_read(reactor: PlayersFirstReactor) -> None:
    """Everything but a plain read takes Twisted's way."""
    wire = Wire(lambda data: None)
    reactor.addWriter(wire)
    reactor.doIteration(0)
    assert wire.wrote == 1
    wire.peer.close()
    reactor.doIteration(0)
    assert wire.lost == [ConnectionLost]


class Player:
    """A protocol of a client at a table."""

    place = Ledger(Budget()).enter(ConnectionKind.PLAYER, "192.0.2.1", lambda: None)


class Wrapper:
    """A protocol around another, as for TLS."""

    wrappedProtocol = Player()


@pytest.mark.parametrize("protocol", [Player, Wrapper])
def test_players_come_first(reactor: PlayersFirstReactor, monkeypatch: pytest.MonkeyPatch, protocol: type) -> None:
    """Among many clients; those who get no time in a turn get it in the next ones, in which nobody waits twice."""
    monkeypatch.setattr("ump.net.reactor.OTHERS_SECONDS", 0.0)
    got: list[bytes] = []
    crowd = [Wire(got.append) for _ in range(FEW)]
    player = Wire(got.append)
    player.protocol = protocol()
    for number, wire in enumerate([*crowd, player]):
        reactor.addReader(wire)
        wire.peer.send(b"%d" % number)
    for _ in crowd:
        reactor.doIteration(0)
        first, other = got[-2:]
        assert first == b"%d" % FEW
        player.peer.send(first)
        crowd[int(other)].peer.send(other)  # it has more to say
    assert sorted(got[1::2]) == [b"%d" % number for number in range(FEW)]


class Counted(Factory):
    """Refuses and notes each connection."""

    def __init__(self, accepted: list[object]) -> None:
        self._accepted = accepted

    def buildProtocol(self, addr: IAddress | None) -> Protocol | None:
        """Refuse it."""
        self._accepted.append(addr)
        return None


def test_a_port_accepts_a_few_at_once(reactor: PlayersFirstReactor) -> None:
    """The others wait for the next turns."""
    accepted: list[object] = []
    port = reactor.listenTCP(0, Counted(accepted), interface="127.0.0.1")
    clients = [socket.create_connection(("127.0.0.1", port.getHost().port)) for _ in range(2 * ACCEPTS)]
    for turn in (1, 2):
        reactor.doIteration(1)
        assert len(accepted) == turn * ACCEPTS
    for client in clients:
        client.close()
    port.connectionLost(Failure(ConnectionDone()))


INSTALLED = """
from ump.cli.serve import install_reactor
install_reactor()
from twisted.internet import reactor
install_reactor()  # a second time changes nothing
print(type(reactor).__name__)
"""


def test_the_server_installs_it() -> None:
    """Before Twisted chooses a reactor by itself."""
    ended = run("-c", INSTALLED, is_plain=True)
    assert ended.stdout == "PlayersFirstReactor\n"


def test_twistd_offers_it() -> None:
    """As ``--reactor ump``."""
    from twisted.application.reactors import getReactorTypes

    assert "ump" in {each.shortName for each in getReactorTypes()}
