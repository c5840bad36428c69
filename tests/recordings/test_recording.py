"""The recording of a terminal in docs/play.svg: it is what a game on the server looks like now."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from support.rows import each_row
from support.scripted_server import ROOT

from scripts.terminal_recording import COLUMNS, GROUND, PALETTE, ROWS, play_svg

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "play.svg"

TEXT = "{http://www.w3.org/2000/svg}text"

MOST_BYTES = 60_000

LEAST_CONTRAST = 4.5
"""The contrast of text that WCAG 2.2 asks for (1.4.3)."""


def test_the_file_is_what_the_script_writes() -> None:
    """A new run of scripts/recording writes the same file."""
    assert play_svg() == PAGE.read_text(encoding="utf-8"), "scripts/recording writes the file anew; look at it then"


def test_the_file_is_small_and_complete() -> None:
    """The file is well-formed, asks for nothing else, and no line is wider than its terminal."""
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert text.count("http") == text.count('xmlns="http://www.w3.org/2000/svg"') == 1
    assert "url(" not in text.replace("url(#s)", "")
    lines = ["".join(line.itertext()) for line in ElementTree.fromstring(text).iter(TEXT)]
    assert len(lines) > ROWS
    assert max(map(len, lines)) <= COLUMNS


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@each_row("style", PALETTE.values())
def test_colours_are_legible(style: str) -> None:
    """Each colour stands out from the ground, which the file brings along."""
    (colour,) = re.findall(r"fill:(#[0-9a-f]{6})", style)
    assert (luminance(colour) + 0.05) / (luminance(GROUND) + 0.05) >= LEAST_CONTRAST
