"""What the code may look like: which room may import which, what must be documented, how long things may be."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

ROOMS: dict[str, frozenset[str]] = {
    "model": frozenset(),
    "rules": frozenset({"model"}),
    "game": frozenset({"model", "rules"}),
    "wire": frozenset({"model", "rules"}),
    "table": frozenset({"model", "rules", "game"}),
    "players": frozenset({"model", "rules"}),
    "report": frozenset({"model", "rules"}),
    "record": frozenset({"model", "rules", "game", "wire"}),
    "net": frozenset({"model", "rules", "game", "wire", "table", "players", "record"}),
    "arena": frozenset({"model", "rules", "game", "wire", "table", "players", "record", "net"}),
    "clients": frozenset({"model", "rules", "wire", "players"}),
}
"""Which rooms of ump each room may import, besides itself. cli, service and tap stand on top and may import all."""

OF_RULESET_ALONE = frozenset({"wire"})
"""Rooms that may import nothing of rules but the Ruleset."""

ABOVE = frozenset({"ump/service.py", "ump/tap.py", "ump/cli.py"})
"""Modules on top of all rooms."""

TWISTED = ("ump/net/", "ump/service.py", "ump/tap.py", "ump/arena/runner.py")
"""Where Twisted may be imported."""

IMPURE = frozenset({"time", "socket", "asyncio", "selectors", "select", "threading", "secrets", "uuid", "subprocess"})
"""Clocks, connections, other sources of surprise: not for what is below ump/net."""

PURE = ("model", "rules", "game", "wire", "table", "players", "report", "record")
"""The rooms below ump/net: time and randomness come in as arguments."""

BEHIND_ONE_MODULE = ("mahjong", "xiangting")
"""Libraries that one module each wraps (the module that falls back to mahjong may be another one)."""

VAGUE = ("Manager", "Handler", "Helper", "Util", "Processor")
"""Words in names that say nothing."""

LONGEST_FILE = 500
LONGEST_FUNCTION = 60
"""In lines, a function's docstring left out."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _sources() -> list[str]:
    """The Python files of the package and of the clients, from the root of the checkout on."""
    return sorted(
        path.relative_to(ROOT).as_posix() for folder in ("ump", "clients") for path in (ROOT / folder).rglob("*.py")
    )


every_source = pytest.mark.parametrize("source", _sources())


def _tree(source: str) -> ast.Module:
    return ast.parse((ROOT / source).read_text(encoding="utf-8"), source)


def _room(source: str) -> str:
    """Return the room that a file belongs to: ``ump/game/kyoku.py`` is in ``game``."""
    parts = source.split("/")
    return parts[0] if parts[0] != "ump" else parts[1]


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each import as module and name, the name empty for ``import module``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports hide where a name comes from"
            yield from ((node.module or "", alias.name) for alias in node.names)


def _imported_rooms(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the room and the full name of everything that is imported from ump."""
    for module, name in _imports(tree):
        path = f"{module}.{name}".strip(".").split(".")
        if path[0] == "ump" and len(path) > 1:
            yield path[1], ".".join(path)


def _definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield each class and function with its dotted name, those within others too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Definition):
            yield prefix + node.name, node
            yield from _definitions(node, f"{prefix}{node.name}.")
        else:
            yield from _definitions(node, prefix)


def _is_public(name: str) -> bool:
    """Tell whether no part of a dotted name starts with an underscore."""
    return not any(part.startswith("_") for part in name.split("."))


@every_source
def test_rooms_import_downwards(source: str) -> None:
    """A room imports only the rooms that stand under it."""
    if source in ABOVE or source == "ump/__init__.py":
        return
    room = _room(source)
    wrong = [name for other, name in _imported_rooms(_tree(source)) if other not in ROOMS[room] | {room}]
    assert not wrong


@every_source
def test_some_rooms_know_the_ruleset_alone(source: str) -> None:
    """A codec may say what the rules are, never judge by them."""
    if _room(source) not in OF_RULESET_ALONE:
        return
    names = [name for other, name in _imported_rooms(_tree(source)) if other == "rules"]
    assert [name for name in names if not name.startswith("ump.rules.ruleset.")] == []


@every_source
def test_twisted_stays_in_the_shell(source: str) -> None:
    """Only the outermost rooms import Twisted or zope."""
    if source.startswith(TWISTED):
        return
    assert [module for module, _ in _imports(_tree(source)) if module.split(".")[0] in ("twisted", "zope")] == []


@every_source
def test_no_reactor_at_import(source: str) -> None:
    """Importing the reactor installs one, too early for --reactor: that happens in functions only."""
    for node in _tree(source).body:
        assert ("twisted.internet", "reactor") not in _imports(node) or isinstance(node, Definition)


@every_source
def test_what_is_below_the_network_has_no_clock_and_no_chance(source: str) -> None:
    """Time, sockets and the random module's functions stay out; a seeded random.Random may come in."""
    if _room(source) not in PURE:
        return
    tree = _tree(source)
    imports = list(_imports(tree))
    assert [module for module, _ in imports if module.split(".")[0] in IMPURE] == []
    assert [name for module, name in imports if module == "random" and name not in ("", "Random")] == []
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _names(node.value, "random")]
    assert [node.attr for node in used if node.attr != "Random"] == []


def _names(node: ast.expr, name: str) -> bool:
    """Tell whether an expression is just this name."""
    return isinstance(node, ast.Name) and node.id == name


@pytest.mark.parametrize("library", BEHIND_ONE_MODULE)
def test_library_is_behind_one_module(library: str) -> None:
    """What a library's maker changes must be met in one place; shanten without xiangting falls back to mahjong's."""
    users = [
        source for source in _sources() if any(module.split(".")[0] == library for module, _ in _imports(_tree(source)))
    ]
    fallback = [source for source in users if library == "mahjong" and source == "ump/rules/shanten.py"]
    assert len(users) - len(fallback) <= 1, users


@every_source
def test_everything_public_is_documented(source: str) -> None:
    """Modules, and public classes and functions, say what they are for."""
    tree = _tree(source)
    assert ast.get_docstring(tree), "the module has no docstring"
    silent = [name for name, node in _definitions(tree) if _is_public(name) and not ast.get_docstring(node)]
    assert not silent


@every_source
def test_files_are_short(source: str) -> None:
    """A file that outgrows this is about two things."""
    lines = (ROOT / source).read_text(encoding="utf-8").count("\n")
    assert lines <= LONGEST_FILE


@every_source
def test_functions_are_short(source: str) -> None:
    """A function that outgrows this holds two ideas."""
    functions = [(name, node) for name, node in _definitions(_tree(source)) if not isinstance(node, ast.ClassDef)]
    assert [name for name, node in functions if _length(node) > LONGEST_FUNCTION] == []


def _length(node: Definition) -> int:
    """Count the lines of a definition without its docstring."""
    last = node.end_lineno or node.lineno
    documented = node.body[0] if ast.get_docstring(node, clean=False) else None
    doc = (documented.end_lineno or 0) - documented.lineno + 1 if documented else 0
    return last - node.lineno + 1 - doc


@every_source
def test_names_say_something(source: str) -> None:
    """Files, classes and functions are named after what they are in the game."""
    words = tuple(word.lower() for word in VAGUE)
    names = [Path(source).stem, *(name.rpartition(".")[2] for name, _ in _definitions(_tree(source)))]
    assert [name for name in names if any(word in name.lower() for word in words)] == []
