"""The recording of a terminal in docs/play.svg: it is what a game on the server looks like now."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from support.scripted_server import ROOT

from scripts.recordings.game import play_svg
from scripts.recordings.terminal_svg import COLUMNS, LINE, MARGIN, ROWS, SIZE, Moment, terminal_svg

PAGE = ROOT / "docs" / "play.svg"

TEXT = "{http://www.w3.org/2000/svg}text"

MOST_BYTES = 60_000


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


def test_an_svg_of_a_text() -> None:
    """Each line stands once; colours become classes, and moments the steps of an animation."""
    svg = terminal_svg(
        ["$ a < b", "", "\x1b[1;32m5s\x1b[0m \x1b[39mx\x1b[0m"], [Moment(1, 1.0), Moment(3, 3.0)], 1, "A & B"
    )
    first, last = (MARGIN + SIZE, MARGIN + 2 * LINE + SIZE)
    assert f'<text x="{MARGIN}" y="{first}">$ a &lt; b</text>' in svg
    assert f'<text x="{MARGIN}" y="{last}"><tspan class="c1 c32">5s</tspan> x</text>' in svg
    assert "<title>A &amp; B</title>" in svg
    top, bottom = LINE * (ROWS - 1), LINE * (ROWS - 3)
    assert f"0.00%{{transform:translateY({top}px)}}25.00%{{transform:translateY({bottom}px)}}" in svg
    assert f'transform="translate(0 {bottom})"' in svg


@pytest.mark.parametrize("still", [0, -1])
def test_the_still(still: int) -> None:
    """Readers without motion see the chosen moment."""
    moments = [Moment(1, 1.0), Moment(2, 1.0)]
    shown = LINE * (ROWS - moments[still].lines)
    assert f'transform="translate(0 {shown})"' in terminal_svg(["a", "b"], moments, still, "t")
