"""The two programs around bots as child processes: the one that starts them, and the one that watches them."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.memory_processes import server_with_bots
from support.memory_server import room

import ump.net.child_launch
import ump.net.child_watch
from ump.net.child_launch import NOT_STARTED
from ump.net.child_process import ChildSessions
from ump.net.limits import MEBIBYTE, ChildLimits
from ump.net.programs import launch_command

PYTHON = (sys.executable, "-I", "-S")
LAUNCH, WATCH = str(ump.net.child_launch.__file__), str(ump.net.child_watch.__file__)
SECONDS = 30
"""Time after which a test has failed."""

GRANDCHILD = "sleep 1000 & echo $!; "
"""A shell command that starts a process of its own, and prints its id."""


def launched(
    script: str, *, nice: int = 0, cpu: int = 0, data: int = 0, file: int = 0, folder: Path | str = "."
) -> subprocess.CompletedProcess[str]:
    """Run a program of Python with limits, to its end."""
    limits = map(str, (os.getpid(), nice, cpu, data, file, folder))
    words = [*PYTHON, LAUNCH, *limits, "--", *PYTHON, "-c", textwrap.dedent(script)]
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)


def test_a_session_of_its_own() -> None:
    """The program leads a session and a process group."""
    ended = launched("import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())")
    assert (ended.stdout, ended.returncode) == ("True\n", 0)


def test_limits_are_set() -> None:
    """CPU time, memory and the size of files are limited; no core dump is written."""
    ended = launched(
        """
        import resource as r
        print(*(r.getrlimit(each)[1] for each in (r.RLIMIT_CPU, r.RLIMIT_DATA, r.RLIMIT_FSIZE, r.RLIMIT_CORE)))
        bytearray(200_000_000)
        """,
        cpu=7,
        data=100 * MEBIBYTE,
        file=3 * MEBIBYTE,
    )
    assert ended.stdout == f"7 {100 * MEBIBYTE} {3 * MEBIBYTE} 0\n"
    assert "MemoryError" in ended.stderr


def test_a_lower_priority() -> None:
    """The program gets a core after the server, by so many steps as the option says."""
    assert launched("import os; print(os.nice(0))", nice=3).stdout == f"{min(19, os.nice(0) + 3)}\n"
    group = Path("/proc/self/autogroup")
    if group.exists():  # Linux shares the cores among sessions first
        ended = launched("print(open('/proc/self/autogroup').read())", nice=3)
        assert ended.stdout.strip().endswith("nice 3")
    words = launch_command(["true"], ChildLimits(nice=7))
    assert words[words.index(LAUNCH) + 1 :][:2] == [str(os.getpid()), "7"]


def test_an_endless_loop_ends() -> None:
    """A program that computes without end is killed after its CPU time."""
    assert launched("while True: pass", cpu=1).returncode == -9


def test_a_program_that_cannot_be_started() -> None:
    """The error has the program's name, and the status that shells use."""
    words = [*PYTHON, LAUNCH, str(os.getpid()), "0", "0", "0", "0", ".", "--", "/nowhere/bot"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stderr) == (NOT_STARTED, "/nowhere/bot: No such file or directory\n")


def test_a_folder_of_its_own(tmp_path: Path) -> None:
    """The program runs in its folder; a folder that is gone is an error like a missing program."""
    ended = launched("import os; print(os.getcwd())", folder=tmp_path)
    assert (ended.stdout, ended.returncode) == (f"{tmp_path.resolve()}\n", 0)
    gone = launched("print(1)", folder=tmp_path / "gone")
    assert (gone.returncode, gone.stderr) == (NOT_STARTED, f"{tmp_path / 'gone'}: No such file or directory\n")


