"""Many light clients in one process, four for each table, or spectators, and what a server does meanwhile.

    python -m scripts.lab.crowd KIND PORT TABLES FIRST
    python -m scripts.lab.crowd spectators PORT ROOMS COUNT

FIRST is the number of the first client. The clients discard what they draw, call nothing, and answer after a fixed
time. The process talks to its parent in lines of JSON. It writes ``"seated"`` when all tables are full. After ``"go"``
it answers the first question of each game, spread over a second, so that the tables do not stay in step. After each
``"mark"`` it prints the questions and delays since the last mark. It ends with its standard input.

A delay is the time that the server adds: from just before the last awaited answer of a table is sent until the bytes
of the next question arrive. The kernel stamps the arrival, so a late turn of this process does no harm.

Spectators are spread over the rooms: they read, and say nothing. After each ``"mark"`` the process prints the bytes
that they have received.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import struct
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Protocol, Self

from scripts.lab.figures import SEATS, pause, quantile
from scripts.lab.light_players import UmpPlayer
from scripts.lab.processes import LOOPBACK, PATIENCE, Child, Usage, raise_descriptors, tell_parent
from scripts.lab.server import Measured

THINKING = 0.05  # seconds from a question to its answer
SPREAD = 1.0  # seconds over which the starts of the tables are spread

SETTLING, SETTLING_PER_TABLE = 2.0, 0.005
"""Seconds from the start of the last table to the measurement, until the queue of the first deals is gone."""

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=300+0")  # the options of a server for a crowd

SO_TIMESTAMPNS = 35
"""Linux: the kernel stamps the arrival of bytes. Python has no name for this constant."""

STAMP = struct.Struct("qq")  # a time stamp: seconds and nanoseconds
NO_LINGER = struct.pack("ii", 1, 0)  # SO_LINGER: closing leaves no connection in TIME_WAIT


# The parent


@dataclass(frozen=True)
class Phase:
    """The measurements of a phase in which clients played."""

    answers: float  # answers per second
    delays: tuple[float, ...]  # delays in milliseconds, ascending
    load: float  # share of the time in which the server computed
    memory: int  # bytes of the server at the end
    waiting: float = 0.0  # share of the time in which the server was ready to compute, and no core was free
    turn: float = 0.0
    """Milliseconds of CPU of a turn of the reactor, the 99th percentile: what the server itself adds to a delay."""

    @property
    def p99(self) -> float:
        return quantile(self.delays, 0.99)


def phase_of(before: Usage, after: Usage, questions: int, delays: Sequence[float]) -> Phase:
    """Return the figures of a phase from what was counted in it; ``delays`` are seconds."""
    lasted = after.instant - before.instant
    in_order = tuple(sorted(delay * 1e3 for delay in delays))
    busy, waiting = (after.seconds - before.seconds) / lasted, (after.waited - before.waited) / lasted
    return Phase(questions / lasted, in_order, busy, after.memory, waiting, after.turn * 1e3)


class Players:
    """The processes of a crowd, which takes seats at so many tables of a server."""

    def __init__(self, kind: str, server: Measured, tables: int, processes: int = 1) -> None:
        """There are at least as many ``processes`` as ports of the server, one after the other."""
        self._children: list[Child] = []
        self._tables = tables
        first, ports = 0, server.player_ports
        processes = max(processes, len(ports))
        for number in range(processes):
            part = (tables + number) // processes
            if part:
                port = ports[number % len(ports)]
                self._children.append(Child.of("scripts.lab.crowd", kind, port, part, first))
                self._children[-1].receive()  # wait until all are seated, so that each table has players of one process
            first += SEATS * part

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for child in self._children:
            child.stop()

    def begin(self) -> None:
        """Let the games begin, and wait until the queue of the first deals is gone."""
        for child in self._children:
            child.send("go")
        time.sleep(SPREAD + SETTLING + SETTLING_PER_TABLE * self._tables)

    def measure(self, server: Measured, seconds: float, what: str) -> tuple[Phase, int]:
        """Let the clients play; return what was measured, and how many connections were closed so far."""
        self._mark()
        before = server.usage()
        pause(seconds, what)
        counted = self._mark()
        after = server.usage()
        questions, lost = (sum(each[name] for each in counted) for name in ("questions", "lost"))
        return phase_of(before, after, questions, [delay for each in counted for delay in each["delays"]]), lost

    def _mark(self) -> list[Any]:
        for child in self._children:
            child.send("mark")
        return [child.receive() for child in self._children]


# The child


class Connection(Protocol):
    """One connection of the process."""

    @property
    def socket(self) -> socket.socket:
        """Its socket."""

    def read(self) -> bool:
        """Handle the received bytes; return whether the connection is still open."""


class Connections(ABC):
    """All connections of this process, which obeys its parent."""

    POLITENESS = 10
    """Increment of the nice value: real clients have machines of their own, so the server comes first here."""

    def __init__(self) -> None:
        self.lost = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    @abstractmethod
    def run(self) -> None:
        """Play, or watch, until the parent ends."""

    @abstractmethod
    def obey(self, word: str) -> None:
        """Do what the parent says."""

    def add(self, connection: Connection) -> None:
        """Take a connection, once the server has greeted it, so that the server's backlog does not overflow."""
        connection.read()
        self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        self.turn(0.0)

    def turn(self, patience: float) -> None:
        """Handle the input of all connections and the parent; wait at most ``patience`` seconds for it."""
        for key, _ in self._selector.select(patience):
            if key.data is None:
                self._hear_parent()
            elif not key.data.read():
                self.lost += 1
                self._selector.unregister(key.fileobj)

    def _hear_parent(self) -> None:
        line = os.read(sys.stdin.fileno(), 1 << 10)
        if not line:
            raise SystemExit
        for word in map(json.loads, line.splitlines()):
            self.obey(word)


