"""Every preset as documented: each field in which it differs from tenhou is played under both presets.

The presets of three players have their own scenarios, in ``test_three_players.py``.

The scenarios are those of ``support.ruleset_cases``; ``ump.rules.preset_sources`` says where each value comes from.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from support.rows import each_row
from support.ruleset_cases import CASES
from support.scripted_game import ScriptedGame

from ump.model.claims import Reason
from ump.model.phases import Phase
from ump.rules.options import OPTIONS
from ump.rules.preset_sources import SOURCES
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset

A, B, C, D = range(4)
TENHOU = PRESETS["tenhou"]
BY_ALL, BY_A, BY_D = (-16_000, 32_000, -8_000, -8_000), (-32_000, 32_000, 0, 0), (0, 32_000, 0, -32_000)
"""The seats that pay for B's yakuman."""

LEAGUES = ("mleague", "wrc", "ema", "classic")
"""The presets without abortive draws, an early end or an extra round."""

OUTCOMES: dict[str, dict[str, object]] = {
    "start_points": {"tenhou": (25_000,) * 4, "wrc": (30_000,) * 4, "ema": (30_000,) * 4, "classic": (30_000,) * 4},
    "return_points": {"tenhou": (150, -50, -50, -50), "majsoul": (0, 0, 0, 0)},
    "uma": {
        "tenhou": (200, 100, -100, -200),
        "mleague": (300, 100, -100, -300),
        "majsoul": (150, 50, -50, -150),
        "riichicity": (300, 100, -100, -300),
        "wrc": (150, 50, -50, -150),
        "ema": (150, 50, -50, -150),
        "classic": (120, 40, -40, -120),
    },
    "equal_scores": {"tenhou": (1, 2, 3, 4), **dict.fromkeys(("mleague", "wrc", "ema"), (1, 1, 1, 1))},
    "left_sticks": {"tenhou": 0, "wrc": -1_000},
    "red_fives": {"tenhou": 2_600, "wrc": 1_300, "ema": 1_300, "classic": 1_300},
    "kuikae": {"tenhou": Reason.KUIKAE, "classic": None},
    "ippatsu": {"tenhou": True, "classic": False},
    "ura_dora": {"tenhou": 1, "classic": 0},
    "kan_dora": {"tenhou": 2, "classic": 1},
    "kan_ura": {"tenhou": 2, "classic": 0},
    "open_kan_dora": {"tenhou": (1, 2, 2), **dict.fromkeys(("mleague", "wrc", "ema"), (2, 2, 2))},
    "multiple_ron": {
        "tenhou": [],
        **{league: [B] for league in ("mleague", "wrc", "classic")},
        **{league: [B, C, D] for league in ("majsoul", "ema")},
    },
    "ron_extras": {"tenhou": [3_600, 8_000], "ema": [2_600, 9_300]},
    "kyushu_kyuhai": {"tenhou": None, **dict.fromkeys(LEAGUES, Reason.NOT_IN_RULESET)},
    "suufon_renda": {"tenhou": True, **dict.fromkeys(LEAGUES, False)},
    "suucha_riichi": {"tenhou": True, **dict.fromkeys(LEAGUES, False)},
    "suukaikan": {"tenhou": True, **dict.fromkeys(LEAGUES, False)},
    "nagashi": {"tenhou": ("E3.2", 8_000), **dict.fromkeys(LEAGUES, ("E3.2", 0))},
    "noten_penalty": {"tenhou": 3_000, "classic": 0},
    "tenpai": {
        "tenhou": (None, 3_000),
        **dict.fromkeys(("ump", "mleague", "wrc", "ema"), (Phase.DECLARE, 0)),
        "classic": (None, 0),
    },
    "own_copies": {"tenhou": True, "mleague": False, "wrc": False, "ema": False},
    "renchan": {"tenhou": ("E1.1", "E2.1"), "classic": ("E2.1", "E2.1")},
    "agari_yame": {"tenhou": "end", **dict.fromkeys(LEAGUES, "E4.4")},
    "tenpai_yame": {"tenhou": "end", **dict.fromkeys(LEAGUES, "E4.4"), "classic": "end"},
    "extra_round": {"tenhou": "S1.4", **dict.fromkeys(LEAGUES, "end")},
    "tobi": {"tenhou": "end", **dict.fromkeys(LEAGUES, "E2.0")},
    "riichi_points": {"tenhou": Reason.TOO_FEW_POINTS, **dict.fromkeys(LEAGUES)},
    "riichi_tiles": {"tenhou": 4, "mleague": 1, "wrc": 0, "classic": 0},
    "riichi_kan": {"tenhou": ["1z", "9m"], "mleague": ["1z"], "wrc": ["1z"], "ema": ["1z"], "classic": []},
    "double_wind_fu": {"tenhou": 40, "mleague": 30, "wrc": 30, "ema": 30},
    "kiriage": {"tenhou": 1_920, "mleague": 2_000, "wrc": 2_000, "ema": 2_000},
    "kazoe_yakuman": {"tenhou": 8_000, "mleague": 6_000, "ema": 6_000, "classic": 6_000},
    "double_suuankou_tanki": {"tenhou": 1, "majsoul": 2, "riichicity": 2},
    "double_kokushi_13": {"tenhou": 1, "majsoul": 2, "riichicity": 2},
    "double_junsei_chuuren": {"tenhou": 1, "majsoul": 2, "riichicity": 2},
    "double_daisuushii": {"tenhou": 1, "majsoul": 2, "riichicity": 2},
    "tenhou_any_tile": {"tenhou": False, "majsoul": True},
    "yakuman_add_up": {"tenhou": 2, "ema": 1, "classic": 1},
    "pao_daisangen": {"tenhou": BY_D, "classic": BY_ALL},
    "pao_daisuushii": {"tenhou": BY_A, "classic": BY_ALL},
    "pao_suukantsu": {"tenhou": BY_ALL, "mleague": BY_A, "wrc": BY_A},
    "pao_cover": {
        "tenhou": (0, 64_000, -32_000, -32_000),
        **dict.fromkeys(("mleague", "majsoul", "wrc"), (0, 64_000, -48_000, -16_000)),
    },
    "pao_honba": {
        "tenhou": (0, 32_300, -16_000, -16_300),
        **dict.fromkeys(("wrc", "ema"), (0, 32_300, -16_300, -16_000)),
    },
    "renhou": {"tenhou": 1_280, "wrc": 2_000, "ema": 2_000},
    "rinshan_pao": {"tenhou": None, "riichicity": A},
    "kokushi_ankan": {"tenhou": "A", "majsoul": "D", "wrc": "D", "ema": "D"},
}
"""The outcome of each field's scenario under tenhou, and under every preset that has another value of it."""

