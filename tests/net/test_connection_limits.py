"""The limits of open connections: in all, from one host, and without a seat."""

from __future__ import annotations

import pytest
from support.memory_server import memory_server
from twisted.internet.address import UNIXAddress
from twisted.logger import LogLevel, capturedLogs

from ump.net.limits import Limits

TURNED_AWAY = ["0 error too%20many%20connections"]


def test_in_all() -> None:
    """A connection beyond the limit gets an error at once; a connection that closes makes room for another."""
    with memory_server(limits=Limits(connections=2)) as server:
        first, second, third = server.connect("192.0.2.1"), server.connect("192.0.2.2"), server.connect("192.0.2.3")
        assert third.heard() == TURNED_AWAY
        assert not third.is_connected
        first.hang_up()
        assert server.connect("192.0.2.3").is_connected
        assert second.is_connected


def test_from_one_host() -> None:
    """The connections of each host are counted separately."""
    with memory_server(limits=Limits(per_host=1)) as server:
        first = server.connect("192.0.2.1")
        assert server.connect("192.0.2.1").heard() == TURNED_AWAY
        assert server.connect("192.0.2.2").is_connected
        first.hang_up()
        assert server.connect("192.0.2.1").is_connected


def test_local_sockets() -> None:
    """Clients on UNIX sockets are not counted as one host."""
    with memory_server(limits=Limits(per_host=1)) as server:
        assert all(server.connect(address=UNIXAddress(None)).is_connected for _ in range(3))


def test_behind_a_proxy() -> None:
    """Behind a proxy a client's address is counted with its first line, and the proxy's own address is not counted."""
    with memory_server(limits=Limits(per_host=1)) as server:
        first, second = (server.connect("192.0.2.1", is_proxied=True) for _ in range(2))
        assert first.is_connected
        assert second.is_connected
        first.say("0 hello")
        assert first.is_connected
        second.say("0 hello")
        assert second.heard()[-1] == "1 error too%20many%20connections"
        first.hang_up()
        third = server.connect("192.0.2.1", is_proxied=True)
        third.say("0 hello")
        assert third.is_connected


def test_without_a_seat() -> None:
    """Waiting clients and spectators count against the limit of connections without a seat; players do not."""
    with memory_server(limits=Limits(unseated=4)) as server:
        server.robots("a", "b", "c", "d")
        watchers = [server.enter("w", "_watch=main") for _ in range(4)]
        assert all(watcher.is_connected for watcher in watchers)
        assert server.connect().heard() == TURNED_AWAY
        watchers[0].hang_up()
        assert server.connect().is_connected


def test_after_a_game() -> None:
    """Players who stay after a game count as connections without a seat."""
    with memory_server(limits=Limits(unseated=4)) as server:
        server.play([*server.robots("a", "b", "c", options="_games=2"), *server.robots("d")])
        assert server.connect().is_connected
        assert server.connect().heard() == TURNED_AWAY


@pytest.mark.parametrize("refused", [1, 100])
def test_the_log_stays_short(refused: int) -> None:
    """The log has one line for the first, second, fourth, eighth .. connection that is turned away."""
    with memory_server(limits=Limits(connections=1)) as server, capturedLogs() as events:
        server.connect()
        for _ in range(refused):
            server.connect()
        told = [
            event for event in events if event["log_level"] is LogLevel.info and "turned away" in event["log_format"]
        ]
        assert len(told) == refused.bit_length()
        assert told[-1]["count"] <= refused < 2 * told[-1]["count"]
