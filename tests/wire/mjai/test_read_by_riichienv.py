"""Our records and live games, as the package riichienv reads them: many bots and trainers build on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.rows import each_row

from ump.server.seeds import Seals

pytest.importorskip("riichienv", reason="riichienv is not installed: pip install -e '.[oracle]'")

import riichienv
from support.hosted_table import HostedTable, SessionSeat
from support.mjai_bots import Said
from support.mjai_games import RULES, TABLES, game

from ump.arena.play import play_game
from ump.model.events import TileDrawn
from ump.model.seats import Seat
from ump.players.efficiency import Efficiency
from ump.rules.presets import PRESETS
from ump.server.log_folder import LogFolder
from ump.table.clock import TimeControl
from ump.table.opening import Opening
from ump.wire.session import Note

SEEDS = range(len(RULES))
"""One game under each of the rules; every other one has many kans and yakuman."""

DIALECTS = ("lockstep", "batch", "lines", "request")

NO_EVENTS = frozenset(("hello", "request_action", "action_ack", "validation_result"))
"""Messages that are about the conversation, and not about the game."""


@cache
def played(seed: int) -> tuple[HostedTable, list[SessionSeat]]:
    """Play a game with a seat in each dialect."""
    return game("all", seed)


def write_record(seed: int, folder: Path) -> Path:
    """Write the record of a game as the server does, and return its path."""
    opening = Opening(
        name="main-1",
        ruleset=PRESETS[RULES[seed]],
        players=("ann", "bob", "cy", "dee"),
        secret="a" * 64,
        times=TimeControl(5.0, 5.0),
        clients=(),
        retries=(0,) * 4,
    )
    log = LogFolder(folder, Seals()).open(opening, "main", 0.0)
    for event in played(seed)[0].events:
        log.note(event)
        if isinstance(event, TileDrawn):
            log.add_note(event.seat, Note("a thought", '{"shanten":2}'))
    (path,) = folder.iterdir()
    return path


def messages(path: Path) -> list[Said]:
    """Return the messages of a record."""
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def kyokus(path: Path, seats: int = 4) -> list[Any]:
    """Let the package read a record, and take every step of it."""
    found = list(riichienv.MjaiReplay.from_jsonl(str(path)).take_kyokus())
    for kyoku in found:
        for seat in range(seats):
            list(kyoku.steps(seat))
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("field", ["uradora_markers", "ura_markers"])
def test_a_record_is_read(seed: int, field: str, tmp_path: Path) -> None:
    """Every step of a record is legal there, and every win is seen, also with Mortal's name for the ura indicators."""
    path = write_record(seed, tmp_path)
    types = [message["type"] for message in messages(path)]
    assert path.read_text(encoding="ascii").count('"logs":') == types.count("tsumo")
    path.write_text(path.read_text(encoding="ascii").replace('"uradora_markers"', f'"{field}"'), encoding="ascii")
    found = kyokus(path)
    assert len(found) == types.count("start_kyoku")
    assert sum(len(list(kyoku.take_win_result_contexts())) for kyoku in found) == types.count("hora")


def test_a_record_of_three_is_read(tmp_path: Path) -> None:
    """The package reads a game of three from the same record, with norths that are set aside, and sees every win."""
    ruleset = PRESETS["tenhou3"]
    opening = Opening("main-1", ruleset, ("ann", "bob", "cy"), "a" * 64, TimeControl(), (), (0,) * 3)
    log = LogFolder(tmp_path, Seals()).open(opening, "main", 0.0)
    for event in play_game([Efficiency() for _ in range(3)], ruleset, seed="three").events:
        log.note(event)
    (path,) = tmp_path.iterdir()
    types = [message["type"] for message in messages(path)]
    assert types.count("kita") > 3
    found = kyokus(path, seats=3)
    assert len(found) == types.count("start_kyoku")
    assert sum(len(list(kyoku.take_win_result_contexts())) for kyoku in found) == types.count("hora")


def test_two_names_are_refused(tmp_path: Path) -> None:
    """A win with both names cannot be read: this is why each reader gets one."""
    path = write_record(1, tmp_path)
    both = path.read_text(encoding="ascii").replace('"uradora_markers":[', '"ura_markers":[],"uradora_markers":[')
    assert both.count('"ura_markers"') > 0
    path.write_text(both, encoding="ascii")
    with pytest.raises(ValueError, match="duplicate field"):
        kyokus(path)


def heard_events(seat: SessionSeat) -> Iterator[Said]:
    """Yield the events that a client has received."""
    for text in seat.heard:
        said = json.loads(text)
        for message in said if isinstance(said, list) else [said]:
            if message["type"] not in NO_EVENTS:
                yield message


@each_row("seed", SEEDS)
@each_row("seat", range(4))
def test_a_live_game_is_followed(seed: int, seat: Seat) -> None:
    """Each dialect can be fed to the package as it comes, but for the id in ``start_game``."""
    env = riichienv.RiichiEnv()
    questions = 0
    for message in heard_events(played(seed)[1][seat]):
        without_id = {name: content for name, content in message.items() if name != "id"}
        questions += env.observe_event(without_id, seat) is not None
    assert questions > 20


def test_the_id_of_start_game_is_an_integer() -> None:
    """RiichiLab sends an integer, which its clients need and this reader refuses, there as here."""
    start = next(heard_events(played(0)[1][DIALECTS.index("request")]))
    assert start == {"type": "start_game", "id": 3, "names": ["ann", "bob", "cy", "dee"]}
    with pytest.raises(ValueError, match="invalid type: integer"):
        riichienv.RiichiEnv().observe_event(start, 3)


def test_all_dialects_are_at_the_table() -> None:
    """The seats of the games above speak the dialects in this order."""
    assert [seating.__name__ for seating in TABLES["all"]] == list(DIALECTS)
