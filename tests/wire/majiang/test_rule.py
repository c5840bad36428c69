"""Rule objects: complete, and read back as the ruleset they were written from."""

from __future__ import annotations

from dataclasses import fields, replace
from enum import Enum
from typing import Any

from support.majiang_rules import DEFAULTS, read_rules
from support.rows import each_row

from ump.rules.presets import PRESETS
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
from ump.wire.majiang.events import rule_object

NEVER_SAID = frozenset(
    (
        *("name", "return_points", "target", "equal_scores", "left_sticks", "own_copies", "pao_suukantsu", "pao_cover"),
        *("pao_honba", "rinshan_pao", "renhou", "open_riichi", "kokushi_ankan", "kita", "tenhou_any_tile"),
    )
)
"""Fields of a ruleset that a rule object cannot express."""

NEAREST: dict[str, dict[str, object]] = {
    "ump": {},
    "tenhou": {},
    "mleague": {"riichi_tiles": 0},
    "majsoul": {},
    "wrc": {},
    "classic": {},
}
"""Fields of each preset for which a rule object has only a nearest value, and that value."""


def read_back(ruleset: Ruleset) -> dict[str, object]:
    """Return the fields that change when a ruleset is written as a rule object and read back."""
    read = read_rules(rule_object(ruleset))
    names = [field.name for field in fields(Ruleset) if field.name not in NEVER_SAID]
    return {name: getattr(read, name) for name in names if getattr(read, name) != getattr(ruleset, name)}


@each_row("preset", NEAREST)
def test_presets_are_read_back(preset: str) -> None:
    """Every field that a rule object can express is read back."""
    assert read_back(PRESETS[preset]) == NEAREST[preset]


@each_row("preset", PRESETS)
def test_the_object_is_complete(preset: str) -> None:
    """The object has all 28 entries, in kobalab's order and with its types."""
    made = rule_object(PRESETS[preset])
    assert list(made) == list(DEFAULTS)
    assert len(made) == 28
    same = {name: type(value) for name, value in DEFAULTS.items()} | {"順位点": list}
    assert {name: type(value) for name, value in made.items()} == same


def test_kobalabs_defaults_are_written_as_they_are_read() -> None:
    """Kobalab's default rules are written as its own programs have them."""
    assert rule_object(read_rules({})) == DEFAULTS | {"順位点": list(DEFAULTS["順位点"])}


SAID: tuple[dict[str, Any], ...] = (
    *({"length": length} for length in Length),
    *({"rounding": rounding} for rounding in Rounding),
    *({"kuikae": kuikae} for kuikae in Kuikae),
    *({"multiple_ron": ron} for ron in MultipleRon),
    *({"renchan": renchan} for renchan in Renchan),
    *({"extra_round": extra} for extra in ExtraRound),
    *({"riichi_kan": kan} for kan in RiichiKan),
    *({"tenpai": tenpai} for tenpai in (Tenpai.AUTOMATIC, Tenpai.DECLARED)),
    *({"nagashi": nagashi} for nagashi in (Nagashi.NO, Nagashi.DRAW)),
    *({"open_kan_dora": time} for time in (KanDoraTime.AT_ONCE, KanDoraTime.BEFORE_DISCARD)),
    *({name: False} for name in ("kuitan", "ippatsu", "ura_dora", "kan_dora", "kan_ura", "kazoe_yakuman")),
    *({"yakuman_add_up": False}, {"kiriage": True}, {"double_wind_fu": 2}, {"start_points": 30_000}),
    {"uma": (30, 10, -10, -30)},
    {"red_fives": (1, 2, 0)},
    {"tobi": False, "riichi_points": 0},
    {"riichi_tiles": 0},
    {"noten_penalty": 0, "tenpai": Tenpai.RIICHI_ONLY},
    {"agari_yame": False, "tenpai_yame": False},
    {"pao_daisangen": False, "pao_daisuushii": False},
    dict.fromkeys(("kyushu_kyuhai", "suufon_renda", "suucha_riichi", "suukaikan"), False),
    dict.fromkeys(("double_suuankou_tanki", "double_kokushi_13", "double_junsei_chuuren", "double_daisuushii"), True),
)


def _told(change: dict[str, Any]) -> str:
    return " ".join(f"{name}={value.name if isinstance(value, Enum) else value}" for name, value in change.items())


@each_row("change", SAID)
def test_expressible_rules_are_read_back(change: dict[str, Any]) -> None:
    """Each value of each expressible field is read back."""
    assert read_back(replace(Ruleset(), **change)) == {}


NEARLY: tuple[tuple[dict[str, Any], dict[str, object]], ...] = (
    ({"nagashi": Nagashi.WIN}, {"流し満貫あり": True}),
    ({"open_kan_dora": KanDoraTime.AFTER_DISCARD}, {"カンドラ後乗せ": True}),
    ({"tenpai": Tenpai.RIICHI_ONLY}, {"ノーテン宣言あり": False}),
    ({"noten_penalty": 1_000}, {"ノーテン罰あり": True}),
    ({"agari_yame": False}, {"オーラス止めあり": True}),
    ({"riichi_tiles": 1}, {"ツモ番なしリーチあり": True}),
    ({"tobi": False}, {"トビ終了あり": False}),
    ({"suufon_renda": False}, {"途中流局あり": True}),
    ({"double_kokushi_13": True}, {"ダブル役満あり": True}),
    ({"pao_daisangen": False}, {"役満パオあり": True}),
    ({"return_points": 25_000, "target": 25_000}, {"配給原点": 25_000}),
)


@each_row(("change", "said"), NEARLY)
def test_other_rules_get_the_nearest_value(change: dict[str, Any], said: dict[str, object]) -> None:
    """A rule that cannot be expressed becomes the nearest value, and changes no other entry."""
    made = rule_object(replace(Ruleset(), **change))
    assert {name: made[name] for name in said} == said
    others = rule_object(Ruleset())
    assert {name for name in made if made[name] != others[name]} <= set(said)