@pytest.mark.skipif(sys.platform != "linux", reason="needs PR_SET_PDEATHSIG")
def test_a_bot_dies_with_its_server() -> None:
    """If the server is killed, the kernel kills the bot, although it has not noticed anything."""
    server = f"""
        import os, subprocess, sys, time
        words = [*{PYTHON!r}, {LAUNCH!r}, str(os.getpid()), "0", "0", "0", "0", ".", "--"]
        subprocess.Popen([*words, "sh", "-c", "echo $$; exec sleep 1000"])
        time.sleep(1000)
        """
    with subprocess.Popen([*PYTHON, "-c", textwrap.dedent(server)], stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        bot = int(started.stdout.readline())
        started.kill()
        assert not started.stdout.read()  # the end of the pipe that the bot has held open
    assert is_gone(bot)


def is_gone(process: int, seconds: float = SECONDS) -> bool:
    """Return whether a process ends within this time: its pipes close a moment before."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


@pytest.fixture
def watch() -> Iterator[subprocess.Popen[str]]:
    """Start the program that watches, with a limit of 3 processes."""
    with subprocess.Popen([*PYTHON, WATCH, "3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        yield started
        started.communicate(timeout=SECONDS)


def say(watch: subprocess.Popen[str], line: str) -> None:
    """Write a line to the program that watches."""
    assert watch.stdin is not None
    print(line, file=watch.stdin, flush=True)


def bot(script: str) -> subprocess.Popen[str]:
    """Start a shell in a session of its own."""
    return subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("ends_first", [True, False], ids=["the bot ends", "the server dies"])
def test_grandchildren_die(watch: subprocess.Popen[str], *, ends_first: bool) -> None:
    """Processes that a bot has started are killed when the bot ends, and when the server does."""
    with bot(f"{GRANDCHILD} exec {'true' if ends_first else 'sleep 1000'}") as started:
        assert started.stdout is not None
        grandchild = int(started.stdout.readline())
        say(watch, f"+ {started.pid}")
        assert not is_gone(grandchild, 0)
        if ends_first:
            started.wait(SECONDS)
            say(watch, f"- {started.pid}")
        else:
            watch.communicate(timeout=SECONDS)
        assert not started.stdout.read()  # nobody holds the pipe open any more
    assert is_gone(grandchild)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_too_many_processes(watch: subprocess.Popen[str]) -> None:
    """A bot with more processes than it may have is killed, and the server hears it."""
    with bot(4 * GRANDCHILD + "wait") as started:
        assert started.stdout is not None
        for _ in range(4):  # all of them run before the watch counts
            assert int(started.stdout.readline())
        say(watch, f"+ {started.pid}")
        assert watch.stdout is not None
        assert watch.stdout.readline() == f"{started.pid} 5\n"
        assert started.wait(SECONDS) == -9


def test_the_watch_hears_of_each_bot() -> None:
    """It is started with the first bot, and hears of the start and the end of each; it ends with the server."""
    pipe = WatchPipe()
    with server_with_bots(room(house=["mjai:cat", "tsumogiri:2"], house_after=0)) as server:
        sessions = server.children._sessions = ChildSessions(ChildLimits(processes=9), pipe)
        server.enter("a")
        server.clock.advance(0)
        assert (pipe.words, pipe.written) == ([*PYTHON, WATCH, "9"], b"+ 4711\n")
        server.programs[0].exit()
        assert pipe.written == b"+ 4711\n- 4711\n"
        sessions.close()
        assert not pipe.is_open


class WatchPipe:
    """A reactor whose only process is the watch, and the pipe to it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.written = b""
        self.is_open = False

    def spawnProcess(self, watch: ChildSessions, program: str, words: list[str], env: dict[str, str]) -> None:
        """Start the watch."""
        assert words[0] == program
        watch.transport = self
        self.words, self.is_open = words, True

    def write(self, data: bytes) -> None:
        """Keep data."""
        self.written += data

    def closeStdin(self) -> None:
        """Note the end."""
        self.is_open = False


def test_output_without_end() -> None:
    """A bot that prints more than it may is killed, whatever it prints; the log names the option."""
    with server_with_bots(room(house=["mjai*3:cat"], house_after=0)) as server:
        server.children._sessions = Unwatched(ChildLimits(output=1), server.machine)
        server.enter("a")
        server.clock.advance(0)
        first = server.programs[0]
        for _ in range(16):
            first.complains(b"x" * 65_536)
        assert not first.signals
        first.complains(b"x")
        assert first.signals == ["KILL"]


class Unwatched(ChildSessions):
    """Sessions of processes in memory, which no program watches."""

    def add(self, process: int) -> None:
        """Do nothing."""
