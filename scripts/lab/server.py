"""Our server as a process on free ports of 127.0.0.1: one with a log, one to be killed, one that is measured."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL, SIGTERM, SIGUSR2
from types import TracebackType
from typing import Protocol, Self

from scripts.lab.processes import ROOT, Child, Process, Step, Usage, free_port, wait_until
from ump.net.dialects import port_options
from ump.server.upgrade import READY_SECONDS

START_SECONDS = 30.0  # time limit for the start of the server
STOP_SECONDS = 20.0  # time from SIGTERM until the server and all bots that it started are killed

PORTS = tuple(option.name for option in port_options())
"""The options that open the ports, in the order of the log lines about them."""

PLAYER_PORTS = ("listen", "mjai", "majiang")  # those of clients that can come back to their seats

_LISTENING = "listening on"
_SUCCESSOR = re.compile(r"process (\d+) takes the place")
_LISTENS = re.compile(r"listening on 127\.0\.0\.1 port (\d+)")
_ENDS = re.compile(r" (\S+) ends, (\w+): (.*); seed ")
_PLAYER = re.compile(r"(?:^|, )(.+?) (-?\d+)(?: \(([^)]*)\))?(?=, |$)")
_BROKEN = re.compile(r"breaks down|: internal error|: .+ failed$|Unhandled|Traceback|ended during its game")


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
    faults: Mapping[str, int]  # the number of refused answers by reason, and of ``late`` and ``stale`` ones


@dataclass(frozen=True)
class Result:
    """The result of a game."""

    end: str  # how the game ended: ``completed``, or the word in its place
    players: Mapping[str, PlayerResult]  # the results by name of the player


def troubles(lines: Iterable[str]) -> list[str]:
    """Return the lines of a log about a fault of the server, or about a bot that ended during its game."""
    return [line for line in lines if _BROKEN.search(line)]


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


class ServerProcess:
    """A server that can be killed, and started again with the same command."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: Process | None = None

    def start(self) -> None:
        """Start the process."""
        self.close()
        self._process = Process(self._command, ROOT)

    @property
    def is_dead(self) -> bool:
        return self._process is None or self._process.status is not None

    @property
    def was_killed(self) -> bool:
        return self._process is not None and self._process.status == -SIGKILL

    @property
    def number(self) -> int:
        """The number of the process; 0 before the first start."""
        return 0 if self._process is None else self._process.number

    @property
    def lines(self) -> list[str]:
        """The log since the last start."""
        return [] if self._process is None else list(self._process.lines)

    def troubles(self) -> list[str]:
        return troubles(self.lines)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def terminate(self, seconds: float) -> None:
        """Send SIGTERM, and wait at most ``seconds`` for the end."""
        if self._process is not None:
            self._process.terminate(seconds)

    def close(self) -> None:
        """Kill the process, if it still runs."""
        if self._process is not None:
            self._process.close()
            self._process = None


class OurServer(ServerProcess):
    """A server with these options, on any free ports.

    A ``with`` block starts the server, and stops it.
    """

    def __init__(self, options: Sequence[str], opened: Sequence[str] = PORTS) -> None:
        """``opened`` are the options of the ports to open; nothing is recorded unless the options say so."""
        ports = [f"--{port}={0 if port in opened else 'none'}" for port in PORTS]
        super().__init__([sys.executable, "-m", "ump", "serve", *ports, "--record-dir=none", *options])
        self._opened = opened

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.terminate(STOP_SECONDS)
        self.close()

    @property
    def ports(self) -> dict[str, int]:
        """The ports by their options; empty until the server listens on all of them."""
        found = [int(match[1]) for match in map(_LISTENS.search, self.lines) if match is not None]
        return dict(zip(self._opened, found, strict=True)) if len(found) == len(self._opened) else {}

    @property
    def port(self) -> int | None:
        """The port of UMP; None until the server listens."""
        return self.ports.get("listen")

    def addresses(self) -> Addresses:
        """Wait until a server with all ports listens; raise RuntimeError with its last line if it does not."""
        wait_until(lambda: bool(self.ports) or self.is_dead, START_SECONDS)
        ports = self.ports
        if not ports:
            raise RuntimeError(f"the server does not start: {' '.join(self.lines[-1:])}")
        return Addresses(*ports.values())

    def has_joined(self, name: str) -> bool:
        """Return whether the player of this name has come into the room."""
        return any(f": {name} joins, from" in line for line in self.lines)

    def result(self) -> Result | None:
        """Return the result of the game; None while it goes on."""
        return next(filter(None, map(read_result, self.lines)), None)


class KilledServer(OurServer):
    """A server that records into a folder, and is killed during its game.

    Nobody runs out of time, however slow the machine is, and the server ends after its game.
    """

    def __init__(self, folder: Path, options: Sequence[str]) -> None:
        patient = ("--time=600+0", "--grace=100000", "--games=1")
        super().__init__([*patient, f"--record-dir={folder}", *options], PLAYER_PORTS)


class UpgradedServer(ServerProcess):
    """A server whose place a new program takes, or that ends and is started again. Its log is that of all of them."""

    def __init__(self, command: Sequence[str], ports: int) -> None:
        """``ports``: how many ports the command opens."""
        super().__init__(command)
        self._ports = ports
        self._number = 0

    @property
    def number(self) -> int:
        """The number of the process that serves."""
        return self._number

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        super().start()
        self._number = super().number
        self._wait_for_ports(0)

    def upgrade(self) -> None:
        """Let a new program take the place of the server, and wait until it listens."""
        known = len(self.lines)
        os.kill(self._number, SIGUSR2)
        self._wait_for_ports(known)
        found = _SUCCESSOR.search("\n".join(self.lines[known:]))
        assert found is not None
        self._number = int(found[1])

    def restart(self) -> None:
        """End the server, and start it again when it has ended, as systemd does."""
        os.kill(self._number, SIGTERM)
        if not wait_until(lambda: self.is_dead, 2 * READY_SECONDS):
            raise RuntimeError("the server does not end")
        self.start()

    def _wait_for_ports(self, known: int) -> None:
        """Wait until the log, from this line on, says that all ports are open."""

        def are_open() -> bool:
            return "\n".join(self.lines[known:]).count(_LISTENING) == self._ports

        if not wait_until(are_open, 2 * READY_SECONDS):
            raise RuntimeError("\n".join(self.lines[known:]))

    @property
    def is_dead(self) -> bool:
        """Whether the process that serves has ended; its parent need not have noticed."""
        try:
            return not Path(f"/proc/{self._number}/cmdline").read_bytes()
        except FileNotFoundError:
            return True


class Measured(Protocol):
    """Something that clients play at, and that is measured."""

    @property
    def player_ports(self) -> Sequence[int]:
        """The ports of its servers."""

    def usage(self) -> Usage:
        """Return the resources used so far."""


class MeasuredServer(Child):
    """A process that is measured: a server, or the floor."""

    def __init__(self, role: str, *options: str) -> None:
        self.port = free_port()
        self.player_ports = (self.port,)
        begun = time.monotonic()
        super().__init__([sys.executable, "-m", "scripts.lab.measured_server", role, str(self.port), *options])
        self.at_start = self.usage()
        self.start_seconds = time.monotonic() - begun
        """Seconds from the start of the process until it listened and answered."""

    def usage(self, steps: Sequence[Step] | None = None) -> Usage:
        """Send new steps to a floor, or None; return the resources used so far."""
        return Usage(*self.request(steps))
