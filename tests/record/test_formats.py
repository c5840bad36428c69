"""Every format: games go through it without loss, hostile input raises RecordError alone, and facts are as declared."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few, some
from support.own_games import own_game, own_games
from support.rows import each_row
from support.written_record import RECORD

from ump.model.events import HandWon, KyokuStarted
from ump.model.yaku import Yaku
from ump.record.conversion import Conversion, convert, derived, seen_by
from ump.record.findings import Rule
from ump.record.formats import FORMATS, read_games, sniffed
from ump.record.hand_values import yaku_named
from ump.record.lint.lint import lint
from ump.record.mjai import write_mjai, write_mortal
from ump.record.mjlog import write_mjlog
from ump.record.record_format import Carried, Fact, RecordFormat, facts_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.replay import Replay
from ump.record.tenhou6 import write_tenhou6, write_urls
from ump.record.verify import verify
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length

BOTH_WAYS = [each for each in FORMATS if each.read is not None and each.write is not None]
WITH_OPEN_RIICHI = [each for each in BOTH_WAYS if each.carried(Fact.OPEN) is not Carried.NO]
ALL = "all"
WHOLE = [each for each in BOTH_WAYS if each.key != "tenhou6-urls"]

SAMPLE = 5
"""Real games per format; ``ump convert`` and ``ump verify`` do all of them."""

both_ways = each_row("form", BOTH_WAYS)
whole = pytest.mark.parametrize("form", WHOLE, ids=lambda form: form.key)


def written_game() -> RecordedGame:
    """Return the game of the written record: a ron, nine terminals, and a yakuman that ends it."""
    (game,) = read_games(RECORD.encode())
    return game


def through(form: RecordFormat, game: RecordedGame) -> RecordedGame:
    """Return a game after it was written and read again."""
    assert form.write is not None
    data = form.write(game)
    assert sniffed(data).read is form.read
    (again,) = read_games(data)
    return again


def comparable(game: RecordedGame) -> RecordedGame:
    """Return what no format loses: the game without copies, walls, ranks, and the state that a record repeats."""
    bare = tuple(replace(each, tiles=None, deal=None, stated={}) for each in game.kyoku)
    return replace(game, kyoku=bare, room="", ranks=(), ratings=())


@whole
def test_a_game_survives_each_format(form: RecordFormat) -> None:
    """All events, rules, names and results come back, and the result replays."""
    game = written_game()
    again = through(form, game)
    assert comparable(again) == comparable(game)
    assert Replay(again).run().mismatches == ()


def test_a_game_survives_urls() -> None:
    """The kyoku of several lines are one game again; the end of the game is lost."""
    game = written_game()
    (form,) = [each for each in BOTH_WAYS if each not in WHOLE]
    assert comparable(through(form, game)) == comparable(replace(game, ended=None))


@each_row("kept", ["", ",:[]{}", ALL])
def test_addresses_as_browsers_copy_them(kept: str) -> None:
    """Percent-encoded, with signs as they are, or with everything as it is; names with a percent sign, too."""
    game = replace(written_game(), names=("A%41", "100%", "山", "&"), ended=None)
    lines = [unquote(line) for line in write_urls(game).decode().splitlines()]
    data = "\n\n".join(line if kept == ALL else f"{line[:27]}{quote(line[27:], safe=kept)}&ts=0" for line in lines)
    (again,) = read_games(data.encode())
    assert comparable(again) == comparable(game)


def test_unlike_formats_follow_each_other() -> None:
    """A game that goes through all formats is the same in the end."""
    game = written_game()
    again = game
    for form in WHOLE:
        again = through(form, again)
    assert comparable(again) == comparable(game)


@pytest.mark.no_cover
@whole
def test_real_games_survive_each_format(form: RecordFormat, data: Path) -> None:
    """Rare hands included: robbed kans, liability, nagashi mangan, four riichi, double ron, three rons."""
    rare = [*(data / "tenhou" / "rare" / "mjx-py").glob("*.gz"), *(data / "tenhou" / "rare" / "dnovikoff").glob("bug*")]
    for path in [*sorted((data / "tenhou" / "games").glob("*.gz"))[: few(SAMPLE)], *some(sorted(rare))]:
        (game,) = read_games(gzip.decompress(path.read_bytes()))
        assert comparable(through(form, game)) == comparable(game), path.name


@pytest.mark.no_cover
@whole
def test_games_of_three_survive_each_format(form: RecordFormat, data: Path) -> None:
    """Norths set aside, liability and yakuman included."""
    if 3 not in form.players:
        pytest.skip("for games of four alone")
    last = "2022010502gm-00b9-0000-3ee86ee7.xml.gz"  # a north is set aside after an added kan
    folder = data / "tenhou" / "sanma"
    for path in [*sorted(folder.glob("*.gz"))[: few(SAMPLE)], folder / last]:
        (game,) = read_games(gzip.decompress(path.read_bytes()))
        assert comparable(through(form, game)) == comparable(game), path.name


@each_row("form", WITH_OPEN_RIICHI)
def test_games_of_our_bots_survive_each_format(form: RecordFormat) -> None:
    """With open riichi, rare hands and many kans."""
    for game in own_games():
        if len(game.names) in form.players:
            again = through(form, game)
            assert comparable(again) == comparable(game)
            assert Replay(again).run().mismatches == ()


@each_row("is_bare", [False, True])
def test_games_of_three_for_mortals_family(is_bare: bool) -> None:
    """The words and lists that its bots receive in a game; also without our own field and without names."""
    game = next(each for each in own_games() if each.ruleset == PRESETS["tenhou3"])
    plain = [json.loads(line) for line in write_mjai(game).splitlines()]
    messages = [json.loads(line) for line in write_mortal(game).splitlines()]
    if is_bare:
        plain[0] = messages[0] = {"type": "start_game"}
    types = {message["type"] for message in messages}
    assert "nukidora" in types
    assert "kita" not in types
    assert messages[1]["scores"] == [35_000, 35_000, 35_000, 0]
    assert [hand == ["?"] * 13 for hand in messages[1]["tehais"]] == [False, False, False, True]
    data = "\n".join(map(json.dumps, messages)).encode()
    assert read_games(data) == read_games("\n".join(map(json.dumps, plain)).encode())
    assert lint("a", data).findings == ()


def test_a_hidden_hand_without_points_is_no_empty_seat() -> None:
    """A game of four remains one if the last seat has no name, and no points at first."""
    game = seen_by(written_game(), 0)
    messages = [json.loads(line) for line in write_mortal(game).splitlines()]
    messages[0] = {"type": "start_game", "names": ["", "", "", ""]}
    messages[1]["scores"][3] = 0
    (again,) = read_games("\n".join(map(json.dumps, messages)).encode())
    assert len(again.names) == 4


def test_what_follows_from_a_record_is_derived() -> None:
    """Fu, yaku and results; not without rules, and not if the game contradicts itself."""
    game = written_game()
    assert game.ended is not None
    bare = replace(game, ended=replace(game.ended, places=(), results=()), kyoku=tuple(map(_without_fu, game.kyoku)))
    missing = frozenset((Fact.FU, Fact.RESULTS))
    assert facts_of(bare) & missing == frozenset()
    assert comparable(derived(bare, missing)) == comparable(game)
    unknown = replace(bare, rules_stated=False)
    assert derived(unknown, missing) == unknown
    started = bare.kyoku[0].events[0]
    assert isinstance(started, KyokuStarted)
    first = replace(started, honba=1)
    wrong = replace(bare, kyoku=(replace(bare.kyoku[0], events=(first, *bare.kyoku[0].events[1:])), *bare.kyoku[1:]))
    assert derived(wrong, frozenset((Fact.FU,))) == wrong
    hidden = seen_by(bare, 0)
    assert derived(hidden, frozenset((Fact.FU,))) == hidden


def _without_fu(kyoku: RecordedKyoku) -> RecordedKyoku:
    events = (
        replace(each, value=replace(each.value, fu=0)) if isinstance(each, HandWon) else each for each in kyoku.events
    )
    return replace(kyoku, events=tuple(events))


def test_wins_without_a_value_are_compared_by_their_payments() -> None:
    """As in logs that Mortal reads; a conversion finds the yaku."""
    mjai = convert("a", RECORD.encode(), Conversion("mjai")).games[0].decode()
    bare = re.sub(r'"(yakus|fan|fu|hora_points)":(\[\[.*?\]\]|\d+),', "", mjai).encode()
    assert (b'"fan"' in bare, b'"yakus"' in bare) == (False, False)
    (game,) = read_games(bare)
    assert Replay(game).run().mismatches == ()
    converted = convert("b", bare, Conversion("mjlog"))
    assert converted.derived == {Fact.YAKU, Fact.FU, Fact.WORTH}
    (again,) = read_games(converted.games[0])
    assert comparable(again) == comparable(written_game())
    (cheap,) = read_games(bare.replace(b'"deltas":[-6400,6400,0,0]', b'"deltas":[-6500,6500,0,0]'))
    assert Replay(cheap).run().mismatches != ()


@each_row(("folder", "key", "most"), [("majiang/paipu", "paipu", 0), ("mjai", "mjai", 0), ("tenhou6", "tenhou6", 2)])
def test_records_of_other_programs_agree(folder: str, key: str, most: int, data: Path) -> None:
    """They are recognised, and replay without a mismatch but the faults of two files that were written by hand."""
    found = 0
    for path in sorted((data / folder).glob("*game.mjson.gz" if key == "mjai" else "*.json.gz")):
        content = gzip.decompress(path.read_bytes())
        assert sniffed(content).key == key
        if path.name.startswith("confusing_nakis_2"):  # its win has no value
            continue
        (game,) = read_games(content)
        found += len(Replay(game).run().mismatches)
    assert found == most


@both_ways
def test_damaged_records_raise_nothing_else(form: RecordFormat) -> None:
    """A reader gets any damaged record, and raises RecordError or returns a game."""
    assert form.write is not None
    data = form.write(written_game())

    @settings(max_examples=few(80))
    @given(st.integers(0, len(data) - 1), st.binary(max_size=4), st.integers(0, 6))
    def check(place: int, text: bytes, cut: int) -> None:
        try:
            for game in read_games(data[:place] + text + data[place + cut :], form):
                Replay(game).run()
        except RecordError:
            pass

    check()


def test_what_the_target_needs_is_an_error() -> None:
    """It names the fact; --lossy goes on. A log that is shown to one seat has no other hands."""
    mjai = convert("a", RECORD.encode(), Conversion("mjai", seat=1)).games[0]
    with pytest.raises(RecordError, match="needs what this record does not say: all hands and draws"):
        convert("b", mjai, Conversion("tenhou6"))
    assert b'"?"' in mjai
    first, _, rest = convert("a", RECORD.encode(), Conversion("mjai")).games[0].partition(b"\n")
    bare = first.partition(b',"ump"')[0] + b"}\n" + rest
    with pytest.raises(RecordError, match="the rules; the final places and results"):
        convert("b", bare, Conversion("mjlog"))
    assert convert("b", bare, Conversion("mjlog", lossy=True)).games[0].startswith(b"<mjloggm")


@each_row("key", ["tenhou6", "tenhou6-urls", "mjlog"])
def test_hidden_tiles_that_a_format_cannot_write_are_an_error(key: str) -> None:
    """With --lossy too: neither a hand nor a draw is left out."""
    with pytest.raises(RecordError, match="the hand of A is hidden"):
        convert("a", RECORD.encode(), Conversion(key, seat=1, lossy=True))
    mjai = convert("a", RECORD.encode(), Conversion("mjai")).games[0]
    hidden = re.sub(rb'("type":"tsumo","actor":0,"pai":")[^"]*', rb"\1?", mjai, count=1)
    assert hidden != mjai
    with pytest.raises(RecordError, match="a draw of A is hidden"):
        convert("a", hidden, Conversion(key, lossy=True))


def test_contradictory_records_are_named() -> None:
    """A record that is well-formed, but whose moves do not fit, is an error of that record."""
    paipu = convert("a", RECORD.encode(), Conversion("paipu")).games[0].decode()
    with pytest.raises(RecordError, match="kyoku 1, entry 1: "):
        read_games(paipu.replace('"baopai":"', '"baopai":"x', 1).encode())
    with pytest.raises(RecordError, match="kyoku 1, entry 2: "):
        read_games(paipu.replace('{"zimo"', '{"kaigang":{"baopai":"x"}},{"zimo"', 1).encode())
    with pytest.raises(RecordError, match="rules for 3 players, but scores of 4"):
        read_games(re.sub('"uma":"[^"]*"', '"uma":"20,0,-20"', paipu).encode())


@each_row(("preset", "length", "first"), [("tenhou", "tonpu", 4), ("tenhou3", "hanchan", 0)])
def test_fields_that_other_readers_need(preset: str, length: str, first: int) -> None:
    """A fourth name in mjlog's games of three; the length and the red fives in mjai, as Mortal has them."""
    game = own_game(replace(PRESETS[preset], length=Length(length)), "3", rare=False)
    assert b' n3="' in write_mjlog(game)
    start = json.loads(write_mjai(game).splitlines()[0])
    assert (start["kyoku_first"], start["aka_flag"]) == (first, True)
    unknown = replace(game, rules_stated=False, length_stated=False)
    assert write_mjai(unknown).splitlines()[0].count(b"kyoku_first") == 0


