"""A process that is measured: the server, or the floor that it is compared with.

    python -m scripts.lab.measured_server server|mjai|floor PORT [OPTION OF THE SERVER ..]

The process listens on PORT of 127.0.0.1. It answers each line of JSON on standard input with its CPU time and memory so
far; for the floor, the line may contain new steps (see ``Floor``). It ends with its standard input.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.interfaces import IReactorCore, IReactorTCP
from twisted.internet.protocol import ServerFactory, connectionDone
from twisted.internet.tcp import Connection
from twisted.logger import globalLogBeginner, textFileLogObserver
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from scripts.lab.figures import SEATS, quantile
from scripts.lab.processes import LOOPBACK, Step, raise_descriptors, resident, waited
from ump.cli.serve import install_reactor

PORTS = {"server": "listen", "mjai": "mjai"}  # the option that opens the port of each kind of server


class FloorConnection(LineOnlyReceiver):
    """One of the four connections of the floor."""

    delimiter = b"\n"
    transport: Connection

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self._floor.join(self)

    def lineReceived(self, line: bytes) -> None:
        self._floor.answered()


class Floor(ServerFactory):
    """Writes lines to four connections and waits for the answers that the steps require: the least a server must do."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._next = 0
        self._awaited = 0
        self._connections: list[FloorConnection] = []

    def buildProtocol(self, addr: object) -> FloorConnection:
        return FloorConnection(self)

    def join(self, connection: FloorConnection) -> None:
        """Add a connection; start with the fourth."""
        self._connections.append(connection)
        if len(self._connections) == SEATS:
            self._next = 0
            self._write()

    def answered(self) -> None:
        """Count an answer; go to the next step after the last answer of a step, and close after the last step."""
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


class TurnTimes:
    """The CPU time of each turn of the reactor: of its due calls, and of the input that it reads after them."""

    def __init__(self, reactor: Any) -> None:
        """Put a clock before the reactor's due calls, with which each turn begins."""
        self._times: list[float] = []
        self._last = time.thread_time()
        self._run: Callable[[], None] = reactor.runUntilCurrent
        reactor.runUntilCurrent = self._begin

    def take(self) -> list[float]:
        """Return the seconds of all turns since the last call."""
        times, self._times = self._times, []
        return times

    def _begin(self) -> None:
        now = time.thread_time()
        self._times.append(now - self._last)
        self._last = now
        self._run()


class Control(LineOnlyReceiver):
    """Answers the requests of the parent, which are new steps or null, with the resources used so far."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 26

    def __init__(self, floor: Floor, stop: Callable[[], None], turns: TurnTimes) -> None:
        self._floor = floor
        self._stop = stop
        self._turns = turns

    def lineReceived(self, line: bytes) -> None:
        steps = json.loads(line)
        if steps is not None:
            self._floor.steps = steps
        turn = quantile(sorted(self._turns.take()), 0.99)
        used = (time.process_time(), resident(), waited(), time.monotonic(), turn)  # the fields of Usage
        self.sendLine(json.dumps(used).encode("ascii"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """End together with the parent."""
        self._stop()


def start_server(role: str, port: int, options: Sequence[str]) -> None:
    """Start the service that twistd would start, with one port, and discard its banner.

    It logs to a file and records games only if the options say where.
    """
    from twisted.internet import reactor

    from ump.net.dialects import port_options
    from ump.server.service import Server
    from ump.server.tap import Options

    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - stays open until the process ends
    globalLogBeginner.beginLoggingTo([textFileLogObserver(nowhere)], redirectStandardIO=False)
    parsed = Options()
    closed = [f"--{option.name}=none" for option in port_options() if option.name != PORTS[role]]
    parsed.parseOptions([f"--{PORTS[role]}={port}", *closed, "--record-dir=none", *options])
    server = Server(parsed.settings, reactor)
    server.open_log()
    server.open_records()
    server.startService()


def main(role: str, port: int, options: Sequence[str]) -> None:
    raise_descriptors()  # before importing the reactor, which may size its tables by the limit
    if role in PORTS:
        install_reactor()
    from twisted.internet import reactor
    from twisted.internet.stdio import StandardIO

    core, tcp, floor = IReactorCore(reactor), IReactorTCP(reactor), Floor()
    if role in PORTS:
        start_server(role, port, options)
    else:
        tcp.listenTCP(port, floor, interface=LOOPBACK)
    StandardIO(Control(floor, core.stop, TurnTimes(reactor)))
    core.run()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
