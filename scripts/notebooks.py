"""The notebooks of docs/notebooks: runs their cells, and writes them as pages with what the cells show.

They are kept without outputs. A cell shows what it prints, and the value of its last line as Jupyter would.
"""

from __future__ import annotations

import ast
import io
import json
import os
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from ump.model.value import value

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"


@value
class NotebookCell:
    """A cell, and what it shows when it is run."""

    is_code: bool
    source: str
    printed: str = ""
    html: str = ""


def notebooks() -> list[Path]:
    """Return the notebooks in the order in which they are read."""
    return sorted(FOLDER.glob("*.ipynb"))


def run(path: Path) -> Iterator[NotebookCell]:
    """Run a notebook in its folder, and yield its cells."""
    variables: dict[str, Any] = {}
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            with chdir(path.parent):
                yield _run_cell(source, f"{path.name}, {cell['id']}", variables)
        else:
            yield NotebookCell(False, source)


def _run_cell(source: str, name: str, variables: dict[str, Any]) -> NotebookCell:
    """Run the code of a cell, and return it with what it shows."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    shown = None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), name, "exec"), variables)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), name, "eval"), variables)
    if shown is None:
        return NotebookCell(True, source, printed.getvalue())
    if hasattr(shown, "_repr_html_"):
        return NotebookCell(True, source, printed.getvalue(), shown._repr_html_())
    return NotebookCell(True, source, f"{printed.getvalue()}{shown!r}\n")


def page(path: Path) -> str:
    """Return a notebook as a page of the site."""
    place = os.path.relpath(path, FOLDER.parent)
    lines: list[str] = []
    for cell in run(path):
        if not cell.is_code:
            lines += [cell.source, ""]
            continue
        lines += ["```python", cell.source, "```", ""]
        if cell.printed:
            lines += ["```text", cell.printed.rstrip(), "```", ""]
        if cell.html:
            lines += ["```{raw} html", cell.html, "```", ""]
    return "\n".join([*lines, f"This page is what `docs/{place}` shows when it is run.", ""])


def write_pages(folder: Path) -> None:
    """Write the pages of all notebooks into a folder."""
    for path in notebooks():
        (folder / f"notebook-{path.stem}.md").write_text(page(path), encoding="utf-8")
