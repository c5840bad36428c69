"""A case for every field of the ruleset: a kyoku or a game whose outcome depends on the field.

Each case can be played under any ruleset. Its outcome depends on its own field, and on others only as its docstring
says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from support.scenario import Scenario
from support.scripted_game import SINGLE_WAITS, WINDS, ScriptedGame
from support.yakuman import daisangen, daisuushii, drive, suukantsu

from ump.model.actions import Ankan, Riichi
from ump.model.claims import IllegalAction, Reason
from ump.model.events import DoraRevealed, HandWon, KyokuDrawn, KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.model.yaku import HandValue, Yaku
from ump.rules.ruleset import (
    EqualScores,
    ExtraRound,
    KanDoraTime,
    Kuikae,
    LeftSticks,
    Length,
    MultipleRon,
    Nagashi,
    OwnCopies,
    PaoCover,
    PaoHonba,
    Renchan,
    Renhou,
    RiichiKan,
    RonExtras,
    Rounding,
    Ruleset,
    Tenpai,
)

A, B, C, D = range(4)

Play: TypeAlias = Callable[[Ruleset], object]
CASES: dict[str, tuple[Mapping[Any, object], Play]] = {}
"""For each field: the outcome for values of the field, and the function that plays the case."""


def shows(outcomes: Mapping[Any, object]) -> Callable[[Play], Play]:
    """Register the outcomes of a function for values of the field that it is named after."""

    def enter(play: Play) -> Play:
        CASES[play.__name__] = (outcomes, play)
        return play

    return enter


# Parts of many cases

TANYAO_ON_5P = "234m678m345s46p88p"
ONE_OFF = "234m678m345s6p88p1z"
"""Drawing 4p and discarding 1z makes TANYAO_ON_5P."""
LEVEL_TO_E4 = "draw, draw, draw"
LEVEL_TO_S1 = "draw, draw, draw, draw"


def verdict(game: Scenario, order: str) -> Reason | None:
    """Return why an order is refused, or None when it is carried out."""
    try:
        game(order)
    except IllegalAction as refusal:
        return refusal.reason
    return None


def ron(rules: Ruleset, hand: str, tile: str, dora: str = "1z") -> HandValue:
    """Return the value of B's hand, won by ron from the dealer's first discard."""
    game = Scenario({"B": hand}, tile, dora=dora, rules=rules)
    return drive(game, f"A sute {tile}", "B ron").win.value


def riichi(
    rules: Ruleset, hand: str = ONE_OFF, draw: str = "4p", tile: str = "5p", order: str = "A richi 1z"
) -> HandWon:
    """Return A's win with its second draw, after riichi with its first one."""
    game = Scenario({"A": hand}, f"{draw}9s1s9p{tile}", rules=rules)
    return drive(game, order).pass_all().turns(3)("A tsumo").win


# How the game is counted


@shows({Length.TONPU: "end", Length.HANCHAN: "S1.0"})
def length(rules: Ruleset) -> object:
    """The state after the fourth kyoku."""
    return ScriptedGame("S ron E, S ron E, S ron E, S ron E", rules, target=25_000).next


@shows({25_000: (25_000,) * 4, 30_000: (30_000,) * 4})
def start_points(rules: Ruleset) -> object:
    """The score of each player at the start."""
    return ScriptedGame("draw", rules).events_of(KyokuStarted)[0].points


@shows({25_000: (0, 0, 0, 0), 30_000: (150, -50, -50, -50)})
def return_points(rules: Ruleset) -> object:
    """The value of the start points and the oka, without the uma."""
    return ScriptedGame(
        "draw", rules, length=Length.KYOKU, uma=(0, 0, 0, 0), equal_scores=EqualScores.AHEAD
    ).end.results


@shows({(20, 10, -10, -20): (200, 100, -100, -200), (15, 5, -5, -15): (150, 50, -50, -150)})
def uma(rules: Ruleset) -> object:
    """The results of four equal scores: the uma alone."""
    scripted = ScriptedGame(
        "draw", rules, length=Length.KYOKU, return_points=rules.start_points, equal_scores=EqualScores.AHEAD
    )
    return scripted.end.results


JPML = ((12, -1, -3, -8), (8, 4, -4, -8), (8, 3, 1, -12))
"""The uma of the Japan Professional Mahjong League's A rules for one, two and three players above."""


@shows({(): (113, 50, -50, -113), JPML: (93, 30, 10, -133)})
def floating_uma(rules: Ruleset) -> object:
    """The results of three players with the return points or more, the best first."""
    changes = {"uma": (10, 5, -5, -10), "start_points": 25_000, "return_points": 25_000}
    end = ScriptedGame("S ron N", rules, length=Length.KYOKU, **changes).end
    return tuple(end.results[end.places.index(place)] for place in (1, 2, 3, 4))


