"""Rules of three players: kita, what it ends, who may rob it, and the rules that no recorded game shows.

Sources: docs/rules.md, "Three players"; recorded games are replayed in ``tests/record/test_verify.py``.
"""

from __future__ import annotations

from typing import Any

from support.rows import each_row
from support.scenario import Scenario, kan_order

from ump.model.actions import Chi, Kita, KyushuKyuhai, Pon, Riichi
from ump.model.claims import Reason
from ump.model.events import DoraRevealed, DrawReason, KitaDeclared, KyokuDrawn, TileDrawn
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.model.yaku import Yaku
from ump.rules.presets import PRESETS

TENHOU3 = PRESETS["tenhou3"]
NORTH = parse_ump_face("4z")

LONE = "159p159s1234567z"
"""Thirteen tiles that wait for nothing, one north among them."""
PLAIN = "159p159s1122355z"
"""The same without a north."""


def played(hands: dict[str, str], draws: str = "", **more: Any) -> Scenario:
    """Begin a kyoku of three under tenhou3."""
    return Scenario(hands, draws, rules=TENHOU3, **more)


def test_kita_draws_a_replacement_tile_without_an_indicator() -> None:
    """The north leaves the hand, and the first place of the dead wall is drawn."""
    game = played({"A": LONE}, "9s", rinshan="7p")("A kita")
    assert game.last == [KitaDeclared(0), TileDrawn(0, 53, parse_ump_face("7p"), rinshan=True)]
    assert len(game.events_of(DoraRevealed)) == 1
    assert game.kyoku.board.players[0].norths == 1
    assert game.offers("A", Kita) == []


def test_the_drawn_north_can_be_set_aside_and_another_one_after_it() -> None:
    """A replacement tile may be a north again, up to four of one player; play goes on."""
    game = played({"A": "159p159s1235567z"}, "4z", rinshan="4z4z4z")("A kita", "A kita", "A kita", "A kita")
    assert game.kyoku.board.players[0].norths == 4
    assert game.phase is Phase.TURN


def test_norths_are_no_kans() -> None:
    """Three kans and four norths take seven of the eight replacement tiles; a fourth kan is still legal."""
    game = played({"A": "111222333p456s4z"}, "1p", rinshan="2p3p4z4z4z9s")
    game("A ankan 1p", "A ankan 2p", "A ankan 3p", "A kita", "A kita", "A kita", "A kita")
    assert (len(game.kyoku.board.kans), game.kyoku.board.players[0].norths) == (3, 4)
    assert game.refuses("A ankan 9s") is Reason.NOT_HELD


def test_kita_needs_a_north() -> None:
    """Held or drawn."""
    assert played({"A": PLAIN}, "9s").refuses("A kita") is Reason.NOT_HELD


def test_kita_needs_a_draw() -> None:
    """After the own pon a player can only discard."""
    game = played({"A": PLAIN, "B": "159p15s12446677z"}, "6z")("A sute 6z", "B pon")
    assert game.refuses("B kita") is Reason.NOT_ASKED


@each_row(("left", "reason"), [(1, None), (0, Reason.TOO_FEW_TILES)])
def test_kita_needs_a_live_tile(left: int, reason: Reason | None) -> None:
    """Eight recorded norths were set aside with exactly one tile left, and none of 16 last ones."""
    game = played({"A": LONE}, "9s")
    game.kyoku.board.wall.left = left
    assert game.kyoku.questions[0].refusal(Kita()) is reason


def test_four_players_have_no_kita() -> None:
    """And the ruleset can switch it off for three."""
    assert Scenario({"A": LONE}, "9s").refuses("A kita") is Reason.NOT_IN_RULESET
    assert played({"A": LONE}, "9s", kita=False).refuses("A kita") is Reason.NOT_IN_RULESET


def test_in_riichi_only_the_drawn_north_can_be_set_aside() -> None:
    """114 recorded cases. A pair of norths in the hand stays there."""
    hands = {"A": "123p456p789p11s44z"}
    game = played(hands, "9s6z6z7z")("A richi 9s").pass_all()
    game.turns(2)
    assert game.refuses("A kita") is Reason.IN_RIICHI
    drawn = played({"A": "123p456p789p1123s"}, "6z6z6z4z")("A richi 6z").pass_all()
    drawn.turns(2)
    assert drawn.offers("A", Kita) == [Kita()]


