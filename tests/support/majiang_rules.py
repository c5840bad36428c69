"""Rule objects of kobalab's programs (``{"場数": 2, "トビ終了あり": true, ..}``) as rulesets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ump.rules.ruleset import (
    ExtraRound,
    KanDoraTime,
    Kuikae,
    Length,
    MultipleRon,
    Nagashi,
    PaoCover,
    PaoHonba,
    Renchan,
    RiichiKan,
    Rounding,
    Ruleset,
    Tenpai,
)

RETURN_POINTS = 30_000
"""The points that results are counted from, and the target. The rule object has no entry for them."""

Fields = dict[str, Any]
"""Fields of ``Ruleset`` with their values."""


def read_rules(rule: Mapping[str, Any]) -> Ruleset:
    """Return the ruleset of a rule object; missing entries have kobalab's defaults.

    Raises ValueError for an unknown entry, and for a value that no ruleset has, such as dealers who never stay.
    """
    fields = dict(_ALWAYS)
    for name, value in {**DEFAULTS, **rule}.items():
        if name not in _ENTRIES:
            raise ValueError(f"no entry of a rule object: {name}")
        fields.update(_ENTRIES[name](value))
    return Ruleset(**fields)


DEFAULTS: dict[str, Any] = {
    "配給原点": 25_000,
    "順位点": ("20.0", "10.0", "-10.0", "-20.0"),
    "連風牌は2符": False,
    "赤牌": {"m": 1, "p": 1, "s": 1},
    "クイタンあり": True,
    "喰い替え許可レベル": 0,
    "場数": 2,
    "途中流局あり": True,
    "流し満貫あり": True,
    "ノーテン宣言あり": False,
    "ノーテン罰あり": True,
    "最大同時和了数": 2,
    "連荘方式": 2,
    "トビ終了あり": True,
    "オーラス止めあり": True,
    "延長戦方式": 1,
    "一発あり": True,
    "裏ドラあり": True,
    "カンドラあり": True,
    "カン裏あり": True,
    "カンドラ後乗せ": True,
    "ツモ番なしリーチあり": False,
    "リーチ後暗槓許可レベル": 2,
    "役満の複合あり": True,
    "ダブル役満あり": True,
    "数え役満あり": True,
    "役満パオあり": True,
    "切り上げ満貫あり": False,
}
"""kobalab's default rules."""

_ALWAYS: Fields = {
    "name": "majiang",
    "return_points": RETURN_POINTS,
    "target": RETURN_POINTS,
    "pao_cover": PaoCover.OWN,
    "pao_honba": PaoHonba.DISCARDER,
}
"""The fields that no entry of the object changes."""


def _uma(bonus: Sequence[str]) -> Fields:
    """Return the uma. Results are rounded to whole thousands unless a bonus is written with a decimal."""
    rounding = Rounding.TENTHS if any("." in text for text in bonus) else Rounding.WHOLE
    thousands = tuple(float(text) for text in bonus)
    if any(points % 1 for points in thousands):
        raise ValueError(f"a bonus of no whole thousand: {' '.join(bonus)}")
    return {"uma": tuple(map(int, thousands)), "rounding": rounding}


def _abortive(allowed: bool) -> Fields:
    return dict.fromkeys(("kyushu_kyuhai", "suufon_renda", "suucha_riichi", "suukaikan"), allowed)


def _noten_penalty(paid: bool) -> Fields:
    """Return the fields for noten payments; without them only hands in riichi are shown."""
    return {"noten_penalty": 3_000} if paid else {"noten_penalty": 0, "tenpai": Tenpai.RIICHI_ONLY}


def _tobi(ends: bool) -> Fields:
    """Return the fields for tobi: with it, riichi needs the points for its stick."""
    return {"tobi": ends, "riichi_points": 1_000 if ends else 0}


def _double(counted: bool) -> Fields:
    names = ("double_suuankou_tanki", "double_kokushi_13", "double_junsei_chuuren", "double_daisuushii")
    return dict.fromkeys(names, counted)


def _same(*names: str) -> Callable[[Any], Fields]:
    """Return the reader of an entry whose value is that of these fields."""
    return lambda value: dict.fromkeys(names, value)


def _one_of(name: str, *values: Any) -> Callable[[int | bool], Fields]:
    """Return the reader of an entry that numbers the values of a field; None marks values that no ruleset has."""

    def read(number: int | bool) -> Fields:
        if not 0 <= number < len(values) or values[number] is None:
            raise ValueError(f"no ruleset has {name} as in level {number}")
        return {name: values[number]}

    return read


_ENTRIES: dict[str, Callable[[Any], Fields]] = {
    "配給原点": _same("start_points"),
    "順位点": _uma,
    "連風牌は2符": _one_of("double_wind_fu", 4, 2),
    "赤牌": lambda reds: {"red_fives": (reds["m"], reds["p"], reds["s"])},
    "クイタンあり": _same("kuitan"),
    "喰い替え許可レベル": _one_of("kuikae", Kuikae.FORBIDDEN, Kuikae.SAME_TILE, Kuikae.ALLOWED),
    "場数": _one_of("length", Length.KYOKU, Length.TONPU, Length.HANCHAN),
    "途中流局あり": _abortive,
    "流し満貫あり": _one_of("nagashi", Nagashi.NO, Nagashi.DRAW),
    "ノーテン宣言あり": _one_of("tenpai", Tenpai.AUTOMATIC, Tenpai.DECLARED),
    "ノーテン罰あり": _noten_penalty,
    "最大同時和了数": _one_of("multiple_ron", None, MultipleRon.HEAD_BUMP, MultipleRon.DOUBLE, MultipleRon.ALL),
    "連荘方式": _one_of("renchan", None, Renchan.WIN, Renchan.TENPAI, Renchan.NOTEN),
    "トビ終了あり": _tobi,
    "オーラス止めあり": _same("agari_yame", "tenpai_yame"),
    "延長戦方式": _one_of("extra_round", ExtraRound.NONE, ExtraRound.SUDDEN_DEATH, ExtraRound.REPEAT_FIRST),
    "一発あり": _same("ippatsu"),
    "裏ドラあり": _same("ura_dora"),
    "カンドラあり": _same("kan_dora"),
    "カン裏あり": _same("kan_ura"),
    "カンドラ後乗せ": _one_of("open_kan_dora", KanDoraTime.AT_ONCE, KanDoraTime.BEFORE_DISCARD),
    "ツモ番なしリーチあり": _one_of("riichi_tiles", 4, 0),
    "リーチ後暗槓許可レベル": _one_of("riichi_kan", RiichiKan.NEVER, RiichiKan.SAME_SHAPE, RiichiKan.SAME_WAITS),
    "役満の複合あり": _same("yakuman_add_up"),
    "ダブル役満あり": _double,
    "数え役満あり": _same("kazoe_yakuman"),
    "役満パオあり": _same("pao_daisangen", "pao_daisuushii"),
    "切り上げ満貫あり": _same("kiriage"),
}
"""The reader of each entry, in the order of DEFAULTS; if two set the same field, the later one wins."""