@shows({0: 26, 5_000: 76})
def chips(rules: Ruleset) -> object:
    """The result, without uma, of a win of 2,600 with a red five."""
    changes = {"uma": (0, 0, 0, 0), "start_points": 25_000, "return_points": 25_000}
    return ScriptedGame("S ron N 2600", rules, length=Length.KYOKU, **changes).end.results[B]


@shows({EqualScores.AHEAD: (1, 2, 3, 4), EqualScores.SHARE: (1, 1, 1, 1)})
def equal_scores(rules: Ruleset) -> object:
    """The places of four equal scores."""
    return ScriptedGame("draw", rules, length=Length.KYOKU).end.places


@shows({LeftSticks.FIRST: 0, LeftSticks.LOST: -1_000})
def left_sticks(rules: Ruleset) -> object:
    """The points that all final scores lack when a stick is left on the table."""
    end = ScriptedGame("draw E richi", rules, length=Length.KYOKU).end
    return sum(end.points) - rules.seats * rules.start_points


@shows({Rounding.TENTHS: -63, Rounding.WHOLE: -60})
def rounding(rules: Ruleset) -> object:
    """The result, without uma, of a player who has lost 1,300 points and must return 5,000 more than at the start."""
    changes = {"uma": (0, 0, 0, 0), "start_points": 25_000, "return_points": 30_000}
    return ScriptedGame("S ron N", rules, length=Length.KYOKU, **changes).end.results[D]


@shows({(1, 1, 1): 2_600, (1, 0, 1): 1_300})
def red_fives(rules: Ruleset) -> object:
    """The payment for a win with the first copy of 5p."""
    return ScriptedGame("S ron N 2600", rules).events_of(HandWon)[0].changes[B]


# Yaku, calls, dora


@shows({True: None, False: Reason.NO_YAKU})
def kuitan(rules: Ruleset) -> object:
    """A ron with nothing but tanyao in an open hand."""
    hands = {"A": "2m147p258s1357z19s", "B": "22m678m345s46p88p1s"}
    game = Scenario(hands, "9m5p", rules=rules, ask_all=True)
    return verdict(drive(game, "A sute 2m", "B pon", "B sute 1s", "C sute 5p"), "B ron")


@shows({Kuikae.FORBIDDEN: Reason.KUIKAE, Kuikae.SAME_TILE: None})
def kuikae(rules: Ruleset) -> object:
    """Discarding 7p after 4p was called with 5p and 6p."""
    game = Scenario({"A": "4p147m258s1357z19s", "B": "45677p19m19s1234z"}, rules=rules)
    return verdict(game("A sute 4p", "B chi 5p 6p"), "B sute 7p")


@shows({True: True, False: False})
def ippatsu(rules: Ruleset) -> object:
    """Whether a win with the next draw after riichi has it."""
    return Yaku.IPPATSU in dict(riichi(rules).value.yaku)


@shows({True: 1, False: 0})
def ura_dora(rules: Ruleset) -> object:
    """The number of indicators that a win in riichi turns over."""
    return len(riichi(rules).ura)


@shows({True: 2, False: 1})
def kan_dora(rules: Ruleset) -> object:
    """The number of indicators that lie open after a closed kan."""
    return len(Scenario({"A": "1111z147m258p369s"}, rules=rules)("A ankan 1z").events_of(DoraRevealed))


@shows({True: 2, False: 1})
def kan_ura(rules: Ruleset) -> object:
    """The number of indicators that a win in riichi turns over after a kan."""
    game = Scenario({"A": "1111z678m345s46p8p"}, "8p9s9m9p5p", rinshan="9s", rules=rules)
    return len(drive(game, "A ankan 1z", "A richi 9s").pass_all().turns(3)("A tsumo").win.ura)


@shows({KanDoraTime.AT_ONCE: (2, 2, 2), KanDoraTime.BEFORE_DISCARD: (1, 2, 2), KanDoraTime.AFTER_DISCARD: (1, 1, 2)})
def open_kan_dora(rules: Ruleset) -> object:
    """The number of open indicators after an open kan, while its discard may be ronned, and when it has passed."""
    hands = {"A": "1z147m258p369s235z", "B": "111z234m678m345s6p", "C": "456789m345s678p9p"}
    game = Scenario(hands, rinshan="9p", rules=rules)
    counts = []
    for order in ("A sute 1z", "B kan", "B sute 9p", "C no"):
        drive(game, order)
        counts.append(len(game.events_of(DoraRevealed)))
    return tuple(counts[1:])