def test_kita_ends_ippatsu_of_everybody() -> None:
    """12 recorded wins fall into that window, and none has ippatsu."""
    hands = {"A": "123p456p789p1123s", "B": "159p15s12455677z"}
    game = played(hands, "6z3z4s", rinshan="5z")("A richi 6z").pass_all()
    assert game.kyoku.board.players[0].ippatsu
    game("B kita")
    assert not game.kyoku.board.players[0].ippatsu


def test_kita_ends_first_turns() -> None:
    """No nine terminals after it: 38 recorded hands that only a kita spoilt, and none was declared."""
    game = played({"A": "19p159s1m9m2356z44z"}, "1z", rinshan="2p")
    assert game.offers("A", KyushuKyuhai)
    game("A kita")
    assert not game.offers("A", KyushuKyuhai)


def test_double_riichi_is_a_single_one_after_kita() -> None:
    """The riichi itself stays legal."""
    game = played({"A": "123p456p789p112s4z"}, "3s", rinshan="6z")("A kita")
    assert [offer.face for offer in game.offers("A", Riichi) if isinstance(offer, Riichi)] != []
    game("A richi 6z")
    assert game.kyoku.board.players[0].riichi == 1


def test_a_north_counts_as_dora_and_the_indicator_counts_again() -> None:
    """27 recorded wins with west as indicator: the north counts twice, under one yaku."""
    hands = {"A": "123p456p789p112s4z"}
    plain = played(hands, "3s", rinshan="1s", dora="7z")("A kita")
    plain("A tsumo")
    assert dict(plain.win.value.yaku)[Yaku.DORA] == 1
    west = played(hands, "3s", rinshan="1s", dora="3z")("A kita", "A tsumo").win
    assert dict(west.value.yaku)[Yaku.DORA] == 2
    assert west.norths == 1


def test_norths_do_not_break_tanyao_or_open_the_hand() -> None:
    """They are no part of the hand: 41 recorded tanyao, 528 riichi after an own kita."""
    game = played({"A": "234p567p345s678s4z"}, "2s", rinshan="2s")("A kita", "A tsumo")
    assert Yaku.TANYAO in dict(game.win.value.yaku)
    assert Yaku.MENZEN_TSUMO in dict(game.win.value.yaku)


def test_kita_can_be_robbed_by_a_hand_with_a_yaku() -> None:
    """One recorded case, by thirteen orphans. It is not chankan (riichi.wiki, mahjong-portal.com)."""
    hands = {"A": LONE, "B": "1m9m19p19s123567z1z"}
    game = played(hands, "9p")("A kita")
    assert (game.asked, game.phase) == ("B", Phase.CHANKAN)
    won = game("B ron").win
    assert [yaku for yaku, _ in won.value.yaku] == [Yaku.KOKUSHI]
    assert (won.loser, won.tile) == (0, NORTH)


def test_kita_does_not_give_the_yaku_by_which_it_is_robbed() -> None:
    """A hand that would have only chankan may not rob it, and is furiten after it until its next discard."""
    hands = {"A": LONE, "B": "123p567s345p678s4z"}
    game = played(hands, "9p", rinshan="6z")("A kita")
    assert game.phase is Phase.TURN
    assert game.kyoku.board.players[1].temporary_furiten


def test_ippatsu_counts_for_a_robbed_north() -> None:
    """The kita has not yet ended it (smly/RiichiEnv)."""
    hands = {"A": "234p567s345p678s4z", "B": "159p15s12455677z"}
    game = played(hands, "6z9s")("A richi 6z").pass_all()("B kita", "A ron")
    assert {Yaku.DOUBLE_RIICHI, Yaku.IPPATSU} <= {yaku for yaku, _ in game.win.value.yaku}
    assert Yaku.CHANKAN not in dict(game.win.value.yaku)


def test_passing_a_kita_in_riichi_is_furiten_for_good() -> None:
    """As with a discard (smly/RiichiEnv)."""
    hands = {"A": "234p567s345p678s4z", "B": "159p15s12455677z"}
    game = played(hands, "6z9s", rinshan="7z")("A richi 6z").pass_all()("B kita", "A no")
    assert game.kyoku.board.players[0].riichi_furiten


