"""Sources for mypyc: the modules of ump with native value classes and final constants.

mypyc compiles a class natively only if it finds all of its methods in the source. ``@value`` makes them at run time, so
its classes would stay ordinary Python classes, and an event would take four times as long to make. And mypyc looks up
a module's constants in a dict, each time, unless they are ``Final``. This module writes both into a copy of the source.

Servers copy sessions and send them to other processes, so compiled objects must be copyable. mypyc's own way to that
(2.4) also needs classes that programs may subclass.

The copy is valid Python. Nearly all lines keep their numbers, so that tracebacks fit the original: new lines take the
place of blank ones. Whatever might be written wrongly is refused (``native_classes.py``).
"""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from scripts.compiling.native_classes import VALUE, NativeClasses, fields
from scripts.compiling.source_edits import SourceEdits

COPYABLE = Path("ump", "model", "copyable.py")
"""The module that ``write_native_sources`` adds."""

FUTURE = "from __future__ import annotations"
"""The first statement of every compiled module."""

IMPORTS = (
    "from dataclasses import dataclass as _dataclass",
    "from typing import Final as _Final, TYPE_CHECKING",
    "from ump.model.copyable import Copyable as _Copyable",
)
"""What a native source imports besides its own imports."""

IMPORT_OF_MYPYC = "if TYPE_CHECKING: from mypy_extensions import mypyc_attr"
"""Not needed to run: mypyc reads the decorator and leaves it out."""

OPEN = "@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)"
"""Decorates classes whose objects can be copied."""

CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
INDENT = "    "


def write_native_sources(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Write the native form of these sources into a folder, under the same relative paths; return the new paths.

    The folder is emptied first. Each package gets an ``__init__.py`` there, from which mypyc knows the names of the
    modules. Raise ValueError, with path and line, if a source has something that might be compiled wrongly.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    classes = NativeClasses(map(ast.parse, texts.values()))
    shutil.rmtree(folder, ignore_errors=True)
    written = [folder / COPYABLE]
    for path, text in texts.items():
        try:
            native = native_source(text, classes)
        except ValueError as error:
            raise ValueError(f"{path}, {error}") from None
        written.append(_write(folder, path, native))
    _write(folder, COPYABLE, Path(__file__).with_name("copyable.py").read_text(encoding="utf-8"))
    return written


def _write(folder: Path, path: Path, text: str) -> Path:
    """Write a module into a folder; return its path there."""
    copy = folder / path
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text, encoding="utf-8")
    for package in path.parents[:-1]:
        (folder / package / "__init__.py").touch()
    return copy


def native_source(text: str, classes: NativeClasses) -> str:
    """Return a module's source with native value classes and final constants."""
    edits = SourceEdits(text)
    tree = ast.parse(text)
    edits.replace_line(_line_of_future(tree), FUTURE, "; ".join((FUTURE, *IMPORTS)))
    edits.add_line(_line_of_future(tree), IMPORT_OF_MYPYC)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node not in tree.body:
            raise ValueError(f"line {node.lineno}: class {node.name}: not on the level of the module")
    for before, node in pairwise(tree.body):
        if isinstance(node, ast.ClassDef):
            classes.check(node)
            if not node.decorator_list and classes.is_native(node):
                assert before.end_lineno is not None
                edits.add_line(before.end_lineno, OPEN)
            elif node.decorator_list:
                _write_dataclass(node, edits)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            _make_final(node, edits)
    return edits.result()


def _line_of_future(tree: ast.Module) -> int:
    """Return the line of the first statement below the docstring, which must be that import."""
    return next((node.lineno for node in tree.body if not isinstance(node, ast.Expr)), 1)


def _write_dataclass(node: ast.ClassDef, edits: SourceEdits) -> None:
    """Write one dataclass so that its objects can be copied; a value class also with its methods."""
    edits.replace_line(node.lineno, f"class {node.name}:", f"class {node.name}(_Copyable):")
    decorator = node.decorator_list[0]
    if ast.unparse(decorator) == VALUE:
        edits.replace_line(decorator.lineno, f"@{VALUE}", "@_dataclass(init=False, eq=False)")  # fields and __repr__
        for place, method in zip(_places(node), _methods(node), strict=False):
            edits.add_line(place, f"{INDENT}{method}")


def _places(node: ast.ClassDef) -> Iterator[int]:
    """Yield the lines below which methods are written: first the docstring, then always the end of the class."""
    first, end = node.body[0], node.end_lineno
    assert first.end_lineno is not None and end is not None
    yield first.end_lineno
    while True:
        yield end


def _methods(node: ast.ClassDef) -> list[str]:
    """Return the methods of a value class, each in one line."""
    names = [ast.unparse(field.target) for field in fields(node)]
    equal = " and ".join(f"self.{each} == other.{each}" for each in names) or "True"
    is_same_class = f"isinstance(other, {node.name})"
    hashed = "".join(f"self.{each}, " for each in names)
    methods = [
        f"def __eq__(self, other: object) -> bool: return {equal} if {is_same_class} else NotImplemented",
        f"def __hash__(self) -> int: return hash(({hashed}))",
    ]
    if names:
        arguments = ", ".join(map(_argument, fields(node)))
        stored = "; ".join(f"self.{each} = {each}" for each in names)
        methods.append(f"def __init__(self, {arguments}) -> None: {stored}")
    return methods


def _argument(field: ast.AnnAssign) -> str:
    default = "" if field.value is None else f" = {ast.unparse(field.value)}"
    return f"{ast.unparse(field.target)}: {ast.unparse(field.annotation)}{default}"


def _make_final(node: ast.Assign | ast.AnnAssign, edits: SourceEdits) -> None:
    """Make the assignment of one constant final. Raise ValueError if it assigns several."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    if not any(map(CONSTANT.fullmatch, names)):
        return
    target = targets[0]
    if len(names) > 1 or not isinstance(target, ast.Name):
        raise ValueError(f"line {node.lineno}: assign {', '.join(names)} one by one")
    if _stays_variable(node):
        return
    assert target.end_col_offset is not None
    if isinstance(node, ast.Assign):
        edits.insert(node.lineno, target.end_col_offset, ": _Final")
        return
    annotation = node.annotation
    assert annotation.end_lineno is not None and annotation.end_col_offset is not None
    edits.insert(annotation.lineno, annotation.col_offset, "_Final[")
    edits.insert(annotation.end_lineno, annotation.end_col_offset, "]")


def _stays_variable(node: ast.Assign | ast.AnnAssign) -> bool:
    """Tell whether a name stands for a type (TypeAlias, TypeVar), or for a tuple of unspecified type.

    mypyc keeps such a tuple as a C structure of its size, which is slow to index, and fails with floats in it (2.4).
    """
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) == "TypeAlias"
    is_variable = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "TypeVar"
    return is_variable or isinstance(node.value, ast.Tuple)