@shows({MultipleRon.HEAD_BUMP: [B], MultipleRon.DOUBLE: [], MultipleRon.ALL: [B, C, D]})
def multiple_ron(rules: Ruleset) -> object:
    """The winners where three players could win."""
    hands = {"B": TANYAO_ON_5P, "C": "234m678m345s46p22p", "D": "456s789s46p555z99s"}
    game = Scenario(hands, "5p", rules=rules)("A sute 5p")
    for letter in "DCB":
        game(f"{letter} ron")
    return [won.seat for won in game.events_of(HandWon)]


@shows({RonExtras.NEAREST: [3_600, 8_000], RonExtras.EACH: [2_600, 9_300]})
def ron_extras(rules: Ruleset) -> object:
    """The gains of B, and of C in riichi, from A's discard, with a honba and a stick of an earlier kyoku."""
    hands = {"B": TANYAO_ON_5P, "C": "234m678m345s46p2p7z"}
    game = Scenario(
        hands, "1z9s2p9m5p", dora="1z", honba=1, kyotaku=1, rules=replace(rules, multiple_ron=MultipleRon.ALL)
    )
    game = drive(game, "A sute 1z", "B sute 9s", "C richi 7z").pass_all().turns(1)("A sute 5p", "B ron", "C ron")
    return [won.changes[won.seat] for won in game.events_of(HandWon)]


# Draws


@shows({True: None, False: Reason.NOT_IN_RULESET})
def kyushu_kyuhai(rules: Ruleset) -> object:
    """Kyushu kyuhai with nine terminals and honours."""
    return verdict(Scenario({"A": "19m19p19s123z258m4p"}, rules=rules), "A ryukyoku")


@shows({True: True, False: False})
def suufon_renda(rules: Ruleset) -> object:
    """Whether four norths end the kyoku."""
    game = Scenario({}, "4z4z4z4z", rules=rules).turns(4)
    return game.kyoku.over


@shows({True: True, False: False})
def suucha_riichi(rules: Ruleset) -> object:
    """Whether the fourth riichi ends the kyoku."""
    hands = {"A": "123456789m11z23p", "B": "123456789p22z23s", "C": "123456789s33z23m", "D": "234m234p234s44z67m"}
    game = Scenario(hands, "5z5z6z6z", rules=rules)
    for order in ("A richi 5z", "B richi 5z", "C richi 6z", "D richi 6z"):
        drive(game, order)
    return game.pass_all().kyoku.over


@shows({True: True, False: False})
def suukaikan(rules: Ruleset) -> object:
    """Whether the discard after four kans by two players ends the kyoku."""
    hands = {"A": "111122223333m7z", "B": "4444p147s258s135z"}
    game = Scenario(hands, "9p8p8s", rinshan="1p1s9s2z", rules=rules)
    drive(game, "A ankan 1m", "A ankan 2m", "A ankan 3m", "A sute 9s", "B ankan 4p", "B sute 2z")
    return game.pass_all().kyoku.over


@shows({Nagashi.NO: ("E3.2", 0), Nagashi.DRAW: ("E3.2", 8_000), Nagashi.WIN: ("E3.0", 8_300)})
def nagashi(rules: Ruleset) -> object:
    """The state after C discards only terminals and honours, with one honba, and the payment to C."""
    scripted = ScriptedGame("draw, nagashi S", rules)
    return scripted.next, scripted.start.points[C] - rules.start_points


@shows({3_000: 3_000, 0: 0})
def noten_penalty(rules: Ruleset) -> object:
    """The payment to the only tenpai player, in riichi, at exhaustive draw."""
    return ScriptedGame("draw E richi", rules).events_of(KyokuDrawn)[0].changes[A]


@shows({Tenpai.DECLARED: (Phase.DECLARE, 0), Tenpai.AUTOMATIC: (None, 3_000), Tenpai.RIICHI_ONLY: (None, 0)})
def tenpai(rules: Ruleset) -> object:
    """The question to a tenpai player at exhaustive draw, and the payment without an answer."""
    game = Scenario({"A": "123456789m111z2z", "B": "147m258p369s1222z"}, rules=rules).to_the_end()
    return game.phase, game.points[A] - 25_000


@shows({OwnCopies.CONCEALED: True, OwnCopies.WITH_MELDS: False})
def own_copies(rules: Ruleset) -> object:
    """Whether a hand that waits only for the kind of its own kan is tenpai."""
    game = Scenario({"A": "444m35m123p789s99s"}, "4m", rinshan="1z", rules=rules)("A ankan 4m")
    return bool(game.offers("A", Riichi))


