"""Our server as a process on free ports of 127.0.0.1, and the result of a game from its log."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import killpg
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self

from ump.net.dialects import port_options

ROOT = Path(__file__).resolve().parent.parent.parent

START_SECONDS = 30.0
"""Time limit for the start of the server."""

STOP_SECONDS = 20.0
"""Time from SIGTERM until the server and all bots that it started are killed."""

PORTS = tuple(option.name for option in port_options())
"""The options that open the ports, in the order of the log lines about them."""

LISTENS = re.compile(r"listening on 127\.0\.0\.1 port (\d+)")
"""The line of the log about an open port."""

_ENDS = re.compile(r" (\S+) ends, (\w+): (.*); seed ")
_PLAYER = re.compile(r"(?:^|, )(.+?) (-?\d+)(?: \(([^)]*)\))?(?=, |$)")
BROKEN = re.compile(r"breaks down|: internal error|: .+ failed$|Unhandled|Traceback|ended during its game")
"""A line of the log about a fault of the server, or about a bot that ended during its game."""


@dataclass(frozen=True)
class Addresses:
    """The ports of a server, in the order of ``PORTS``."""

    ump: int
    telnet: int
    mjai: int
    majiang: int
    http: int


@dataclass(frozen=True)
class PlayerResult:
    """The result of one player at the end of a game."""

    points: int
    faults: Mapping[str, int]
    """The number of refused answers by reason, and of ``late`` and ``stale`` ones."""


@dataclass(frozen=True)
class Result:
    """The result of a game."""

    end: str
    """How the game ended: ``completed``, or the word in its place."""
    players: Mapping[str, PlayerResult]
    """The results by name of the player."""


def read_result(line: str) -> Result | None:
    """Return the result from the line of the log that ends a game; None for any other line."""
    found = _ENDS.search(line)
    if found is None:
        return None
    players = {name: PlayerResult(int(points), _faults(wrong)) for name, points, wrong in _PLAYER.findall(found[3])}
    return Result(found[2], players)


def _faults(wrong: str) -> dict[str, int]:
    pairs = (each.split(" ", 1) for each in wrong.split(", ") if each)
    return {reason: int(count) for count, reason in pairs}


class Process:
    """A process in its own process group, with its output; closing it kills the whole group."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.lines: list[str] = []
        """The lines that it has written so far, standard error included."""
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
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def number(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def terminate(self, seconds: float) -> None:
        """Send SIGTERM, and wait at most ``seconds`` for the end."""
        self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> None:
        """Kill the process and all processes that it started."""
        with suppress(ProcessLookupError, PermissionError):  # macOS does not allow a signal to a group of zombies
            killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process and all processes that it started, and forget them."""
        self.kill()
        self._process.wait()
        self._reader.join(1.0)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, OSError):  # close() closed the pipe, which another process still held
            self.lines.extend(line.rstrip("\n") for line in self._process.stdout)


class OurServer:
    """A server with these options; it runs as long as the ``with`` block."""

    def __init__(self, options: Sequence[str]) -> None:
        ports = [word for port in PORTS for word in (f"--{port}", "0")]
        command = [
            sys.executable,
            "-m",
            "twisted",
            "--log-format=text",
            "ump-server",
            *ports,
            "--record-dir",
            "none",
            *options,
        ]
        self._process = Process(command, ROOT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate(STOP_SECONDS)
        self._process.close()

    def addresses(self) -> Addresses:
        """Wait until the server listens, and return its ports; raise RuntimeError with its last line if it does not."""
        wait_until(lambda: len(self._ports()) == len(PORTS) or self._process.status is not None, START_SECONDS)
        ports = self._ports()
        if len(ports) != len(PORTS):
            raise RuntimeError(f"the server does not start: {' '.join(self._process.lines[-1:])}")
        return Addresses(*ports)

    @property
    def lines(self) -> list[str]:
        """The lines of its log so far."""
        return list(self._process.lines)

    def result(self) -> Result | None:
        """Return the result of the game; None while it goes on."""
        return next(filter(None, map(read_result, tuple(self._process.lines))), None)

    def troubles(self) -> list[str]:
        """Return the lines of the log about a fault of the server, or about a bot that ended during its game."""
        return [line for line in tuple(self._process.lines) if BROKEN.search(line)]

    def _ports(self) -> list[int]:
        found = (LISTENS.search(line) for line in tuple(self._process.lines))
        return [int(match[1]) for match in found if match is not None]


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until ``condition`` is true, at most ``seconds``; return whether it is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
    return True
