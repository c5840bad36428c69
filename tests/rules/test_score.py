"""Hand values: every field that changes one; comparisons with kobalab/majiang-core, ``mahjong`` and Tenhou."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig
from mahjong.hand_calculating.scores import ScoresCalculator, ScoresResult
from support.kobalab_cases import read_cases, read_win, read_worth
from support.rows import each_row

from ump.model.events import DoraRevealed, HandWon, KyokuStarted
from ump.model.notation import parse_majiang_face, parse_shoupai
from ump.model.seats import wind_of
from ump.model.yaku import HandValue, Yaku
from ump.record.mjlog import read_game
from ump.record.mjlog_elements import read_elements
from ump.record.recorded_game import RecordedKyoku
from ump.rules.ruleset import Renhou, Ruleset
from ump.rules.score import Circumstances, base_points, hand_value, is_last_tile

SAMPLE = 60
"""The number of Tenhou's games that are checked here; docs/evidence.md has the results of all 420 (3,507 wins)."""

CLOSED = "m23p456s345678z33"
"""A hand that waits for m1 and m4, with pinfu as its only yaku."""


def worth(hand: str, tile: str, ruleset: Ruleset | None = None, **told: Any) -> HandValue | None:
    """Value a hand of 13 tiles in Majiang's notation with its winning tile: south's ron in the east round."""
    written, face = parse_shoupai(hand), parse_majiang_face(tile)
    for name in {"indicators", "ura"} & told.keys():
        told[name] = tuple(map(parse_majiang_face, told[name].split()))
    circumstances = Circumstances(**{"tsumo": False, "seat_wind": 1, "round_wind": 0, **told})
    return hand_value(ruleset or Ruleset(), (*written.faces, face), written.melds, face, circumstances)


def told(found: HandValue | None) -> tuple[str, int, int] | None:
    """Return yaku as ``riichi 1 dora 2``, fu and base points."""
    if found is None:
        return None
    return " ".join(f"{yaku.romaji} {han}" for yaku, han in found.yaku), found.fu, found.base


@each_row(
    ("hand", "tile", "how", "expected"),
    [
        (CLOSED, "m4", {}, ("pinfu 1", 30, 240)),
        (CLOSED, "m4", {"tsumo": True}, ("menzentsumo 1 pinfu 1", 20, 320)),
        ("m1122p3344s5566z1", "z1", {}, ("chiitoitsu 2", 25, 400)),
        ("m1122p3344s5566z1", "z1", {"tsumo": True}, ("menzentsumo 1 chiitoitsu 2", 25, 800)),
        ("m23p456s34588,p67-8", "m4", {}, ("tanyao 1", 30, 240)),
        ("m23p456s34588,p67-8", "m4", {"tsumo": True}, ("tanyao 1", 30, 240)),
        (
            "m23p456s34533,p7777",
            "m4",
            {"tsumo": True, "rinshan": True},
            ("menzentsumo 1 rinshankaihou 1 tanyao 1", 40, 1280),
        ),
        ("m23p456s345z33,m2-34", "m1", {"tsumo": True, "rinshan": True}, ("rinshankaihou 1", 30, 240)),
        ("m23p456s345z33,m2-34", "m1", {"chankan": True}, ("chankan 1", 30, 240)),
        ("m23p456s345z33,m2-34", "m1", {"haitei": True, "tsumo": True}, ("haitei 1", 30, 240)),
        ("m23p456s345z33,m2-34", "m1", {"houtei": True}, ("houtei 1", 30, 240)),
        ("m23p456s345z33,m2-34", "m1", {}, None),
        ("m23p456s345678z33", "m5", {}, None),
        ("s2233444666888", "s3", {}, ("ryuuiisou 13", 0, 8000)),
        ("m112233445566p7", "p7", {}, ("ryanpeikou 3", 40, 1280)),
        ("m23p456s678z11,z222=", "m4", {"round_wind": 1, "seat_wind": 1}, ("jikaze 1 bakaze 1", 30, 480)),
    ],
)
def test_yaku_fu_and_base_points(
    hand: str, tile: str, how: dict[str, Any], expected: tuple[str, int, int] | None
) -> None:
    """Pinfu tsumo has 20 fu, seven pairs 25, an open hand at least 30; without a yaku a hand has no value."""
    assert told(worth(hand, tile, **how)) == expected


