"""Translation of the rule objects of kobalab's programs into rulesets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.majiang_rules import DEFAULTS, read_rules
from support.rows import each_row

from ump.rules.presets import PRESETS
from ump.rules.ruleset import KanDoraTime, MultipleRon, PaoCover, PaoHonba, Rounding, Tenpai

CLASSIC: dict[str, Any] = {
    "配給原点": 30_000,
    "順位点": ["12.0", "4.0", "-4.0", "-12.0"],
    "赤牌": {"m": 0, "p": 0, "s": 0},
    "喰い替え許可レベル": 2,
    "ノーテン罰あり": False,
    "最大同時和了数": 1,
    "連荘方式": 1,
    "延長戦方式": 0,
    "ツモ番なしリーチあり": True,
    "リーチ後暗槓許可レベル": 0,
    **dict.fromkeys(("途中流局あり", "流し満貫あり", "トビ終了あり", "オーラス止めあり"), False),
    **dict.fromkeys(("一発あり", "裏ドラあり", "カンドラあり", "カン裏あり"), False),
    **dict.fromkeys(("役満の複合あり", "ダブル役満あり", "数え役満あり", "役満パオあり"), False),
}
"""The entries of kobalab/Majiang's "Classicルール" that differ from the default."""


def test_classic_is_our_preset() -> None:
    """The object is the preset classic, except for kobalab's rules of pao, which classic does not have."""
    preset = replace(PRESETS["classic"], name="majiang", pao_cover=PaoCover.OWN, pao_honba=PaoHonba.DISCARDER)
    assert read_rules(CLASSIC) == preset


@each_row(
    ("entry", "written", "field", "expected"),
    [
        ("場数", 4, None, None),
        ("連荘方式", 0, None, None),
        ("延長戦方式", 3, None, None),
        ("最大同時和了数", 0, None, None),
        ("順位点", ["12.5", "2.5", "-5", "-10"], None, None),
        ("鳴き", True, None, None),
        ("順位点", ["20", "10", "-10", "-20"], "rounding", Rounding.WHOLE),
        ("最大同時和了数", 3, "multiple_ron", MultipleRon.ALL),
        ("カンドラ後乗せ", False, "open_kan_dora", KanDoraTime.AT_ONCE),
        ("ノーテン宣言あり", True, "tenpai", Tenpai.DECLARED),
        ("連風牌は2符", True, "double_wind_fu", 2),
        ("トビ終了あり", False, "riichi_points", 0),
    ],
)
def test_entry_is_read_or_refused(entry: str, written: object, field: str | None, expected: object) -> None:
    """Each entry sets a field of the ruleset; a value that rulesets cannot express is refused."""
    if field is None:
        with pytest.raises(ValueError, match=r"no entry|no ruleset|no whole thousand"):
            read_rules({entry: written})
    else:
        assert getattr(read_rules({entry: written}), field) == expected


def test_default_is_kobalabs() -> None:
    """An empty object means kobalab's default, with results in tenths."""
    assert read_rules({}) == read_rules(DEFAULTS)
    assert read_rules({}).rounding is Rounding.TENTHS