# The words of Mahjong Soul's games in tenhou.net/6 JSON, as Equim-chan/tensoul writes them


NAMES = [
    *(("国士無双十三面待ち", Yaku.KOKUSHI_13), ("役牌:自風牌", Yaku.SEAT_WIND), ("役牌:場風牌", Yaku.ROUND_WIND)),
    *(("抜きドラ", Yaku.DORA), ("Kita", Yaku.DORA), ("Red Five", Yaku.RED_DORA), ("Ura Dora", Yaku.URA_DORA)),
    *(("Fully Concealed Hand", Yaku.MENZEN_TSUMO), ("Menzen Tsumo", Yaku.MENZEN_TSUMO), ("Riichi", Yaku.RIICHI)),
    *(("Prevalent Wind", Yaku.ROUND_WIND), ("White Dragon", Yaku.HAKU), ("Yakuhai Chun", Yaku.CHUN)),
    *(("Tanyao", Yaku.TANYAO), ("All Simples", Yaku.TANYAO), ("Iipeikou", Yaku.IIPEIKOU), ("Iipeko", Yaku.IIPEIKOU)),
    *(("Sanshoku Doujun", Yaku.SANSHOKU_DOUJUN), ("Houtei Raoyui", Yaku.HOUTEI), ("Chiitoitsu", Yaku.CHIITOITSU)),
    *(("All Terminals", Yaku.CHINROUTOU), ("All Terminals and Honors", Yaku.HONROUTOU), ("Chiihou", Yaku.CHIHOU)),
    *(("Four Concealed Triplets", Yaku.SUUANKOU), ("Single-wait Four Concealed Triplets", Yaku.SUUANKOU_TANKI)),
    *(("Thirteen-wait Thirteen Orphans", Yaku.KOKUSHI_13), ("True Nine Gates", Yaku.JUNSEI_CHUUREN)),
    *(("Suuankou Tanki", Yaku.SUUANKOU_TANKI), ("Junsei Chuuren Poutou", Yaku.JUNSEI_CHUUREN), ("Kanburi", None)),
]


