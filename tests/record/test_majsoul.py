"""Mahjong Soul's records: our own games written in each of its forms, and read back."""

from __future__ import annotations

import gzip
import json
import re
import sys
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from support.majsoul_record import Step, record
from support.rows import each_row
from support.sample_games import sample

from ump.record.conversion import Conversion, convert
from ump.record.formats import read_games, sniffed
from ump.record.majsoul import message_classes
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.verify import verify

GAMES = ("majsoul-single-minded-61", "majsoul-eager-1", "majsoul3-single-minded-209")


@cache
def own(name: str) -> RecordedGame:
    """Return a game of our own bots by Mahjong Soul's rules."""
    (game,) = read_games(gzip.decompress(sample(name)))
    return game


def camel(given: Any) -> Any:
    """Return JSON as Python's ``MessageToDict`` writes it: in camelCase, without what is zero."""
    if isinstance(given, dict):
        names = {name: re.sub("_([a-z0-9])", lambda found: found[1].upper(), name) for name in given}
        return {names[name]: camel(each) for name, each in given.items() if each not in (0, False, "", [])}
    return [camel(each) for each in given] if isinstance(given, list) else given


def messages(told: Step, *, bare: bool = False, old: bool = False) -> bytes:
    """Return a record in protobuf: with its head, or the bare steps that the game has an address of."""
    pytest.importorskip("google.protobuf")
    from google.protobuf.json_format import ParseDict

    classes = message_classes()

    def wrapped(name: str, message: Any) -> bytes:
        return bytes(classes["Wrapper"](name=name, data=message.SerializeToString()).SerializeToString())

    steps = [wrapped(step["name"], ParseDict(step["data"], classes[step["name"][4:]]())) for step in told["data"]]
    actions = [classes["GameAction"](type=1, result=step) for step in steps]
    details = classes["GameDetailRecords"](**({"records": steps} if old else {"version": 210715, "actions": actions}))
    data = wrapped(".lq.GameDetailRecords", details)
    if bare:
        return data
    head = ParseDict(told["head"], classes["RecordGame"]())
    return bytes(classes["ResGameRecord"](head=head, data=data).SerializeToString())


def forms(told: Step) -> dict[str, bytes]:
    """Return a record in all forms that downloaders save."""
    actions = [{"passed": 1, "type": 2}, *({"type": 1, "result": step} for step in told["data"])]
    page = {"head": told["head"], "data": {"name": ".lq.GameDetailRecords", "data": {"actions": actions}}}
    plain = {
        "page": json.dumps(page).encode(),
        "list": json.dumps(told).encode(),
        "camel": json.dumps(camel(told)).encode(),
    }
    return plain | {"protobuf": messages(told), "records": messages(told, old=True)}


@each_row("name", GAMES)
def test_own_games_are_read_as_they_were_played(name: str) -> None:
    """They are recognised, verified and converted, the first one in every form."""
    game = own(name)
    told = record(game)
    written = forms(told)
    chosen = written if name == GAMES[0] else {"protobuf": written["protobuf"]}
    for form, data in chosen.items():
        assert sniffed(data).key == "majsoul", form
        verdict = verify(form, data)
        assert (verdict.outcome.value, verdict.replayed and verdict.replayed.notes) == ("equal", ()), verdict
    back = convert("x", json.dumps(told).encode(), Conversion("mjlog")).games[0]
    (again,) = read_games(back)
    ruleset = replace(game.ruleset, tenhou_any_tile=True)  # the samples are older than this field
    assert (again.ruleset, again.names, again.ended) == (ruleset, game.names, game.ended)
    assert [len(each.events) for each in again.kyoku] == [len(each.events) for each in game.kyoku]


def test_steps_without_a_head() -> None:
    """The rules are not stated then, and the end is missing."""
    (game,) = read_games(messages(record(own(GAMES[0])), bare=True))
    assert (game.rules_stated, game.ended, game.ruleset.name) == (False, None, "majsoul")


@each_row(
    ("old", "new", "problem"),
    [
        ('"detail_rule": {}', '"detail_rule": {"muyu_mode": 1}', "another game than riichi mahjong: muyu_mode"),
        ("RecordDealTile", "RecordGangResult", "step 3, .*: unknown step"),
        ('"hu_tile": "', '"hu_tile": "1', "step .*, .lq.RecordHule|step .*: expected a tile"),
        ('"scores": [', '"scores": [1, ', "no kyoku"),
        ('"ju": 0', '"ju": 7', "step 1, RecordNewRound: seat: expected a number from 0 to 3"),
    ],
)
def test_damage(old: str, new: str, problem: str) -> None:
    """It is one line, with the step."""
    data = json.dumps(record(own(GAMES[0])))
    assert old in data
    with pytest.raises(RecordError, match=problem):
        read_games(data.replace(old, new, 1).encode())


def test_unknown_yaku_and_damaged_messages() -> None:
    """An unknown yaku is a mismatch; protobuf that is cut is unreadable."""
    told = record(own(GAMES[0]))
    win = next(step for step in told["data"] if step["name"].endswith("Hule"))
    win["data"]["hules"][0]["fans"][0]["id"] = 999
    verdict = verify("x", json.dumps(told).encode())
    assert verdict.replayed is not None
    assert "yaku 999" in verdict.replayed.mismatches[0].expected
    data = messages(told)
    for cut in range(60, len(data), len(data) // 20):
        assert verify("x", data[:cut]).outcome.value in ("unreadable", "damaged")


def test_protobuf_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package, the error names the extra."""
    data = messages(record(own(GAMES[0])))
    monkeypatch.setitem(sys.modules, "google.protobuf.json_format", None)
    with pytest.raises(RecordError, match=r"pip install 'ump-mahjong\[majsoul\]'"):
        read_games(data)
