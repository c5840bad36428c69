"""The sessions of bots as child processes: each bot starts in one, with limits, and ends with it.

Two small programs do what the server cannot do itself (``child_launch``, ``child_watch``). Both are run by path, and
without site packages.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.model.setting import setting
from ump.model.value import value

MEBIBYTE = 1024 * 1024

_PYTHON = (sys.executable, "-I", "-S")
_LAUNCH = str(Path(__file__).with_name("child_launch.py"))
_WATCH = str(Path(__file__).with_name("child_watch.py"))


_SECTION = "bots-as-child-processes"


def _limit(default: int, name: str, help_text: str) -> int:
    return setting(default, f"{help_text}; 0: no limit.", name=name, least=0, section=_SECTION)


@value
class ChildLimits:
    """What a bot as a child process may use. 0 sets no limit."""

    cpu: int = _limit(3_600, "child-cpu", "CPU seconds for each process of such a bot")
    """All threads together: an hour for one game."""
    memory: int = _limit(4_096, "child-memory", "MiB of memory for each process of such a bot")
    """Data alone: address space that is only reserved does not count on Linux."""
    output: int = _limit(256, "child-output", "MiB that such a bot may print, and write to each file")
    """To its standard output and error in its game."""
    processes: int = _limit(64, "child-processes", "Limit on processes of such a bot")
    """Threads are not counted."""
    nice: int = setting(
        5,
        "How far the priority of such a bot is below the server's, from {least} to {most}, so that games come before "
        "thinking.",
        name="child-nice",
        least=0,
        most=19,
        section=_SECTION,
    )
    """A third of the time of a core that both want."""

    @property
    def output_bytes(self) -> int | None:
        """The limit on its output in bytes; None without one."""
        return self.output * MEBIBYTE or None


def launch_command(words: list[str], limits: ChildLimits, folder: Path | None = None) -> list[str]:
    """Return the command that starts a program with its arguments in a session and folder of its own, with limits."""
    numbers = (os.getpid(), limits.nice, limits.cpu, limits.memory * MEBIBYTE, limits.output * MEBIBYTE)
    return [*_PYTHON, _LAUNCH, *map(str, numbers), str(folder or "."), "--", *words]


class ChildSessions(ProcessProtocol):
    """Starts bots in sessions, and tells the program that watches them."""

    _log = Logger()
    transport: Any

    def __init__(self, limits: ChildLimits, reactor: Any) -> None:
        self.limits = limits
        self._reactor = reactor
        self._is_watching = False
        self._sessions: set[int] = set()
        self._ended: Deferred[None] | None = None
        """Fires when the watching program has ended."""

    def launching(self, words: list[str], folder: Path | None) -> list[str]:
        """Return the command that starts a program in a session of its own, in a folder, with the limits."""
        return launch_command(words, self.limits, folder)

    def add(self, process: int) -> None:
        """Watch the session of a process that has just been started."""
        if not self._is_watching:
            self._is_watching = True
            most = self.limits.processes or sys.maxsize
            words = [*_PYTHON, _WATCH, str(most)]
            self._reactor.spawnProcess(self, words[0], words, env={})
        self._sessions.add(process)
        self._tell(f"+ {process}\n")

    def remove(self, process: int) -> None:
        """Kill what is left of the session of a process that has ended."""
        if process in self._sessions:
            self._sessions.discard(process)
            self._tell(f"- {process}\n")

    def signal(self, process: int, name: str) -> None:
        """Send a signal, such as ``TERM``, to the process group of a session."""
        if process in self._sessions:
            with suppress(OSError):  # it has ended, or has no group yet: then it gets the signal itself
                os.killpg(process, getattr(signal, f"SIG{name}"))

    def close(self) -> Deferred[None]:
        """End the watching program, which kills all sessions that are left; the Deferred fires when it has ended."""
        if not self._is_watching:
            return succeed(None)
        self._sessions.clear()
        self._ended = Deferred()
        self.transport.closeStdin()
        return self._ended

    def _tell(self, line: str) -> None:
        if self._is_watching:
            self.transport.write(line.encode("ascii"))

    # The watching program's side

    def outReceived(self, data: bytes) -> None:
        """Log the sessions that had too many processes."""
        for line in data.decode("ascii").splitlines():
            process, _, count = line.partition(" ")
            self._log.warn(
                "process {process}: killed with its {count} processes; --child-processes allows {most}",
                process=process,
                count=count,
                most=self.limits.processes,
            )

    def errReceived(self, data: bytes) -> None:
        """Log an error of the watching program."""
        self._log.error("the watch over bots: {said}", said=data.decode("utf-8", "backslashreplace"))

    def processEnded(self, reason: Failure) -> None:
        """Start it anew with the next bot, if it has ended before the server."""
        self._is_watching = False
        if self._ended is not None:
            self._ended.callback(None)
        elif self._sessions:
            self._log.error("the watch over bots has ended: {why}", why=reason.getErrorMessage())
