"""Our server as a process of its own, on free ports of 127.0.0.1, and what its log says of a game."""

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

from ump.service import FRONTS

ROOT = Path(__file__).resolve().parent.parent.parent

START_SECONDS = 30.0
"""Until the server listens."""

STOP_SECONDS = 20.0
"""Until it has ended after SIGTERM, with all bots that it has started; then it is killed, and they with it."""

PORTS = tuple(FRONTS)
"""The options that open them, in the order in which the server says where they are."""

_LISTENS = re.compile(r"listening on 127\.0\.0\.1 port (\d+)")
_ENDS = re.compile(r" (\S+) ends, (\w+): (.*); seed ")
_ACCOUNT = re.compile(r"(?:^|, )(.+?) (-?\d+)(?: \(([^)]*)\))?(?=, |$)")
_BROKEN = re.compile(r"breaks down|Unhandled|has ended in its game")


@dataclass(frozen=True)
class Addresses:
    """Where a server listens: a port for each of ``PORTS``, in their order."""

    ump: int
    mjai: int
    majiang: int
    http: int


@dataclass(frozen=True)
class Account:
    """What the server's log says of one player at the end of a game."""

    points: int
    faults: Mapping[str, int]
    """How many answers were refused, by reason; ``late`` and ``stale`` beside them."""


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    end: str
    """``completed``, or what stands there instead."""
    accounts: Mapping[str, Account]
    """By the players' names."""


def read_result(line: str) -> Result | None:
    """Read the line of the log that ends a game; None for any other."""
    found = _ENDS.search(line)
    if found is None:
        return None
    accounts = {name: Account(int(points), _faults(wrong)) for name, points, wrong in _ACCOUNT.findall(found[3])}
    return Result(found[2], accounts)


def _faults(wrong: str) -> dict[str, int]:
    pairs = (each.split(" ", 1) for each in wrong.split(", ") if each)
    return {reason: int(count) for count, reason in pairs}


class Process:
    """A process in a group of its own, whose output is kept; nothing of it is left when it is closed."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.lines: list[str] = []
        """What it has written so far, errors among it."""
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
    def status(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.poll()

    def terminate(self, seconds: float) -> None:
        """Ask it to end, and wait so long."""
        self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def close(self) -> None:
        """Kill what is left of it and of those that it has started."""
        with suppress(ProcessLookupError, PermissionError):  # macOS: a group of zombies may not be signalled
            killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(1.0)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError, OSError):  # closed meanwhile: something that it left behind still held the pipe
            self.lines.extend(line.rstrip("\n") for line in self._process.stdout)


class OurServer:
    """A server that plays by these options until the ``with`` is left."""

    def __init__(self, options: Sequence[str]) -> None:
        ports = [word for port in PORTS for word in (f"--{port}", "0")]
        command = [sys.executable, "-m", "twisted", "--log-format=text", "ump-server", *ports, *options]
        self._process = Process(command, ROOT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate(STOP_SECONDS)
        self._process.close()

    def addresses(self) -> Addresses:
        """Wait until it listens, and return where; raises RuntimeError with its last words where it does not."""
        wait_until(lambda: len(self._ports()) == len(PORTS) or self._process.status is not None, START_SECONDS)
        ports = self._ports()
        if len(ports) != len(PORTS):
            raise RuntimeError(f"the server does not start: {' '.join(self._process.lines[-1:])}")
        return Addresses(*ports)

    def result(self) -> Result | None:
        """Return how the game ended; None while it goes on."""
        return next(filter(None, map(read_result, tuple(self._process.lines))), None)

    def troubles(self) -> list[str]:
        """Return the lines of the log that speak of a fault of ours, or of a bot that ended in its game."""
        return [line for line in tuple(self._process.lines) if _BROKEN.search(line)]

    def _ports(self) -> list[int]:
        found = (_LISTENS.search(line) for line in tuple(self._process.lines))
        return [int(match[1]) for match in found if match is not None]


def wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is so, or the time is over; tell whether it is."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() >= end:
            return False
        time.sleep(0.02)
    return True
