"""The presets, and the page that shows them side by side."""

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
    """Read the table of presets in docs/rules.md: the field and its value in each, marks of doubt left out."""
    table = PAGE.read_text(encoding="utf-8").partition("## The presets side by side")[2].partition("\n## ")[0]
    return [
        (name, tuple(cell.strip().removesuffix(" ?") for cell in row.split("|"))) for name, row in ROW.findall(table)
    ]


def test_default_is_the_first_preset() -> None:
    """A ruleset of which nothing is said is the preset ump."""
    assert next(iter(PRESETS.values())) == Ruleset()
    assert list(PRESETS) == ["ump", "tenhou", "mleague", "majsoul", "wrc", "classic"]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_can_be_played(name: str) -> None:
    """No preset combines what cannot be, and each carries its name."""
    assert PRESETS[name].name == name
    assert [reason for is_impossible, reason in IMPOSSIBLE if is_impossible(PRESETS[name])] == []


def test_page_shows_all_presets() -> None:
    """The head of the table names all presets in their order."""
    head = "| field | " + " | ".join(f"`{name}`" for name in PRESETS) + " |"
    assert head in PAGE.read_text(encoding="utf-8").splitlines()


def test_page_tells_each_field_of_each_preset() -> None:
    """The table has a row for each field, and each cell says what the preset says."""
    told = [(option.name, tuple(map(option.format, PRESETS.values()))) for option in OPTIONS.values()]
    assert side_by_side() == told