@each_row(
    ("riichi", "how", "expected"),
    [
        (1, {}, "riichi 1 pinfu 1 akadora 2"),
        (2, {"ippatsu": True}, "doubleriichi 2 ippatsu 1 pinfu 1 akadora 2"),
        (1, {"indicators": "m1 m1 p4"}, "riichi 1 pinfu 1 dora 3 akadora 2"),
        (1, {"indicators": "p0", "ura": "s9 z2"}, "riichi 1 pinfu 1 dora 1 uradora 2 akadora 2"),
        (0, {"ura": "z2"}, "pinfu 1 akadora 2"),
    ],
)
def test_dora_counts_tiles_for_each_indicator(riichi: int, how: dict[str, Any], expected: str) -> None:
    """Dora, ura dora (only in riichi) and red dora are separate entries at the end, and never 0."""
    found = told(worth("m23p406s340678z33", "m4", riichi=riichi, **how))
    assert found is not None and found[0] == expected


def test_several_red_fives_of_a_suit_each_count() -> None:
    """If a suit has more than one red five, each is a red dora, also in melds."""
    found = worth("m23p406s34088,p500-", "m4", Ruleset(red_fives=(1, 4, 1)))
    assert told(found) == ("tanyao 1 akadora 4", 30, 2000)


def test_kuitan() -> None:
    """Without ``kuitan`` tanyao needs a closed hand."""
    for hand, closed in (("m23p456s34588,p67-8", False), ("m23p456s34588678", True)):
        assert worth(hand, "m4", Ruleset(kuitan=True)) is not None
        assert (worth(hand, "m4", Ruleset(kuitan=False)) is not None) == closed


def test_ippatsu() -> None:
    """Without ``ippatsu`` it is not a yaku."""
    for counts, han in ((True, 3), (False, 2)):
        found = worth(CLOSED, "m4", Ruleset(ippatsu=counts), riichi=1, ippatsu=True)
        assert found is not None and found.han == han


@each_row(
    ("hand", "tile", "two", "four"),
    [
        ("m23p456s678999z11", "m4", ("riichi 1", 40, 320), ("riichi 1", 50, 400)),
        ("m23p456s999z11,z2222", "m4", ("riichi 1", 80, 640), ("riichi 1", 80, 640)),
        ("m23p456s67899z111", "m4", ("riichi 1 jikaze 1 bakaze 1", 40, 1280), ("riichi 1 jikaze 1 bakaze 1", 40, 1280)),
        ("m2p22s2277z112233", "m2", ("riichi 1 chiitoitsu 2", 25, 800), ("riichi 1 chiitoitsu 2", 25, 800)),
    ],
)
def test_double_wind_pair(hand: str, tile: str, two: tuple[str, int, int], four: tuple[str, int, int]) -> None:
    """``double_wind_fu``: a pair of the seat and round wind has 2 or 4 fu; a set of it always has two yaku."""
    for fu, expected in ((2, two), (4, four)):
        assert told(worth(hand, tile, Ruleset(double_wind_fu=fu), seat_wind=0, riichi=1)) == expected


@each_row(
    ("han", "fu", "plain", "kiriage"),
    [(4, 30, 1920, 2000), (3, 60, 1920, 2000), (4, 25, 1600, 1600), (3, 70, 2000, 2000), (4, 40, 2000, 2000)],
)
def test_kiriage_mangan(han: int, fu: int, plain: int, kiriage: int) -> None:
    """``kiriage``: 4 han 30 fu and 3 han 60 fu are mangan."""
    assert base_points(Ruleset(kiriage=False), han, fu) == plain
    assert base_points(Ruleset(kiriage=True), han, fu) == kiriage


@each_row(("han", "base"), [(5, 2000), (6, 3000), (7, 3000), (8, 4000), (10, 4000), (11, 6000), (12, 6000), (13, 8000)])
def test_limits(han: int, base: int) -> None:
    """Mangan, haneman, baiman, sanbaiman; kazoe yakuman from 13 han."""
    assert base_points(Ruleset(), han, 30) == base


