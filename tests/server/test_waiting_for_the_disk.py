"""``--sync always``: a step is sent when it is on the disk; only its own table waits for that."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from support.memory_server import MemoryServer, Robot, journal_folder, memory_server, room
from support.rows import each_row
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import capturedLogs

from ump.record.journal import check_journal, read_journal
from ump.server.journals import Sync
from ump.server.room import NO_RECORDS, RECORDS_AGAIN
from ump.server.table_runner import DISK_SECONDS, RETRY_SECONDS

CLOSED = "error this%20game%20cannot%20be%20recorded,%20so%20the%20table%20is%20closed"


class SlowDisk:
    """Calls functions in another thread, whose results come when the test wants it."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Deferred[Any], Any]] = []

    def call(self, function: Any, *arguments: object) -> Deferred[Any]:
        """Call a function; its result comes later."""
        result: Deferred[Any] = Deferred()
        outcome: list[Any] = []
        maybeDeferred(function, *arguments).addBoth(outcome.append)
        self.waiting.append((result, outcome[0]))
        return result

    def finish(self) -> None:
        """Let all results come."""
        waiting, self.waiting = self.waiting, []
        for result, outcome in waiting:
            result.callback(outcome)  # a failure goes to the errbacks


@pytest.fixture
def disk() -> SlowDisk:
    """A disk."""
    return SlowDisk()


@pytest.fixture
def server(tmp_path: Path, disk: SlowDisk) -> Iterator[MemoryServer]:
    """A server with two rooms whose games are recorded on the disk."""
    folder = journal_folder(tmp_path, Sync.ALWAYS, disk.call)
    rooms = (room("main", length="kyoku", time="10+20"), room("other", length="kyoku"))
    with memory_server(*rooms, recorder_of=folder.create) as opened:
        yield opened
        disk.finish()


def play_slowly(server: MemoryServer, disk: SlowDisk, robots: list[Robot]) -> None:
    """Play until the games are over."""
    for _ in range(10_000):
        server.play(robots)
        if not disk.waiting:
            return
        disk.finish()
    raise AssertionError("the game does not end")


def test_nothing_is_sent_before_it_is_on_the_disk(server: MemoryServer, disk: SlowDisk) -> None:
    """The table takes no further step meanwhile; the game is the same as without waiting."""
    robots = server.robots("a", "b", "c", "d")
    assert [robot.peer.words() for robot in robots] == [["hello"]] * 4
    for _ in range(40):
        before = [len(robot.peer.words()) for robot in robots]
        server.play(robots)
        assert len(disk.waiting) == 1
        disk.finish()
        assert [len(robot.peer.words()) for robot in robots] >= before
    play_slowly(server, disk, robots)
    with memory_server(room("main", length="kyoku", time="10+20")) as quick:
        others = quick.robots("a", "b", "c", "d")
        quick.play(others)
        assert [robot.peer.lines for robot in robots] == [robot.peer.lines for robot in others]


def test_other_tables_go_on(tmp_path: Path) -> None:
    """While one table waits, the game of another is played to its end."""
    slow = SlowDisk()
    folders = {"main": journal_folder(tmp_path, Sync.ALWAYS, slow.call)}
    quick = journal_folder(tmp_path, Sync.ALWAYS)
    rooms = (room("main", length="kyoku"), room("other", length="kyoku"))
    with memory_server(*rooms, recorder_of=lambda header: folders.get(header.room, quick).create(header)) as server:
        waiting = server.robots("a", "b", "c", "d")
        playing = server.robots("e", "f", "g", "h", options="_room=other")
        server.play([*waiting, *playing])
        assert [robot.peer.words()[-1] for robot in playing] == ["bye"] * 4
        assert [robot.peer.words()[-1] for robot in waiting] == ["hello"] * 4
        assert len(slow.waiting) == 1
        slow.finish()


def test_answers_count_from_their_arrival(server: MemoryServer, disk: SlowDisk) -> None:
    """An answer that arrives in time, while the step before it is on its way to the disk, is not late."""
    robots = server.robots("a", "b", "c", "d")
    disk.finish()
    robots[0].play()  # its "ok" waits for the disk
    robots[1].play()
    server.clock.advance(60)
    for _ in range(5):
        disk.finish()
    (path,) = journals_in(server)
    steps = read_journal(path.read_bytes()).steps
    assert [step.now for step in steps[:3]] == [0, 0, 0]


