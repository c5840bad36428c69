"""Processes beside this one: started, asked what they have used, and ended with it."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.benchmarks.figures import LOOPBACK, PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent


def raise_descriptors() -> int:
    """Raise the soft limit of open files to the hard one; return it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(ValueError, OSError):  # some systems call the hard limit infinite, and do not grant it
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def waited() -> float:
    """Return the seconds for which this process was ready and no core was free; 0 where the system has no /proc."""
    with suppress(OSError):
        return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


def resident() -> int:
    """Return the bytes of memory that this process occupies now; 0 where the system has no /proc."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


@dataclass(frozen=True)
class Used:
    """What a process has used so far."""

    seconds: float
    """Of CPU time."""
    memory: int
    """Bytes that it occupies; 0 where that is not known."""
    waited: float
    """Seconds for which it was ready and no core was free; 0 where that is not known."""
    instant: float
    """When it said so, by the clock that never goes back."""


class Process:
    """A Python process of the benchmark, spoken to in lines of JSON."""

    def __init__(self, module: str, *args: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"scripts.benchmarks.{module}", *args],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the parent, which then closes our standard input
        )

    def say(self, what: object) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            print(json.dumps(what), file=self._process.stdin, flush=True)

    def hear(self) -> object:
        """Wait for a line; ends the program if none can come any more."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("bench: a process of it has ended; its own words stand above")
        return json.loads(line)

    def stop(self) -> None:
        """Close its standard input, upon which it ends."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Measured(Process):
    """A process that is measured: the server, or the floor."""

    def __init__(self, role: str, *options: str) -> None:
        with socket.create_server((LOOPBACK, 0)) as free:
            self.address: tuple[str, int] = (LOOPBACK, free.getsockname()[1])
        begun = time.monotonic()
        super().__init__("measured", role, str(self.address[1]), *options)
        self.at_start = self.request(None)
        self.start_seconds = time.monotonic() - begun
        """From the start of the process until it listened and answered."""

    def request(self, what: object) -> Used:
        """Send a request, and return what has been used when it was done."""
        self.say(what)
        used = self.hear()
        assert isinstance(used, dict)
        return Used(**used)
