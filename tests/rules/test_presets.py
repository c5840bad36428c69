"""The presets, and their table in docs/rules.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ump.rules.options import IMPOSSIBLE, OPTIONS
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"
ROW = re.compile(r"^\| `([\w-]+)` \|(.*)\|$", re.MULTILINE)


def side_by_side() -> list[tuple[str, tuple[str, ...]]]:
    """Return each field with its values from the table of presets in docs/rules.md, without question marks."""
    table = PAGE.read_text(encoding="utf-8").partition("## The presets side by side")[2].partition("\n## ")[0]
    return [
        (name, tuple(cell.strip().removesuffix(" ?") for cell in row.split("|"))) for name, row in ROW.findall(table)
    ]


def test_default_is_the_first_preset() -> None:
    """A ruleset without arguments is the preset ump."""
    assert next(iter(PRESETS.values())) == Ruleset()
    assert list(PRESETS) == [
        *("ump", "tenhou", "mleague", "majsoul", "riichicity", "wrc", "ema", "classic", "tenhou3", "majsoul3"),
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid(name: str) -> None:
    """No preset combines impossible values, and each has its name."""
    assert PRESETS[name].name == name
    assert [reason for is_impossible, reason in IMPOSSIBLE if is_impossible(PRESETS[name])] == []


def test_page_shows_all_presets() -> None:
    """The head of the table lists all presets in their order."""
    head = "| field | " + " | ".join(f"`{name}`" for name in PRESETS) + " |"
    assert head in PAGE.read_text(encoding="utf-8").splitlines()


def test_page_has_each_field_of_each_preset() -> None:
    """The table has a row for each field, with the value of each preset."""
    told = [(option.name, tuple(map(option.format, PRESETS.values()))) for option in OPTIONS.values()]
    assert side_by_side() == told
