"""Tenhou's tournament lobbies: what ``csrule`` says of the rules, and records with it in both formats."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.own_games import own_game
from support.rows import each_row

from ump.record.formats import read_games
from ump.record.lint.lint import lint
from ump.record.lobby_rules import END, FLAGS, read_lobby_rules
from ump.record.mjlog import write_mjlog
from ump.record.mjlog_elements import GameType
from ump.record.record_format import FIELD
from ump.record.tenhou6 import write_tenhou6
from ump.record.verify import Assumptions, Verification, verify
from ump.rules.options import contradictions_in, read_change
from ump.rules.presets import TENHOU, TENHOU3
from ump.rules.ruleset import (
    EqualScores,
    ExtraRound,
    KanDoraTime,
    MultipleRon,
    Nagashi,
    OwnCopies,
    Renchan,
    Renhou,
    RiichiKan,
    Ruleset,
)

FOUR, THREE = GameType(0b1001), GameType(0b11001)
"""Hanchan with red fives and open tanyao."""

ONE_WIN = (
    '{"title":["",""],"name":["Ann","Bo","Cy","Di"],"rule":["0","0","000b","0","0","0","0"],"csrule":["4120DF0F",'
    '"00000001","","","30000","30000","30000"],"log":[[[0,0,0],[30000,30000,30000,30000],[38],[],[11,12,13,14,15,16,17,'
    "18,19,41,41,41,42],[47,25],[60,60],[12,13,14,16,17,18,33,34,53,24,26,28,28],[31],[60],[22,23,24,16,17,18,24,42,36,"
    '45,44,46,38],[32],[60],[21,29,31,39,43,43,44,44,45,45,46,46,47],[29],[60],["和了",[-1300,1300,0,0],[1,0,1,"40符1飜'
    '1300点","断幺九(1飜)"]]]]}'
)
"""A ron of tanyao with the tile 53, which is no red five in this lobby."""


def custom(first: int = 0, second: int = 0, /, **entries: str) -> list[str]:
    """Return a ``csrule`` with these flags, and with further entries as ``e4="30000"``."""
    listed = [f"{first:08X}", f"{second:08X}", *[""] * (END - 2)]
    for name, text in entries.items():
        listed[int(name[1:])] = text
    return listed


def changed_fields(entries: list[str], game_type: GameType = FOUR) -> dict[str, Any]:
    """Return the fields that differ from the usual rules; nothing may be unknown."""
    usual = game_type.ruleset()
    read = read_lobby_rules(game_type, entries)
    assert read.unknown == ()
    names = [field.name for field in fields(Ruleset) if getattr(read.ruleset, field.name) != getattr(usual, field.name)]
    return {name: getattr(read.ruleset, name) for name in names if name != "name"}


@each_row(
    ("entries", "changes"),
    [
        ([], {}),
        (custom(), {}),
        (custom(0x40000000, 0x40, e36="5", e44="7"), {}),
        (custom(0xC00000), {}),
        (custom(0xF), {"nagashi": Nagashi.NO, "kiriage": True, "tobi": False, "open_kan_dora": KanDoraTime.AT_ONCE}),
        (custom(0xE0), {"ura_dora": False, "kan_dora": False, "kan_ura": False}),
        (custom(0xF00), dict.fromkeys(("suufon_renda", "suukaikan", "suucha_riichi", "kyushu_kyuhai"), False)),
        (custom(0x1000), {"multiple_ron": MultipleRon.ALL}),
        (custom(0x3000), {"multiple_ron": MultipleRon.HEAD_BUMP}),
        (custom(0x2C000), {"agari_yame": False, "tenpai_yame": False, "renchan": Renchan.WIN}),
        (custom(0x1280000), {"ippatsu": False, "extra_round": ExtraRound.NONE, "renhou": Renhou.MANGAN}),
        (
            custom(0xE000000),
            {"riichi_tiles": 1, "riichi_kan": RiichiKan.SAME_SHAPE, "own_copies": OwnCopies.WITH_MELDS},
        ),
        (custom(0, 3), {"double_wind_fu": 2, "equal_scores": EqualScores.SHARE}),
        (custom(0, 0x18), {"pao_suukantsu": True, "kazoe_yakuman": False}),
        (
            custom(e4="30000", e5="40000", e6="35000"),
            {"start_points": 30_000, "target": 40_000, "return_points": 35_000},
        ),
        (custom(e10="1000", e11="100", e16="2000", e17="3000", e18="6000"), {"noten_penalty": 6_000}),
        (custom(e16="0", e17="0", e18="0"), {"noten_penalty": 0}),
        (custom(**{f"e{place}": "5" for place in (21, 24, 27, 30, 33)}), {"uma": (25, 5, -10, -20)}),
    ],
)
def test_known_settings(entries: list[str], changes: dict[str, Any]) -> None:
    """A flag says how a lobby differs from a ranked game."""
    assert changed_fields(entries) == changes


def test_an_uma_by_the_players_below() -> None:
    """The rows begin with nobody below; ours begin with one player who has the points."""
    rows = ["5", "-5", "-15", " 5", "0", "-20", " 5", "-4", "-16", " 0", "-6", "-14", " 5", "-5", "-15"]
    entries = custom(e4="30000", e6="30000", **{f"e{21 + place}": text for place, text in enumerate(rows)})
    found = changed_fields(entries)
    assert (found["uma"], found["floating_uma"]) == (
        (15, 5, -5, -15),
        ((20, 0, -6, -14), (15, 5, -4, -16), (15, 5, 0, -20)),
    )
    entries[6] = "35000"
    assert read_lobby_rules(FOUR, entries).unknown == ("csrule[21] 5",), "below which points?"


def test_three_players() -> None:
    """Norths may stay in the hand; a tsumo that two pay for three is unknown."""
    assert changed_fields(custom(0x400000), THREE) == {"kita": False}
    assert read_lobby_rules(THREE, custom(0x800000)).unknown == ("csrule[0] 00800000",)
    assert changed_fields(custom(e17="2000"), THREE) == {}


@each_row(
    ("entries", "unknown"),
    [
        (custom(0x10100010), "csrule[0] 10100010"),
        (custom(0x12), "csrule[0] 00000010"),
        (custom(0, 0x20), "csrule[1] 00000020"),
        (custom(e2="1"), "csrule[2] 00000001"),
        (custom(e0="flags"), "csrule[0] flags"),
        (custom(e7="60000"), "csrule[7] 60000"),
        (custom(e10="2000"), "csrule[10] 2000"),
        (custom(e11="0"), "csrule[11] 0"),
        (custom(e16="500"), "csrule[16] 500,,"),
        (custom(e33="99"), "csrule[21] "),
        (custom(e21="2.5"), "csrule[21] 2.5"),
        (custom(e4="-5"), "csrule: rules: start-points='-5': expected 0..1000000 in steps of 100"),
        (custom(e4="40000"), "csrule: return-points must not be below start-points: the oka would be negative"),
        ([*custom(), "", "more"], "csrule[46] more"),
    ],
)
def test_unknown_settings(entries: list[str], unknown: str) -> None:
    """They are named as they stand there; all others are read."""
    read = read_lobby_rules(FOUR, entries)
    assert read.unknown == (unknown,)
    assert read.ruleset.kiriage is (entries[0] == "00000012")


@given(st.lists(st.one_of(st.text(max_size=9), st.integers(-(10**8), 10**8).map(str)), max_size=60), st.booleans())
@settings(max_examples=200)
def test_any_settings_give_sound_rules(entries: list[str], is_three: bool) -> None:
    """Nobody has checked what a file says there."""
    game_type = THREE if is_three else FOUR
    read = read_lobby_rules(game_type, entries)
    assert (contradictions_in(read.ruleset), read.ruleset.seats) == ([], game_type.ruleset().seats)


def test_flags_are_single_bits_of_known_fields() -> None:
    """A typo in the table would otherwise show only in a game with that flag."""
    for word in FLAGS:
        for flag, changes in word.items():
            assert flag.bit_count() == 1
            assert replace(TENHOU, **changes).seats == 4


# Records


def test_a_five_that_is_not_red() -> None:
    """The ron is worth 1 han, 40 fu and 1,300 points; with red fives it would be a han more."""
    verdict = verify("a", ONE_WIN.encode())
    assert (verdict.outcome, lint("a", ONE_WIN.encode()).findings) == (Verification.EQUAL, ())
    (game,) = read_games(ONE_WIN.encode())
    assert (game.rules_stated, game.ruleset.red_fives, game.ruleset.double_wind_fu) == (True, (0, 0, 0), 2)
    red = ONE_WIN.replace('"000b"', '"0009"')
    assert verify("a", red.encode()).outcome is Verification.DIFFERENT


LOBBY = replace(
    TENHOU,
    start_points=30_000,
    uma=(15, 5, -5, -15),
    red_fives=(0, 0, 0),
    kiriage=True,
    nagashi=Nagashi.NO,
    open_kan_dora=KanDoraTime.AT_ONCE,
    multiple_ron=MultipleRon.HEAD_BUMP,
    tobi=False,
    extra_round=ExtraRound.NONE,
    double_wind_fu=2,
    equal_scores=EqualScores.SHARE,
)
FIFTEEN = {f"e{place}": text for place, text in zip(range(21, 36), ("5", "-5", "-15") * 5, strict=True)}
CUSTOM = custom(0x20200F | 0x1000, 3, e4="30000", e5="30000", e6="30000", **FIFTEEN)


def lobby_records(entries: list[str]) -> dict[str, bytes]:
    """Return a game of a lobby as mjlog and as tenhou.net/6, as Tenhou writes them."""
    game = own_game(LOBBY, "10", rare=False)
    go = f'<GO type="11" lobby="18940" csrule="{",".join(entries)}"/>'
    mjlog = re.sub(r"<GO [^>]*?/>", go, write_mjlog(game).decode())
    plain = json.loads(write_tenhou6(game))
    del plain[FIELD]
    rule = {"rule": ["202611010000", "202611302359", "000b", "0", "0", "0", "0"], "csrule": entries, "lobby": 18940}
    return {"mjlog": mjlog.encode(), "tenhou6": json.dumps(plain | rule).encode()}


@each_row("form", ["mjlog", "tenhou6"])
def test_a_game_of_a_lobby(form: str) -> None:
    """With all settings known it is compared to its results; a wrong setting shows."""
    whole = lobby_records(CUSTOM)[form]
    (game,) = read_games(whole)
    assert game.ruleset == replace(LOBBY, name="tenhou*")
    assert (verify("a", whole).outcome, lint("a", whole).findings) == (Verification.EQUAL, ())
    other = lobby_records([*CUSTOM[:21], "25", *CUSTOM[22:]])[form]
    assert verify("a", other).outcome is Verification.UNKNOWN_RULES, "one of five rows"
    other = lobby_records([*CUSTOM[:21], *["20", "-5", "-30"] * 5, *CUSTOM[36:]])[form]
    assert verify("a", other).outcome is Verification.DIFFERENT


@each_row("form", ["mjlog", "tenhou6"])
def test_a_game_of_a_lobby_with_an_unknown_setting(form: str) -> None:
    """Nothing that it may explain is a difference; the report names the setting, and ``--set`` judges again."""
    record = lobby_records(custom(0x10000008, 3))[form]
    verdict = verify("a", record)
    assert verdict.replayed is not None
    assert (verdict.outcome, verdict.replayed.mismatches) == (Verification.UNKNOWN_RULES, ())
    assert verdict.replayed.notes[-1].found == "csrule[0] 10000000"
    assert lint("a", record).findings == ()
    words = "start-points=30000 uma=15,5,-5,-15 kiriage=yes nagashi=no multiple-ron=head-bump tobi=no extra-round=none"
    changes = tuple(map(read_change, words.split()))
    assert verify("a", record, Assumptions(rules=TENHOU, changes=changes)).outcome is Verification.EQUAL
    assert verify("a", record, Assumptions(changes=changes[:1])).outcome is Verification.DIFFERENT


def test_a_lobby_whose_rules_nobody_can_read() -> None:
    """The record is read by the usual rules, and compared without its results."""
    rules: list[list[object]] = [["0", "0"], ["0", "0", "xyz"], ["0", "0", "0019"], [[], {}, None]]
    for rule in rules:
        text = json.dumps(json.loads(ONE_WIN) | {"rule": rule})
        (game,) = read_games(text.encode())
        assert (game.unknown_rules, game.ruleset.red_fives) == (("rule and csrule",), (1, 1, 1))
        assert verify("a", text.encode()).outcome is Verification.UNKNOWN_RULES
    assert TENHOU3.seats == THREE.ruleset().seats
