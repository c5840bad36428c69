"""The tiles: readable colours in both sets, a class for each face, and sheets that their script makes again."""

from __future__ import annotations

import re

import pytest
from support.rows import each_row

from scripts.tile_stylesheet import SETS, contrast
from ump.web import static_files

pytestmark = pytest.mark.once

SHEETS = {name: static_files()[name].content.decode() for name in ("tiles.css", "tiles_black.css")}
TOKENS = static_files()["tokens.css"].content.decode()

INKS = ("black", "red", "green", "blue")
MARKS = ("mark-dora", "mark-deal-in", "mark-safe", "mark-wait")
PAPERS = ("paper", "paper-drawn")


def _tokens(selector: str) -> dict[str, str]:
    """Return the colours that the sheet of tokens has for a selector, over those of all pages."""
    found: dict[str, str] = {}
    for each in (":root", selector):
        for rule in re.findall(rf"^{re.escape(each)} \{{(.*?)\}}", TOKENS, re.DOTALL | re.MULTILINE):
            found |= dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", rule))
    return found


@each_row(
    ("tiles", "paper", "ink", "least"),
    [
        (tiles, paper, ink, least)
        for tiles in SETS
        for paper, least in zip(PAPERS, (6.0, 3.9), strict=True)
        for ink in INKS
    ],
)
def test_the_art_is_readable(tiles: str, paper: str, ink: str, least: float) -> None:
    """Each ink stands out from the paper of its set, also from that of a tile discarded as drawn."""
    assert contrast(SETS[tiles][ink], _tokens(f'[data-tiles="{tiles}"]')[paper]) >= least


@each_row(("tiles", "paper", "mark"), [(tiles, paper, mark) for tiles in SETS for paper in PAPERS for mark in MARKS])
def test_marks_stand_out(tiles: str, paper: str, mark: str) -> None:
    """WCAG 2.1 wants a contrast of 3 for shapes (1.4.11)."""
    colours = _tokens(f'[data-tiles="{tiles}"]')
    assert contrast(colours[mark], colours[paper]) >= 3


@each_row("felt", ["green", "blue", "wine", "grey"])
def test_table_contrast(felt: str) -> None:
    """On every cloth a light tile is seen, and its gold frame; texts are readable on the panel in the middle."""
    colours = _tokens(f'[data-felt="{felt}"]')
    assert contrast(colours["paper"], colours["felt-1"]) >= 3
    assert contrast(colours["gold"], colours["felt-2"]) >= 4
    assert min(contrast(colours[text], colours["panel-1"]) for text in ("text", "text-2", "gold")) >= 7


@each_row("call", ["chi", "pon", "kan", "win", "pass"])
def test_the_words_of_calls_are_readable(call: str) -> None:
    """They are white, and large."""
    assert contrast("#ffffff", _tokens(":root")[call]) >= 4.5


@each_row("name", [*(f"{n}{suit}" for suit in "mps" for n in (*range(1, 10), "5r")), *"ESWNPFC"])
def test_each_tile_has_a_class_in_both_sets(name: str) -> None:
    """Each face has its art once in each sheet."""
    face = name if not name.startswith("5r") else f"5{name[2]}r"
    assert [sheet.count(f".t-{face}{{background-image") for sheet in SHEETS.values()] == [1, 1]


def test_the_sheets_are_small() -> None:
    """A page with tiles stays small."""
    assert all(len(sheet) < 40_000 for sheet in SHEETS.values())


def test_the_script_makes_the_same_sheets() -> None:
    """The committed sheets are the script's output, as far as its fonts are installed."""
    pytest.importorskip("fontTools", reason="fontTools is not installed; pip install fonttools")
    from scripts.tile_stylesheet import file_of

    if not all(file_of(weight).exists() for weight in ("Bold", "Medium")):
        pytest.skip("no Noto Sans CJK; apt-get install fonts-noto-cjk fonts-noto-cjk-extra")
    from scripts.tile_stylesheet import stylesheets

    assert stylesheets() == SHEETS
