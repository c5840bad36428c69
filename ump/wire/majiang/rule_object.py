"""Rulesets as kobalab's rule objects: 28 entries, all of which its programs expect.

Where the object cannot express a rule, it has the nearest value. The server plays by the ruleset in any case:

=========================================== =========================================================
of a ruleset                                entry of the object
=========================================== =========================================================
return points, target                       none: always 30,000 there
uma of the first, equal scores, left sticks none: the first gets what makes the sum zero
single abortive draws                       途中流局あり by kyushu kyuhai alone
nagashi mangan that counts as a win         流し満貫あり
only riichi hands count as tenpai           ノーテン罰あり false, if nobody pays
noten penalties of other than 3,000         ノーテン罰あり
agari yame without tenpai yame, or reverse  オーラス止めあり
riichi with 1 to 3 tiles left in the wall   ツモ番なしリーチあり true; an illegal riichi is a discard
points needed for riichi                    as トビ終了あり has it
kan dora after the discard has passed       カンドラ後乗せ true
some double yakuman, but not all            ダブル役満あり true
some pao but not all, suukantsu, rinshan    役満パオあり true if there is any for a yakuman
shares of pao                               none: the yakuman alone, and honba by the discarder
own copies in melds, renhou, open riichi    none
kokushi musou by chankan of a closed kan    none
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
"""Tiles that the wall must have left for riichi, unless the rule object allows riichi without a next draw."""


def rule_object(ruleset: Ruleset) -> dict[str, object]:
    """Return the whole rule object of a ruleset for four."""
    return {name: entry(ruleset) for name, entry in _ENTRIES.items()}


def red_fives(ruleset: Ruleset) -> dict[str, int]:
    """Return how many fives of each suit are red."""
    return dict(zip("mps", ruleset.red_fives, strict=True))


def _places(ruleset: Ruleset) -> list[str]:
    """Write the uma, with a decimal if results are not rounded: kobalab's programs read the rounding from it."""
    tenths = ruleset.rounding is Rounding.TENTHS
    return [f"{uma:.1f}" if tenths else str(uma) for uma in ruleset.uma]


def _doubles(ruleset: Ruleset) -> bool:
    return (
        ruleset.double_suuankou_tanki
        or ruleset.double_kokushi_13
        or ruleset.double_junsei_chuuren
        or ruleset.double_daisuushii
    )


_KUIKAE_LEVELS = {Kuikae.FORBIDDEN: 0, Kuikae.SAME_TILE: 1, Kuikae.ALLOWED: 2}
_LENGTHS = {Length.KYOKU: 0, Length.TONPU: 1, Length.HANCHAN: 2}
_MOST_RONS = {MultipleRon.HEAD_BUMP: 1, MultipleRon.DOUBLE: 2, MultipleRon.ALL: 3}
_RENCHANS = {Renchan.WIN: 1, Renchan.TENPAI: 2, Renchan.NOTEN: 3}
_EXTRA_ROUNDS = {ExtraRound.NONE: 0, ExtraRound.SUDDEN_DEATH: 1, ExtraRound.REPEAT_FIRST: 2}
_RIICHI_KAN_LEVELS = {RiichiKan.NEVER: 0, RiichiKan.SAME_SHAPE: 1, RiichiKan.SAME_WAITS: 2}

_ENTRIES: dict[str, Callable[[Ruleset], object]] = {
    "配給原点": lambda ruleset: ruleset.start_points,
    "順位点": _places,
    "連風牌は2符": lambda ruleset: ruleset.double_wind_fu == 2,
    "赤牌": red_fives,
    "クイタンあり": lambda ruleset: ruleset.kuitan,
    "喰い替え許可レベル": lambda ruleset: _KUIKAE_LEVELS[ruleset.kuikae],
    "場数": lambda ruleset: _LENGTHS[ruleset.length],
    "途中流局あり": lambda ruleset: ruleset.kyushu_kyuhai,
    "流し満貫あり": lambda ruleset: ruleset.nagashi is not Nagashi.NO,
    "ノーテン宣言あり": lambda ruleset: ruleset.tenpai is Tenpai.DECLARED,
    "ノーテン罰あり": lambda ruleset: ruleset.noten_penalty > 0,
    "最大同時和了数": lambda ruleset: _MOST_RONS[ruleset.multiple_ron],
    "連荘方式": lambda ruleset: _RENCHANS[ruleset.renchan],
    "トビ終了あり": lambda ruleset: ruleset.tobi,
    "オーラス止めあり": lambda ruleset: ruleset.agari_yame or ruleset.tenpai_yame,
    "延長戦方式": lambda ruleset: _EXTRA_ROUNDS[ruleset.extra_round],
    "一発あり": lambda ruleset: ruleset.ippatsu,
    "裏ドラあり": lambda ruleset: ruleset.ura_dora,
    "カンドラあり": lambda ruleset: ruleset.kan_dora,
    "カン裏あり": lambda ruleset: ruleset.kan_ura,
    "カンドラ後乗せ": lambda ruleset: ruleset.open_kan_dora is not KanDoraTime.AT_ONCE,
    "ツモ番なしリーチあり": lambda ruleset: ruleset.riichi_tiles < RIICHI_TILES,
    "リーチ後暗槓許可レベル": lambda ruleset: _RIICHI_KAN_LEVELS[ruleset.riichi_kan],
    "役満の複合あり": lambda ruleset: ruleset.yakuman_add_up,
    "ダブル役満あり": _doubles,
    "数え役満あり": lambda ruleset: ruleset.kazoe_yakuman,
    "役満パオあり": lambda ruleset: ruleset.pao_daisangen or ruleset.pao_daisuushii or ruleset.pao_suukantsu,
    "切り上げ満貫あり": lambda ruleset: ruleset.kiriage,
}
"""The entries of the object, in kobalab's order."""
