"""Rulesets as kobalab's rule objects: 28 entries, all of which its programs want to be there.

What the object cannot say goes as the nearest thing that it can, and what the server counts is what holds:

=========================================== =========================================================
of a ruleset                                what is sent
=========================================== =========================================================
return points, target                       nothing: 30,000 there, always
uma of the first, equal scores, left sticks nothing: the first gets what makes the sum zero
an abortive draw of its own                 途中流局あり as nine terminals are
nagashi mangan that counts as a win         流し満貫あり
tenpai of hands in riichi alone             what ノーテン罰あり false means there, if nothing is paid
noten penalties of other than 3,000         ノーテン罰あり
agari yame without tenpai yame, or reverse  オーラス止めあり
riichi with 1 to 3 tiles left in the wall   ツモ番なしリーチあり true: a riichi that is none is a discard
points needed for riichi                    as トビ終了あり has it
kan dora after the discard has passed       カンドラ後乗せ true
some double yakuman, but not all            ダブル役満あり true
some pao but not all, suukantsu, rinshan    役満パオあり true if there is any for a yakuman
who pays how much by pao                    nothing: the yakuman alone, and honba by the discarder
own copies in melds, renhou, open riichi    nothing
thirteen orphans that rob a closed kan      nothing
=========================================== =========================================================
"""

from __future__ import annotations

from collections.abc import Callable

from ump.rules.ruleset import (
    ExtraRound,
    KanDoraTime,
    Kuikae,
    Length,
    MultipleRon,
    Nagashi,
    Renchan,
    RiichiKan,
    Rounding,
    Ruleset,
    Tenpai,
)

RIICHI_TILES = 4
"""Tiles that must be left in the wall for riichi, unless the rule object says that none need be."""


def rule_object(ruleset: Ruleset) -> dict[str, object]:
    """Return the whole rule object of a ruleset for four."""
    return {name: entry(ruleset) for name, entry in _ENTRIES.items()}


def red_fives(ruleset: Ruleset) -> dict[str, int]:
    """Return how many fives of each suit are red."""
    return dict(zip("mps", ruleset.red_fives, strict=True))


def _places(ruleset: Ruleset) -> list[str]:
    """Write the uma; with a decimal where results are not rounded, because that is how it is told there."""
    tenths = ruleset.rounding is Rounding.TENTHS
    return [f"{uma:.1f}" if tenths else str(uma) for uma in ruleset.uma]


def _doubles(ruleset: Ruleset) -> bool:
    return (
        ruleset.double_suuankou_tanki
        or ruleset.double_kokushi_13
        or ruleset.double_junsei_chuuren
        or ruleset.double_daisuushii
    )


_KUIKAE = (Kuikae.FORBIDDEN, Kuikae.SAME_TILE, Kuikae.ALLOWED)
_LENGTHS = (Length.KYOKU, Length.TONPU, Length.HANCHAN)
_RONS = (None, MultipleRon.HEAD_BUMP, MultipleRon.DOUBLE, MultipleRon.ALL)
_RENCHANS = (None, Renchan.WIN, Renchan.TENPAI, Renchan.NOTEN)
_EXTRA_ROUNDS = (ExtraRound.NONE, ExtraRound.SUDDEN_DEATH, ExtraRound.REPEAT_FIRST)
_RIICHI_KANS = (RiichiKan.NEVER, RiichiKan.SAME_SHAPE, RiichiKan.SAME_WAITS)

_ENTRIES: dict[str, Callable[[Ruleset], object]] = {
    "配給原点": lambda ruleset: ruleset.start_points,
    "順位点": _places,
    "連風牌は2符": lambda ruleset: ruleset.double_wind_fu == 2,
    "赤牌": red_fives,
    "クイタンあり": lambda ruleset: ruleset.kuitan,
    "喰い替え許可レベル": lambda ruleset: _KUIKAE.index(ruleset.kuikae),
    "場数": lambda ruleset: _LENGTHS.index(ruleset.length),
    "途中流局あり": lambda ruleset: ruleset.kyushu_kyuhai,
    "流し満貫あり": lambda ruleset: ruleset.nagashi is not Nagashi.NO,
    "ノーテン宣言あり": lambda ruleset: ruleset.tenpai is Tenpai.DECLARED,
    "ノーテン罰あり": lambda ruleset: ruleset.noten_penalty > 0,
    "最大同時和了数": lambda ruleset: _RONS.index(ruleset.multiple_ron),
    "連荘方式": lambda ruleset: _RENCHANS.index(ruleset.renchan),
    "トビ終了あり": lambda ruleset: ruleset.tobi,
    "オーラス止めあり": lambda ruleset: ruleset.agari_yame or ruleset.tenpai_yame,
    "延長戦方式": lambda ruleset: _EXTRA_ROUNDS.index(ruleset.extra_round),
    "一発あり": lambda ruleset: ruleset.ippatsu,
    "裏ドラあり": lambda ruleset: ruleset.ura_dora,
    "カンドラあり": lambda ruleset: ruleset.kan_dora,
    "カン裏あり": lambda ruleset: ruleset.kan_ura,
    "カンドラ後乗せ": lambda ruleset: ruleset.open_kan_dora is not KanDoraTime.AT_ONCE,
    "ツモ番なしリーチあり": lambda ruleset: ruleset.riichi_tiles < RIICHI_TILES,
    "リーチ後暗槓許可レベル": lambda ruleset: _RIICHI_KANS.index(ruleset.riichi_kan),
    "役満の複合あり": lambda ruleset: ruleset.yakuman_add_up,
    "ダブル役満あり": _doubles,
    "数え役満あり": lambda ruleset: ruleset.kazoe_yakuman,
    "役満パオあり": lambda ruleset: ruleset.pao_daisangen or ruleset.pao_daisuushii or ruleset.pao_suukantsu,
    "切り上げ満貫あり": lambda ruleset: ruleset.kiriage,
}
"""How each entry is made, in kobalab's order; levels are the places in the tuples above."""
