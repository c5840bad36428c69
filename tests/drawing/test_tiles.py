"""The tiles: readable colours in both themes, a class for each face, and a sheet that its script makes again."""

from __future__ import annotations

import re

import pytest
from support.rows import each_row

from scripts.tile_stylesheet import contrast
from ump.web import static_files

pytestmark = pytest.mark.once

SHEET = static_files()["tiles.css"].content.decode()

INKS = ("ink-black", "ink-red", "ink-green", "ink-blue")
MARKS = ("mark-dora", "mark-deal-in", "mark-safe", "mark-wait")
PAPERS = ("tile-paper", "tile-tsumogiri")

CONTRASTS = [
    *((ink, "tile-paper", 6.0) for ink in INKS),
    *((ink, "tile-tsumogiri", 3.9) for ink in INKS),
    *((mark, paper, 3.0) for mark in MARKS for paper in PAPERS),
    *(("tile-edge", paper, 3.0) for paper in PAPERS),
]
"""Two colours of a theme, and the least contrast between them. WCAG 2.1 wants 3 for shapes (1.4.11)."""


def _colours(theme: str) -> dict[str, str]:
    """Return the custom properties of a theme."""
    found = re.search(rf":root\{{color-scheme:{theme};([^}}]*)\}}", SHEET)
    assert found is not None
    return dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{6})", found[1]))


@pytest.mark.parametrize("theme", ["light", "dark"])
@each_row(("one", "other", "least"), CONTRASTS)
def test_contrast(theme: str, one: str, other: str, least: float) -> None:
    """Art, marks and edges stand out from the paper, in both themes."""
    colours = _colours(theme)
    assert contrast(colours[one], colours[other]) >= least


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_table_contrast(theme: str) -> None:
    """White text is readable on felt and centre, and the frame of the last discard is visible on felt."""
    colours = _colours(theme)
    assert contrast("#ffffff", colours["table-felt"]) >= 7
    assert contrast("#ffffff", colours["table-centre"]) >= 7
    assert contrast(colours["tile-last"], colours["table-felt"]) >= 5
    assert max(contrast(colours[one], colours["table-felt"]) for one in ("tile-edge", "tile-paper")) >= 4.5


@each_row("name", [*(f"{n}{suit}" for suit in "mps" for n in (*range(1, 10), "5r")), *"ESWNPFC"])
def test_each_tile_has_a_class_in_both_themes(name: str) -> None:
    """Each face has its art once for each theme."""
    face = name if not name.startswith("5r") else f"5{name[2]}r"
    assert SHEET.count(f".t-{face}{{background-image") == 2


def test_the_sheet_is_small() -> None:
    """A page with tiles stays small."""
    assert len(SHEET) < 80_000


def test_the_script_makes_the_same_sheet() -> None:
    """The committed sheet is the script's output, as far as its fonts are installed."""
    pytest.importorskip("fontTools", reason="fontTools is not installed; pip install fonttools")
    from scripts.tile_stylesheet import file_of

    if not all(file_of(weight).exists() for weight in ("Bold", "Medium")):
        pytest.skip("no Noto Sans CJK; apt-get install fonts-noto-cjk fonts-noto-cjk-extra")
    from scripts.tile_stylesheet import stylesheet

    assert stylesheet() == SHEET
