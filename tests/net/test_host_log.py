"""The log about connections: a few lines for each host in a minute, and a summary of the others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.memory_server import MemoryServer, memory_server
from twisted.internet.task import Clock
from twisted.logger import LogEvent, LogLevel, capturedLogs, formatEvent

from ump.net import host_log
from ump.net.host_log import HostLog, Said
from ump.net.limits import Limits, Rates


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
    monkeypatch.setattr(host_log, "MOST_LINES", 100)
    monkeypatch.setattr(host_log, "MOST_HOSTS", 50)
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
    return sum(len(text) for text in texts([event for event in events if event["log_level"] > LogLevel.debug]))


def test_a_hostile_host_costs_no_more_log_than_the_limit() -> None:
    """Ten times as many connections cost a few digits more."""
    with memory_server(limits=Limits(log_lines=5, rates=Rates(violations=1_000))) as server:
        few, many = bytes_of(server, 20), bytes_of(server, 200)
    assert 100 < few <= many < few + 20