def test_kazoe_yakuman() -> None:
    """``kazoe_yakuman``: 13 han are a yakuman or a sanbaiman; the yaku and fu are listed either way."""
    for counted, base in ((True, 8000), (False, 6000)):
        ruleset = Ruleset(kazoe_yakuman=counted)
        found = worth("m2233445566778", "m8", ruleset, riichi=1, indicators="m1")
        assert found is not None
        assert (found.han >= 13, found.fu > 0, found.yakuman, found.base) == (True, True, 0, base)


@each_row(
    ("switched", "hand", "tile", "yaku"),
    [
        (Ruleset(double_suuankou_tanki=True), "m111p222s333444z5", "z5", Yaku.SUUANKOU_TANKI),
        (Ruleset(double_kokushi_13=True), "m19p19s19z1234567", "z5", Yaku.KOKUSHI_13),
        (Ruleset(double_junsei_chuuren=True), "m1112345678999", "m5", Yaku.JUNSEI_CHUUREN),
        (Ruleset(double_daisuushii=True), "m22z11133,z222=,z444-", "z3", Yaku.DAISUUSHII),
    ],
)
def test_double_yakuman(switched: Ruleset, hand: str, tile: str, yaku: Yaku) -> None:
    """Each of the four counts double by a field of its own."""
    for ruleset, times in ((Ruleset(), 1), (switched, 2)):
        assert worth(hand, tile, ruleset) == HandValue(((yaku, 13 * times),), 13 * times, 0, times, 8000 * times)


DOUBLES = Ruleset(
    double_suuankou_tanki=True, double_kokushi_13=True, double_junsei_chuuren=True, double_daisuushii=True
)


@each_row(
    ("hand", "tile", "how", "yaku"),
    [
        ("m111p222s333z5566", "z5", {"tsumo": True}, Yaku.SUUANKOU),
        ("m119p19s19z123456", "z7", {}, Yaku.KOKUSHI),
        ("m1112345678899", "m9", {}, Yaku.CHUUREN),
        ("z1112244,z333=,m123-", "z4", {}, Yaku.SHOUSUUSHII),
    ],
)
def test_lesser_forms_are_never_double_yakuman(hand: str, tile: str, how: dict[str, Any], yaku: Yaku) -> None:
    """Only the single wait, thirteen waits, nine waits and four wind sets are."""
    assert worth(hand, tile, DOUBLES, **how) == HandValue(((yaku, 13),), 13, 0, 1, 8000)


@each_row(
    ("hand", "tile", "plain", "yaku"),
    [
        ("m111p222s333z5566", "z5", Yaku.SUUANKOU, Yaku.SUUANKOU_TANKI),
        ("m119p19s19z123456", "z7", Yaku.KOKUSHI, Yaku.KOKUSHI_13),
        ("m1112345678899", "m9", Yaku.CHUUREN, Yaku.JUNSEI_CHUUREN),
    ],
)
def test_any_tile_of_tenhou(hand: str, tile: str, plain: Yaku, yaku: Yaku) -> None:
    """With ``tenhou_any_tile`` the dealer has the double form; after a first draw (chihou) the drawn tile decides."""
    rules = replace(DOUBLES, tenhou_any_tile=True)
    for seat_wind, lucky, form, times in ((0, Yaku.TENHOU, yaku, 3), (1, Yaku.CHIHOU, plain, 2)):
        found = worth(hand, tile, rules, tsumo=True, first_turn=True, seat_wind=seat_wind)
        assert found is not None
        assert ({name for name, _ in found.yaku}, found.yakuman) == ({lucky, form}, times)
    found = worth(hand, tile, DOUBLES, tsumo=True, first_turn=True, seat_wind=0)
    assert found is not None
    assert ({name for name, _ in found.yaku}, found.yakuman) == ({Yaku.TENHOU, plain}, 2)


def test_triplet_completed_by_ron_is_not_concealed() -> None:
    """A ron on a fourth triplet is not suuankou."""
    assert told(worth("m111p222s333z5566", "z5")) == ("haku 1 toitoi 2 sanankou 2", 60, 2000)


