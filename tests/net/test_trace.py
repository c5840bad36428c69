"""Traces of connections: their lines, limits and permissions, secrets, and disks that are slow or fail."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.memory_server import MemoryServer, memory_server, room
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.logger import LogLevel, capturedLogs, formatEvent

from ump.net import trace as traces
from ump.net.trace import Trace, TraceFolder

KYOKU = room(length="kyoku", house=["tsumogiri:3"], house_after=0)
TOKEN = "00112233445566778899aabbccddeeff"
ACCESS_TOKEN = "ump_0123456789ab_" + "x" * 43


def at_once(call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
    """Call a function, as another thread would."""
    return succeed(call(*arguments))


@contextmanager
def traced_server(folder: Path) -> Iterator[MemoryServer]:
    """Open a server that traces its connections; at the end, all is written."""
    with memory_server(KYOKU) as server:
        server.connections.traces = TraceFolder(folder, server.clock, at_once)
        yield server
        for peer in server.peers:
            peer.hang_up()
        server.connections.traces.close()


def content(folder: Path) -> list[str]:
    """Return the lines of the only trace in a folder."""
    (path,) = folder.iterdir()
    return path.read_text(encoding="utf-8").splitlines()


def folder_of(path: Path, clock: Clock | None = None) -> TraceFolder:
    """Return a folder that writes when its clock advances."""
    return TraceFolder(path, clock or Clock(), at_once)


def test_a_trace_has_all_lines_with_instants(tmp_path: Path) -> None:
    """A trace has each line both ways, in order, and remarks; nobody else may read it."""
    with traced_server(tmp_path) as server:
        (robot,) = server.robots("alice")
        server.play([robot], until=lambda: "sutehai?" in robot.peer.words())
        robot.peer.say("sute 5x")
        server.play([robot])
    lines = content(tmp_path)
    assert all(re.match(r"1970-01-01T00:00:0[0-9][.]\d{3}Z [<>#] ", line) for line in lines)
    assert lines[0].endswith("Z > " + robot.peer.lines[0])
    assert lines[1].endswith(" < 0 hello ump=0.1 name=alice ")
    assert [line.split(" > ")[1] for line in lines if " > " in line] == robot.peer.lines
    place = next(place for place, line in enumerate(lines) if line.endswith("< sute 5x"))
    asked = re.compile(r"\d+ \(turn \w\w\)$")
    remarks = [asked.sub("", line.split("Z ", 1)[1]) for line in lines[place + 1 : place + 3]]
    assert remarks == [
        "# cannot be read: '5x' is not a tile in UMP's notation (1m to 9m, p, s, 1z to 7z, red 5M 5P 5S)",
        "# refused: unreadable; the answer to question ",
    ]
    assert [remark.split(":")[0] for remark in remarks] == ["# cannot be read", "# refused"]
    assert any(re.search("# main-1: seat [A-D], in UMP 0.1$", line) for line in lines)
    assert lines[-1].endswith("# the connection is closed")
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_secrets_stand_in_no_trace_and_no_log(tmp_path: Path) -> None:
    """Passwords and tokens are hidden, whatever a client does with them."""
    with capturedLogs() as events, traced_server(tmp_path) as server:
        for hello in (
            "0 hello ump=0.1 name=alice password=s3cret _resume=1",
            f"0 hello _resume={TOKEN}",
            "0 hello password=s3cret%",
            '{"hello":{"password":"s3cret"}}',
            "0 hello ump=0.1 password=s3cret name=%",
            "0 Authorization: Bearer s3cret",
            f"0 hello name=alice {ACCESS_TOKEN}",
        ):
            peer = server.connect()
            peer.say(hello)
            peer.say("77 password=s3cret")
            server.clock.advance(0)
        token = next(
            line.split()[2] for peer in server.peers for line in peer.lines or peer.heard() if " _resume " in line
        )
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())
    written += "".join(formatEvent(event) for event in events)
    assert "***" in written
    assert not any(secret in written for secret in ("s3cret", TOKEN, token, ACCESS_TOKEN))


def test_a_trace_has_two_parts_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that is full replaces the older part."""
    monkeypatch.setattr(traces, "MAX_TRACE", 200)
    clock = Clock()
    trace = folder_of(tmp_path, clock).open("peer")
    assert trace is not None
    for number in range(20):
        trace.remark(str(number))
        clock.advance(1)
    trace.close()
    clock.advance(1)
    newer, older = sorted(tmp_path.iterdir())
    assert older.name == newer.name + ".1"
    assert max(newer.stat().st_size, older.stat().st_size) <= 200
    assert newer.read_text(encoding="utf-8").endswith("# 19\n")
    assert stat.S_IMODE(older.stat().st_mode) == stat.S_IMODE(newer.stat().st_mode) == 0o600


