"""Clients of every dialect at the tables of a server in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from support.carried_client import CarriedClient
from support.dialect_clients import EVERY_DIALECT
from support.memory_server import MAX_LINES, MemoryServer
from support.swapped_tiles import DialectUnderTest

from ump.wire.ump.sentence import SEATS_02

BY_NAME = {dialect.name: dialect for dialect in EVERY_DIALECT}
"""The dialects by their names."""


def scores_in_ump(message: str) -> list[int] | None:
    """Return the final scores, if the message has them."""
    _, command, *words = message.split()
    return [int(word.lstrip("=")) for word in words] if command == "gameend" else None


def results_in_ump02(message: str) -> list[int] | None:
    """Return the results by seat with uma, if the message has them."""
    _, command, *words = message.split()
    if command != "gameend":
        return None
    results = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
    return [results[seat] for seat in SEATS_02[: len(results)]]


def scores_in_mjai(message: str) -> list[int] | None:
    """Return the final scores, if the message has them."""
    read: Any = json.loads(message)
    last = read[-1] if isinstance(read, list) else read
    return last.get("scores") if last["type"] == "end_game" else None


def scores_in_majiang(message: str) -> list[int] | None:
    """Return the final scores by id, if the message has them."""
    read: Any = json.loads(message)
    if isinstance(read, list):
        read = read[1] if read[0] == "GAME" else {}
    jieju = read.get("data") if read.get("type") == "jieju" else read.get("jieju")
    return None if jieju is None else list(jieju["defen"])


FINAL: dict[str, Callable[[str], list[int] | None]] = {
    "ump 0.1": scores_in_ump,
    "ump 0.2": results_in_ump02,
    "mjai in lock-step": scores_in_mjai,
    "majiang": scores_in_majiang,
    "majiang over Socket.IO": scores_in_majiang,
}
"""Functions that read the final scores, in the dialects that send those of every seat."""


class Chair(CarriedClient):
    """A client of a dialect at a table of a server in memory."""

    def __init__(self, dialect: DialectUnderTest, seed: str, server: MemoryServer, patience: int | None = None) -> None:
        """Connect. After ``patience`` messages the client hangs up."""
        client = dialect.client(Random(seed))
        self.dialect = dialect.name
        self._patience = patience
        super().__init__(server, dialect.session(), client.hear, client.begin())

    def hear(self) -> bool:
        """Read one message, and answer it or hang up; return whether there was one."""
        if self._patience is not None and len(self.heard) + 1 == self._patience and self._waiting:
            self.heard.append(self._waiting[0])
            self.cut()
            return True
        return super().hear()

    def scores(self) -> list[list[int]]:
        """Return the final scores that it has received, if its dialect sends those of every seat."""
        read = FINAL.get(self.dialect)
        found = [] if read is None else map(read, self.heard)
        return [scores for scores in found if scores is not None]


def seat_chairs(server: MemoryServer, dialects: Sequence[str], seed: str, patience: int | None = None) -> list[Chair]:
    """Let clients of these dialects connect; after ``patience`` messages the first one hangs up."""
    return [
        Chair(BY_NAME[name], f"{seed} {name}", server, None if number else patience)
        for number, name in enumerate(dialects)
    ]


def play(server: MemoryServer, chairs: Sequence[Chair], meanwhile: Callable[[], object] = lambda: None) -> None:
    """Let clients play until all are gone, and call ``meanwhile`` after each round of messages."""
    for _ in range(MAX_LINES):
        heard = [chair.hear() for chair in chairs]
        if any(heard):
            meanwhile()
            continue
        calls = server.clock.getDelayedCalls()
        if not calls:
            return
        server.clock.advance(max(0.0, min(call.getTime() for call in calls) - server.clock.seconds()))
    raise AssertionError("the game does not end")
