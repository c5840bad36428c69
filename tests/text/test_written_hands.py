"""Hands as text: values, shanten, waits, ukeire, discards, and errors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.hand import HandError
from ump.model.notation import NotationError
from ump.model.yaku import Yaku
from ump.rules.options import RulesetError
from ump.rules.presets import PRESETS, UMP
from ump.text.win import ConditionsError
from ump.text.written_hands import FrozenHand, discards, hand, shanten, ukeire, value, waits

TENPAI = "123m406p789s1122z"


def test_the_value_of_a_ron() -> None:
    """Riichi, the south wind and a red five: 3 han 40 fu, paid by the discarder."""
    win = value(TENPAI, ron="2z", riichi=True)
    assert win.value is not None
    assert (win.value.han, win.value.fu, win.points, win.payments) == (3, 40, 5_200, (("discarder", 5_200),))
    assert [yaku for yaku, _ in win.value.yaku] == [Yaku.RIICHI, Yaku.SEAT_WIND, Yaku.RED_DORA]


def test_the_winning_tile_may_stand_in_the_hand() -> None:
    """With 14 tiles it may be any one of them."""
    assert value("123m406p789s11222z", ron="2z") == value("222z123m406p789s11z", ron="2z") == value(TENPAI, ron="2z")


@each_row(
    ("hand", "arguments", "points"),
    [
        (TENPAI, {"tsumo": "2z"}, 5_200),  # tsumo
        (TENPAI, {"ron": "2z", "seat_wind": "west"}, 0),  # no yaku
        (TENPAI, {"ron": "1z", "seat_wind": "east"}, 7_700),  # double east of the dealer
        (TENPAI, {"ron": "2z", "round_wind": "south"}, 5_200),  # double south
        (TENPAI, {"ron": "2z", "honba": 2}, 3_200),  # honba
        (TENPAI, {"ron": "2z", "dora": "1z9s"}, 8_000),  # dora
        (TENPAI, {"ron": "2z", "riichi": True, "ura": "3m", "dora": "3m"}, 5_200),  # no ura dora
        (TENPAI, {"ron": "2z", "double_riichi": True, "ippatsu": True}, 8_000),  # double riichi, ippatsu
        (TENPAI, {"ron": "2z", "houtei": True}, 5_200),  # houtei
        ("23m406p789s11222z", {"ron": "4m", "chankan": True}, 5_200),  # chankan
        (TENPAI, {"ron": "2z", "riichi": True, "ura": "1z"}, 12_000),  # ura dora without the others
        # open riichi against a player without riichi
        ("234m345p34678s55p", {"ron": "2s", "open_riichi": True, "rules": replace(UMP, open_riichi=True)}, 32_000),
        # open riichi against a player in riichi
        (
            "234m345p34678s55p",
            {"ron": "2s", "open_riichi": True, "loser_in_riichi": True, "rules": replace(UMP, open_riichi=True)},
            7_700,
        ),
        (TENPAI, {"tsumo": "2z", "haitei": True}, 8_000),  # haitei
        (TENPAI, {"tsumo": "1z", "first_turn": True}, 32_000),  # chihou
        ("234m456p11s(5555z)<222z>", {"tsumo": "1s", "rinshan": True}, 7_900),  # rinshan
        ("234m345p34678s55p", {"ron": "2s", "riichi": True, "dora": "1m"}, 7_700),  # 4 han 30 fu
        # kiriage in a preset
        ("234m345p34678s55p", {"ron": "2s", "riichi": True, "dora": "1m", "rules": "wrc"}, 8_000),
        # another ruleset
        ("234m345p34678s55p", {"tsumo": "2s", "open_riichi": True, "rules": replace(UMP, open_riichi=True)}, 8_000),
    ],
)
def test_arguments_of_value(hand: str, arguments: dict[str, object], points: int) -> None:
    """Each argument changes the points as the rules say."""
    assert value(hand, **arguments).points == points  # type: ignore[arg-type]  # one table for all of them


def test_norths_are_dora() -> None:
    """In games of three, each that was set aside."""
    wins = [value("111999m406p22s11z", ron="1z", rules="tenhou3", kita=count).value for count in (0, 2)]
    assert [worth is None or worth.han for worth in wins] == [2, 4]
    with pytest.raises(ConditionsError, match="these rules have no kita"):
        value(TENPAI, ron="2z", kita=1)


@each_row(
    ("hand", "tile", "more"),
    [(TENPAI, "2z", {}), ("23m406p789s11222z", "4m", {"dora": "4m"}), ("23m406p789s11222z", "1m", {"ura": "1m"})],
)
def test_a_robbed_kan_has_all_four(hand: str, tile: str, more: dict[str, str]) -> None:
    """Neither the winner nor an indicator has another one."""
    with pytest.raises(HandError, match="a kan of it holds all four"):
        value(hand, ron=tile, chankan=True, riichi=bool(more), **more)  # type: ignore[arg-type]


@each_row(("rules", "number"), [("tenhou3", 2), ("tenhou", 1)])
def test_a_hand_of_three_players_is_farther(rules: str, number: int) -> None:
    """Without 2m to 8m no run can use the fourth 1m; Apricot-S/xiangting counts so."""
    pytest.importorskip("xiangting")
    assert shanten("1111m111122233z", rules=rules) == number


def test_sticks_are_added() -> None:
    """They are not part of the points that other players pay."""
    win = value(TENPAI, ron="2z", kyotaku=3)
    assert (win.points, win.sticks) == (2_600, 3_000)


def test_shanten_waits_and_ukeire() -> None:
    """Tiles of the hand and tiles in sight are not left; a wait with no tile left is still a wait."""
    assert shanten(TENPAI) == 0
    assert shanten(TENPAI + "2z") == -1
    assert waits(TENPAI) == ukeire(TENPAI) == {"1z": 2, "2z": 2}
    assert waits(TENPAI, seen="1z1z") == {"1z": 0, "2z": 2}
    assert shanten("13m406p789s11224z") == 1
    assert shanten("00m11z", rules=replace(UMP, red_fives=(2, 1, 1))) == 0
    assert waits("13m406p789s11224z") == {}
    assert ukeire("13m406p789s11224z", seen="2m") == {"2m": 3, "1z": 2, "2z": 2}


def test_the_rules_count_copies_in_melds() -> None:
    """The ruleset says whether a kind is a wait if the hand and its melds have all four copies."""
    hand = "1m<222p><333p><444p><111m>"
    assert waits(hand) == {"1m": 0}
    assert waits(hand, rules=PRESETS["mleague"]) == waits(hand, rules="wrc") == {}


def test_discards_are_sorted() -> None:
    """The lowest shanten comes first, then the most tiles; each discard has the ukeire of the remaining hand."""
    choices = discards("13m406p789s112245z")
    assert [choice.tile for choice in choices[:2]] == ["4z", "5z"]
    assert choices[0].ukeire == ukeire("13m406p789s11225z")
    assert choices[0].tiles == 8
    assert [(choice.shanten, -choice.tiles) for choice in choices] == sorted(
        (choice.shanten, -choice.tiles) for choice in choices
    )


@each_row(
    ("call", "error", "message"),
    [
        (lambda: value("x", ron="1z"), NotationError, "'x' at position 1: not part of a tile"),  # text
        (lambda: value(TENPAI, ron="8z"), NotationError, "there is no tile 8z"),  # tile
        (lambda: value(TENPAI, ron="1z2z"), ConditionsError, "with one tile, not with 2"),  # two tiles
        (lambda: value(TENPAI), ConditionsError, "either as ron or as tsumo"),  # no tile
        (lambda: value(TENPAI, ron="1z", tsumo="1z"), ConditionsError, "either as ron"),  # both
        (lambda: value(TENPAI, ron="3z"), HandError, "is not complete with 3z"),  # not complete
        (lambda: value("1112m", ron="2m"), HandError, "needs the whole hand"),  # part of a hand
        (lambda: value(TENPAI + "2z", ron="3z"), HandError, "must hold the winning tile"),  # not held
        (lambda: value(TENPAI, ron="2z", dora="2z2z1m2z"), HandError, "2z: "),  # five of a kind
        (lambda: value(TENPAI, ron="2z", ippatsu=True), ConditionsError, "needs riichi"),  # ippatsu
        (lambda: value(TENPAI, ron="2z", haitei=True), ConditionsError, "rule out .* by ron"),  # haitei
        (lambda: value(TENPAI, ron="2z", honba=-1), ConditionsError, "0 or more"),  # honba
        (lambda: value(TENPAI, ron="2z", seat_wind="S"), ConditionsError, "seat_wind='S'"),  # wind
        (lambda: value(TENPAI, ron="2z", rules="EMA"), RulesetError, "unknown preset 'EMA'"),  # preset
        (lambda: shanten("123m"), HandError, "3 concealed tiles are not a hand"),  # three tiles
        (lambda: shanten("006p1z"), HandError, "0p: 2 in sight"),  # two red fives
        (lambda: waits(TENPAI, seen="2z2z2z"), HandError, "2z: 5 in sight"),  # seen too often
        (lambda: waits(TENPAI + "2z"), HandError, "discards takes 14"),  # waits of 14
        (lambda: ukeire(TENPAI + "2z"), HandError, "discards takes 14"),  # ukeire of 14
        (lambda: discards(TENPAI), HandError, "give 14 tiles"),  # discards of 13
    ],
)
def test_errors_say_what_is_wrong(call: Callable[[], object], error: type[Exception], message: str) -> None:
    """The text is one understandable line, and all errors are ValueErrors."""
    with pytest.raises(error, match=message) as found:
        call()
    assert isinstance(found.value, ValueError)
    assert "\n" not in str(found.value)


def test_a_hand_as_a_value() -> None:
    """It answers like the functions, and takes and loses tiles as other hands."""
    held = hand("22z123m406p789s11z")
    assert (held.shanten, held.waits, held.ukeire) == (0, waits(TENPAI), ukeire(TENPAI))
    assert held.value(ron="2z", riichi=True) == value(held, ron=28, riichi=True) == value(TENPAI, ron="2z", riichi=True)
    drawn = held + "4z"
    assert drawn.discards == discards(drawn) == discards(TENPAI + "4z")
    assert drawn - "4z" == held and drawn != held and len({held, drawn, drawn - 30}) == 2
    assert (drawn + [] - "3m").shanten == shanten("12m406p789s11224z")
    assert [*hand("5M4m")] == ["4m", "0m"] and len(held) == 13 and "0p" in held and 35 in held and "5p" not in held
    assert copy.deepcopy(held) == pickle.loads(pickle.dumps(held)) == held
    assert ukeire(held, seen=[27, 27]) == {"1z": 0, "2z": 2}


def test_a_hand_of_faces_counts_and_melds() -> None:
    """They make the same hand as text."""
    counts = [0] * 37
    for face in (0, 1, 2, 12, 35, 14, 27, 27, 28, 28):
        counts[face] += 1
    written = hand("123m406p1122z<789s>")
    assert hand([0, 1, 2, 12, 35, 14, 27, 27, 28, 28], "<789s>") == hand(counts, "<789s>") == written
    assert written == hand("123m406p1122z", written.melds) and hand(written) == written
    plain = hand("123m456p1122z<789s>")
    assert hand(plain.counts, plain.melds) == plain != written
    assert repr(written) == "hand('123m406p1122z<789s>')" and written.faces[4] == 35


def test_the_rules_of_a_hand() -> None:
    """It keeps them, and a function may ask for others."""
    sanma = hand("11999m406p22s111z", rules="tenhou3", riichi=True)
    assert repr(sanma) == "hand('11999m406p22s111z', rules='tenhou3', riichi=True)"
    assert sanma.value(ron="2s", kita=1) == value("11999m406p22s111z", ron="2s", riichi=True, kita=1, rules="tenhou3")
    assert hand(sanma, rules="ump") != sanma
    with pytest.raises(HandError, match="2m: games of 3 players"):
        shanten(hand(TENPAI), rules="tenhou3")
    with pytest.raises(RulesetError, match="unknown preset 'EMA'"):
        hand(TENPAI, rules="EMA")


@each_row(
    ("call", "message"),
    [
        (lambda: hand(TENPAI) - "3z", "the hand 123m406p789s1122z does not hold 3z"),
        (lambda: hand("1111m") + "1m", "1m: 5 in sight, but only 4 exist"),
        (lambda: hand(TENPAI) + "34z", "a hand has at most 14 tiles"),
        (lambda: hand([37]), "37: tiles are numbers from 0 to 36"),
        (lambda: hand([5, *[0] * 33]), "5 tiles of 1m: there are 0 to 4"),
        (lambda: hand([-1, *[0] * 33]), "-1 tiles of 1m"),
        (lambda: hand("11z", "234m"), "melds='234m': 234m is outside of brackets"),
        (lambda: (hand(TENPAI) - "1z").shanten, "12 concealed tiles are not a hand"),
        (lambda: hand(TENPAI).discards, "give 14 tiles"),
        (lambda: hand(TENPAI + "2z").waits, "discards takes 14"),
    ],
)
def test_tiles_that_are_no_hand(call: Callable[[], FrozenHand], message: str) -> None:
    """The error names the tile."""
    with pytest.raises(HandError, match=message):
        call()


def test_a_wait_of_which_the_hand_holds_all_four() -> None:
    """It has no tile left, so it has no value; the other one has its own: 30 fu, a pon of west, three dora."""
    assert value("66m11z<678m><333z><678m>", ron="1z").points == 3_900


@st.composite
def hands_with_melds(draw: st.DrawFn) -> str:
    """Draw thirteen tiles, sets of them called, kans among them, often of few kinds."""
    kinds = draw(st.lists(st.integers(0, 33), min_size=5, max_size=9, unique=True))
    pool = draw(st.permutations([kind for kind in kinds for _ in range(4)]))
    called = ""
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(kinds))
        size = draw(st.sampled_from([3, 4]))
        called += f"<{f'{kind % 9 + 1}' * size}{'mpsz'[kind // 9]}>"
        pool = [other for other in pool if other != kind]
    count = 13 - 3 * called.count("<")
    return "".join(f"{kind % 9 + 1}{'mpsz'[kind // 9]}" for kind in pool[:count]) + called


@given(hands_with_melds(), st.integers(0, 33), st.booleans())
def test_every_hand_has_an_answer_or_an_error_of_ours(hand: str, kind: int, is_tsumo: bool) -> None:
    """No word of a library reaches the caller."""
    tile = f"{kind % 9 + 1}{'mpsz'[kind // 9]}"
    try:
        win = value(hand, tsumo=tile) if is_tsumo else value(hand, ron=tile)
        assert win.is_complete
    except (HandError, ConditionsError, NotationError) as error:
        assert "_" not in str(error)