@each_row(("name", "yaku"), NAMES)
def test_names_in_three_languages(name: str, yaku: Yaku | None) -> None:
    """Case, spaces and long vowels do not count."""
    assert (yaku_named(name), yaku_named(name.upper().replace(" ", ""))) == (yaku, yaku)


ENGLISH = {
    "混全帯幺九": "Half Outside Hand",
    "純全帯幺九": "Fully Outside Hand",
    "一気通貫": "Pure Straight",
    "混老頭": "All Terminals and Honors",
    "門前清自摸和": "Fully Concealed Hand",
    "断幺九": "All Simples",
    "平和": "Pinfu",
    "七対子": "Seven Pairs",
    "混一色": "Half Flush",
    "清一色": "Full Flush",
    "対々和": "All Triplets",
    "三暗刻": "Three Concealed Triplets",
    "立直": "Riichi",
    "一発": "Ippatsu",
    "裏ドラ": "Ura Dora",
    "赤ドラ": "Red Five",
    "ドラ": "Dora",
    "一盃口": "Pure Double Sequence",
    "役牌 白": "White Dragon",
    "役牌 發": "Green Dragon",
    "役牌 中": "Red Dragon",
    **{f"自風 {wind}": "Seat Wind" for wind in "東南西北"},
    **{f"場風 {wind}": "Prevalent Wind" for wind in "東南西北"},
    "満貫": "Mangan ",
    "跳満": "Haneman ",
    "倍満": "Baiman ",
    "三倍満": "Sanbaiman ",
    "和了": "Agari",
    "流局": "Exhaustive Draw",
    "九種九牌": "Nine Terminal Abortion",
    "般南喰赤": "Gold Room South Red Fives",
    "三般南喰赤": "3-Player Gold Room South Red Fives",
}


