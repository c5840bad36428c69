"""Whole games at tables where each seat speaks another dialect, through rooms and connections."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.budgets import few, some
from support.chairs import BY_NAME, FINAL, Chair, play, seat_chairs
from support.memory_server import memory_server, room
from support.rows import each_row

from ump.server.log_folder import LogFolder
from ump.server.seeds import Seals

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
    with memory_server(settings, seed=seed, logs=LogFolder(folder, Seals())) as server:
        chairs = seat_chairs(server, dialects, seed, patience)
        play(server, chairs)
        assert not any(chair.is_open for chair in chairs)
    (log,) = folder.iterdir()
    end = json.loads(log.read_text(encoding="ascii").splitlines()[-1])
    assert end["type"] == "end_game", "the game was broken off"
    return chairs, end["scores"]


@pytest.mark.parametrize("number", range(few(len(TABLES))))
def test_a_mixed_table(number: int, tmp_path: Path) -> None:
    """Clients that sometimes send wrong answers or none play to the end, and all receive the same result."""
    length, dialects = TABLES[number]
    chairs, scores = played(length, dialects, f"mixed {number}", tmp_path)
    assert sum(scores) == 100_000
    for chair in chairs:
        if chair.dialect in FINAL:
            (final,) = chair.scores()
            assert (in_order(final) if chair.dialect == "ump 0.2" else final) in (scores, in_order(scores)), (
                chair.dialect
            )


@pytest.mark.parametrize("number", some(range(len(TABLES_OF_THREE)), 2))
def test_a_mixed_table_of_three(number: int, tmp_path: Path) -> None:
    """All dialects but Majiang have games of three; norths are set aside, and all receive the same result."""
    rules, length, dialects = TABLES_OF_THREE[number]
    chairs, scores = played(length, dialects, f"three {number}", tmp_path, rules=rules)
    assert sum(scores) == 105_000
    for chair in chairs:
        if chair.dialect in FINAL:
            (final,) = chair.scores()
            assert (in_order(final) if chair.dialect == "ump 0.2" else final) in (scores, in_order(scores))


@each_row("dialect", ["majiang", "majiang of 2015", "majiang over Socket.IO"])
def test_majiang_is_turned_away_from_a_table_of_three(dialect: str) -> None:
    """The server refuses it, with the reason."""
    with memory_server(room(rules="tenhou3")) as server:
        chair = Chair(BY_NAME[dialect], "three", server)
        while chair.play():
            pass
        assert not chair.is_open
        assert any("for 3 players" in message for message in chair.heard), chair.heard


@pytest.mark.parametrize("patience", some([20, 3, 6, 47]))
@pytest.mark.parametrize("dialect", BY_NAME)
def test_a_client_that_hangs_up(dialect: str, patience: int, tmp_path: Path) -> None:
    """When a client hangs up, the game goes on for the others to its end."""
    others = ("ump 0.1", "mjai in lock-step", "majiang")
    chairs, scores = played("kyoku", (dialect, *others), f"gone {dialect} {patience}", tmp_path, patience)
    assert sum(scores) == 100_000
    assert len(chairs[0].heard) <= patience
    for chair in chairs[1:]:
        (final,) = chair.scores()
        assert final == scores