# The end of the game


@shows({Renchan.WIN: ("E2.1", "E2.1"), Renchan.TENPAI: ("E1.1", "E2.1"), Renchan.NOTEN: ("E1.1", "E1.1")})
def renchan(rules: Ruleset) -> object:
    """The state after an exhaustive draw with the dealer in riichi, and with the dealer noten."""
    return ScriptedGame("draw E richi", rules).next, ScriptedGame("draw", rules).next


@shows({True: "end", False: "E4.4"})
def agari_yame(rules: Ruleset) -> object:
    """The state after a win of the last dealer, who is first with the target."""
    return ScriptedGame(f"{LEVEL_TO_E4}, E ron S 8000", rules, length=Length.TONPU).next


@shows({True: "end", False: "E4.4"})
def tenpai_yame(rules: Ruleset) -> object:
    """The state after an exhaustive draw with the last dealer tenpai and first with the target."""
    return ScriptedGame(f"{LEVEL_TO_E4}, draw E", rules, length=Length.TONPU, target=28_000).next


@shows({ExtraRound.NONE: "end", ExtraRound.SUDDEN_DEATH: "S1.4"})
def extra_round(rules: Ruleset) -> object:
    """The state after the last kyoku with all below the target."""
    return ScriptedGame(LEVEL_TO_S1, rules, length=Length.TONPU).next


@shows({25_000: "end", 30_000: "S1.4"})
def target(rules: Ruleset) -> object:
    """The state after the last kyoku with 25,000 each."""
    return ScriptedGame(LEVEL_TO_S1, rules, length=Length.TONPU).next


@shows({True: "end", False: "E2.0"})
def tobi(rules: Ruleset) -> object:
    """The state after a score below zero."""
    return ScriptedGame("S ron E", rules, start_points=1_000).next


# Riichi


@shows({1_000: Reason.TOO_FEW_POINTS, 0: None})
def riichi_points(rules: Ruleset) -> object:
    """Riichi with 900 points."""
    return verdict(Scenario({"A": ONE_OFF}, "4p", points=(900, 30_000, 30_000, 39_100), rules=rules), "A richi 1z")


@shows({4: 4, 1: 1, 0: 0})
def riichi_tiles(rules: Ruleset) -> object:
    """The fewest tiles in the wall with which riichi is offered."""
    game = Scenario({LETTERS[WINDS.index(wind)]: hand for wind, hand in SINGLE_WAITS.items()}, rules=rules).turns(64)
    offered = []
    for left in range(5, -1, -1):
        ((seat, question),) = game.kyoku.questions.items()
        assert question.board.left == left
        if game.offers(LETTERS[seat], Riichi):
            offered.append(left)
        game.turns(1)
    return min(offered)


@shows({RiichiKan.NEVER: [], RiichiKan.SAME_SHAPE: ["1z"], RiichiKan.SAME_WAITS: ["1z", "9m"]})
def riichi_kan(rules: Ruleset) -> object:
    """The drawn tiles that may become a kan in riichi: of a triplet, and of one that could be 789 and a pair too."""
    kans = []
    for hand, draw, tile in (("111z678m345s46p88p", "9s", "1z"), ("6668999m123789p", "1z", "9m")):
        game = Scenario({"A": hand}, f"{draw}9s1s9p{tile}", rules=rules)
        if drive(game, f"A richi {draw}").pass_all().turns(3).offers("A", Ankan):
            kans.append(tile)
    return kans


@shows({True: None, False: Reason.NOT_IN_RULESET})
def open_riichi(rules: Ruleset) -> object:
    """An open riichi."""
    return verdict(Scenario({"A": ONE_OFF}, "4p", rules=rules), "A openrichi 1z")


# The value of a win


@shows({2: 30, 4: 40})
def double_wind_fu(rules: Ruleset) -> object:
    """The fu of a tsumo with a closed triplet of twos, a closed wait, and the dealer's pair of east."""
    return riichi(rules, "222m678m345s46p1z9s", "1z", "5p", "A richi 9s").value.fu


@shows({True: 2_000, False: 1_920})
def kiriage(rules: Ruleset) -> object:
    """The base points of 4 han 30 fu: tanyao, pinfu, two dora."""
    return ron(rules, "234567m345s67p88p", "5p", dora="7p").base


@shows({True: 8_000, False: 6_000})
def kazoe_yakuman(rules: Ruleset) -> object:
    """The base points of 13 han: chinitsu, junchan, ryanpeikou, pinfu."""
    return ron(rules, "1223377889999m", "1m").base