def test_the_newest_traces_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest traces of closed connections make room; if all are open, no further connection is traced."""
    monkeypatch.setattr(traces, "MAX_TRACES", 3)
    clock = Clock()
    folder = folder_of(tmp_path, clock)
    opened: list[Trace | None] = [folder.open(f"peer-{number}") for number in range(4)]
    assert [trace is None for trace in opened] == [False, False, False, True]
    for trace in opened[:3]:
        assert trace is not None
        trace.remark("a")
        trace.close()
    later = folder.open("later")
    assert later is not None
    later.remark("b")
    clock.advance(1)
    names = sorted(path.name.split("-", 5)[5] for path in tmp_path.iterdir())
    assert names == ["later.trace", "peer-1.trace", "peer-2.trace"]


def test_a_disk_that_fails_ends_the_trace_alone(tmp_path: Path) -> None:
    """The game goes on, and the log says once that the trace ends."""
    with capturedLogs() as events, traced_server(tmp_path / "missing") as server:
        (robot,) = server.robots("alice")
        server.play([robot], until=lambda: "sutehai?" in robot.peer.words())
        server.clock.advance(1)
        server.play([robot])
        assert "gameend" in robot.peer.words()
    errors = [formatEvent(event) for event in events if event["log_level"] is LogLevel.error]
    assert len(errors) == 1
    assert "the trace ends: No such file" in errors[0]


def test_a_slow_disk_delays_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the disk is busy, lines wait up to a limit; the others are left out and counted."""
    monkeypatch.setattr(traces, "MAX_TRACE_BACKLOG", 200)
    clock = Clock()
    busy: list[tuple[Deferred[Any], Callable[..., Any], tuple[object, ...]]] = []

    def in_thread(call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
        busy.append((Deferred(), call, arguments))
        return busy[-1][0]

    def disk() -> None:
        done, call, arguments = busy.pop()
        done.callback(call(*arguments))

    trace = TraceFolder(tmp_path, clock, in_thread).open("peer")
    assert trace is not None
    for number in range(10):
        trace.remark(f"line {number}")
    clock.advance(1)
    disk()
    trace.remark("later")
    clock.advance(1)
    disk()
    lines = content(tmp_path)
    kept = sum(" # line " in line for line in lines)
    assert 0 < kept < 10
    assert lines[kept:][0].endswith(f"# {10 - kept} lines are missing here: the disk was too slow")
    assert lines[-1].endswith("# later")


def test_controls_and_long_messages_are_safe_to_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace has one line for each message, without control characters, and cuts a long one."""
    monkeypatch.setattr(traces, "MAX_TRACED_TEXT", 20)
    clock = Clock()
    trace = folder_of(tmp_path, clock).open("peer")
    assert trace is not None
    trace.received(b"\x1b[2J\xff\r\n")
    trace.received(b"x" * 30)
    clock.advance(1)
    first, second = content(tmp_path)
    assert first.endswith("< \\x1b[2J\\xff\\x0d\\x0a")
    assert second.endswith("< " + "x" * 20 + ".. (10 characters more)")