def journals_in(server: MemoryServer) -> list[Path]:
    """Return the journals of the running games."""
    recorder_of: Any = server.rooms[0]._setup._recorder_of
    return sorted(recorder_of.__self__.folder.glob("*.journal"))


def test_a_sync_that_fails_ends_the_table(
    server: MemoryServer, disk: SlowDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the step is sent; the players and the log hear why."""
    robots = server.robots("a", "b", "c", "d")
    disk.finish()
    server.play(robots)

    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fail)
    disk.finish()
    server.play(robots)
    with capturedLogs() as events:
        disk.finish()
    assert [robot.peer.lines[-1].split(" ", 1)[1] for robot in robots if robot.peer.words()] == [CLOSED] * 4
    assert [event["reason"] for event in events if "reason" in event] == ["Input/output error"]
    assert journals_in(server) == []


def test_a_server_that_stops_meanwhile(server: MemoryServer, disk: SlowDisk) -> None:
    """The step is recorded and not sent: it follows when the server starts again."""
    robots = server.robots("a", "b", "c", "d")
    disk.finish()
    server.play(robots)
    heard = [robot.peer.words() for robot in robots]
    (path,) = journals_in(server)
    server.lobby.close()
    disk.finish()
    assert [robot.peer.words()[: len(words)] for robot, words in zip(robots, heard, strict=True)] == heard
    assert all(robot.peer.words()[-1] in ("bye", "ready?") for robot in robots)
    journal = read_journal(path.read_bytes())
    assert journal.end is None
    assert check_journal(journal)


def test_a_player_who_leaves_meanwhile(server: MemoryServer, disk: SlowDisk) -> None:
    """The table hears of it after the step; the others play on."""
    robots = server.robots("a", "b", "c", "d")
    disk.finish()
    server.play(robots)
    robots[0].peer.hang_up()
    play_slowly(server, disk, robots[1:])
    assert [robot.peer.words()[-2:] for robot in robots[1:]] == [["gameend", "bye"]] * 3


# A full disk


class FullDisk:
    """A disk that takes nothing while it is full, or a part of what is written, or all of it but no sync."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = False
        self._write, self._sync = os.write, os.fdatasync
        self.share = 1.0
        """The part of what is written that finds room while it is full."""
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(os, "fdatasync", self.sync)

    def write(self, descriptor: int, data: bytes) -> int:
        """Write as much as there is room for."""
        if self.is_full and not self.share:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._write(descriptor, data[: int(len(data) * self.share)] if self.is_full else data)

    def sync(self, descriptor: int) -> None:
        """Sync if there is room."""
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._sync(descriptor)


def told(robot: Robot) -> list[str]:
    """Return what a client has received, without ids and notices."""
    return [said for line in robot.peer.lines if "_notice" not in (said := line.partition(" ")[2])]


SETTINGS = {"length": "kyoku", "time": "5+5"}


@each_row(("sync", "share"), [(Sync.NEVER, 0.0), (Sync.NEVER, 0.5), (Sync.ALWAYS, 1.0)])
def test_a_full_disk_pauses_the_game(
    sync: Sync, share: float, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer takes effect meanwhile, no clock runs, and the players hear it; then the game goes on as before."""
    disk = FullDisk(monkeypatch)
    disk.share = share
    folder = journal_folder(tmp_path_factory.mktemp("records"), sync)
    with memory_server(room(**SETTINGS), recorder_of=folder.create) as server:
        robots = server.robots("a", "b", "c", "d", options="_explain=1")
        server.play(robots, until=lambda: any("sutehai" in robot.peer.words() for robot in robots))
        (path,) = journals_in(server)
        recorded = path.read_bytes()
        disk.is_full = True
        server.play(robots)
        before = [told(robot) for robot in robots]
        for _ in range(100):
            server.clock.advance(RETRY_SECONDS)
            robots[0].peer.say("sute 1m")
        assert path.read_bytes() == recorded
        assert [told(robot) for robot in robots] == before
        notices = [[word for word in robot.peer.words() if word == "_notice"] for robot in robots]
        assert notices == [["_notice"]] * 4
        disk.is_full = False
        server.clock.advance(RETRY_SECONDS)
        server.play(robots)
        assert [robot.peer.words().count("_notice") for robot in robots] == [2] * 4
    with memory_server(room(**SETTINGS)) as quick:
        others = quick.robots("a", "b", "c", "d", options="_explain=1")
        quick.play(others)
        assert [told(robot) for robot in robots] == [told(robot) for robot in others]


@each_row("is_stopped", [True, False])
def test_a_disk_that_stays_full(
    is_stopped: bool, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game ends after ten minutes. A server that stops before leaves it as it was, for the next start."""
    disk = FullDisk(monkeypatch)
    disk.share = 0.0
    folder = journal_folder(tmp_path_factory.mktemp("records"), Sync.NEVER)
    with memory_server(room(**SETTINGS), recorder_of=folder.create) as server:
        robots = server.robots("a", "b", "c", "d", options="_resume=1")
        server.play(robots, until=lambda: any("sutehai" in robot.peer.words() for robot in robots))
        (path,) = journals_in(server)
        recorded = path.read_bytes()
        disk.is_full = True
        server.play(robots)
        server.clock.pump([RETRY_SECONDS] * round(DISK_SECONDS / RETRY_SECONDS - 1))
        server.play(robots)
        assert all(robot.peer.is_connected for robot in robots)
        if not is_stopped:
            server.clock.pump([RETRY_SECONDS] * 2)
            server.play(robots)
            assert [robot.peer.lines[-1].split(" ", 1)[1] for robot in robots] == [CLOSED] * 4
    disk.is_full = False
    assert [path.read_bytes() for path in journals_in(server)] == [recorded] * is_stopped


def notices(robot: Robot) -> list[str]:
    """Return what the server has told a client."""
    robot.peer.words()
    return [unquote(line.split(" ", 2)[2]) for line in robot.peer.lines if " _notice " in line]


@each_row("knows", [True, False])
def test_no_game_begins_while_the_disk_is_full(
    knows: bool, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players keep their places in line, are told so once, and play when there is room; the log has one line.

    The server may find out only by writing.
    """
    disk = FullDisk(monkeypatch)
    disk.is_full, disk.share = True, 0.0
    folder = journal_folder(tmp_path_factory.mktemp("records"), Sync.NEVER)
    bots = {"house": ["tsumogiri:3"], "house_after": 5.0}
    parts: dict[str, Any] = {"can_record": lambda: not disk.is_full} if knows else {}
    with (
        memory_server(room(**SETTINGS, **bots), recorder_of=folder.create, **parts) as server,
        capturedLogs() as events,
    ):
        robots = server.robots("a", "b", "c", "d", options="_explain=1")
        late = server.robots("e", options="_explain=1")
        for _ in range(100):
            server.clock.advance(RETRY_SECONDS)
        *front, last = (player.name for player in server.rooms[0].line)
        assert (sorted(front), last) == (["a", "b", "c", "d"], "e")
        assert [notices(robot) for robot in (*robots, *late)] == [[NO_RECORDS]] * 5
        assert [event["reason"] for event in events if "reason" in event] == [
            "no space left, or no right to write" if knows else "No space left on device"
        ]
        assert list(folder.folder.glob(".2*")) == []
        disk.is_full = False
        server.clock.advance(RETRY_SECONDS)
        server.play(robots)
        assert [robot.peer.words()[-2:] for robot in robots] == [["gameend", "bye"]] * 4
        assert notices(late[0]) == [NO_RECORDS, RECORDS_AGAIN]


def test_a_server_that_stops_while_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who wait are turned away as always, and nothing is tried again."""
    disk = FullDisk(monkeypatch)
    disk.is_full, disk.share = True, 0.0
    with memory_server(room(), recorder_of=journal_folder(tmp_path, Sync.NEVER).create) as server:
        robots = server.robots("a", "b", "c", "d", "e")
        server.lobby.drain()
        assert not server.clock.getDelayedCalls()
        assert "error" in str([robot.peer.words()[-1] for robot in robots])
        assert not any(robot.peer.is_connected for robot in robots)
