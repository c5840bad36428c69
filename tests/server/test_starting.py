"""The server under each starter, as real processes: mistakes end with one line, and a daemon starts and stops."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import STDOUT
from time import monotonic

import pytest
from support.programs import TSUMOGIRI, TWIST, TWISTD, UMP, run, start

from ump.server.journals import LOCK

SECONDS = 60
"""Time limit for each step of a connection."""

STARTERS = {
    "ump serve": [*UMP, "serve"],
    "twist": TWIST,
    "twistd -n": [*TWISTD, "-n", "--pidfile=pid", "ump-server"],
    "twistd": [*TWISTD, "--pidfile=pid", "--logfile=log", "ump-server"],
}

PREFIXES = {"ump serve": "Error"}
"""The word before the message of an error; under the other starters it is ``ump-server``."""

OTHERS_CLOSED = ["--mjai", "none", "--http", "none"]

every_starter = pytest.mark.parametrize("starter", STARTERS)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder to start in; a daemon whose pid is left there is killed after the test."""
    yield tmp_path
    if (tmp_path / "pid").exists():
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@pytest.mark.once
@every_starter
def test_a_port_in_use(folder: Path, starter: str) -> None:
    """If the port is in use, the program prints one line, leaves no pid file, and ends with status 1."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        ended = run(*STARTERS[starter], "--listen", str(port), *OTHERS_CLOSED, cwd=folder)
    line = f"port {port} is in use; another ump-server? choose one with --listen PORT\n"
    assert ended.stderr == f"{PREFIXES.get(starter, 'ump-server')}: {line}"
    assert ended.returncode == 1
    assert not (folder / "pid").exists()


@every_starter
def test_a_wrong_value(folder: Path, starter: str) -> None:
    """A wrong value ends the program with one line and status 1."""
    ended = run(*STARTERS[starter], "--games", "-1", cwd=folder)
    line = "--games: -1 is not a whole number from 0 to 999999999\n"
    assert ended.stderr == f"{PREFIXES.get(starter, 'ump-server')}: {line}"
    assert ended.returncode == 1
    assert not (folder / "pid").exists()


@pytest.mark.once
@every_starter
def test_a_folder_of_records_in_use(folder: Path, starter: str) -> None:
    """If another server uses the folder of records, the program ends with one line and status 1."""
    records = folder / "records"
    records.mkdir()
    with (records / LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        options = ["--record-dir", str(records), "--listen", "0", *OTHERS_CLOSED]
        ended = run(*STARTERS[starter], *options, cwd=folder)
    line = f"--record-dir {records}: another ump-server records there; choose another folder, or none\n"
    assert ended.stderr == f"{PREFIXES.get(starter, 'ump-server')}: {line}"
    assert ended.returncode == 1
    assert not (folder / "pid").exists()


def test_a_daemon_starts_and_stops(folder: Path) -> None:
    """``twistd`` goes into the background with status 0; SIGTERM ends the daemon, which removes its pid file.

    The descriptor that it inherits is closed with its last process.
    """
    alive, held = os.pipe()
    try:
        command = [*STARTERS["twistd"], "--listen", "0", *OTHERS_CLOSED]
        ended = run(*command, is_plain=True, cwd=folder, pass_fds=[held])
    finally:
        os.close(held)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = re.search(r"listening on 127\.0\.0\.1 port (\d+)", (folder / "log").read_text())
    assert found is not None
    with socket.create_connection(("127.0.0.1", int(found[1])), SECONDS) as client, client.makefile("rb") as lines:
        assert lines.readline().startswith(b"0 hello ")
        client.sendall(b"0 hello ump=0.1 name=a _explain=1\r\n99 sute 1z\r\n")
        assert b" _waiting " in lines.readline()
        os.kill(int((folder / "pid").read_text()), signal.SIGTERM)
        assert lines.readlines()[-1].endswith(b" bye\r\n")
    with os.fdopen(alive, "rb") as pipe:
        assert pipe.read() == b""  # at its end no process holds the pipe any more
    assert not (folder / "pid").exists()
    log = (folder / "log").read_text()
    assert "main: a joins" in log
    assert "Traceback" not in log
    assert "#debug" not in log  # such lines say something about hands
    assert stat.S_IMODE((folder / "log").stat().st_mode) == 0o640


def played_until_killed(folder: Path, typed: bytes, until: bytes) -> list[bytes]:
    """Start a server that records games in a folder, type a line, and kill the server at a line that it sends.

    Return every line that it has sent.
    """
    command = [*STARTERS["ump serve"], "--listen", "0", *OTHERS_CLOSED, "--record-dir", str(folder)]
    command += ["--house", "tsumogiri:3", "--house-after", "0"]
    with start(*command) as server:
        address = ("127.0.0.1", server.port())
        with socket.create_connection(address, SECONDS) as client, client.makefile("rwb") as lines:
            lines.write(typed + b"\r\n")
            lines.flush()
            read = [lines.readline()]
            while not read[-1].startswith(until):
                assert read[-1]
                read.append(lines.readline())
            server.kill()
    return read


@pytest.mark.once
def test_a_person_comes_back_after_the_server_was_killed(tmp_path: Path) -> None:
    """``ump serve`` goes on with the recorded game, and the person with the token gets the seat back."""
    first = played_until_killed(tmp_path, b"hello name=me", until=b"Press Enter to go on")
    (token,) = [line.strip() for line in first if line.startswith(b"  back ")]
    again = played_until_killed(tmp_path, token, until=b"  hand")
    assert again[1] == b"Welcome back.\r\n"


SET_CLOCK = """
import struct, sys, time
true, moved = time.time, sys.argv.pop()
def set_time():
    with open(moved, "rb") as file:
        return true() + struct.unpack("d", file.read())[0]
