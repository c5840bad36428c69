"""Processes: start them, read what they write, measure what they use, and end them with all that they started."""

from __future__ import annotations

import atexit
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any, Self

from ump.net import child_watch

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"

PATIENCE = 30.0  # seconds of silence after which a process or a connection counts as failed


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until ``condition`` is true, at most ``seconds``; return whether it is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
    return True


def free_port() -> int:
    """Return a port for a program that sets SO_REUSEADDR, as servers do. This process keeps it from everybody else.

    Otherwise the system may give it away again before the program listens. Two HAProxies, or two ports of one, would
    then share it, and each client would reach one of them by chance.
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind((LOOPBACK, 0))
    port: int = keeper.getsockname()[1]
    keeper.detach()  # it never listens, and is closed with the process
    return port


def raise_descriptors() -> int:
    """Raise the soft limit of open files to the hard limit; return the new soft limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(ValueError, OSError):  # some systems report an infinite hard limit and do not grant it
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def _numbers(file: str, process: int | None) -> list[int]:
    """Return the numbers in a file of /proc about a process, None for this one; [] without /proc, or if it has ended.

    Those of ``stat`` begin behind the name and the state.
    """
    with suppress(OSError):
        text = Path(f"/proc/{process or 'self'}/{file}").read_text("utf-8")
        return [int(word) for word in text.rpartition(")")[2].split() if not word.isalpha()]
    return []


def resident(process: int | None = None) -> int:
    """Return the memory of a process in bytes; 0 if unknown."""
    pages = _numbers("statm", process)
    return pages[1] * os.sysconf("SC_PAGE_SIZE") if pages else 0


def waited(process: int | None = None) -> float:
    """Return how long a process was ready to run while no core was free, in seconds; 0 if unknown."""
    times = _numbers("schedstat", process)
    return times[1] / 1e9 if times else 0.0


Step = tuple[list[str], int]
"""A step of the floor: the text for each connection, and the number of answers to wait for before the next step."""


@dataclass(frozen=True)
class Usage:
    """The resources that a process has used so far."""

    seconds: float  # CPU time
    memory: int  # memory in bytes; 0 if unknown
    waited: float  # seconds in which the process was ready to run and no core was free; 0 if unknown
    instant: float  # when this was measured, in seconds
    turn: float = 0.0  # CPU seconds of a turn of the reactor since the previous request: the 99th percentile
    files: int = 0  # open file descriptors; 0 if unknown


def usage_of(process: int, instant: float) -> Usage | None:
    """Return what another process has used; None without /proc, or if it has ended."""
    memory, times = resident(process), _numbers("stat", process)
    if not memory or not times:
        return None
    files = 0
    with suppress(OSError):
        files = len(os.listdir(f"/proc/{process}/fd"))
    seconds = sum(times[10:12]) / os.sysconf("SC_CLK_TCK")
    return Usage(seconds, memory, waited(process), instant, files=files)


@cache
def _watch() -> subprocess.Popen[bytes]:
    """Return the program that kills the watched sessions when this process has ended, however it ends."""
    command = [sys.executable, "-I", "-S", child_watch.__file__, "0"]
    watching = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    atexit.register(watching.communicate)
    return watching


def watch(session: int) -> None:
    """Kill a session, which is named by its first process, when this process ends."""
    _tell_watch(f"+ {session}")


def unwatch(session: int) -> None:
    """Kill what is left of a watched session."""
    _tell_watch(f"- {session}")


def _tell_watch(line: str) -> None:
    found = _watch().stdin
    assert found is not None
    with suppress(BrokenPipeError):  # it was killed
        found.write(f"{line}\n".encode())
        found.flush()


class Process:
    """A process in its own session, with its output; closing it, or the end of this process, kills the session."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.lines: list[str] = []  # the lines that it has written so far, standard error included
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=None if environment is None else {**environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        watch(self._process.pid)
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def number(self) -> int:
        return self._process.pid

    @property
    def status(self) -> int | None:
        return self._process.poll()

    def terminate(self, seconds: float) -> None:
        """Send SIGTERM, and wait at most ``seconds`` for the end."""
        self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> None:
        """Kill the process and all processes that it started."""
        with suppress(ProcessLookupError, PermissionError):  # macOS does not allow a signal to a group of zombies
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process and all processes that it started, and forget them."""
        self.kill()
        self._process.wait()
        unwatch(self._process.pid)
        self._reader.join(1.0)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, OSError):  # close() closed the pipe, which another process still held
            self.lines.extend(line.rstrip("\n") for line in self._process.stdout)


class Child:
    """A process that exchanges lines of JSON with this one, and ends with its standard input."""

    def __init__(self, command: Sequence[str], *, errors: int | None = None) -> None:
        """``errors``: where standard error goes; by default, to that of this process."""
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            # Ctrl-C reaches only the parent, which then closes the input of its children. A session of its own would do
            # that too, but Linux shares the cores among sessions first, so that nice values mean nothing between them.
            process_group=0,
        )

    @classmethod
    def of(cls, module: str, *args: object) -> Child:
        """Start a module of Python."""
        return cls([sys.executable, "-m", module, *map(str, args)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def send(self, message: object) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            print(json.dumps(message), file=self._process.stdin, flush=True)

    def receive(self) -> Any:
        """Wait for a message and return it; end the program if the process has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{Path(sys.argv[0]).name}: a child process has ended; its error is above")
        return json.loads(line)

    def request(self, message: object) -> Any:
        """Send a message, and return the next one."""
        self.send(message)
        return self.receive()

    def stop(self) -> None:
        """End the process by closing its standard input; kill it if that takes too long."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def tell_parent(what: object) -> None:
    """Send a message from a child to its parent."""
    print(json.dumps(what), flush=True)
