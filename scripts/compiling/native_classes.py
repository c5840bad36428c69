"""The classes of the compiled modules: which ones are native, and whether mypyc can compile them correctly.

Everything here that is not known raises ValueError. A build then stops, instead of compiling a class into something
that is slower than Python or differs from it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

NATIVE = frozenset({"ABC"})
"""Bases from the standard library with which a class can be native."""

ORDINARY = frozenset({"Enum", "IntEnum", "Exception", "ValueError", "Protocol"})
"""Bases from the standard library with which mypyc makes an ordinary Python class."""

VALUE = "value"
COPYABLE_DATACLASS = "dataclass(frozen=True, slots=True, kw_only=True)"
DECORATORS = frozenset({VALUE, COPYABLE_DATACLASS})
"""The decorators that classes may have."""

WRITTEN = frozenset({"__init__", "__eq__", "__hash__"})
"""Methods that a native value class has in its source."""

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
        """Tell whether mypyc makes a native class of a class."""
        return not any(name in ORDINARY for name in self._names(node))

    def _names(self, node: ast.ClassDef) -> Iterator[str]:
        """Yield the names of the bases of a class, and of theirs."""
        for name in map(ast.unparse, node.bases):
            yield name
            for base in self._classes.get(name, ()):
                yield from self._names(base)

    def _bases(self, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """Yield the compiled bases of a class, and theirs."""
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