@each_row(
    ("ruleset", "yaku", "base"),
    [
        (Ruleset(), "daisangen 13 suuankoutanki 13 tsuuiisou 13", 24_000),
        (DOUBLES, "daisangen 13 suuankoutanki 26 tsuuiisou 13", 32_000),
        (Ruleset(yakuman_add_up=False), "daisangen 13", 8_000),
        (Ruleset(yakuman_add_up=False, double_suuankou_tanki=True), "suuankoutanki 26", 16_000),
    ],
)
def test_yakuman_that_add_up(ruleset: Ruleset, yaku: str, base: int) -> None:
    """``yakuman_add_up``: all of them count, or only the most valuable one."""
    assert told(worth("z1115556667772", "z2", ruleset, riichi=1, indicators="z4")) == (yaku, 0, base)


@each_row(
    ("renhou", "hand", "indicators", "expected"),
    [
        (Renhou.NONE, CLOSED, "", ("pinfu 1", 30, 240)),
        (Renhou.MANGAN, CLOSED, "", ("renhou 5", 30, 2000)),
        (Renhou.FIVE_HAN, CLOSED, "", ("renhou 5 pinfu 1", 30, 3000)),
        (Renhou.YAKUMAN, CLOSED, "", ("renhou 13", 0, 8000)),
        (Renhou.NONE, CLOSED, "s2 s3 s4 s5 s6", ("pinfu 1 dora 5", 30, 3000)),
        (Renhou.MANGAN, CLOSED, "s2 s3 s4 s5 s6", ("pinfu 1 dora 5", 30, 3000)),
        (Renhou.MANGAN, CLOSED, "s2", ("renhou 5", 30, 2000)),
        (Renhou.NONE, "m23p456s678999z33", "", None),
        (Renhou.MANGAN, "m23p456s678999z33", "", ("renhou 5", 40, 2000)),
    ],
)
def test_renhou(renhou: Renhou, hand: str, indicators: str, expected: tuple[str, int, int] | None) -> None:
    """Nothing; a mangan, or the hand without renhou if that is worth more; five more han; a yakuman."""
    ruleset = Ruleset(renhou=renhou)
    assert told(worth(hand, "m4", ruleset, first_turn=True, indicators=indicators)) == expected


@each_row(("seat_wind", "name"), [(0, "tenhou 13"), (1, "chihou 13"), (3, "chihou 13")])
def test_win_on_the_first_draw(seat_wind: int, name: str) -> None:
    """The dealer's first draw is tenhou, another player's chihou, under every rule of renhou."""
    ruleset = Ruleset(renhou=Renhou.MANGAN)
    assert told(worth(CLOSED, "m4", ruleset, first_turn=True, tsumo=True, seat_wind=seat_wind)) == (name, 0, 8000)


@each_row(
    ("how", "expected"),
    [
        ({"riichi": 1, "tsumo": True}, ("menzentsumo 1 openriichi 2 pinfu 1", 20, 1280)),
        ({"riichi": 2, "tsumo": True}, ("menzentsumo 1 openriichi 3 pinfu 1", 20, 2000)),
        ({"riichi": 1, "loser_in_riichi": True}, ("openriichi 2 pinfu 1", 30, 960)),
        ({"riichi": 1}, ("openriichi 13", 0, 8000)),
        ({"riichi": 2, "indicators": "s2"}, ("openriichi 13", 0, 8000)),
    ],
)
def test_open_riichi(how: dict[str, Any], expected: tuple[str, int, int]) -> None:
    """One han more than riichi or double riichi; a yakuman if a player that is not in riichi deals in."""
    assert told(worth(CLOSED, "m4", Ruleset(open_riichi=True), open_riichi=True, **how)) == expected


@each_row(
    "how",
    [
        {"ippatsu": True},
        {"rinshan": True},
        {"haitei": True},
        {"houtei": True, "tsumo": True},
        {"chankan": True, "tsumo": True},
        {"haitei": True, "rinshan": True, "tsumo": True},
        {"houtei": True, "chankan": True},
    ],
)
def test_contradictions_are_errors(how: dict[str, Any]) -> None:
    """Impossible circumstances raise ValueError."""
    with pytest.raises(ValueError):
        worth(CLOSED, "m4", **how)


