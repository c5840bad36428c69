"""Transcripts of UMP and records of M.LEAGUE: games of others, traces, one seat's view, and what no sentence says."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.libump_transcript import transcript_lines
from support.own_games import own_games
from support.rows import each_row
from support.written_record import RECORD

from ump.model.events import GameEnded, HandDealt, HandWon, TenpaiDeclared, TileDrawn
from ump.model.yaku import HandValue, Yaku
from ump.record.conversion import Conversion, convert
from ump.record.formats import named, read_games
from ump.record.mleague import our_pairs, written_pairs
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.verify import Verification, verify

KEYS = ("ump01", "ump02", "mleague")
NO_TRACE = "2026-11-23T07:36:14.123Z"


def told(key: str, seat: int | None = None) -> bytes:
    """Return the written record in this format, as a seat saw it."""
    return convert("a", RECORD.encode(), Conversion(key, seat=seat)).games[0]


def bare(game: RecordedGame) -> RecordedGame:
    """Return a game without what no format repeats."""
    return replace(game, kyoku=tuple(replace(each, stated={}, tiles=None, deal=None) for each in game.kyoku))


def test_a_game_of_the_league_agrees(data: Path) -> None:
    """The shared record replays under the league's rules: payments with their sticks, final scores, results."""
    content = next((data / "mleague").glob("*.json")).read_bytes()
    verdict = verify("a", content)
    assert verdict.outcome is Verification.EQUAL
    assert verdict.replayed is not None
    assert (verdict.replayed.kyoku, verdict.replayed.notes, verdict.replayed.incomplete) == (11, (), False)
    assert verdict.replayed.events["HandWon ron"] == 3
    (game,) = read_games(content)
    assert game.ended == GameEnded((26100, 39500, 24000, 10400), (2, 1, 3, 4), (61, 595, -160, -496))


def test_a_written_game_has_the_commands_of_the_league(data: Path) -> None:
    """Except for times, teams and numbers, each command is the one that the league's record has."""
    content = next((data / "mleague").glob("*.json")).read_bytes()
    (game,) = read_games(content)
    form = named("mleague")
    assert form.write is not None
    ours, theirs = (_commands(each) for each in (form.write(game), content))
    assert ours == theirs


def _commands(data: bytes) -> list[tuple[str, list[str]]]:
    """Return the commands of a record; hands, yaku and what only the league knows are left out or sorted."""
    left_out = {"haipai", "player", "gamestart", "open"}
    commands = [(each["cmd"], each["args"]) for each in json.loads(data)]
    sort = {"agari": sorted}
    return [(name, [] if name in left_out else sort.get(name, list)(args)) for name, args in commands]


def test_a_transcript_of_libump_is_read(data: Path) -> None:
    """One seat's view of a whole game: its tiles are known, the others' are not."""
    (game,) = read_games("\n".join(transcript_lines(data)).encode())
    assert (len(game.kyoku), all(each.complete for each in game.kyoku)) == (8, True)
    dealt = {event.seat: event.faces for event in game.kyoku[0].events if isinstance(event, HandDealt)}
    assert [seat for seat, faces in dealt.items() if faces is not None] == [0]
    assert game.ended is not None
    assert sum(game.ended.results) == 0


@each_row("key", ["ump01", "ump02"])
def test_a_seat_sees_no_other_hand(key: str) -> None:
    """A transcript of a seat has its tiles alone, and shows the hands that are shown."""
    data = told(key, seat=1)
    (game,) = read_games(data)
    for event in (event for each in game.kyoku for event in each.events):
        if isinstance(event, HandDealt):
            assert (event.faces is not None) is (event.seat == 1)
        if isinstance(event, TileDrawn):
            assert (event.face is not None) is (event.seat == 1)
    wins = [event for each in game.kyoku for event in each.events if isinstance(event, HandWon)]
    assert [len(won.faces) for won in wins] == [13, 13]
    assert b"hidden" in verify("a", data).damage.encode()


def test_hands_shown_at_a_draw_are_known_in_a_transcript() -> None:
    """A hidden hand that its player shows as tenpai is part of the game that a seat saw."""
    games = [game for game in own_games() if len(game.names) == 4]
    game = next(g for g in games if any(isinstance(e, TenpaiDeclared) and e.tenpai for k in g.kyoku for e in k.events))
    form = named("ump01")
    assert form.write is not None
    seen = convert("a", form.write(game), Conversion("ump01", seat=0)).games[0]
    (again,) = read_games(seen)
    shown = [event for each in again.kyoku for event in each.events if isinstance(event, TenpaiDeclared)]
    assert shown == [event for each in game.kyoku for event in each.events if isinstance(event, TenpaiDeclared)]


