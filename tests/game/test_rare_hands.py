"""Rare hands, won in play: their yaku and values."""

from __future__ import annotations

from support.rows import each_row
from support.ruleset_cases import ron
from support.scenario import Scenario
from support.yakuman import daisuushii

from ump.model.yaku import Yaku
from ump.rules.presets import PRESETS

A, B, C, D = range(4)
TENHOU, MAJSOUL = PRESETS["tenhou"], PRESETS["majsoul"]


@each_row(("hand", "tile"), [("111222555z66z77z", "6z"), ("1122334455667z", "7z")])
def test_all_honours(hand: str, tile: str) -> None:
    """Tsuuiisou: only honours, as four sets and a pair or as seven pairs.

    Source: kobalab/majiang-core test/hule.js, 字一色 and 字一色(七対子形).
    """
    value = ron(TENHOU, hand, tile)
    assert (value.yaku, value.base) == (((Yaku.TSUUIISOU, 13),), 8_000)


@each_row(
    ("hand", "tile", "yaku"),
    [
        ("1112345678999m", "5m", Yaku.JUNSEI_CHUUREN),
        ("1112345678999m", "9m", Yaku.JUNSEI_CHUUREN),
        ("1113345678999m", "2m", Yaku.CHUUREN),
    ],
)
def test_nine_gates(hand: str, tile: str, yaku: Yaku) -> None:
    """1112345678999 and any tile of the suit: junsei if the hand had nine waits, otherwise plain.

    Source: kobalab/majiang-core test/hule.js, 九蓮宝燈 and 純正九蓮宝燈.
    """
    assert ron(TENHOU, hand, tile).yaku == ((yaku, 13),)
    assert ron(MAJSOUL, hand, tile).yakuman == (2 if yaku is Yaku.JUNSEI_CHUUREN else 1)


@each_row(
    ("hand", "tile", "yaku"),
    [
        ("19m19p19s1234567z", "9p", Yaku.KOKUSHI_13),
        ("19m19p19s1234567z", "7z", Yaku.KOKUSHI_13),
        ("119m19p19s123456z", "7z", Yaku.KOKUSHI),
    ],
)
def test_thirteen_orphans(hand: str, tile: str, yaku: Yaku) -> None:
    """Without a pair the hand waits for all thirteen kinds; with a pair, for the missing kind.

    Source: kobalab/majiang-core test/hule.js, 国士無双 and 国士無双十三面.
    """
    assert ron(TENHOU, hand, tile).yaku == ((yaku, 13),)
    assert ron(MAJSOUL, hand, tile).yakuman == (2 if yaku is Yaku.KOKUSHI_13 else 1)


def test_thirteen_waits_are_furiten_with_any_of_them_in_the_river() -> None:
    """Riichi in furiten is allowed, but with a wait in the river only tsumo wins.

    Source: riichi.wiki, Furiten and Kokushi musou.
    """
    hands = {"A": "19m19p19s1234567z", "B": "1m258m369p147s246z"}
    game = Scenario(hands, "1z9s2s2s9p", rules=TENHOU, ask_all=True)("A richi 1z").pass_all()
    game("B sute 1m", "C no", "D no")
    assert game.kyoku.board.players[A].furiten
    game.pass_all().turns(2)("A tsumo")
    assert (Yaku.KOKUSHI_13, 13) in game.win.value.yaku


def test_four_big_winds() -> None:
    """Daisuushii: a called set of each wind, a double yakuman only under some rulesets.

    Source: kobalab/majiang-core test/hule.js, 大四喜.
    """
    assert daisuushii("C", rules=TENHOU).win.value.yaku == ((Yaku.DAISUUSHII, 13),)
    assert daisuushii("C", rules=MAJSOUL).win.value.yaku == ((Yaku.DAISUUSHII, 26),)


def test_three_kans() -> None:
    """Sankantsu: two han for three kans.

    Source: kobalab/majiang-core test/hule.js, 三槓子.
    """
    game = Scenario({"A": "111122223333m5p"}, "5p", rinshan="6s7s8s", dora="9p", rules=TENHOU)
    game("A ankan 1m", "A ankan 2m", "A ankan 3m", "A tsumo")
    yaku = dict(game.win.value.yaku)
    assert (yaku[Yaku.SANKANTSU], yaku[Yaku.RINSHAN]) == (2, 1)


def test_four_kans_are_a_yakuman() -> None:
    """Suukantsu, won on the fourth replacement tile; four concealed triplets with a pair wait on top.

    Source: kobalab/majiang-core test/hule.js, 四槓子.
    """
    game = Scenario({"A": "111122223333m4p"}, "9s", rinshan="4p4p4p9s", rules=TENHOU)
    game("A ankan 1m", "A ankan 2m", "A ankan 3m", "A ankan 4p", "A tsumo")
    assert game.win.value.yaku == ((Yaku.SUUANKOU_TANKI, 13), (Yaku.SUUKANTSU, 13))
    assert game.win.changes == (96_000, -32_000, -32_000, -32_000)


def test_four_concealed_triplets_that_wait_for_the_pair() -> None:
    """Suuankou tanki by ron. A triplet completed by ron is not concealed, one completed by tsumo is.

    Source: kobalab/majiang-core test/hule.js, 四暗刻 and 四暗刻単騎.
    """
    assert ron(TENHOU, "222m333p444s555z1z", "1z").yaku == ((Yaku.SUUANKOU_TANKI, 13),)
    assert ron(TENHOU, "222m333p444s55z11z", "1z").yakuman == 0
    game = Scenario({"B": "222m333p444s55z11z"}, "9s9s9s9s8s1z", rules=TENHOU).turns(5)("B tsumo")
    assert game.win.value.yaku == ((Yaku.SUUANKOU, 13),)
