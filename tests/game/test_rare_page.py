"""The tests named in docs/conformance.md, "Rules that records hardly ever show", exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from support.rows import each_row

TESTS = Path(__file__).resolve().parent
PAGE = TESTS.parents[1] / "docs" / "conformance.md"
NAMED = re.compile(r"`(test_\w+)::(test_\w+)`")


def named_tests() -> list[tuple[str, str]]:
    """Return the file and the name of every test in the table."""
    part = (
        PAGE.read_text(encoding="utf-8").partition("## Rules that records hardly ever show\n")[2].partition("\n## ")[0]
    )
    rows = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith("| what |")]
    assert all(NAMED.search(row) for row in rows)
    return sorted({(file, name) for row in rows for file, name in NAMED.findall(row)})


@each_row(("file", "name"), named_tests())
def test_each_named_test_exists_and_names_its_source(file: str, name: str) -> None:
    """The docstring of each test ends with the source of the rule."""
    tree = ast.parse((TESTS / f"{file}.py").read_text(encoding="utf-8"))
    (function,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    assert "\n\nSource: " in (ast.get_docstring(function) or "")