@each_row("key", ["ump01", "ump02"])
def test_traces_are_read(key: str) -> None:
    """A server's signs are turned round; remarks, tokens, answers and the lobby are skipped; it may start anywhere."""
    data = told(key, seat=0).split(b"\n", 1)[1].decode()
    lines = [f"{NO_TRACE} {line.replace('<', '>', 1)}" for line in data.splitlines()]
    lines[1:1] = [f"{NO_TRACE} < 0 hello name=a", f"{NO_TRACE} # refused", f"{NO_TRACE} > 1 _resume ***"]
    lines.insert(30, f"{NO_TRACE} > 29 _resume ***")
    (game,) = read_games("\n".join(lines).encode())
    (whole,) = read_games(data.encode())
    assert game == whole
    late = [line for line in lines if " hello " not in line]
    start = next(place for place, line in enumerate(late) if "kyokuend" in line)
    (rest,) = read_games("\n".join(late[start:]).encode())
    assert bare(rest).kyoku == bare(whole).kyoku[1:]
    assert not rest.from_start


def test_the_hello_of_a_server_suggests_rules() -> None:
    """Without our own field the rules of the server's first room are assumed, not stated."""
    data = told("ump01").split(b"\n", 1)[1]
    (game,) = read_games(data.replace(b"ump=0.1", b"ump=0.1 _rule=mleague _length=tonpu"))
    assert (game.ruleset.name, game.ruleset.length.value, game.rules_stated) == ("mleague", "tonpu", False)


@each_row(
    ("key", "change", "why"),
    [
        ("ump01", lambda data: data.replace(b"sutehai A", b"sutehai E"), "line 16: 'E' is not a seat"),
        ("ump01", lambda data: data.replace(b'{"rules"', b'{"rules',), "line 1: "),
        ("ump02", lambda data: data.replace(b"agari ", b"agari x "), "agari cannot be read"),
        ("mleague", lambda data: data.replace(b'"sutehai"', b'"tsumo"'), "command 31: "),
        ("mleague", lambda data: data.replace(b'"args":["-"]', b'"args":[1]'), "command 1: args: expected texts"),
        ("mleague", lambda data: data.replace(b'"area"', b'7'), "command 1: expected an object with cmd and args"),
        ("mleague", lambda data: data.replace(b"_ump={", b"_ump="), "gamestart: "),
        ("mleague", lambda data: data.replace(b'"0","0","1z"', b'"0","0","5z"'), "5z is not a wind"),
        ("mleague", lambda data: data.replace(b'"gameend","args":["', b'"gameend","args":["x'), "'xC0' is not a seat"),
        ("mleague", lambda data: b"[" + b"7," * 20_001 + b"7]", "at most 20000 commands"),
        ("mleague", lambda data: data[:-4], "is not JSON"),
    ],
)  # fmt: skip
def test_damage_is_named(key: str, change: Callable[[bytes], bytes], why: str) -> None:
    """The error has the line or the command."""
    with pytest.raises(RecordError, match=why):
        read_games(change(told(key)), named(key))


def test_gzip_and_names(data: Path) -> None:
    """Long names are cut as a server cuts them; an empty one stays empty."""
    (game,) = read_games(RECORD.encode())
    long = replace(game, names=("a" * 40, "b=c", "山", ""))
    for key in KEYS:
        form = named(key)
        assert form.write is not None
        (again,) = read_games(form.write(long))
        assert again.names == ("a" * 32, "b=c", "山", "")
    assert verify("a", gzip.compress(told("ump01"))).outcome is Verification.EQUAL


@each_row(
    ("name", "bakaze", "ours"),
    [
        ("東", 0, [("場風", "1")]),
        ("東", 1, [("自風", "1")]),
        ("ダブ南", 1, [("自風", "1"), ("場風", "1")]),
        ("発", 0, [("發", "1")]),
        ("赤", 0, [("赤ドラ", "1")]),
        ("対々和", 0, [("対々和", "1")]),
        ("ダブルリーチ", 0, [("両立直", "1")]),
    ],
)
def test_names_of_the_league(name: str, bakaze: int, ours: list[tuple[str, str]]) -> None:
    """Winds are named alone; one that is both the round's and the seat's is one yaku of two han."""
    assert our_pairs(name, "1", bakaze) == ours


def test_a_double_wind_is_written_as_one_yaku() -> None:
    """With two han; a yakuman has how many times it counts."""
    both = HandValue(((Yaku.SEAT_WIND, 1), (Yaku.ROUND_WIND, 1), (Yaku.RED_DORA, 1)), 3, 40, 0, 1280)
    assert list(written_pairs(both, 0, 0)) == [("ダブ東", 2), ("赤", 1)]
    one = HandValue(((Yaku.SEAT_WIND, 1), (Yaku.HATSU, 1)), 2, 40, 0, 640)
    assert list(written_pairs(one, 0, 3)) == [("北", 1), ("発", 1)]
    assert list(written_pairs(HandValue(((Yaku.DAISANGEN, 13),), 13, 0, 1, 8000), 0, 0)) == [("大三元", 1)]
