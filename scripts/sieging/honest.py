"""The honest clients of a siege, in one process: four for each table, which play one kyoku after another.

    python -m scripts.sieging.honest PORT TABLES

The process talks to its parent as ``scripts.benchmarks.crowd_clients`` does. After ``"mark"`` it prints the questions
and delays since the last mark.
"""

from __future__ import annotations

import os
import sys
from collections import Counter

from scripts.benchmarks.crowd_clients import POLITENESS, Crowd, Table, report
from scripts.benchmarks.figures import SEATS
from scripts.benchmarks.processes import raise_descriptors

PER_ADDRESS = 20
"""Clients that share an address, so that the default limits of a host hold for them."""


class Honest(Crowd):
    """Clients that go on with new games."""

    HELLO = "c{} _games=0"

    def __init__(self, port: int, tables: int) -> None:
        """Connect to a port, and sit down at this many tables."""
        self._sat: Counter[bytes] = Counter()
        """How many clients have sat down at tables of these players."""
        super().__init__(port, tables, 0)

    def address_of(self, number: int) -> str:
        """Return one of the addresses of honest clients."""
        return f"127.0.1.{1 + number // PER_ADDRESS}"

    def table_of(self, names: bytes) -> Table:
        """Return the table of a game. If the same players meet again, they have a new one."""
        self._sat[names] += 1
        if self._sat[names] % SEATS == 1:
            self._tables[names] = Table()
        return self._tables[names]

    def obey(self, word: str) -> None:
        """Act on a word of the parent; report what was measured since the last mark."""
        if word == "mark":
            report({"questions": self._questions, "delays": self._delays, "lost": self._lost})
            self._questions, self._delays = 0, []
            self._counts = True
        else:
            super().obey(word)


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    Honest(int(sys.argv[1]), int(sys.argv[2])).run()
