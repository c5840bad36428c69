"""What scripts/bench measures, as a process of its own: the server, or the floor that it is held against.

    python -m scripts.benchmarks.measured server|floor PORT [OPTION OF THE SERVER ..]

Listens on that port of 127.0.0.1. Each line of JSON on standard input is answered with what was used so far, CPU
seconds and memory; for the floor it may hold new steps (see ``Floor``). Ends when standard input does.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from twisted.internet.interfaces import IReactorCore, IReactorTCP
from twisted.internet.protocol import ServerFactory, connectionDone
from twisted.internet.tcp import Connection
from twisted.logger import globalLogBeginner, textFileLogObserver
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from scripts.benchmarks.figures import LOOPBACK, SEATS
from scripts.benchmarks.processes import raise_descriptors, resident, waited

PORTS = {"server": "listen", "mjai": "mjai"}
"""The option for the one port of each kind of server."""

Step = tuple[list[str], int]
"""What is written to each connection at a time, and how many answers must come before the next."""


class FloorConnection(LineOnlyReceiver):
    """One of the four connections of the floor."""

    delimiter = b"\r\n"
    transport: Connection

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def connectionMade(self) -> None:
        """Sit down."""
        self.transport.setTcpNoDelay(True)
        self._floor.join(self)

    def lineReceived(self, line: bytes) -> None:
        """Count an answer."""
        self._floor.answered()


class Floor(ServerFactory):
    """Writes lines to four connections and waits for as many answers as the steps say. No server can do with less."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._next = 0
        self._awaited = 0
        self._connections: list[FloorConnection] = []

    def buildProtocol(self, addr: object) -> FloorConnection:
        """Take the next connection."""
        return FloorConnection(self)

    def join(self, connection: FloorConnection) -> None:
        """Begin when four are there."""
        self._connections.append(connection)
        if len(self._connections) == SEATS:
            self._next = 0
            self._write()

    def answered(self) -> None:
        """Go on when all answers of this step are there; after the last step, close."""
        self._awaited -= 1
        if self._awaited:
            return
        if self._next < len(self.steps):
            self._write()
            return
        for connection in self._connections:
            connection.transport.loseConnection()
        self._connections = []

    def _write(self) -> None:
        texts, self._awaited = self.steps[self._next]
        self._next += 1
        for connection, text in zip(self._connections, texts, strict=True):
            if text:
                connection.transport.write(text.encode("ascii"))


class Control(LineOnlyReceiver):
    """The parent's requests on standard input: new steps, or null; answered with what was used so far."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 26

    def __init__(self, floor: Floor, stop: Callable[[], None]) -> None:
        self._floor = floor
        self._stop = stop

    def lineReceived(self, line: bytes) -> None:
        """Take steps; say what has been used."""
        steps = json.loads(line)
        if steps is not None:
            self._floor.steps = steps
        used = {
            "seconds": time.process_time(),
            "memory": resident(),
            "waited": waited(),
            "instant": time.monotonic(),
        }
        self.sendLine(json.dumps(used).encode("ascii"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """End with the parent."""
        self._stop()


def start_server(role: str, port: int, options: Sequence[str]) -> None:
    """Start the service that twistd would start, with one port, and with its log written to nowhere."""
    from ump.tap import Options, makeService

    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open as long as the process lives
    globalLogBeginner.beginLoggingTo([textFileLogObserver(nowhere)], redirectStandardIO=False)
    wanted = Options()
    wanted.parseOptions([f"--{PORTS[role]}={port}", *options])
    makeService(wanted).startService()


def main(role: str, port: int, options: Sequence[str]) -> None:
    """Be a server or the floor."""
    raise_descriptors()  # before the reactor is there: it may size its tables by the limit
    from twisted.internet import reactor
    from twisted.internet.stdio import StandardIO

    core, tcp, floor = IReactorCore(reactor), IReactorTCP(reactor), Floor()
    if role in PORTS:
        start_server(role, port, options)
    else:
        tcp.listenTCP(port, floor, interface=LOOPBACK)
    StandardIO(Control(floor, core.stop))
    core.run()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
