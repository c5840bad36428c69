"""The sources that are compiled: native value classes, final constants, and lines that keep their numbers."""

from __future__ import annotations

import ast
import copy
import dataclasses
import importlib
import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from support.rows import each_row

from scripts.compiling import copyable
from scripts.compiling.native_sources import (
    COMPILED,
    NativeClasses,
    compiled_modules,
    native_source,
    write_native_sources,
)

SOURCES = compiled_modules(Path("ump"))
FUTURE = '"""A module."""\n\nfrom __future__ import annotations\n\n'
BEGIN = f"{FUTURE}from ump.model.value import value\n\n"

VALUE = f'''{BEGIN}SIZE = 3
NAMES: tuple[str, ...] = ("a", "b")
SEVERAL: dict[str, tuple[int, ...]] = {{
    "a": (1, 2),
}}
PAIR = 1, 2


class Table:
    """No value."""


@value
class Point:
    """A point."""

    x: int
    y: int = 0

    def moved(self) -> Point:
        """Return the next point."""
        return Point(self.x + 1, self.y)


@value
class Nothing:
    """A value without fields."""
'''


def native(text: str) -> str:
    """Return the native form of a module that is compiled alone."""
    return native_source(text, NativeClasses([ast.parse(text)]))


@cache
def all_classes() -> NativeClasses:
    """Return the classes of all modules that are compiled."""
    return NativeClasses(ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES)


