"""SIGUSR2: another program takes the place of a server in play."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.memory_server import room, settings_of
from support.programs import UMP, Program, start
from support.rows import each_row
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import capturedLogs, formatEvent
from twisted.python.failure import Failure

from scripts.scenarios.upgrades import ANSWERS
from ump.net.limits import Limits
from ump.net.listener import OpenSocket
from ump.server.service import Server
from ump.server.upgrade import READY, READY_SECONDS, VARIABLE, Inheritance, Successor

SECONDS = 60
VARIABLES = {"LISTEN_FDNAMES": "ump.socket:ump.socket", "WATCHDOG_PID": "17"}


class Spawning(Clock):
    """A reactor that notes which process it should start, and is that process."""

    pid = 18

    def __init__(self) -> None:
        super().__init__()
        self.signals: list[str] = []

    def spawnProcess(self, protocol: Successor, program: str, words: Sequence[str], **how: Any) -> Any:
        """Start nothing."""
        self.protocol, self.environment, self.descriptors = protocol, how["env"], how["childFDs"]
        return self

    def signalProcess(self, name: str) -> None:
        """End as if the signal had come."""
        self.signals.append(name)
        self.protocol.processEnded(Failure(ProcessTerminated(None, signal.SIGKILL, None)))


class OpenListener:
    """A port as its successor sees it."""

    option = "listen"

    def __init__(self, description: str, opened: OpenSocket | None, number: int | None = None) -> None:
        self.description = description
        self.open_socket = opened
        self.systemd_number = number


def started() -> tuple[Spawning, list[object]]:
    """Start a successor; return the reactor, and a list of what it has called."""
    reactor = Spawning()
    called: list[object] = []
    listeners: list[Any] = [
        OpenListener("tcp:1", OpenSocket(10)),
        OpenListener("closed", None),
        OpenListener("systemd:domain=INET:index=1", OpenSocket(11), 4),
        OpenListener("unix:/x", OpenSocket(12, 13)),
    ]
    Successor(reactor, called.append, lambda: called.append("failed")).start(listeners, VARIABLES)
    return reactor, called


def test_sockets_that_go_over() -> None:
    """Those of systemd keep their numbers, the others follow; no watchdog waits for the old process."""
    reactor, called = started()
    assert reactor.descriptors == {0: 0, 1: 1, 2: 2, 5: "r", 6: 10, 4: 11, 7: 12, 8: 13}
    told = json.loads(reactor.environment.pop(VARIABLE))
    assert told == {"ready": 5, "sockets": [["listen", "tcp:1", [6]], ["listen", "unix:/x", [7, 8]]]}
    assert reactor.environment == {"LISTEN_FDNAMES": "ump.socket:ump.socket", "LISTEN_FDS": "2"}
    reactor.protocol.childDataReceived(5, READY)
    reactor.protocol.processEnded(Failure(ProcessDone(0)))
    assert (called, reactor.getDelayedCalls(), reactor.signals) == ([18], [], [])


@each_row(
    ("ended", "why"),
    [
        (None, "was not ready within 60 seconds"),
        (ProcessTerminated(1, None, None), "ended with status 1; its own last line says why"),
        (ProcessTerminated(None, 11, None), "was ended by signal 11"),
        (ProcessDone(0), "ended with status 0; its own last line says why"),
    ],
)
def test_a_successor_that_is_of_no_use(ended: Exception | None, why: str) -> None:
    """The server goes on, and one line of the log says why."""
    reactor, called = started()
    with capturedLogs() as events:
        if ended is None:
            reactor.advance(READY_SECONDS)
        else:
            reactor.protocol.processEnded(Failure(ended))
    assert [*map(formatEvent, events)] == [f"SIGUSR2: the server goes on, as the new program {why}"]
    assert (called, reactor.getDelayedCalls()) == (["failed"], [])
    assert reactor.signals == ([] if ended is not None else ["KILL"])


def test_an_inheritance() -> None:
    """Each socket is taken once; those that nobody takes are closed before the old server leaves."""
    taken, left = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0)).detach()
    hear, say = socket.socketpair()
    sockets = [["listen", "a", [taken.fileno()]], ["listen", "b", [left]]]
    variables = {VARIABLE: json.dumps({"ready": say.detach(), "sockets": sockets})}
    inheritance = Inheritance.taken_from(variables)
    assert inheritance is not None
    assert Inheritance.taken_from(variables) is None
    assert inheritance.take_socket("listen", "a") == OpenSocket(taken.fileno())
    assert inheritance.take_socket("listen", "a") is None
    assert inheritance.take_socket("http", "b") is None
    inheritance.say_ready()
    with pytest.raises(OSError, match="Bad file descriptor"):
        socket.socket(fileno=left)
    assert (hear.recv(10), hear.recv(10)) == (READY, b"")
    hear.close()
    taken.close()


def test_no_upgrade_without_records() -> None:
    """Games would be lost."""
    with capturedLogs() as events:
        Server(settings_of((), rooms=(room(),), limits=Limits()), MemoryReactorClock()).upgrade()
    assert [*map(formatEvent, events)] == ["SIGUSR2: no upgrade: without --record-dir all running games would be lost"]


def said(port: int, hello: str, until: str) -> list[str]:
    """Say hello, and answer until a sentence with this command comes; return all sentences."""
    drawn, lines = "", []
    with socket.create_connection(("127.0.0.1", port), SECONDS) as client, client.makefile("rw") as stream:
        stream.write(f"0 hello ump=0.1 {hello}\n")
        stream.flush()
        for line in stream:
            lines.append(line)
            number, command, *words = line.split()
            if command == until:
                break
            drawn = words[2] if command == "tsumo" and len(words) == 3 else drawn
            if command in ANSWERS:
                stream.write(f"{number} {ANSWERS[command]}\n")
                stream.flush()
    return lines


@pytest.mark.once
@pytest.mark.no_cover
def test_a_server_is_upgraded(tmp_path: Path) -> None:
    """A new program that cannot start changes nothing. Another one goes on with the games, at the same sockets."""
    config, http, admin = tmp_path / "ump.toml", tmp_path / "http.sock", tmp_path / "admin.sock"
    rooms = '[rooms.main]\nhouse = ["tsumogiri:3"]\nhouse_after = 0\nbot_delay = "0"\n'
    config.write_text(rooms)
    options = [f"--config={config}", "--listen=0", "--mjai=none", f"--record-dir={tmp_path / 'records'}"]
    options += [f"--http=unix:{http}:mode=600", f"--admin-socket={admin}"]
    with start(*UMP, "serve", *options, is_plain=True, start_new_session=True) as server:
        try:
            upgrade_in_play(server, config, rooms)
            assert [stat.S_IMODE(path.stat().st_mode) for path in (http, admin)] == [0o600] * 2
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(http))
                client.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert client.recv(12) == b"HTTP/1.1 200"
        finally:
            os.killpg(server.pid, signal.SIGKILL)


def upgrade_in_play(server: Program, config: Path, rooms: str) -> None:
    """Upgrade a server under a client, the first time with a mistake in the file."""
    port = server.port()
    lines = said(port, "name=x _resume=1", "sutehai?")
    token = next(line.split()[2] for line in lines if line.split()[1] == "_resume")
    config.write_text("[rom.main]")
    server.send_signal(signal.SIGUSR2)
    server.read_until("the server goes on, as the new program ended with status 1")
    config.write_text(rooms)
    server.send_signal(signal.SIGUSR2)
    server.read_until("takes the place of this one")
    again = said(port, f"_resume={token}", "sutehai?")
    assert [line.split()[1:] for line in again if " haipai " in line] == [
        line.split()[1:] for line in lines if " haipai " in line
    ]
    assert server.wait(SECONDS) == 0