@shows({True: 2, False: 1})
def double_suuankou_tanki(rules: Ruleset) -> object:
    """The yakuman of suuankou with a wait for the pair."""
    return ron(rules, "222m333p444s555z1z", "1z").yakuman


@shows({True: 2, False: 1})
def double_kokushi_13(rules: Ruleset) -> object:
    """The yakuman of kokushi musou with a wait for all thirteen tiles."""
    return ron(rules, "19m19p19s1234567z", "1m").yakuman


@shows({True: 2, False: 1})
def double_junsei_chuuren(rules: Ruleset) -> object:
    """The yakuman of chuuren poutou with a wait for all nine tiles."""
    return ron(rules, "1112345678999m", "1m").yakuman


@shows({True: 2, False: 1})
def double_daisuushii(rules: Ruleset) -> object:
    """The yakuman of daisuushii."""
    return ron(rules, "111222333z44z11m", "4z").yakuman


@shows({True: True, False: False})
def tenhou_any_tile(rules: Ruleset) -> object:
    """Whether kokushi musou that is dealt to the dealer has thirteen waits, whatever the last tile is."""
    game = Scenario({"A": "19m19p19s1123456z"}, "7z", rules=rules)
    return Yaku.KOKUSHI_13 in dict(drive(game, "A tsumo").win.value.yaku)


@shows({True: 2, False: 1})
def yakuman_add_up(rules: Ruleset) -> object:
    """The yakuman of daisangen together with tsuuiisou."""
    return ron(rules, "555666777z11z44z", "1z").yakuman


@shows({Renhou.NONE: 1_280, Renhou.MANGAN: 2_000, Renhou.FIVE_HAN: 4_000, Renhou.YAKUMAN: 8_000})
def renhou(rules: Ruleset) -> object:
    """The base points of tanyao, two dora and 40 fu, won from the dealer's first discard."""
    return ron(rules, TANYAO_ON_5P, "5p", dora="7p").base


# Chankan and pao


@shows({True: "D", False: "A"})
def kokushi_ankan(rules: Ruleset) -> object:
    """The seats asked after a closed kan of the tile that thirteen orphans wait for."""
    game = Scenario({"A": "1111z147m258p369s", "D": "19m19p19s2345677z"}, rules=rules)
    return game("A ankan 1z").asked


@shows({True: None, False: Reason.NOT_IN_RULESET})
def kita(rules: Ruleset) -> object:
    """The answer to a player of three that sets a north aside."""
    game = Scenario({"A": "159p159s1234567z"}, rules=replace(rules, uma=(20, 0, -20)))
    try:
        game("A kita")
    except IllegalAction as refusal:
        return refusal.reason
    return None


@shows({True: (0, 32_000, 0, -32_000), False: (-16_000, 32_000, -8_000, -8_000)})
def pao_daisangen(rules: Ruleset) -> object:
    """The payers for the dragons that B calls, the last from D, and wins with by tsumo."""
    return daisangen("B", rules=rules).win.changes


@shows({True: (-32_000, 32_000, 0, 0), False: (-16_000, 32_000, -8_000, -8_000)})
def pao_daisuushii(rules: Ruleset) -> object:
    """The payers for the winds that B calls, the last from A."""
    return daisuushii("B", rules=rules).win.changes


@shows({True: (-32_000, 32_000, 0, 0), False: (-16_000, 32_000, -8_000, -8_000)})
def pao_suukantsu(rules: Ruleset) -> object:
    """The payments for the kans that B calls, the last from A."""
    return suukantsu("B", rules=rules).win.changes


@shows({PaoCover.WHOLE: (0, 64_000, -32_000, -32_000), PaoCover.OWN: (0, 64_000, -48_000, -16_000)})
def pao_cover(rules: Ruleset) -> object:
    """The payments for daisangen with tsuuiisou; the red dragon is called from D, and C deals in."""
    return daisangen("C", hand="1122z", tile="1z", rules=rules).win.changes


@shows({PaoHonba.LIABLE: (0, 32_300, -16_000, -16_300), PaoHonba.DISCARDER: (0, 32_300, -16_300, -16_000)})
def pao_honba(rules: Ruleset) -> object:
    """The payments with a honba when C deals into the daisangen for which D is liable."""
    return daisangen("C", honba=1, rules=rules).win.changes


@shows({True: A, False: None})
def rinshan_pao(rules: Ruleset) -> object:
    """The player liable for a win on the replacement tile of an open kan."""
    hands = {"A": "1z147m258p369s235z", "C": "111z234m678m345s7p"}
    return drive(Scenario(hands, rinshan="7p", rules=rules), "A sute 1z", "C kan", "C tsumo").win.liable