def run(text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Run the native form of a module in Python; return its names."""
    monkeypatch.setitem(sys.modules, "ump.model.copyable", copyable)
    names: dict[str, Any] = {"__name__": name, "mypyc_attr": lambda **_: lambda cls: cls}
    exec(compile(text, name, "exec"), names)
    return names


def test_modules_that_do_not_exist(tmp_path: Path) -> None:
    """A module that was renamed would silently be interpreted."""
    for name in COMPILED:
        with pytest.raises(ValueError, match=f"there is no {re.escape(name)}.py in "):
            compiled_modules(tmp_path)
        path = tmp_path / f"{name.replace('*', 'module')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    with pytest.raises(ValueError, match=r"there is no model/value.py"):
        compiled_modules(tmp_path)


def test_a_value_class_has_its_methods_in_the_source() -> None:
    """Constructor, equality and hash are written out: the class works without the decorator."""
    text = native(VALUE)
    assert "    def __init__(self, x: int, y: int = 0) -> None: self.x = x; self.y = y\n" in text
    assert "    def __hash__(self) -> int: return hash((self.x, self.y, ))\n" in text
    assert "@value" not in text


def test_constants_are_final() -> None:
    """A constant is final, with its annotation if it has one; a tuple without one stays a variable."""
    text = native(VALUE)
    assert "\nSIZE: _Final = 3\n" in text
    assert '\nNAMES: _Final[tuple[str, ...]] = ("a", "b")\n' in text
    assert "\nSEVERAL: _Final[dict[str, tuple[int, ...]]] = {\n" in text
    assert "\nPAIR = 1, 2\n" in text


def test_other_classes_can_be_copied() -> None:
    """They are open to interpreted subclasses, which mypyc needs for that."""
    lines = native(VALUE).splitlines()
    above = lines[: lines.index("class Table:")]
    assert next(line for line in reversed(above) if line).startswith("@mypyc_attr(allow_interpreted_subclasses=True")


def test_lines_keep_their_numbers() -> None:
    """New lines take the place of blank ones: a traceback shows the right line of the original."""
    before, after = VALUE.splitlines(), native(VALUE).splitlines()
    kept = [line for line in before if line.strip() and not line.startswith(("@", "class", "from __f", "S", "N"))]
    assert [before.index(line) for line in kept] == [after.index(line) for line in kept]


@pytest.mark.interpreted
@each_row("path", SOURCES)
def test_native_values_are_like_the_original_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The value classes of every module behave in their native form as in Python."""
    name = ".".join(path.with_suffix("").parts)
    original = vars(importlib.import_module(name))
    found = run(native_source(path.read_text(encoding="utf-8"), all_classes()), name, monkeypatch)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(ast.unparse(each) == "value" for each in node.decorator_list):
            compare(original[node.name], found[node.name])


def compare(original: Any, native: Any) -> None:
    """Compare two forms of a value class, with words as the values of their fields."""
    assert native is not original and "_Copyable" not in vars(original)
    assert [(f.name, f.default) for f in dataclasses.fields(native)] == [
        (f.name, f.default) for f in dataclasses.fields(original)
    ]
    expected = inspect.signature(original).parameters.values()
    given = inspect.signature(native).parameters.values()
    assert [(each.name, each.default, each.kind) for each in given] == [
        (each.name, each.default, each.kind) for each in expected
    ]
    assert native.__match_args__ == original.__match_args__
    words = [f"{name} of it" for name in native.__match_args__]
    one, other = native(*words), original(*words)
    assert hash(one) == hash(other) and repr(one) == repr(other)
    assert one == native(*words) == copy.deepcopy(one) and one != other and one == ANY
    for place in range(len(words)):
        assert one != native(*words[:place], "another", *words[place + 1 :])


REFUSED = {
    "an unknown decorator": ("@final\nclass X:\n    pass\n", "class X: expected no decorator or one of"),
    "a value class with arguments": ("@value(order=True)\nclass X:\n    pass\n", "expected no decorator or one of"),
    "two decorators": ("@value\n@final\nclass X:\n    pass\n", "expected no decorator or one of"),
    "a metaclass": ("class X(metaclass=M):\n    pass\n", "and no keywords"),
    "a base that nobody knows": ("class X(Other):\n    pass\n", "class X: Other is no compiled class"),
    "a value class with a base": (
        "class A:\n    pass\n\n\n@value\nclass X(A):\n    pass\n",
        "class X: a value class has no bases",
    ),
    "a value class as base": (
        "@value\nclass A:\n    a: int\n\n\nclass X(A):\n    pass\n",
        "class X: its base A is a value class",
    ),
    "a default factory": (
        "@value\nclass X:\n    a: list[int] = field(default_factory=list)\n",
        "line 9: the default of X.a is no plain value",
    ),
    "an argument that is no field": ("@value\nclass X:\n    a: InitVar[int]\n", "line 9: X.a is no field"),
    "a constant in a value class": ("@value\nclass X:\n    SIZE = 3\n", "line 9: the value class X has more than"),
    "a constructor of its own": (
        "@value\nclass X:\n    def __init__(self) -> None: ...\n",
        "line 9: the value class X defines __init__",
    ),
    "a work after construction": (
        "@value\nclass X:\n    def __post_init__(self) -> None: ...\n",
        "line 9: the value class X defines __post_init__",
    ),
    "a class in a function": ("def f() -> None:\n    class X:\n        pass\n", "line 8: class X: not on the level of"),
    "two constants at once": ("A, B = 1, 2\n", "line 7: assign A, B one by one"),
    "a constant with two names": ("A = B = 1\n", "line 7: assign A, B one by one"),
    "a header that is written otherwise": ("@value\nclass X():\n    a: int\n", "line 8: expected 'class X:'"),
}


@each_row(("source", "message"), REFUSED.values())
def test_what_might_be_compiled_wrongly_is_refused(source: str, message: str) -> None:
    """The build stops, with the line and the reason."""
    with pytest.raises(ValueError) as raised:
        native(BEGIN + source)
    assert message in str(raised.value) and str(raised.value).startswith("line ")


def test_a_module_without_future_annotations_is_refused() -> None:
    """The line of that import is where the others are added."""
    with pytest.raises(ValueError, match="line 3: expected 'from __future__ import annotations', got 'import os'"):
        native('"""A module."""\n\nimport os\n')


def test_a_field_is_declared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A subclass that declares a field again would have its sets emptied while others use them."""
    monkeypatch.chdir(tmp_path)
    base, sub, namesake = Path("base.py"), Path("sub.py"), Path("namesake.py")
    base.write_text(f"{FUTURE}\nclass Facts:\n    waits: set[int]\n", "utf-8")
    again = "\nclass Player(Facts):\n    def __init__(self) -> None:\n        self.waits: set[int] = set()\n"
    sub.write_text(FUTURE + again, "utf-8")
    namesake.write_text(f"{FUTURE}\nclass Facts:\n    other: int\n", "utf-8")
    with pytest.raises(ValueError, match=r"sub.py, line 6: class Player: declares waits again, as Facts does"):
        write_native_sources([base, sub, namesake], tmp_path / "native")


def test_no_class_shares_its_memory_of_instances() -> None:
    """An abstract class is written without its base; a class with another one keeps it."""
    source = f"{FUTURE}from abc import ABC\n\n\nclass Asked(ABC):\n    pass\n\n\nclass Called(Asked):\n    pass\n"
    native = native_source(source, NativeClasses([ast.parse(source)]))
    assert "class Asked:\n" in native and "class Called(Asked):\n" in native


def test_the_folder_has_only_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build removes the files of an earlier one."""
    monkeypatch.chdir(tmp_path)
    module = Path("ump", "model", "point.py")
    module.parent.mkdir(parents=True)
    module.write_text(VALUE, "utf-8")
    stale = tmp_path / "native" / "ump" / "old.py"
    stale.parent.mkdir(parents=True)
    stale.touch()
    written = write_native_sources([module], tmp_path / "native")
    assert written == [tmp_path / "native" / name for name in ("ump/model/copyable.py", "ump/model/point.py")]
    files = sorted(str(path.relative_to(tmp_path / "native")) for path in (tmp_path / "native").rglob("*.py"))
    assert files == ["ump/__init__.py", "ump/model/__init__.py", "ump/model/copyable.py", "ump/model/point.py"]