UNSEEN = {("classic", "tenpai_yame"): "a dealer never stays on by tenpai, so the last kyoku ends the game anyway"}
"""Values that differ without effect, and why."""


def deviations(preset: str) -> list[str]:
    """Return the fields in which a preset differs from tenhou."""
    names = (field.name for field in fields(Ruleset) if field.name != "name")
    return [name for name in names if getattr(PRESETS[preset], name) != getattr(TENHOU, name)]


FOUR = [name for name, preset in PRESETS.items() if preset.seats == 4]
DEVIATIONS = [(preset, field) for preset in FOUR for field in deviations(preset)]


def test_every_deviation_has_a_scenario() -> None:
    """The scenarios are exactly those of the deviations."""
    told = {(preset, field) for field, outcomes in OUTCOMES.items() for preset in outcomes if preset != "tenhou"}
    assert told == set(DEVIATIONS)


@each_row(("preset", "field"), DEVIATIONS)
def test_the_deviation_has_its_effect(preset: str, field: str) -> None:
    """The same tiles and choices under both presets have different outcomes."""
    _, play = CASES[field]
    outcomes = OUTCOMES[field]
    assert {name: play(PRESETS[name]) for name in ("tenhou", preset)} == {
        name: outcomes[name] for name in ("tenhou", preset)
    }
    assert (outcomes[preset] == outcomes["tenhou"]) == ((preset, field) in UNSEEN)


@each_row("preset", PRESETS)
def test_each_deviation_has_a_source(preset: str) -> None:
    """A preset names its sources, and where each field is written in which it differs; fields share only one value."""
    source = SOURCES[preset]
    assert sorted(source.texts()) == sorted(deviations(preset))
    for names in source.fields:
        assert len({OPTIONS[name].format(PRESETS[preset]) for name in names.split()}) == 1


TIES: dict[str, dict[str, tuple[Any, Any]]] = {
    "draw": {
        "ump": ((1, 2, 3, 4), (350, 50, -150, -250)),
        "tenhou": ((1, 2, 3, 4), (350, 50, -150, -250)),
        "mleague": ((1, 1, 1, 1), (0, 0, 0, 0)),
        "majsoul": ((1, 2, 3, 4), (150, 50, -50, -150)),
        "riichicity": ((1, 2, 3, 4), (450, 50, -150, -350)),
        "wrc": ((1, 1, 1, 1), (0, 0, 0, 0)),
        "ema": ((1, 1, 1, 1), (0, 0, 0, 0)),
        "classic": ((1, 2, 3, 4), (120, 40, -40, -120)),
    },
    "W ron S": {
        "ump": ((2, 4, 1, 3), (50, -263, 363, -150)),
        "tenhou": ((2, 4, 1, 3), (50, -263, 363, -150)),
        "mleague": ((2, 4, 1, 2), (-50, -363, 463, -50)),
        "majsoul": ((2, 4, 1, 3), (50, -163, 163, -50)),
        "riichicity": ((2, 4, 1, 3), (50, -363, 463, -150)),
        "wrc": ((2, 4, 1, 2), (0, -230, 230, 0)),
        "ema": ((2, 4, 1, 2), (0, -230, 230, 0)),
        "classic": ((2, 4, 1, 3), (40, -133, 133, -40)),
    },
    "draw SWN richi": {
        "ump": ((4, 1, 2, 3), (-280, 380, 50, -150)),
        "tenhou": ((4, 1, 2, 3), (-280, 380, 50, -150)),
        "mleague": ((4, 1, 1, 1), (-380, 127, 127, 126)),
        "majsoul": ((4, 1, 2, 3), (-180, 180, 50, -50)),
        "riichicity": ((4, 1, 2, 3), (-380, 480, 50, -150)),
        "wrc": ((4, 1, 1, 1), (-180, 50, 50, 50)),
        "ema": ((4, 1, 1, 1), (-180, 60, 60, 60)),
        "classic": ((1, 2, 3, 4), (150, 30, -50, -130)),
    },
}
"""Places and results after one kyoku that leaves all four equal, two on the second place, or three and three sticks."""


@pytest.mark.parametrize("preset", FOUR)
@each_row("story", TIES)
def test_ties_in_placement(story: str, preset: str) -> None:
    """The player nearer to the first dealer is ahead and gets the sticks, or the players share both.

    Source: M.LEAGUE's rules, chapter 6, article 2; WRC Rules 2025, 10.2 and "tied players split uma"; for the others
    Tenhou's manual (tenhou.net/man), mahjongsoul.com/news/46, and kobalab/majiang-core.
    """
    end = ScriptedGame(story, PRESETS[preset], length=Length.KYOKU).end
    assert (end.places, end.results) == TIES[story][preset]
