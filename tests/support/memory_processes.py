"""Child processes in memory: the test decides what they print and when they end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.memory_server import MemoryServer, ReactorClock, Robot
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.interfaces import IPushProducer
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from ump.net.child_process import Child
from ump.net.limits import Limits
from ump.server.bots import ChildBots
from ump.server.settings import RoomSettings


class MemoryProcess(Robot):
    """One child process: a robot that speaks mjai in batches, unless the test prints for it."""

    def __init__(
        self, child: Child, words: Sequence[str], environment: dict[str, str], folder: Path | None = None
    ) -> None:
        self.child = child
        self.folder = folder
        self.words = list(words)
        self.environment = environment
        self.pid: int | None = 4_711
        self.written: list[bytes] = []
        self.producer: IPushProducer | None = None
        self.signals: list[str] = []
        """The signals that it has received."""
        self.is_open = True
        """Whether its standard input is open."""
        self.is_mute = False
        self.has_exited = False
        self.has_ended = False
        self._read = 0

    # Called by the child's protocol

    def write(self, data: bytes) -> None:
        """Keep data for its standard input."""
        self.written.append(data)

    def registerProducer(self, producer: IPushProducer, streaming: bool) -> None:
        """Note the producer."""
        assert streaming
        self.producer = producer

    def unregisterProducer(self) -> None:
        """Forget the producer."""
        self.producer = None

    def closeStdin(self) -> None:
        """Note the end of its standard input."""
        assert self.producer is None
        self.is_open = False

    def signalProcess(self, name: str) -> None:
        """Note the signal; only KILL ends the process."""
        assert not self.has_exited
        self.signals.append(name)
        if name == "KILL":
            self.exit(signal=9)

    def loseConnection(self) -> None:
        """Close the pipes."""
        self.close_pipes()

    # Called by the test

    def prints(self, text: str | bytes) -> None:
        """Write to standard output."""
        self.child.childDataReceived(1, text if isinstance(text, bytes) else text.encode())

    def complains(self, text: str | bytes) -> None:
        """Write to standard error."""
        self.child.childDataReceived(2, text if isinstance(text, bytes) else text.encode())

    def exit(self, status: int = 0, signal: int | None = None, *, pipes_stay: bool = False) -> None:
        """End; the pipes close as well, unless another process holds them."""
        self.has_exited = True
        self.pid = None
        ok = not status and signal is None
        self._reason = Failure(ProcessDone(0) if ok else ProcessTerminated(status, signal))
        self.child.processExited(self._reason)
        if not pipes_stay:
            self.close_pipes()

    def close_pipes(self) -> None:
        """Close the pipes, if the process has ended."""
        if self.has_exited and not self.has_ended:
            self.has_ended = True
            self.child.processEnded(self._reason)

    @property
    def lines(self) -> list[str]:
        """All lines that it has received."""
        return b"".join(self.written).decode().splitlines()

    def arrays(self) -> list[list[dict[str, object]]]:
        """Return the arrays received since the last call."""
        new = self.lines[self._read :]
        self._read += len(new)
        return [json.loads(line) for line in new]

    def play(self) -> bool:
        """Discard each drawn tile, pass on everything else, and end with the input; return whether there was input."""
        arrays = self.arrays()
        if self.is_mute or self.has_exited:
            return False
        for events in arrays:
            self.prints(json.dumps(reply(events)) + "\n")
        if not self.is_open:
            self.exit()
        return bool(arrays)


def reply(events: list[dict[str, object]]) -> dict[str, object]:
    """Return the reply to an array: discard the drawn tile."""
    last = events[-1]
    if last["type"] == "tsumo" and last["pai"] != "?":
        return {"type": "dahai", "actor": last["actor"], "pai": last["pai"], "tsumogiri": True}
    return {"type": "none"}


class ProcessReactor:
    """A reactor for child processes: a clock, and processes in memory."""

    def __init__(self, clock: Clock) -> None:
        self.callLater = clock.callLater
        self.seconds = clock.seconds
        self.programs: list[MemoryProcess] = []
        self.error: OSError | None = None
        """The error that starting a program raises."""

    def spawnProcess(
        self, child: Child, program: str, words: Sequence[str], env: dict[str, str], path: Path | None
    ) -> MemoryProcess:
        """Start a program."""
        if self.error is not None:
            raise self.error
        assert words[0] == program
        started = MemoryProcess(child, words, env, path)
        self.programs.append(started)
        child.makeConnection(started)
        return started


class ServerWithBots(MemoryServer):
    """A server in memory whose rooms may start bots."""

    def __init__(self, *rooms: RoomSettings, limits: Limits, **parts: Any) -> None:
        clock = ReactorClock()
        self.machine = ProcessReactor(clock)
        self.children = ChildBots(limits, self.machine)
        super().__init__(*rooms, clock=clock, children=self.children, **parts)

    @property
    def programs(self) -> list[MemoryProcess]:
        """All programs started so far."""
        return self.machine.programs


@contextmanager
def server_with_bots(*rooms: RoomSettings, children: int = 64, **parts: Any) -> Iterator[ServerWithBots]:
    """Open a server that may start bots; after the test, close it and check that nothing is left."""
    opened = ServerWithBots(*rooms, limits=Limits(children=children), **parts)
    yield opened
    opened.lobby.close()
    opened.children.stopService()
    for program in opened.programs:
        program.play()
        if not program.has_exited:
            program.exit()
    assert opened.children.places == 0
    opened.close()
    assert not len(opened.children._connections)
