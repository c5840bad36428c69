"""Sources for mypyc: the modules of ump with native value classes and final constants.

mypyc compiles a class natively only if it finds all of its methods in the source. ``@value`` makes them at run time, so
its classes would stay ordinary Python classes, and an event would take four times as long to make. And mypyc looks up
a module's constants in a dict, each time, unless they are ``Final``. This module writes both into a copy of the source.
With mypyc's own support of dataclasses and the sources as they are, a game takes a third more time: 31 % more when
drawn tiles are discarded, 37 % more with random legal actions (mypyc 2.4).

Servers copy sessions and send them to other processes, so compiled objects must be copyable. mypyc's own way to that
(2.4) also needs classes that programs may subclass.

The copy is valid Python. Nearly all lines keep their numbers, so that tracebacks fit the original: new lines take the
place of blank ones. Whatever might be written wrongly is refused: everything about a class that is not known raises
ValueError. A build then stops, instead of compiling it into something that is slower than Python or differs from it.
"""

from __future__ import annotations

import ast
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

# The modules

COMPILED = (
    "model/*",
    "rules/*",
    "game/*",
    "players/*",
    "table/view",
    "arena/environment",
    "arena/play",
    "arena/watched",
    "env/action_ids",
    "env/episode",
    "env/rows",
    "record/player_counts",
    "wire/mjai/events",
)
"""Modules that are compiled, except each package's ``__init__``."""

NOT_COMPILED = ("model/value", "model/yaku", "model/notation", "model/written")
"""Modules among them that stay Python.

mypyc cannot compile the first two: a class made by a function, an enumeration with a constructor. Notations are read
and written rarely.
"""


def compiled_modules(package: Path) -> list[Path]:
    """Return the paths of the sources that are compiled; raise ValueError if one of the names stands for nothing."""
    left_out = {name: package / f"{name}.py" for name in NOT_COMPILED}
    found = {name: sorted(package.glob(f"{name}.py")) for name in COMPILED}
    wrong = [*(name for name, paths in found.items() if not paths)]
    wrong += [name for name, path in left_out.items() if not path.is_file()]
    if wrong:
        raise ValueError(f"there is no {wrong[0]}.py in {package}")
    paths = [path for each in found.values() for path in each if path.stem != "__init__"]
    return [path for path in paths if path not in left_out.values()]


# Classes

NATIVE = frozenset({"ABC"})  # bases from the standard library with which a class can be native

ORDINARY = frozenset({"Enum", "IntEnum", "Exception", "ValueError", "Protocol"})
"""Bases from the standard library with which mypyc makes an ordinary Python class."""

VALUE = "value"
COPYABLE_DATACLASS = "dataclass(frozen=True, slots=True, kw_only=True)"
DECORATORS = frozenset({VALUE, COPYABLE_DATACLASS})  # the decorators that classes may have
WRITTEN = frozenset({"__init__", "__eq__", "__hash__"})  # methods that a native value class has in its source

UNKNOWN_TO_VALUES = frozenset({"__new__", "__post_init__", "__reduce__", "__repr__"}) | WRITTEN
"""Methods that a value class does not define itself."""


