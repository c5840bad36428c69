"""The reference in docs/library.md: one row for each public name, with the first line of its docstring.

    python tests/support/library_reference.py      # updates the rows after a docstring has changed

A new name needs a row first, in the table where it belongs: its second cell may be empty.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import ump

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "library.md"

ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)


def summary(name: str) -> str:
    """Return the first line of a public name's docstring; for a constant or an alias, that of the text below it."""
    module, _, attribute = ump._IMPORTS[name].partition(":")
    found = getattr(import_module(module), attribute) if attribute else import_module(module)
    if isinstance(found, ModuleType) or inspect.isclass(found) or inspect.isfunction(found):
        documented = inspect.getdoc(found)
    else:
        documented = _attribute_docstring(module, attribute)
    if not documented:
        raise ValueError(f"{name} has no docstring")
    return documented.partition("\n")[0]


def _attribute_docstring(module: str, attribute: str) -> str | None:
    """Return the text below the assignment of a name in a module."""
    for statement, text in pairwise(ast.parse(inspect.getsource(import_module(module))).body):
        match statement, text:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(documented))),
            ) if name == attribute:
                return documented
            case _:
                pass
    return None


def with_summaries(page: str) -> str:
    """Return the page with the second cell of each row of the reference updated."""
    head, title, reference = page.partition("\n## Reference\n")
    return head + title + ROW.sub(lambda row: f"| `{row[1]}` | {summary(row[1])} |", reference)


if __name__ == "__main__":
    PAGE.write_text(with_summaries(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
