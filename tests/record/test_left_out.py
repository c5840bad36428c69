"""Nothing is invented: a record without one of its fields leads to the same values, to unknown ones, or to an error."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.budgets import few, some
from support.own_games import own_game
from support.rows import each_row

from ump.model import events as ev
from ump.record.conversion import Conversion, convert, derived
from ump.record.formats import named, read_games
from ump.record.record_format import Fact, facts_of
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.tables import rows_of
from ump.record.verify import Verification, verify
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length

FORMATS = ("mjai", "tenhou6", "paipu", "mjlog", "ump01", "ump02", "mleague")
"""A format for each reader but that of journals, which state all that they have."""

TARGETS = ("mjai", "mjlog")
"""Formats that are written and read again: one that can do without almost everything, and one that needs most."""


@cache
def game() -> RecordedGame:
    """Return a game whose values are not those of a reader that assumes some: 27,000 points, honba, riichi, a draw."""
    return own_game(replace(PRESETS["tenhou"], start_points=27_000, length=Length.TONPU), "10", rare=False)


@cache
def record(key: str) -> bytes:
    """Return the game as a record of a format."""
    write = named(key).write
    assert write is not None
    return write(game())


# Records without a field


def left_out(key: str) -> Iterator[tuple[str, bytes]]:
    """Yield a record without a field, wherever it stands, for each field; with the name of the field."""
    data = record(key)
    if key == "mjlog":
        tags = sorted(set(re.findall(rb"<([A-Z]+) ([^>]*)/>", data)))
        for tag, name in sorted({(tag, name) for tag, listed in tags for name in re.findall(rb"(\w+)=", listed)}):
            pattern = rb"(<%b [^>]*?)\b%b=(\"[^\"]*\"|'[^']*') ?" % (tag, name)
            yield f"{tag.decode()} {name.decode()}", re.sub(pattern, rb"\1", data)
    elif key in ("ump01", "ump02"):
        for name in sorted(set(re.findall(rb" (\w+)=", data))):
            yield name.decode(), re.sub(rb" %b=[^ \n]*" % name, b"", data)
        yield "ump", data.split(b"\n", 1)[1]
    elif key == "mleague":
        commands = json.loads(data)
        for name in sorted({arg.partition("=")[0] for each in commands for arg in each["args"] if "=" in arg}):
            rest = [[arg for arg in each["args"] if not arg.startswith(f"{name}=")] for each in commands]
            yield name, json.dumps([each | {"args": args} for each, args in zip(commands, rest, strict=True)]).encode()
    elif key == "mjai":
        lines = [json.loads(line) for line in data.splitlines()]
        for path in sorted({path for line in lines for path in _paths(line)}):
            yield " ".join(path), b"\n".join(json.dumps(_without(line, path)).encode() for line in lines)
    else:
        whole = json.loads(data)
        for path in sorted(_paths(whole)):
            yield " ".join(path), json.dumps(_without(whole, path)).encode()


def _paths(value: Any, kind: str = "") -> set[tuple[str, str]]:
    """Return the keys of all objects, each with the kind of the object: its type, or the key that it stands under."""
    if isinstance(value, list):
        return {path for each in value for path in _paths(each, kind)}
    if not isinstance(value, dict) or kind == "rules":
        return set()
    kind = str(value.get("type", kind))
    inner = {path for key, each in value.items() for path in _paths(each, key)}
    return {*inner, *((kind, key) for key in value if key != "type")}


def _without(value: Any, path: tuple[str, str], kind: str = "") -> Any:
    """Return a document without a key in all objects of a kind."""
    if isinstance(value, list):
        return [_without(each, path, kind) for each in value]
    if not isinstance(value, dict):
        return value
    kind = str(value.get("type", kind))
    return {key: _without(each, path, key) for key, each in value.items() if (kind, key) != path}


# Comparison


UNKNOWN: tuple[object, ...] = (None, "", (), 0, (1, 1))
"""Values that stand for unknown ones, where the game has others."""

WHOLE = ("changes", "dice")
"""Fields that are known or unknown as a whole."""

SAYS_NOTEN = re.compile("RYUUKYOKU hai[0-3]")
"""Fields of mjlog whose absence says that a player is noten."""


def invented(found: Any, known: Any, where: str = "") -> Iterator[str]:
    """Yield the fields in which a game states something else than the whole record."""
    is_whole = isinstance(known, tuple) and isinstance(found, tuple) and where in WHOLE
    if isinstance(known, tuple) and isinstance(found, tuple) and len(known) == len(found) and not is_whole:
        for one, other in zip(found, known, strict=True):
            yield from invented(one, other, where)
    elif is_dataclass(known) and type(found) is type(known):
        for each in fields(known):
            yield from invented(getattr(found, each.name), getattr(known, each.name), each.name)
    elif found != known and found not in UNKNOWN:
        yield f"{where}: {found} for {known}"


def events_of(read: RecordedGame) -> tuple[ev.Event, ...]:
    """Return all events."""
    return tuple(event for kyoku in read.kyoku for event in kyoku.events)


def invented_by(read: RecordedGame, known: RecordedGame) -> list[str]:
    """Return what a game states that the known one does not; its rules and the number of its tiles are assumed."""
    found = [*invented(events_of(read), events_of(known), "events"), *invented(read.names, known.names, "names")]
    if len(events_of(read)) != len(events_of(known)):
        found.append("another number of events")
    if read.ended is not None:
        found += invented(read.ended, known.ended, "ended")
    return found


@each_row("key", FORMATS)
def test_no_field_is_invented(key: str) -> None:
    """Neither by the reader nor by what is derived; and a record in part is no wrong one."""
    (whole,) = read_games(record(key), named(key))
    problems = []
    for name, data in some(list(left_out(key))):
        if SAYS_NOTEN.fullmatch(name):
            continue
        try:
            (read,) = read_games(data, named(key))
        except RecordError:
            continue
        problems += [f"{name}: {each}" for each in invented_by(read, whole)]
        if verify("a", data).outcome is Verification.DIFFERENT:
            problems.append(f"{name}: differs")
        for target in TARGETS:
            try:
                written = convert("a", data, Conversion(target, key)).games[0]
            except RecordError:
                continue
            (again,) = read_games(written, named(target))
            problems += [f"{name}, to {target}: {each}" for each in invented_by(again, whole)]
    assert problems == []


# Logs that state no more than who wins, as many tools write them


def bare_log() -> bytes:
    """Return the game as a log in which a win has its actor, target and tile alone, and a draw nothing."""
    kept = {"hora": {"type", "actor", "target", "pai"}, "ryukyoku": {"type"}}
    lines = [json.loads(line) for line in record("mjai").splitlines()]
    bare = [{key: each for key, each in line.items() if key in kept.get(line["type"], line)} for line in lines]
    return b"\n".join(json.dumps(line).encode() for line in bare)


def test_a_bare_win_has_no_value() -> None:
    """No payments, no points, no mangan; its draws have the payments that the scores after them tell."""
    converted = convert("a", bare_log(), Conversion("mortal"))
    lines = [json.loads(line) for line in converted.games[0].splitlines()]
    riichi = next(line for line in lines if line["type"] == "hora")
    assert riichi.keys().isdisjoint({"yakus", "fan", "fu", "hora_points", "ura_markers"})
    assert f'"deltas":{json.dumps(riichi["deltas"], separators=(",", ":"))}'.encode() in record("mjai")
    assert Fact.PAYMENTS in converted.derived
    text = convert("a", bare_log(), Conversion("text")).games[0].decode()
    assert text.count(" points") == 1, "that of the win without riichi"


def test_a_bare_win_without_riichi_is_derived() -> None:
    """Its tiles and the rules settle its value; a win in riichi depends on the ura indicators, which are unknown."""
    (whole,), (read,) = (read_games(data) for data in (record("mjai"), bare_log()))
    missing = frozenset((Fact.YAKU, Fact.FU, Fact.WORTH, Fact.PAYMENTS))
    assert missing.isdisjoint(facts_of(read))
    pairs = zip(events_of(derived(read, missing)), events_of(whole), strict=True)
    wins = [(one, other) for one, other in pairs if isinstance(one, ev.HandWon) and isinstance(other, ev.HandWon)]
    assert [found.value == known.value for found, known in wins] == [not known.riichi for _, known in wins]
    assert [found.value.base for found, known in wins if known.riichi] == [0, 0]
    with pytest.raises(RecordError, match=r"mjlog needs .*: the yaku of each win; .*; the ura indicators"):
        convert("a", bare_log(), Conversion("mjlog"))
    assert convert("a", bare_log(), Conversion("mjlog", lossy=True)).games


def test_tables_leave_cells_of_bare_wins_empty() -> None:
    """Han, fu, points and yakuman; nor does an unknown payment become a change of 0."""
    log = re.sub(rb'"scores": \[[^]]*\], ?', b"", bare_log())
    (read,) = read_games(bare_log())
    rows = rows_of(read, "a", "mjai")
    riichi = rows["wins"][0]
    assert [riichi[column] for column in ("han", "fu", "yakuman", "points", "gain")] == [None] * 5
    assert {row.get("change_a") for row in rows["kyoku"]} == {None}
    with pytest.raises(RecordError, match="scores are missing, and do not follow"):
        read_games(log)


def test_a_tsumogiri_that_nothing_settles() -> None:
    """A discard of the drawn kind may be the tile of the hand beside it; ``--lossy`` takes it for that."""
    data = re.sub(rb',"tsumogiri":(true|false)', b"", record("mjai"))
    assert data != record("mjai")
    (read,), (whole,) = (read_games(each) for each in (data, record("mjai")))
    pairs = [
        (found.tsumogiri, known.tsumogiri)
        for found, known in zip(events_of(read), events_of(whole), strict=True)
        if isinstance(found, ev.TileDiscarded) and isinstance(known, ev.TileDiscarded)
    ]
    assert (True, True) in pairs and (True, False) not in pairs
    assert Fact.TSUMOGIRI not in facts_of(read)
    with pytest.raises(RecordError, match="which discards are the tile just drawn"):
        convert("a", data, Conversion("mortal"))
    assert convert("a", data, Conversion("mortal", lossy=True)).games


@pytest.mark.no_cover
def test_the_reason_of_a_draw_follows_from_the_moves(data: Path) -> None:
    """Mortal's logs do not state it: nine terminals, four winds, four riichi, three rons, nagashi mangan."""
    reasons: Counter[ev.DrawReason] = Counter()
    files = [*(data / "tenhou" / "rare" / "mjx-py").glob("*.gz"), *sorted((data / "tenhou" / "games").glob("*.gz"))]
    for path in files[: few(60)]:
        log = convert(path.name, path.read_bytes(), Conversion("mortal")).games[0]
        (read,), (whole,) = (read_games(each) for each in (re.sub(rb'"reason":"\w+",', b"", log), log))
        assert events_of(read) == events_of(whole), path.name
        reasons.update(event.reason for event in events_of(whole) if isinstance(event, ev.KyokuDrawn))
    assert {ev.DrawReason.EXHAUSTED, ev.DrawReason.KYUSHU_KYUHAI} < set(reasons)
