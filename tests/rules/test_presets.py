"""The presets: their names and order, and no impossible values."""

from __future__ import annotations

from support.rows import each_row

from ump.rules.options import contradictions_in
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset


def test_default_is_the_first_preset() -> None:
    """A ruleset without arguments is the preset ump."""
    assert next(iter(PRESETS.values())) == Ruleset()
    assert list(PRESETS) == [
        *("ump", "tenhou", "mleague", "majsoul", "riichicity", "wrc", "ema", "classic", "tenhou3", "majsoul3"),
    ]


@each_row("name", PRESETS)
def test_presets_are_valid(name: str) -> None:
    """No preset combines impossible values, and each has its name."""
    assert PRESETS[name].name == name
    assert contradictions_in(PRESETS[name]) == []