@each_row(
    ("hand", "how", "reason"),
    [
        ("m23p456s345z33,m2-34", {"riichi": 1}, "riichi needs a closed hand"),
        ("m23p456s345z33,m2-34", {"first_turn": True, "tsumo": True}, "a hand with melds is past its first turn"),
        (CLOSED, {"first_turn": True, "seat_wind": 0}, "the dealer has no renhou"),
        ("m23p456s345", {}, "not a hand of 14 tiles"),
    ],
)
def test_what_no_hand_can_be(hand: str, how: dict[str, Any], reason: str) -> None:
    """The error says why."""
    with pytest.raises(ValueError, match=reason):
        worth(hand, "m4", Ruleset(renhou=Renhou.YAKUMAN), **how)


@each_row(
    ("hand", "tile", "how", "expected"),
    [
        ("m111222333p45s99", "p6", {}, ("sanankou 2", 50, 800)),
        ("m123123123p45s99", "p6", {"indicators": "m1"}, ("sanankou 2 dora 3", 50, 2000)),
        ("m11122233399p78", "p9", {}, ("pinfu 1 iipeikou 1 junchan 3", 30, 2000)),
    ],
)
def test_most_valuable_reading_counts(
    hand: str, tile: str, how: dict[str, Any], expected: tuple[str, int, int]
) -> None:
    """If a hand can be read in several ways, the most valuable reading counts."""
    assert told(worth(hand, tile, **how)) == expected


class Readings(ScoresCalculator):
    """Records han and fu of every reading of a hand that the library considers."""

    seen: ClassVar[list[tuple[int, int]]] = []

    @staticmethod
    def calculate_scores(han: int, fu: int, config: HandConfig, is_yakuman: bool = False) -> ScoresResult:
        """Record the reading, and return the library's result."""
        if not is_yakuman:
            Readings.seen.append((han, fu))
        return ScoresCalculator.calculate_scores(han, fu, config, is_yakuman)


RUNS = [(low, low + 1, low + 2) for low in range(27) if low % 9 < 7]
TRIPLETS = [(low,) * 3 for low in range(34)]


@st.composite
def ambiguous_hands(draw: st.DrawFn) -> list[int]:
    """Draw the kinds of a complete hand with the same run three times, or three triplets in a row."""
    blocks = [draw(st.sampled_from(RUNS))] * 3 + [draw(st.sampled_from(RUNS + TRIPLETS))]
    tiles = [*chain(*blocks), *[draw(st.sampled_from([*blocks[0], *range(34)]))] * 2]
    assume(max(map(tiles.count, tiles)) <= 4)
    return tiles


@given(ambiguous_hands(), st.data())
def test_no_reading_is_worth_more_than_the_chosen_one(kinds: list[int], data: st.DataObject) -> None:
    """Ours is one of those that ``mahjong`` considers, and the best of them with any number of dora, and kiriage."""
    tile, is_tsumo, is_riichi = data.draw(st.sampled_from(kinds)), data.draw(st.booleans()), data.draw(st.booleans())
    round_wind = data.draw(st.sampled_from([0, 1]))
    circumstances = Circumstances(tsumo=is_tsumo, seat_wind=0, round_wind=round_wind, riichi=int(is_riichi))
    taken = hand_value(Ruleset(double_wind_fu=4), kinds, (), tile, circumstances)
    config = HandConfig(is_tsumo=is_tsumo, is_riichi=is_riichi, player_wind=27, round_wind=27 + round_wind)
    Readings.seen.clear()
    found = HandCalculator.estimate_hand_value(
        [kind * 4 for kind in kinds], tile * 4, config=config, scores_calculator_factory=Readings
    )
    assert (taken is None) == (found.error == HandCalculator.ERR_NO_YAKU)
    assume(taken is not None and not taken.yakuman)
    assert taken is not None
    assert (taken.han, taken.fu) == (found.han, found.fu)
    for dora, kiriage, counted in product(range(14), (False, True), (False, True)):
        ruleset = Ruleset(kiriage=kiriage, kazoe_yakuman=counted)
        best = max(base_points(ruleset, han + dora, fu) for han, fu in Readings.seen)
        assert base_points(ruleset, taken.han + dora, taken.fu) == best


