"""Kobalab's own games: four clients that answer as its players did receive the same messages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from support.budgets import some
from support.kobalab_cases import read_cases
from support.majiang_paipu import Rememberer, by_seat, masked, play_again
from support.majiang_rules import DEFAULTS, read_rules
from support.majiang_table import MajiangTable, Said, type_of
from support.rows import each_row

SCENARIOS = 13
GAMES = 5
WHOLE_RESULTS = {**DEFAULTS, "順位点": ("20", "10", "-10", "-20")}
"""The scenarios have results in whole thousands; apart from that they use kobalab's default rules."""


def play(record: Said, rule: dict[str, Any]) -> tuple[MajiangTable, list[Rememberer]]:
    """Play a record again; every reply must count, and the messages must be those of the record, in order."""
    table, clients = play_again(record, read_rules(rule))
    assert not table.refused
    for client in clients:
        assert client.differences == []
    return table, clients


def assert_record_is_told(table: MajiangTable, record: Said) -> None:
    """Compare every seat's ``jieju`` with the masked record; the indicators must stand in the same places."""
    for seat, heard in enumerate(table.heard):
        told = heard[-1]["jieju"]
        assert list(told) == ["title", "player", "qijia", "log", "defen", "point", "rank"]
        assert told["log"] == [
            [masked(entry, (seat - kyoku[0]["qipai"]["jushu"]) % 4) for entry in kyoku] for kyoku in record["log"]
        ]
        for name in ("player", "defen", "rank"):
            assert told[name] == by_seat(record[name], record["qijia"])
        assert told["qijia"] == 0
        assert_points(told["point"], by_seat(record["point"], record["qijia"]), told["defen"])


def assert_points(told: list[str], recorded: list[str], defen: list[int]) -> None:
    """Half a thousand below zero is rounded down here, as at Tenhou, and up there."""
    if "." not in recorded[0] and any(points < 0 and points % 1_000 == 500 for points in defen):
        assert sum(map(int, told)) == 0
    else:
        assert told == recorded


@pytest.mark.no_cover
@each_row("number", some(range(SCENARIOS)))
def test_a_scenario_gives_the_recorded_messages(data: Path, number: int) -> None:
    """Tenhou, rinshan, double ron on a robbed kan, nagashi mangan, aborted draws, tobi, agari yame."""
    record = read_cases(data / "kobalab" / "script.json.gz")[number]
    table, _ = play(record, WHOLE_RESULTS)
    assert_record_is_told(table, record)


@pytest.mark.no_cover
@each_row("number", some(range(GAMES), 3))
def test_a_hanchan_gives_the_recorded_messages(data: Path, number: int) -> None:
    """Five hanchan of kobalab's players under its default rules give the recorded messages."""
    record: Any = read_cases(sorted((data / "majiang" / "paipu").iterdir())[number])
    table, _ = play(record, DEFAULTS)
    assert_record_is_told(table, record)


def read_lines(path: Path) -> list[Said]:
    """Read one JSON object per line."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_one_kyoku_is_as_in_kobalabs_process(data: Path) -> None:
    """All four seats receive the messages of kobalab's game, equal except for ids and hidden tiles."""
    lines = read_lines(data / "majiang" / "wire-one-kyoku.jsonl.gz")
    first = lines[0]["msg"]["kaiju"]
    record = lines[-1]["msg"]["jieju"]
    table, _ = play(record, first["rule"])
    for seat, heard in enumerate(table.heard):
        theirs = [line["msg"] for line in lines if line["id"] == (seat + first["qijia"]) % 4]
        assert len(heard) == len(theirs)
        kaiju, *middle, _ = heard
        assert kaiju["kaiju"] == theirs[0]["kaiju"] | {
            "id": seat,
            "qijia": 0,
            "title": "main-1",
            "player": by_seat(first["player"], first["qijia"]),
        }
        assert [{type_of(each): each[type_of(each)]} for each in middle] == theirs[1:-1]
    assert_record_is_told(table, record)


def test_one_kyoku_is_as_from_majiang_server(data: Path) -> None:
    """One seat receives the messages of majiang-server, with their numbers, and its replies count."""
    lines = read_lines(data / "majiang" / "wire-majiang-server.jsonl.gz")
    theirs = [line["args"][0] for line in lines if (line["ev"], line["dir"]) == ("GAME", "S>C")]
    theirs = [message for message in theirs if not message.keys() & {"players", "say"}]
    record = next(line["args"][0] for line in lines if line["ev"] == "END")
    kaiju = theirs[0]["kaiju"]
    table, _ = play(record, kaiju["rule"])
    ours = table.heard[(kaiju["id"] - kaiju["qijia"]) % 4]
    assert [(type_of(each), each.get("seq")) for each in ours] == [(type_of(each), each.get("seq")) for each in theirs]
    own = [message for message in ours if type_of(message) not in ("kaiju", "jieju")]
    for message, other in zip(own, theirs[1:-1], strict=True):
        assert message[type_of(message)] == other[type_of(other)]
        assert len(message.get("timer", ())) <= 2