time.time = set_time
from ump.cli.main import main
main(sys.argv[1:])
"""
"""Starts ``ump`` with a wall clock that is moved by the number in a file, the last word."""

DAY = 86_400.0
MOVE = 0.3
"""Seconds of a move."""


def test_the_wall_clock_is_set_in_play(tmp_path: Path) -> None:
    """Bots come and moves run out in their time, whether the date moves forth or back."""
    moved = tmp_path / "moved"
    moved.write_bytes(struct.pack("d", 0.0))
    words = ["serve", "--listen", "0", *OTHERS_CLOSED, "--time", f"{MOVE}+0", "--seed", "clock", "--length", "kyoku"]
    words += ["--house", "tsumogiri:3", "--house-after", str(MOVE), "--record-dir", "none", str(moved)]
    moves = [-2 * DAY, -2 * DAY - 25, 3_600.0, 400 * DAY]
    waited = []
    with (
        start("-c", SET_CLOCK, *words, is_plain=True) as server,
        socket.create_connection(("127.0.0.1", server.port()), SECONDS) as client,
        client.makefile("rwb") as lines,
    ):
        lines.readline()
        lines.write(b"0 hello ump=0.1 name=me\r\n")
        lines.flush()
        for seconds in moves:
            began = monotonic()
            moved.write_bytes(struct.pack("d", seconds))
            while not lines.readline().strip().endswith((b"sutehai?", b"ready?")):
                pass
            waited.append(monotonic() - began)
        server.kill()
    assert all(MOVE / 2 < seconds < 20 * MOVE for seconds in waited), waited


@pytest.mark.once
def test_serve_without_options(folder: Path) -> None:
    """It first welcomes, and offers the rooms of ``scripts/serve``; options that describe rooms replace them."""
    for options, rooms in (
        ([], ["main", "east", "quick", "beginner", "expert", "rated", "open"]),
        (["--room", "own"], ["own"]),
    ):
        command = [*STARTERS["ump serve"], "--listen", "0", *OTHERS_CLOSED, *options]
        with start(*command, cwd=folder, stderr=STDOUT) as server:
            server.port()
            server.kill()
        assert server.log.startswith("\nThe server is ready.\n")
        assert re.findall(r"^  room (\w+)", server.log, re.MULTILINE) == rooms


@pytest.mark.once
@pytest.mark.parametrize(("options", "has_details"), [([], False), (["--verbose"], True)])
def test_serve_in_the_foreground(folder: Path, options: list[str], has_details: bool) -> None:
    """``ump serve`` writes its log as text, with ``--verbose`` also details, and Ctrl-C ends it in order."""
    with start(*STARTERS["ump serve"], "--listen", "0", *OTHERS_CLOSED, *options, cwd=folder) as server:
        address = ("127.0.0.1", server.port())
        with socket.create_connection(address, SECONDS) as client, client.makefile("rwb") as lines:
            lines.write(b"0 hello ump=0.1 name=me\r\n9 nonsense\r\n")
            lines.flush()
            server.read_until(r"dropped: \w+" if has_details else "me joins")
            server.send_signal(signal.SIGINT)
            assert lines.read().endswith(b" bye\r\n")
        rest, banner = server.communicate()
    log = server.log + rest
    assert server.returncode == -signal.SIGINT
    assert banner.startswith("\nThe server is ready.\n")
    assert has_details or "dropped" not in log
    assert "Traceback" not in log + banner


@pytest.mark.once
@pytest.mark.parametrize("starter", ["twistd -n", "twistd"])
def test_a_port_that_cannot_be_opened_after_all(folder: Path, starter: str) -> None:
    """If a port turns out to be in use after the trial, the program ends with status 1 and removes its pid file."""
    untried = "from ump.net.listener import PortTrial; PortTrial.open = lambda *_: None"
    command = ["-c", f"{untried}; {TWISTD[1]}", *STARTERS[starter][len(TWISTD) :]]
    alive, held = os.pipe()
    try:
        with closing(socket.create_server(("127.0.0.1", 0))) as taken:
            port = taken.getsockname()[1]
            ended = run(*command, "--listen", str(port), *OTHERS_CLOSED, cwd=folder, pass_fds=[held])
    finally:
        os.close(held)
    assert ended.returncode == 1
    with os.fdopen(alive, "rb") as pipe:
        assert pipe.read() == b""  # a daemon reports the error to its parent first, and only then logs it
    assert not (folder / "pid").exists()
    reported = ended.stdout + ((folder / "log").read_text() if (folder / "log").exists() else "")
    assert f"ump-server: port {port} is in use; another ump-server? choose one with --listen PORT" in reported
    assert "Traceback" not in reported


def test_serve_records_a_game(folder: Path) -> None:
    """``ump serve`` creates its folder of records, and a bot's game leaves a finished journal there."""
    options = ["--listen", "0", "--house", "tsumogiri:3", "--house-after", "0", "--length", "kyoku", "--games", "1"]
    command = [*STARTERS["ump serve"], *options, *OTHERS_CLOSED]
    with start(*command, is_plain=True, cwd=folder) as server:
        assert run(TSUMOGIRI, f"127.0.0.1:{server.port()}").returncode == 0
        server.communicate()
    assert server.returncode == 0
    assert len(list((folder / "ump-records").glob("*.journal.gz"))) == 1