def test_an_own_kita_is_no_furiten() -> None:
    """It is not in the river (mahjong-portal.com)."""
    game = played({"A": "234p567s345p678s4z"}, "4z", rinshan="6z")("A kita")
    player = game.kyoku.board.players[0]
    assert player.waits == {NORTH}
    game("A sute 6z")
    assert not player.furiten


def test_a_dora_that_a_kan_owes_comes_before_the_replacement_tile() -> None:
    """One recorded case: the dora of an open kan, then the tile."""
    hands = {"A": "159p159s1122377z", "B": "15p15s14566677z1s"}
    game = played(hands, "6z", rinshan="9s8s")("A sute 6z", "B kan", "B kita")
    assert kan_order(game.last) == "dt"


def test_there_is_no_chi() -> None:
    """The next player is not offered one, and cannot demand it."""
    hands = {"A": PLAIN, "B": "34678p34678s112z"}
    assert played(hands, "5p", ask_all=False)("A sute 5p").phase is Phase.TURN
    asked = played(hands, "5p", ask_all=True)("A sute 5p")
    assert asked.offers("B", Chi) == []
    assert asked.refuses("B chi 4p 6p") is Reason.NOT_IN_RULESET


def test_pon_of_north() -> None:
    """A guest wind like any other (riichi.wiki)."""
    game = played({"A": LONE, "B": "159p159s1125544z"}, "9p")("A sute 4z")
    assert [type(offer) for offer in game.offers("B", Pon)] == [Pon]


@each_row(("indicator", "hand"), [("1m", "999m456p789p112s"), ("9m", "111m456p789p112s")])
def test_the_ring_of_characters(indicator: str, hand: str) -> None:
    """Indicator 1m makes 9m dora, and 9m makes 1m: five recorded wins."""
    game = played({"A": hand + "6z"}, "3s7z7z1s", dora=indicator)("A sute 6z").pass_all()
    game.turns(2)
    assert dict(game("A tsumo").win.value.yaku)[Yaku.DORA] == 3


def test_tsumo_loses_a_share() -> None:
    """The two others pay what they would with four players (515 wins); a honba is worth 200 on ron (228)."""
    hands = {"A": "123p456p789p112s6z", "B": PLAIN}
    game = played(hands, "3s7z7z1s", dora="7z", honba=1)("A sute 6z").pass_all()
    game.turns(2)
    tsumo = game("A tsumo").win
    each = -(-tsumo.value.base * 2 // 100) * 100 + 100
    assert tsumo.changes == (2 * each, -each, -each)
    ron = played(hands, "3s1s", dora="7z", honba=1)("A sute 6z", "B sute 1s", "A ron").win
    points = -(-ron.value.base * 6 // 100) * 100 + 200
    assert ron.changes == (points, -points, 0)


def test_three_riichi_play_on() -> None:
    """Four recorded kyoku; under majsoul3 too."""
    hands = {"A": "123p456p789p1123s", "B": "123s456s789s1123p", "C": "456p456s789p7799s"}
    for preset in ("tenhou3", "majsoul3"):
        game = Scenario(hands, "6z7z5z", rules=PRESETS[preset])
        game("A richi 6z").pass_all()
        game("B richi 7z").pass_all()
        game("C richi 5z").pass_all()
        assert not game.kyoku.over


def test_nine_terminals_abort() -> None:
    """42 recorded cases: 1m and 9m are among the terminals."""
    game = played({"A": "1m9m19p159s12345z5p"}, "9s")("A ryukyoku")
    assert game.draw == KyokuDrawn(DrawReason.KYUSHU_KYUHAI, (0, 0, 0))


def test_riichi_needs_three_tiles() -> None:
    """Recorded games fit three and four; Mahjong Soul has three (smly/RiichiEnv, pull request 233)."""
    for left, is_legal in ((3, True), (2, False)):
        game = played({"A": "123p456p789p1123s"}, "6z")
        game.kyoku.board.wall.left = left
        assert bool(game.offers("A", Riichi)) is is_legal