@each_row(
    ("tsumo", "left", "rinshan", "chankan", "expected"),
    [
        (True, 0, False, False, True),
        (True, 0, True, False, False),
        (True, 1, False, False, False),
        (False, 0, False, False, True),
        (False, 0, True, False, True),
        (False, 0, False, True, False),
        (False, 1, False, False, False),
    ],
)
def test_last_tile(tsumo: bool, left: int, rinshan: bool, chankan: bool, expected: bool) -> None:
    """A replacement tile is never haitei, a robbed kan never houtei; a discard after rinshan can be houtei."""
    assert is_last_tile(tsumo=tsumo, left=left, rinshan=rinshan, chankan=chankan) is expected


@pytest.mark.no_cover
def test_values_as_in_kobalabs_table(data: Path) -> None:
    """Yaku, fu, han and yakuman of 2,500 wins agree."""
    for case in read_cases(data / "kobalab" / "hule.json.gz"):
        asked = case["in"]
        assert_same(asked["shoupai"], asked.get("rongpai"), asked["param"], case["out"])


def test_values_as_recorded_from_kobalab(data: Path) -> None:
    """The hands of its unit tests agree under several rules; without a yaku there is no value."""
    for case in read_cases(data / "kobalab" / "unit-recorded" / "Util.hule.json.gz"):
        hand, rongpai, param = case["args"]
        if "throws" not in case:  # an empty hand
            assert_same(hand["shoupai"], rongpai, param, case["out"])


def assert_same(shoupai: str, rongpai: str | None, param: dict[str, Any], out: dict[str, Any] | None) -> None:
    """Compare our value of a win with kobalab's."""
    win = read_win(shoupai, rongpai, param)
    found = hand_value(win.ruleset, win.faces, win.hand.melds, win.tile, win.circumstances)
    if out is None or not out.get("hupai"):
        assert found is None, (shoupai, rongpai)
        return
    expected = read_worth(out)
    assert found is not None, (shoupai, rongpai)
    assert frozenset(found.yaku) == expected.yaku, (shoupai, rongpai)
    assert (found.fu, found.han, found.yakuman) == (expected.fu, expected.han, expected.yakuman), (shoupai, rongpai)


@pytest.mark.no_cover
def test_values_as_in_tenhous_records(data: Path) -> None:
    """Yaku, han, fu and base points of every win agree; the circumstances follow from the recorded yaku."""
    for path in sorted((data / "tenhou" / "games").iterdir())[:SAMPLE]:
        for kyoku in read_game(read_elements(path.read_bytes())).kyoku:
            for won, circumstances in wins(kyoku):
                faces = won.faces if won.loser is None else (*won.faces, won.tile)
                assert hand_value(Ruleset(), faces, won.melds, won.tile, circumstances) == won.value, (path.name, won)


def wins(kyoku: RecordedKyoku) -> list[tuple[HandWon, Circumstances]]:
    """Return the wins of a round with their circumstances."""
    (start,) = (event for event in kyoku.events if isinstance(event, KyokuStarted))
    shown = tuple(event.indicator for event in kyoku.events if isinstance(event, DoraRevealed))
    return [
        (won, circumstances_of(won, {yaku for yaku, _ in won.value.yaku}, start, shown))
        for won in kyoku.events
        if isinstance(won, HandWon)
    ]


def circumstances_of(won: HandWon, yaku: set[Yaku], start: KyokuStarted, indicators: tuple[int, ...]) -> Circumstances:
    """Return the circumstances of a recorded win, which follow from its yaku."""
    return Circumstances(
        tsumo=won.loser is None,
        seat_wind=wind_of(won.seat, start.dealer, 4),
        round_wind=start.bakaze,
        riichi=2 if Yaku.DOUBLE_RIICHI in yaku else int(won.riichi),
        ippatsu=Yaku.IPPATSU in yaku,
        rinshan=Yaku.RINSHAN in yaku,
        chankan=Yaku.CHANKAN in yaku,
        haitei=Yaku.HAITEI in yaku,
        houtei=Yaku.HOUTEI in yaku,
        first_turn=not yaku.isdisjoint((Yaku.TENHOU, Yaku.CHIHOU)),
        indicators=indicators,
        ura=won.ura,
    )
