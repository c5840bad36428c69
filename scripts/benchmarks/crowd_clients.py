"""Many light clients in one process, four to a table, each answering after a fixed time: the crowd's other end.

    python -m scripts.benchmarks.crowd_clients PORT TABLES FIRST

They discard what they draw and call nothing. Says ``"seated"`` when all tables are full. The first question of each
game is answered only upon ``"go"``, spread evenly over a second, so that tables do not stay in step. Between
``"begin"`` and ``"end"`` questions and delays are counted; they are then printed, and it ends. It ends with standard
input, too.

A delay is what the server adds: from the moment before the last needed answer of a table is sent to the moment at
which the next question's bytes arrived, as the kernel stamped them; so this process may be late itself.
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
"""Real clients have machines of their own: here the server goes first."""

SPREAD = 1.0
"""Seconds over which the tables begin."""

SO_TIMESTAMPNS = 35
"""Linux: the kernel notes when bytes arrived. Python does not name it."""

STAMP = struct.Struct("qq")
AT_ONCE = struct.pack("ii", 1, 0)
"""SO_LINGER: to close leaves no connection behind that waits."""

PLAIN = {b"ready?": b"ok", b"naku?": b"no", b"tenpai?": b"no", b"bye": b"bye"}
"""Answers that are always the same."""


class Table:
    """Four clients who play together."""

    def __init__(self) -> None:
        self.open = 0
        """Questions that are not answered yet."""
        self.last_sent = 0.0
        """When the last answer was sent; 0 before the first."""


class Client:
    """One connection."""

    def __init__(self, crowd: Crowd, port: int, name: str) -> None:
        self.socket = socket.create_connection((LOOPBACK, port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        if sys.platform == "linux":
            self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.table: Table | None = None
        self._crowd = crowd
        self._name = name.encode("ascii")
        self._rest = b""
        self._seat = b""
        self._drawn = b""

    def read(self) -> bool:
        """Read what has come; return whether the connection is still open."""
        data, ancillary, _, _ = self.socket.recvmsg(1 << 16, 64)
        stamp = time.time()
        for level, kind, value in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = STAMP.unpack(value)
                stamp = seconds + nanoseconds / 1e9
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        for line in lines:
            self._hear(line.split(b" "), stamp)
        return bool(data)

    def _hear(self, words: list[bytes], stamp: float) -> None:
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
            raise SystemExit(f"bench: the server says: {b' '.join(words).decode('ascii')}")


class Crowd:
    """All clients of this process."""

    def __init__(self, port: int, tables: int, first: int) -> None:
        self._tables: dict[bytes, Table] = {}
        self._wanted = tables
        self._selector = selectors.DefaultSelector()
        self._held: list[tuple[Client, bytes]] = []
        """Answers to first questions, until it begins."""
        self._later: list[tuple[float, int, Client, bytes]] = []
        """Answers to be sent: a heap, by the instant; the number keeps the order of equal ones."""
        self._numbers = count()
        self._chance = Random(first)
        self._questions = 0
        self._delays: list[float] = []
        self._lost = 0
        self._counts = self._has_begun = self._is_over = False
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        for number in range(first, first + SEATS * tables):
            client = Client(self, port, f"c{number}")
            client.read()  # the greeting: without waiting for it the server's backlog would overflow
            self._selector.register(client.socket, selectors.EVENT_READ, client)
            self._turn(0.0)

    def table_of(self, names: bytes) -> Table:
        """Return the table of a game, by the names of its players."""
        return self._tables.setdefault(names, Table())

    def asked(self, client: Client, answer: bytes, stamp: float) -> None:
        """Take a question whose bytes came at ``stamp``; answer it in time."""
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
        """Play until told to end."""
        while len(self._tables) < self._wanted or len(self._held) < SEATS * self._wanted:
            self._turn(PATIENCE)
        say("seated")
        while not self._is_over:
            self._turn(max(0.0, self._later[0][0] - time.monotonic()) if self._later else PATIENCE)
            self._send()
        say({"questions": self._questions, "delays": self._delays, "lost": self._lost})

    def _turn(self, patience: float) -> None:
        for key, _ in self._selector.select(patience):
            if key.data is None:
                self._obey()
            elif not key.data.read():
                self._lost += 1
                self._selector.unregister(key.fileobj)

    def _obey(self) -> None:
        line = os.read(sys.stdin.fileno(), 1 << 10)
        if not line:
            raise SystemExit
        for word in map(json.loads, line.splitlines()):
            self._counts = word == "begin"
            self._is_over = word == "end"
            if word == "go":
                self._begin()

    def _begin(self) -> None:
        """Let each table's first answers go at an instant of its own."""
        self._has_begun = True
        now = time.monotonic()
        instants = {id(table): now + self._chance.random() * SPREAD for table in self._tables.values()}
        for client, answer in self._held:
            self._send_at(instants[id(client.table)], client, answer)

    def _send_at(self, instant: float, client: Client, answer: bytes) -> None:
        heappush(self._later, (instant, next(self._numbers), client, answer))

    def _send(self) -> None:
        """Send what is due."""
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            _, _, client, answer = heappop(self._later)
            table = client.table
            assert table is not None
            table.open -= 1
            table.last_sent = time.time()
            client.socket.sendall(answer)


def say(what: object) -> None:
    """Tell the parent something."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    Crowd(*map(int, sys.argv[1:4])).run()
