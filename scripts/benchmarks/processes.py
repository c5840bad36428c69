"""Child processes of the benchmark: start them, ask for the resources that they used, and end them."""

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
from signal import SIGKILL

from scripts.benchmarks.figures import LOOPBACK, PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent


def raise_descriptors() -> int:
    """Raise the soft limit of open files to the hard limit; return the new soft limit."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with suppress(ValueError, OSError):  # some systems report an infinite hard limit and do not grant it
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def waited() -> float:
    """Return how long this process was ready to run while no core was free, in seconds; 0 without /proc."""
    with suppress(OSError):
        return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


def children_seconds() -> float:
    """Return the CPU time that the running child processes of this one have used, in seconds; 0 without /proc."""
    seconds = 0.0
    with suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                seconds += int(Path(f"/proc/{child}/schedstat").read_text("ascii").split()[0]) / 1e9
    return seconds


def resident() -> int:
    """Return the memory of this process in bytes; 0 without /proc."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


@dataclass(frozen=True)
class Usage:
    """The resources that a process has used so far."""

    seconds: float
    """CPU time."""
    memory: int
    """Memory in bytes; 0 if unknown."""
    waited: float
    """Seconds in which the process was ready to run and no core was free; 0 if unknown."""
    instant: float
    """When this was measured, in seconds of the monotonic clock."""
    turn: float = 0.0
    """CPU seconds of a turn of the reactor since the previous request: the 99th percentile."""
    children: float = 0.0
    """CPU time of its running child processes; 0 if unknown."""


class Process:
    """A Python process that exchanges lines of JSON with this one."""

    PACKAGE = "scripts.benchmarks"

    def __init__(self, module: str, *args: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{self.PACKAGE}.{module}", *args],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Ctrl-C reaches only the parent, which then closes the input of its children. A session of its own would do
            # that too, but Linux shares the cores among sessions first, so that nice values mean nothing between them.
            process_group=0,
        )

    def send(self, message: object) -> None:
        """Send a line."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            print(json.dumps(message), file=self._process.stdin, flush=True)

    def receive(self) -> object:
        """Wait for a line and return it; end the program if the process has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("bench: a child process has ended; its error is above")
        return json.loads(line)

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


class MeasuredProcess(Process):
    """A process that is measured: a server, or the floor."""

    def __init__(self, role: str, *options: str) -> None:
        with socket.create_server((LOOPBACK, 0)) as free:
            self.address: tuple[str, int] = (LOOPBACK, free.getsockname()[1])
        begun = time.monotonic()
        super().__init__("measured_server", role, str(self.address[1]), *options)
        self.at_start = self.request()
        self.start_seconds = time.monotonic() - begun
        """Seconds from the start of the process until it listened and answered."""

    def kill_worker(self) -> None:
        """Kill the oldest worker process of the server; end the program if it has none."""
        for task in Path(f"/proc/{self._process.pid}/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                if "worker_process" in Path(f"/proc/{child}/cmdline").read_text("utf-8"):
                    os.kill(int(child), SIGKILL)
                    return
        raise SystemExit("bench: the server has no worker to kill")

    def request(self, steps: object = None) -> Usage:
        """Send new steps to a floor, or None; return the resources used so far."""
        self.send(steps)
        usage = self.receive()
        assert isinstance(usage, dict)
        return Usage(**usage)