def in_english(text: str) -> str:
    """Return a text of tenhou.net/6 in English words."""
    points = re.fullmatch(r"(?:(\d+)符(\d+)飜|([^\d]*))(.*)", text)
    yaku = re.fullmatch(r"(.+)(\(.*\))", text)
    if text in ENGLISH:
        return ENGLISH[text]
    if yaku is not None and yaku[1] in ENGLISH:
        return ENGLISH[yaku[1]] + yaku[2]
    if text.endswith(("点", "点∀")) and points is not None:
        return (f"{points[1]}Fu{points[2]}Han" if points[1] else ENGLISH.get(points[3], points[3])) + points[4]
    return text


def translated(value: Any) -> Any:
    """Return a document in English words."""
    if isinstance(value, list):
        return [translated(each) for each in value]
    if isinstance(value, dict):
        return {key: translated(each) for key, each in value.items()}
    return in_english(value) if isinstance(value, str) else value


@each_row("preset", ["tenhou", "tenhou3"])
def test_a_game_of_mahjong_soul_in_english(preset: str) -> None:
    """It is the same game; and so it is with the norths beside the other dora."""
    game = own_game(replace(PRESETS[preset]), "3", rare=False)
    given = json.loads(write_tenhou6(game))
    del given["ump"]
    (whole,) = read_games(json.dumps(given).encode())
    english = json.dumps(translated(given), ensure_ascii=False)
    assert not set("門断平混清対立一裏和流").intersection(english)
    (read,) = read_games(english.encode())
    assert comparable(read) == comparable(whole)
    apart = re.sub(r'"ドラ\((\d+)飜\)"', r'"ドラ(\1飜)","抜きドラ(1飜)"', json.dumps(given, ensure_ascii=False))
    (more,) = read_games(apart.encode())
    pairs = zip(wins_of(more), wins_of(whole), strict=True)
    assert {
        dict(one.value.yaku).get(Yaku.DORA, 0) - dict(other.value.yaku).get(Yaku.DORA, 0) for one, other in pairs
    } == {
        0,
        1,
    }


def wins_of(game: RecordedGame) -> list[HandWon]:
    """Return all wins of a game."""
    return [event for kyoku in game.kyoku for event in kyoku.events if isinstance(event, HandWon)]


@each_row("key", ["tenhou6", "paipu", "mjai"])
def test_an_unknown_yaku_is_a_finding(key: str) -> None:
    """The file is read to its end; one win has no yaku then."""
    data = convert("a", RECORD.encode(), Conversion(key)).games[0].decode()
    for old, new in (("三色同順(", "Kanburi("), ('"三色同順"', '"Kanburi"'), ('"sanshokudojun"', '"kanburi"')):
        data = data.replace(old, new)
    (game,) = read_games(data.encode())
    assert [bool(won.value.yaku) for won in wins_of(game)] == [False, True]
    verdict = verify("a", data.encode())
    assert verdict.replayed is not None
    (mismatch,) = verdict.replayed.mismatches
    assert "anburi" in mismatch.expected
    (finding,) = lint("a", data.encode()).findings
    assert (finding.rule, "anburi" in finding.found) == (Rule.WRONG_VALUE, True)
    with pytest.raises(RecordError, match="the yaku of each win"):
        convert("a", data.encode(), Conversion("mjlog"))
