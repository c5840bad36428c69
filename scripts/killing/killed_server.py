"""The server that the kill test kills and starts again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from signal import SIGKILL

from scripts.interoperation.server import LISTENS, Process
from ump.net.dialects import port_options

ROOT = Path(__file__).resolve().parent.parent.parent

PORTS = ("listen", "mjai", "majiang")
"""The options that open the ports of the players, in the order of the server's log."""

OPTIONS = (*(f"--{port}=0" for port in PORTS), "--time=600+0", "--grace=100000", "--games=1")
"""Nobody runs out of time, however slow the machine is, and the server ends after its game."""


class KilledServer:
    """The server as a process, started again after each death, always with the same folder."""

    def __init__(self, folder: Path, options: Sequence[str]) -> None:
        closed = [f"--{port.name}=none" for port in port_options() if port.name not in PORTS]
        self._command = [
            sys.executable, "-m", "ump", "serve", *OPTIONS, *closed, f"--record-dir={folder}", *options
        ]  # fmt: skip
        self._process: Process | None = None

    def start(self) -> None:
        """Start the process; it does not listen yet."""
        self.close()
        self._process = Process(self._command, ROOT)

    @property
    def is_dead(self) -> bool:
        """Whether the process has ended."""
        return self._process is None or self._process.status is not None

    @property
    def was_killed(self) -> bool:
        """Whether SIGKILL has ended the process."""
        return self._process is not None and self._process.status == -SIGKILL

    @property
    def ports(self) -> dict[str, int]:
        """The ports by their options; empty until the server listens on all of them."""
        found = [int(match[1]) for match in map(LISTENS.search, self.lines) if match is not None]
        return dict(zip(PORTS, found, strict=True)) if len(found) == len(PORTS) else {}

    @property
    def port(self) -> int | None:
        """The port of UMP; None until the server listens."""
        return self.ports.get("listen")

    def has_joined(self, name: str) -> bool:
        """Return whether the player of this name has come into the room."""
        return any(f": {name} joins, from" in line for line in self.lines)

    @property
    def lines(self) -> list[str]:
        """The lines of the log of this process so far."""
        return [] if self._process is None else list(self._process.lines)

    @property
    def number(self) -> int:
        """The number of the process; 0 before the first start."""
        return 0 if self._process is None else self._process.number

    def kill(self) -> None:
        """Send SIGKILL."""
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
