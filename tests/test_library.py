"""``import ump``: its public names, the modules that it loads, and the examples of docs/library.md."""

from __future__ import annotations

import ast
import io
import re
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from support.programs import run

import ump
from ump.actions import Discard  # type checkers find the short names, too
from ump.model import actions

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")

EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
"""A block of code, and the block of output that follows it if it prints anything."""

SECTIONS = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", PAGE, re.MULTILINE))
"""The text under each heading."""


def in_fresh_python(code: str) -> str:
    """Run code in another process and return what it prints."""
    return run("-c", code, is_plain=True, cwd=ROOT).stdout


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "title",
    [title for title, text in SECTIONS.items() if "```python" in text],
)
def test_examples_print_what_the_page_shows(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every block of code prints what the page shows under it; the blocks of a section share their variables."""
    monkeypatch.chdir(ROOT)
    variables: dict[str, object] = {}
    for code, shown in EXAMPLE.findall(SECTIONS[title]):
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, f"docs/library.md, {title}", "exec"), variables)
        assert printed.getvalue() == shown


def test_every_block_of_code_is_run() -> None:
    """The pattern finds every block: each is in a section, and closed."""
    assert sum(len(EXAMPLE.findall(text)) for text in SECTIONS.values()) == PAGE.count("```python")
    assert sum(bool(shown) for _, shown in EXAMPLE.findall(PAGE)) == PAGE.count("```text")


def test_public_names_can_be_imported() -> None:
    """``__all__`` and the imports agree, each name can be imported, and no module of ump has the same name."""
    assert sorted(ump.__all__) == sorted(ump._IMPORTS)
    for name in ump.__all__:
        assert getattr(ump, name) is getattr(ump, name)
        assert not (ROOT / "ump" / name).exists()
        assert not (ROOT / "ump" / f"{name}.py").exists()
    assert set(ump.__all__) <= set(dir(ump))


def test_every_name_on_the_page_exists() -> None:
    """Each dotted name is a module that can be imported, or an attribute of one; no module is an attribute alone."""
    names = set(re.findall(r"\bump(?:\.[A-Za-z_]\w*)+", PAGE))
    assert {"ump.actions", "ump.tiles", "ump.bots"} <= names
    for name in names:
        at, *rest = name.split(".")
        found: object = import_module(at)
        for each in rest:
            at = f"{at}.{each}"
            found = getattr(found, each) if hasattr(found, each) else import_module(at)
            assert not isinstance(found, ModuleType) or import_module(at) is found


def test_public_modules_can_be_imported_by_their_short_names() -> None:
    """They are the same modules, whichever name is imported first."""
    assert Discard is actions.Discard
    for first, second in (("ump.actions", "ump.model.actions"), ("ump.model.actions", "ump.actions")):
        code = f"import {first}, {second}; from ump.actions import Discard; print({first} is {second}, Discard(0))"
        assert in_fresh_python(code) == "True Discard(face=0, tsumogiri=False)\n"
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'ump\.value'"):
        import_module("ump.value")


def test_a_record_is_given_as_bytes() -> None:
    """The error for a path says how to read it."""
    for read in (ump.read_mjlog, lambda path: ump.verify("game.mjlog", path)):
        for path in ("docs/examples/game.mjlog", Path("docs/examples/game.mjlog")):
            with pytest.raises(TypeError, match=r"expected the bytes of a record, as of Path\(\.\.\.\)\.read_bytes"):
                read(path)  # type: ignore[arg-type]  # this is the test


def test_type_checkers_see_the_same() -> None:
    """The imports for type checkers are those of the run time."""
    tree = ast.parse((ROOT / "ump" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (each for each in tree.body if isinstance(each, ast.If) and ast.unparse(each.test) == "TYPE_CHECKING")
    seen = {}
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        assert statement.module is not None
        for alias in statement.names:
            is_module = isinstance(getattr(import_module(statement.module), alias.name), ModuleType)
            seen[alias.asname or alias.name] = f"{statement.module}{'.' if is_module else ':'}{alias.name}"
    assert seen == ump._IMPORTS


def test_an_unknown_name_is_an_attribute_error() -> None:
    """An unknown name raises AttributeError, as in any module, so ``hasattr`` works."""
    with pytest.raises(AttributeError, match="module 'ump' has no attribute 'shantn'"):
        _ = ump.shantn  # type: ignore[attr-defined]  # this is the test
    assert not hasattr(ump, "shantn")


def test_import_loads_nothing() -> None:
    """``import ump`` loads none of its modules."""
    code = "import sys, ump; print([name for name in sys.modules if name.startswith('ump.')])"
    assert in_fresh_python(code) == "[]\n"


def test_no_public_name_loads_twisted() -> None:
    """Importing all names loads neither Twisted nor a reactor."""
    code = "import sys\nfrom ump import *\nprint([name for name in sys.modules if name.startswith('twisted')])"
    assert in_fresh_python(code) == "[]\n"