class NativeClasses:
    """The classes of all modules that are compiled together, by name. Two modules may have a class of the same name."""

    def __init__(self, modules: Iterable[ast.Module]) -> None:
        self._classes: defaultdict[str, list[ast.ClassDef]] = defaultdict(list)
        for module in modules:
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef):
                    self._classes[node.name].append(node)

    def check(self, node: ast.ClassDef) -> None:
        """Raise ValueError if a class has something that is not known to compile correctly."""
        decorators = [ast.unparse(each) for each in node.decorator_list]
        if len(decorators) > 1 or not DECORATORS.issuperset(decorators) or node.keywords:
            raise _error(node, f"expected no decorator or one of {', '.join(sorted(DECORATORS))}, and no keywords")
        if VALUE in decorators:
            _check_value(node)
        self._check_bases(node)
        self._check_fields(node)

    def is_native(self, node: ast.ClassDef) -> bool:
        return not any(name in ORDINARY for name in self._names(node))

    def _names(self, node: ast.ClassDef) -> Iterator[str]:
        for name in map(ast.unparse, node.bases):
            yield name
            for base in self._classes.get(name, ()):
                yield from self._names(base)

    def _bases(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        for name in map(ast.unparse, node.bases):
            for base in self._classes.get(name, ()):
                yield base
                yield from self._bases(base)

    def _check_bases(self, node: ast.ClassDef) -> None:
        """Raise ValueError if a class has an unknown base, or the base is a value class.

        A value class has no subclasses: its ``==`` compares the fields of the class alone.
        """
        for name in self._names(node):
            if name not in NATIVE | ORDINARY and name not in self._classes:
                raise _error(node, f"{name} is no compiled class; list it in NATIVE or ORDINARY")
        for base in self._bases(node):
            if base.decorator_list:
                raise _error(node, f"its base {base.name} is a value class")

    def _check_fields(self, node: ast.ClassDef) -> None:
        """Raise ValueError if a class declares a field that its base class declares.

        mypyc (2.4) gives both the same place, and lets the garbage collector visit it twice. The collector then takes
        what is there for garbage, and empties sets that others still use.
        """
        for base in self._bases(node):
            twice = _declared(node) & _declared(base)
            if twice:
                raise _error(node, f"declares {', '.join(sorted(twice))} again, as {base.name} does")


def fields(node: ast.ClassDef) -> list[ast.AnnAssign]:
    """Return the declarations of the fields of a dataclass."""
    return [each for each in node.body if isinstance(each, ast.AnnAssign) and not _is_class_variable(each)]


def _is_class_variable(node: ast.AnnAssign) -> bool:
    return ast.unparse(node.annotation).split("[")[0] == "ClassVar"


def _declared(node: ast.ClassDef) -> set[str]:
    """Return the fields that a class declares with a type, in its body or in its methods."""
    found = {ast.unparse(each.target) for each in fields(node)}
    for each in ast.walk(node):
        if isinstance(each, ast.AnnAssign) and ast.unparse(each.target).startswith("self."):
            found.add(ast.unparse(each.target).removeprefix("self."))
    return found


def _check_value(node: ast.ClassDef) -> None:
    """Raise ValueError if a value class has more than a docstring, fields with plain defaults, and methods."""
    if node.bases:
        raise _error(node, "a value class has no bases")
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            if each.name in UNKNOWN_TO_VALUES:
                raise _error(each, f"the value class {node.name} defines {each.name}")
        elif isinstance(each, ast.AnnAssign):
            _check_field(node, each)
        elif not _is_text(each):
            raise _error(each, f"the value class {node.name} has more than fields and methods; declare a ClassVar")


def _check_field(node: ast.ClassDef, field: ast.AnnAssign) -> None:
    """Raise ValueError if the default of a field is made for each object, or its type is one that dataclasses know."""
    name = ast.unparse(field.target)
    if ast.unparse(field.annotation).split("[")[0] in {"InitVar", "KW_ONLY"}:
        raise _error(field, f"{node.name}.{name} is no field")
    if isinstance(field.value, ast.Call) and ast.unparse(field.value.func) in {"field", "dataclasses.field"}:
        raise _error(field, f"the default of {node.name}.{name} is no plain value")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _error(node: ast.stmt, reason: str) -> ValueError:
    name = f"class {node.name}: " if isinstance(node, ast.ClassDef) else ""
    return ValueError(f"line {node.lineno}: {name}{reason}")


# Changes to a text


class SourceEdits:
    """Changes to a text. Lines and columns are those of its syntax tree (``ast``), whatever is changed before them."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._insertions: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        self._replacements: dict[int, str] = {}
        self._new_lines: defaultdict[int, list[str]] = defaultdict(list)

    def insert(self, line: int, column: int, text: str) -> None:
        """Insert a text into a line. ``ast`` counts columns in bytes of UTF-8, from 0."""
        self._insertions[line].append((column, text))

    def replace_line(self, line: int, expected: str, text: str) -> None:
        """Replace a line; raise ValueError if it is not the expected one."""
        found = self._lines[line - 1]
        if found != expected:
            raise ValueError(f"line {line}: expected {expected!r}, got {found!r}")
        self._replacements[line] = text

    def add_line(self, after: int, text: str) -> None:
        """Add a line after a line, in place of a blank one if there is one. Line 0 is before the text."""
        self._new_lines[after].append(text)

    def result(self) -> str:
        written = []
        waiting = self._new_lines[0]
        for number, line in enumerate(self._lines, start=1):
            if not line.strip() and waiting:
                line = waiting.pop(0)
            elif line.strip():
                written += waiting
                waiting = []
                line = self._changed(number, line)
            written.append(line)
            waiting += self._new_lines[number]
        return "\n".join([*written, *waiting]) + "\n"

    def _changed(self, number: int, line: str) -> str:
        if number in self._replacements:
            return self._replacements[number]
        coded = line.encode("utf-8")
        for column, text in sorted(self._insertions[number], reverse=True):
            coded = coded[:column] + text.encode("utf-8") + coded[column:]
        return coded.decode("utf-8")


COPYABLE = Path("ump", "model", "copyable.py")  # the module that ``write_native_sources`` adds
FUTURE = "from __future__ import annotations"  # the first statement of every compiled module

IMPORTS = (
    "from dataclasses import dataclass as _dataclass",
    "from typing import Final as _Final, TYPE_CHECKING",
    "from ump.model.copyable import Copyable as _Copyable",
)
"""The imports that each native source has besides its own."""

IMPORT_OF_MYPYC = "if TYPE_CHECKING: from mypy_extensions import mypyc_attr"
"""Not needed to run: mypyc reads the decorator and leaves it out."""

OPEN = "@mypyc_attr(allow_interpreted_subclasses=True, serializable=True)"
"""Decorates classes whose objects can be copied."""

CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
INDENT = "    "


# The sources


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
                _leave_out_abc(node, edits)
            elif node.decorator_list:
                _write_dataclass(node, edits)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            _make_final(node, edits)
    return edits.result()


def _leave_out_abc(node: ast.ClassDef, edits: SourceEdits) -> None:
    """Write a class without the base ``ABC``: mypyc gives all its classes one memory of what isinstance has answered.

    The source keeps it, so that mypy and plain Python refuse a class that lacks a method.
    """
    if [ast.unparse(base) for base in node.bases] == ["ABC"]:
        edits.replace_line(node.lineno, f"class {node.name}(ABC):", f"class {node.name}:")


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