def connected(port: int, address: str = LOOPBACK) -> socket.socket:
    """Return a connection from an address to the server."""
    connection = socket.create_connection((LOOPBACK, port), PATIENCE, (address, 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
    return connection


class Table:
    """Four clients that play together."""

    def __init__(self) -> None:
        self.open = 0  # unanswered questions
        self.last_sent = 0.0  # when the last answer was sent, in seconds since the epoch; 0 before the first one


class Client:
    """One connection."""

    def __init__(self, crowd: Crowd, port: int, name: str, address: str) -> None:
        self.socket = connected(port, address)
        if sys.platform == "linux":
            self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.table: Table | None = None
        self._crowd = crowd
        self._player = UmpPlayer(name)
        self._rest = b""

    def read(self) -> bool:
        """Handle the received bytes; return whether the connection is still open."""
        data, ancillary, _, _ = self.socket.recvmsg(1 << 16, 64)
        stamp = time.time()
        for level, kind, value in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = STAMP.unpack(value)
                stamp = seconds + nanoseconds / 1e9
        *lines, self._rest = (self._rest + data).split(UmpPlayer.END)
        for line in lines:
            self._receive(line, stamp)
        return bool(data)

    def _receive(self, line: bytes, stamp: float) -> None:
        command = line.split(b" ", 2)[1]
        answer = self._player.answer(line)
        if command == b"gamestart":
            self.table = self._crowd.table_of(line.split(b" ", 3)[3])
        elif command == b"hello":
            self.socket.sendall(answer + UmpPlayer.END)
        elif answer:
            self._crowd.asked(self, answer + UmpPlayer.END, stamp)


class Crowd(Connections):
    """The clients that play in this process."""

    def __init__(self, port: int, tables: int, first: int) -> None:
        super().__init__()
        self._tables: dict[bytes, Table] = {}
        self._expected_tables = tables
        self._held: list[tuple[Client, bytes]] = []  # answers to first questions, until ``"go"``
        self._later: list[tuple[float, int, Client, bytes]] = []
        """Answers to send: a heap ordered by time, and by a running number if times are equal."""
        self._numbers = count()
        self._chance = Random(first)
        self._questions = 0
        self._delays: list[float] = []
        self._counts = self._has_begun = False
        for number in range(first, first + SEATS * tables):
            self.add(Client(self, port, self.hello_of(number), self.address_of(number)))

    def hello_of(self, number: int) -> str:
        """Return the name of a client, and what else its hello says."""
        return f"c{number}"

    def address_of(self, number: int) -> str:
        """Return the address that a client connects from."""
        return LOOPBACK

    def table_of(self, names: bytes) -> Table:
        return self._tables.setdefault(names, Table())

    def asked(self, client: Client, answer: bytes, stamp: float) -> None:
        """Handle a question that arrived at ``stamp``, and schedule its answer."""
        table = client.table
        if table is None:
            return
        if self._counts:
            self._questions += 1
            if not table.open and table.last_sent:
                self._delays.append(max(0.0, stamp - table.last_sent))
        table.open += 1
        if self._has_begun:
            self._send_at(time.monotonic() + THINKING, client, answer)
        else:
            self._held.append((client, answer))

    def run(self) -> None:
        """Play until the parent ends."""
        while len(self._tables) < self._expected_tables or len(self._held) < SEATS * self._expected_tables:
            self.turn(PATIENCE)
        tell_parent("seated")
        while True:
            self.turn(self._next_answer())
            self._send()

    def _next_answer(self) -> float:
        """Return the seconds until an answer is due."""
        if not self._later:
            return PATIENCE
        return max(0.0, self._later[0][0] - time.monotonic())

    def obey(self, word: str) -> None:
        """Begin the games, or say what has been counted since the last mark."""
        if word == "go":
            self._begin()
        else:
            tell_parent({"questions": self._questions, "delays": self._delays, "lost": self.lost})
            self._questions, self._delays, self._counts = 0, [], True

    def _begin(self) -> None:
        """Schedule the first answers of each table at a random time within ``SPREAD``."""
        self._has_begun = True
        now = time.monotonic()
        instants = {id(table): now + self._chance.random() * SPREAD for table in self._tables.values()}
        for client, answer in self._held:
            self._send_at(instants[id(client.table)], client, answer)

    def _send_at(self, instant: float, client: Client, answer: bytes) -> None:
        heappush(self._later, (instant, next(self._numbers), client, answer))

    def _send(self) -> None:
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            _, _, client, answer = heappop(self._later)
            table = client.table
            assert table is not None
            table.open -= 1
            table.last_sent = time.time()
            client.socket.sendall(answer)


class Watched(Crowd):
    """Four clients for each room, so that spectators can choose it."""

    def hello_of(self, number: int) -> str:
        return f"c{number} _room=r{number // SEATS}"


class Honest(Crowd):
    """Clients that go on with new games, within the default limits of a host."""

    def __init__(self, port: int, tables: int, first: int) -> None:
        self._sat: Counter[bytes] = Counter()  # how many clients have sat down at tables of these players
        super().__init__(port, tables, first)

    def hello_of(self, number: int) -> str:
        return f"c{number} _games=0"

    def address_of(self, number: int) -> str:
        return f"127.0.1.{1 + number // 20}"

    def table_of(self, names: bytes) -> Table:
        """Return the table of a game. If the same players meet again, they have a new one."""
        self._sat[names] += 1
        if self._sat[names] % SEATS == 1:
            self._tables[names] = Table()
        return self._tables[names]


class Spectator:
    """One spectator, who reads and says nothing."""

    def __init__(self, crowd: Spectators, port: int, room: int) -> None:
        self.socket = connected(port)
        self.socket.sendall(b"0 hello ump=0.1 _watch=r%d\r\n" % room)
        self._crowd = crowd

    def read(self) -> bool:
        """Count the received bytes; return whether the connection is still open."""
        data = self.socket.recv(1 << 16)
        self._crowd.received += len(data)
        return bool(data)


class Spectators(Connections):
    """The spectators in this process, spread over the rooms."""

    POLITENESS = 15  # reading is the work of other machines

    def __init__(self, port: int, rooms: int, count: int) -> None:
        super().__init__()
        self.received = 0  # bytes so far
        for number in range(count):
            self.add(Spectator(self, port, number % rooms))

    def obey(self, word: str) -> None:
        """Say how much has been received."""
        tell_parent({"bytes": self.received, "lost": self.lost})

    def run(self) -> None:
        """Read until the parent ends."""
        tell_parent("seated")
        while True:
            self.turn(PATIENCE)


KINDS: Mapping[str, type[Crowd] | type[Spectators]] = {
    "crowd": Crowd,
    "watched": Watched,
    "honest": Honest,
    "spectators": Spectators,
}

if __name__ == "__main__":
    raise_descriptors()
    kind = KINDS[sys.argv[1]]
    os.nice(kind.POLITENESS)
    kind(*map(int, sys.argv[2:])).run()
