"""Many light clients in one process, four for each table: the other end of ``crowd``.

    python -m scripts.benchmarks.crowd_clients PORT TABLES FIRST

FIRST is the number of the first client. The clients discard what they draw, call nothing, and answer after a fixed
time. The process talks to its parent in lines of JSON. It writes ``"seated"`` when all tables are full. After ``"go"``
it answers the first question of each game, spread over a second, so that the tables do not stay in step. Between
``"begin"`` and ``"end"`` it counts questions and delays; then it prints them and ends. It also ends with its standard
input.

A delay is the time that the server adds: from just before the last awaited answer of a table is sent until the bytes
of the next question arrive. The kernel stamps the arrival, so a late turn of this process does no harm.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import struct
import sys
import time
from heapq import heappop, heappush
from itertools import count
from random import Random

from scripts.benchmarks.figures import LOOPBACK, PATIENCE, SEATS
from scripts.benchmarks.processes import raise_descriptors

THINKING = 0.05
"""Seconds from a question to its answer."""

POLITENESS = 10
"""Increment of the nice value: real clients have machines of their own, so the server comes first here."""

SPREAD = 1.0
"""Seconds over which the starts of the tables are spread."""

SO_TIMESTAMPNS = 35
"""Linux: the kernel stamps the arrival of bytes. Python has no name for this constant."""

STAMP = struct.Struct("qq")
"""A time stamp: seconds and nanoseconds."""

NO_LINGER = struct.pack("ii", 1, 0)
"""SO_LINGER: closing leaves no connection in TIME_WAIT."""

PLAIN = {b"ready?": b"ok", b"naku?": b"no", b"tenpai?": b"no", b"bye": b"bye"}
"""Answers that do not depend on the game."""


class Table:
    """Four clients that play together."""

    def __init__(self) -> None:
        self.open = 0
        """Unanswered questions."""
        self.last_sent = 0.0
        """When the last answer was sent, in seconds since the epoch; 0 before the first one."""


class Client:
    """One connection."""

    def __init__(self, crowd: Crowd, port: int, name: str, address: str = LOOPBACK) -> None:
        """Connect to a port, from an address of this computer."""
        self.socket = socket.create_connection((LOOPBACK, port), PATIENCE, (address, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        if sys.platform == "linux":
            self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.table: Table | None = None
        self._crowd = crowd
        self._name = name.encode("ascii")
        self._rest = b""
        self._seat = b""
        self._drawn = b""

    def read(self) -> bool:
        """Handle the received bytes; return whether the connection is still open."""
        data, ancillary, _, _ = self.socket.recvmsg(1 << 16, 64)
        stamp = time.time()
        for level, kind, value in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = STAMP.unpack(value)
                stamp = seconds + nanoseconds / 1e9
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        for line in lines:
            self._receive(line.split(b" "), stamp)
        return bool(data)

    def _receive(self, words: list[bytes], stamp: float) -> None:
        """Handle one line, split into words, that arrived at ``stamp``."""
        number, command = words[:2]
        if command == b"tsumo":
            if words[2] == self._seat:
                self._drawn = words[4]
        elif command == b"sutehai?":
            self._crowd.asked(self, number + b" sute " + self._drawn + b" tsumogiri\r\n", stamp)
        elif command in PLAIN:
            self._crowd.asked(self, number + b" " + PLAIN[command] + b"\r\n", stamp)
        elif command == b"hello":
            self.socket.sendall(number + b" hello name=" + self._name + b"\r\n")
        elif command == b"gamestart":
            self._seat = words[2]
            self.table = self._crowd.table_of(b" ".join(words[3:]))
        elif command == b"error":
            raise SystemExit(f"bench: error from the server: {b' '.join(words).decode('ascii')}")


class Crowd:
    """All clients of this process."""

    HELLO = "c{}"
    """The name of a client with its number, and what else its hello says."""

    def __init__(self, port: int, tables: int, first: int) -> None:
        self._tables: dict[bytes, Table] = {}
        self._expected_tables = tables
        self._selector = selectors.DefaultSelector()
        self._held: list[tuple[Client, bytes]] = []
        """Answers to first questions, until ``"go"``."""
        self._later: list[tuple[float, int, Client, bytes]] = []
        """Answers to send: a heap ordered by time, and by a running number if times are equal."""
        self._numbers = count()
        self._chance = Random(first)
        self._questions = 0
        self._delays: list[float] = []
        self._lost = 0
        self._counts = self._has_begun = self._is_over = False
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        for number in range(first, first + SEATS * tables):
            client = Client(self, port, self.hello_of(number), self.address_of(number))
            client.read()  # wait for the greeting, so that the server's backlog does not overflow
            self._selector.register(client.socket, selectors.EVENT_READ, client)
            self._turn(0.0)

    def hello_of(self, number: int) -> str:
        """Return the name of a client, and what else its hello says."""
        return self.HELLO.format(number)

    def address_of(self, number: int) -> str:
        """Return the address that a client connects from."""
        return LOOPBACK

    def table_of(self, names: bytes) -> Table:
        """Return the table at which players with these names play."""
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
        """Play until the parent sends ``"end"``."""
        while len(self._tables) < self._expected_tables or len(self._held) < SEATS * self._expected_tables:
            self._turn(PATIENCE)
        report("seated")
        while not self._is_over:
            self._turn(max(0.0, self._later[0][0] - time.monotonic()) if self._later else PATIENCE)
            self._send()
        report({"questions": self._questions, "delays": self._delays, "lost": self._lost})

    def _turn(self, patience: float) -> None:
        """Handle the input of all connections and the parent; wait at most ``patience`` seconds for it."""
        for key, _ in self._selector.select(patience):
            if key.data is None:
                self._obey()
            elif not key.data.read():
                self._lost += 1
                self._selector.unregister(key.fileobj)

    def _obey(self) -> None:
        """Handle the words of the parent."""
        line = os.read(sys.stdin.fileno(), 1 << 10)
        if not line:
            raise SystemExit
        for word in map(json.loads, line.splitlines()):
            self.obey(word)

    def obey(self, word: str) -> None:
        """Act on a word of the parent."""
        self._counts = word == "begin"
        self._is_over = word == "end"
        if word == "go":
            self._begin()

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
        """Send all answers that are due."""
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            _, _, client, answer = heappop(self._later)
            table = client.table
            assert table is not None
            table.open -= 1
            table.last_sent = time.time()
            client.socket.sendall(answer)


def report(what: object) -> None:
    """Send a line of JSON to the parent."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    Crowd(*map(int, sys.argv[1:4])).run()
