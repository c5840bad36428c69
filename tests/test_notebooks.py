"""docs/notebooks: kept without outputs, and each runs to its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.rows import each_row

from scripts.notebooks import notebooks, page, run

pytestmark = pytest.mark.once


@each_row("path", notebooks())
def test_they_are_kept_without_outputs(path: Path) -> None:
    """Each begins with its title; a code cell has neither outputs nor a number."""
    first, *others = json.loads(path.read_text("utf-8"))["cells"]
    assert first["source"][0].startswith("# ")
    for cell in others:
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)


def test_the_first_one_runs() -> None:
    """Its page has the pictures and the printed lines; a cell shows its last value, but not that of an assignment."""
    first, *_ = notebooks()
    shown = page(first)
    assert shown.startswith("# ") and shown.count("```{raw} html") == 4 and "7,700 points" in shown
    silent = [cell for cell in run(first) if cell.is_code and not cell.printed and not cell.html]
    assert silent == []


@pytest.mark.long
@pytest.mark.no_cover
@pytest.mark.parametrize("path", notebooks()[1:], ids=lambda path: path.stem)
def test_each_runs_to_its_end(path: Path) -> None:
    """Code that shows nothing only prepares the next cells: each notebook shows something at its end."""
    *_, last = run(path)
    assert last.printed or last.html
