"""Whole games at tables where each seat speaks another dialect, through rooms and connections."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.dialect_clients import EVERY_DIALECT
from support.memory_server import MAX_LINES, MemoryServer, memory_server, room
from support.swapped_tiles import DialectUnderTest

from ump.net.connection import Connection
from ump.net.log_folder import LogFolder
from ump.wire.ump02.words import SEATS as SEATS_02

BY_NAME = {dialect.name: dialect for dialect in EVERY_DIALECT}

TABLES: list[tuple[str, tuple[str, str, str, str]]] = [
    ("hanchan", ("ump 0.1", "ump 0.2", "mjai in lock-step", "majiang")),
    ("tonpu", ("majiang", "mjai on request", "ump 0.2", "mjai in batches")),
    ("tonpu", ("mjai in lock-step", "majiang over Socket.IO", "mjai in lines", "ump 0.1")),
    ("kyoku", ("majiang of 2015", "ump 0.1", "mjai on request", "mjai in lock-step")),
    ("kyoku", ("ump 0.2", "mjai in lock-step", "majiang", "mjai on request")),
    ("kyoku", ("mjai in batches", "mjai in lines", "majiang of 2015", "majiang over Socket.IO")),
    ("kyoku", ("mjai in lock-step", "mjai in lock-step", "ump 0.1", "majiang")),
    ("kyoku", ("mjai on request", "majiang", "mjai in batches", "ump 0.2")),
    ("kyoku", ("majiang over Socket.IO", "ump 0.2", "ump 0.1", "mjai in lines")),
    ("kyoku", ("ump 0.1", "mjai in batches", "majiang over Socket.IO", "majiang of 2015")),
]
"""The length of the game and the dialects of the four seats, for each table."""


TABLES_OF_THREE: list[tuple[str, str, tuple[str, str, str]]] = [
    ("tenhou3", "hanchan", ("ump 0.1", "mjai in lock-step", "mjai on request")),
    ("majsoul3", "tonpu", ("ump 0.2", "mjai in lines", "ump 0.1")),
    ("tenhou3", "tonpu", ("mjai in batches", "ump 0.2", "mjai in lock-step")),
]
"""The same with the rules, for tables of three."""


class Chair:
    """A client of a dialect, which is also the carrier of its connection, in memory."""

    def __init__(self, dialect: DialectUnderTest, seed: str, server: MemoryServer, patience: int | None = None) -> None:
        """Connect. After ``patience`` messages the client hangs up."""
        self.host = "192.0.2.1"
        self.is_private = False
        self.peer = self.dialect = dialect.name
        self.heard: list[str] = []
        """Every message that it has received."""
        self.is_open = True
        self._patience = patience
        self._waiting: deque[str] = deque()
        self._client = dialect.client(Random(seed))
        self._connection = Connection(dialect.session(), server.lobby, server.connections, server.clock)
        self._connection.open(self)
        self._answer(self._client.begin())

    def send(self, messages: list[str]) -> None:
        """Keep messages until ``play`` delivers them."""
        self._waiting += messages

    def end(self) -> None:
        """Close the connection."""
        self.cut()

    def stop_reading(self) -> None:
        """Do nothing."""

    def cut(self) -> None:
        """Close the connection."""
        if self.is_open:
            self.is_open = False
            self._connection.lost()

    def play(self) -> bool:
        """Deliver one message to the client, and send its answers; return whether there was a message."""
        if not self._waiting:
            return False
        message = self._waiting.popleft()
        self.heard.append(message)
        if len(self.heard) == self._patience:
            self._waiting.clear()
            self.cut()
        else:
            self._answer(self._client.hear(message))
        return True

    def _answer(self, answers: list[bytes]) -> None:
        for answer in answers:
            if self.is_open:
                self._connection.receive(answer)


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
"""How to read the final scores, in the dialects that send those of every seat."""


def in_order(points: list[int]) -> list[int]:
    """Return the seats by place. For equal scores the seat nearer to the first dealer comes first."""
    return sorted(range(len(points)), key=lambda seat: (-points[seat], seat))


def played(
    length: str, dialects: tuple[str, ...], seed: str, folder: Path, patience: int | None = None, rules: str = "ump"
) -> tuple[list[Chair], list[int]]:
    """Play a game to its end; return the clients, and the scores in the game's log.

    After ``patience`` messages the first client hangs up.
    """
    settings = room(rules=rules, length=length, time="5+5")
    with memory_server(settings, seed=seed, logs=LogFolder(folder)) as server:
        chairs = [
            Chair(BY_NAME[name], f"{seed} {name}", server, None if number else patience)
            for number, name in enumerate(dialects)
        ]
        for _ in range(MAX_LINES):
            heard = [chair.play() for chair in chairs]
            if any(heard):
                continue
            calls = server.clock.getDelayedCalls()
            if not calls:
                break
            server.clock.advance(max(0.0, min(call.getTime() for call in calls) - server.clock.seconds()))
        else:
            raise AssertionError("the game does not end")
        assert not any(chair.is_open for chair in chairs)
    (log,) = folder.iterdir()
    end = json.loads(log.read_text(encoding="ascii").splitlines()[-1])
    assert end["type"] == "end_game", "the game was broken off"
    return chairs, end["scores"]


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_a_mixed_table(number: int, tmp_path: Path) -> None:
    """Clients that sometimes send wrong answers or none play to the end, and all receive the same result."""
    length, dialects = TABLES[number]
    chairs, scores = played(length, dialects, f"mixed {number}", tmp_path)
    assert sum(scores) == 100_000
    for chair in chairs:
        if chair.dialect in FINAL:
            (final,) = (final for final in map(FINAL[chair.dialect], chair.heard) if final is not None)
            assert (in_order(final) if chair.dialect == "ump 0.2" else final) in (scores, in_order(scores)), (
                chair.dialect
            )


@pytest.mark.parametrize("number", range(len(TABLES_OF_THREE)))
def test_a_mixed_table_of_three(number: int, tmp_path: Path) -> None:
    """All dialects but Majiang have games of three; norths are set aside, and all receive the same result."""
    rules, length, dialects = TABLES_OF_THREE[number]
    chairs, scores = played(length, dialects, f"three {number}", tmp_path, rules=rules)
    assert sum(scores) == 105_000
    for chair in chairs:
        if chair.dialect in FINAL:
            (final,) = (final for final in map(FINAL[chair.dialect], chair.heard) if final is not None)
            assert (in_order(final) if chair.dialect == "ump 0.2" else final) in (scores, in_order(scores))


@pytest.mark.parametrize("dialect", ["majiang", "majiang of 2015", "majiang over Socket.IO"])
def test_majiang_is_turned_away_from_a_table_of_three(dialect: str) -> None:
    """With the reason, at the door."""
    with memory_server(room(rules="tenhou3")) as server:
        chair = Chair(BY_NAME[dialect], "three", server)
        while chair.play():
            pass
        assert not chair.is_open
        assert any("for 3 players" in message for message in chair.heard), chair.heard


@pytest.mark.parametrize("patience", [3, 6, 20, 47])
@pytest.mark.parametrize("dialect", BY_NAME)
def test_a_client_that_hangs_up(dialect: str, patience: int, tmp_path: Path) -> None:
    """When a client hangs up, the game goes on for the others to its end."""
    others = ("ump 0.1", "mjai in lock-step", "majiang")
    chairs, scores = played("kyoku", (dialect, *others), f"gone {dialect} {patience}", tmp_path, patience)
    assert sum(scores) == 100_000
    assert len(chairs[0].heard) <= patience
    for chair in chairs[1:]:
        (final,) = (final for final in map(FINAL[chair.dialect], chair.heard) if final is not None)
        assert final == scores
