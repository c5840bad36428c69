"""Rules for the source code: imports between packages, docstrings, names, the length of functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from support import imports as graph
from support.imports import COLUMN

pytestmark = pytest.mark.once  # about the source of the checkout, which is the same everywhere

NOT_EVEN_BELOW: dict[str, frozenset[str]] = {
    "players": frozenset({"game"}),
    "text": frozenset({"game"}),
    "wire": frozenset({"game"}),
    "database": frozenset(COLUMN) - {"model", "database"},
    "web": frozenset(COLUMN) - {"model", "web"},
    "net": frozenset(COLUMN) - {"model", "rules", "wire", "net"},
}
"""Packages further up that must not be imported either: what plays knows no truth, what moves bytes no game."""

SOME_MODULES_ONLY = {
    ("wire", "rules"): ("ump.rules.ruleset",),
    ("wire", "players"): ("ump.players.observation", "ump.players.hints"),
    ("text", "players"): ("ump.players.observation", "ump.players.hints"),
}
"""For an importing and an imported package: the modules that may be imported."""

TWISTED = ("net", "server", "bots", "cli")
"""The packages that may import Twisted."""

PURE = frozenset(COLUMN[: COLUMN.index("net")]) - {"database"}
"""Packages that get time and randomness as arguments."""

IMPURE = frozenset({"time", "socket", "asyncio", "selectors", "select", "threading", "secrets", "uuid", "subprocess"})
"""Clocks, sockets, threads and sources of randomness: forbidden in the ``PURE`` packages."""

WALL_CLOCK = "net/wall_clock.py"
"""The one place where a server asks for date and time of day."""

MONOTONIC = frozenset({"monotonic", "perf_counter"})
"""The names that others of ``net`` and ``server`` import from ``time``."""

CALENDAR = (("time", "time"), ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"))
"""Functions that tell date and time of day, by what they belong to."""

DATES = frozenset({"fromtimestamp", "gmtime", "began_at", "group_name"})
"""Functions that make a date of seconds: those of a reactor have none."""

WRAPPED_LIBRARIES = ("mahjong", "xiangting")
"""Libraries that one module each wraps."""

VAGUE = ("Manager", "Handler", "Helper", "Util", "Processor")
"""Vague words, which names must not contain."""

STARTS_ITSELF = {
    "support/programs.py": "the one place",
    "net/test_child_process.py": "tests the launcher of child bots, which runs without site-packages",
    "server/arena/test_program_arena.py": "lists processes with ps; the arena starts the bots",
    "test_contrib.py": "runs systemd-analyze, on units that name the interpreter",
}
"""Tests that import ``subprocess`` and name the interpreter, each with its reason. Others use ``support.programs``."""

LONGEST_FUNCTION = 60
"""In lines, without the function's docstring."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


SOURCES = graph.sources("ump", "clients")


def every_source(check: Callable[[str], None]) -> Callable[[], None]:
    """Make one test of a check: it checks each file, and fails with the complaints about all of them."""

    def test() -> None:
        complaints = []
        for source in SOURCES:
            try:
                check(source)
            except AssertionError as error:
                complaints.append(f"{source}: {error}")
        assert not complaints, "\n".join(complaints)

    test.__name__, test.__doc__ = check.__name__, check.__doc__
    return test


def _package(source: str) -> str:
    """Return the package that a file belongs to: ``ump/game/kyoku.py`` is in ``game``."""
    parts = source.split("/")
    return parts[0] if parts[0] != "ump" else parts[1]


def _imported_packages(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the package and the full name of everything that is imported from ump."""
    for module, name in graph.imports(tree):
        path = f"{module}.{name}".strip(".").split(".")
        if path[0] == "ump" and len(path) > 1:
            yield path[1], ".".join(path)


@cache
def _definitions(tree: ast.AST, prefix: str = "") -> tuple[tuple[str, Definition], ...]:
    """Return each class and function with its dotted name, nested ones included."""
    found: list[tuple[str, Definition]] = []
    for node in graph.statements(tree):
        if isinstance(node, Definition):
            found += ((prefix + node.name, node), *_definitions(node, f"{prefix}{node.name}."))
        else:
            found += _definitions(node, prefix)
    return tuple(found)


def _is_public(name: str) -> bool:
    """Return whether no part of a dotted name starts with an underscore."""
    return not any(part.startswith("_") for part in name.split("."))


@every_source
def test_packages_import_upwards_in_the_column(source: str) -> None:
    """A package imports only from those before it in ``COLUMN``; the clients and the modules at the top from all."""
    package = _package(source)
    if package not in COLUMN:
        assert source in ("ump/__init__.py", "ump/__main__.py") or package == "clients", "in no package of the column"
        return
    allowed = frozenset(COLUMN[: COLUMN.index(package) + 1]) - NOT_EVEN_BELOW.get(package, frozenset())
    assert [name for other, name in _imported_packages(graph.tree(source)) if other not in allowed] == []


@every_source
def test_some_packages_import_few_modules_of_another(source: str) -> None:
    """A codec may import the ruleset, the observation and hints from it, but no code that judges or plays."""
    package = _package(source)
    wrong = [
        name
        for other, name in _imported_packages(graph.tree(source))
        if (package, other) in SOME_MODULES_ONLY
        and not f"{name}.".startswith(tuple(f"{each}." for each in SOME_MODULES_ONLY[package, other]))
    ]
    assert not wrong


def test_no_circular_imports() -> None:
    """No module imports itself through others, imports for annotations included."""
    modules = {graph.module(source): source for source in SOURCES}
    imported = {module: graph.imported_modules(source, modules) - {module} for module, source in modules.items()}
    reached = {module: graph.reached(module, imported) for module in modules}
    circles = {
        frozenset(other for other in reached[module] if module in reached[other])
        for module in modules
        if module in reached[module]
    }
    assert circles == set()


def test_the_picture_is_that_of_the_imports() -> None:
    """``python tests/support/imports.py`` draws it anew in docs/architecture.md."""
    assert graph.PAGE.read_text("utf-8") == graph.page_with_picture()


def test_changes_lead_to_tests() -> None:
    """``--changed`` follows imports upwards, but not through what imports nearly everything."""
    folders = ("ump", "tests/support", "tests/text", "tests/model")  # those of the other tests take seconds to read
    chosen = graph.tests_of(["ump/text/written_hands.py", "README.md"], folders)
    assert "tests/text/test_written_hands.py" in chosen
    assert not any(name.startswith("tests/model/") for name in chosen)
    assert graph.tests_of(["tests/text/test_waits.py"], folders) == {"tests/text/test_waits.py"}


@every_source
def test_only_the_shell_imports_twisted(source: str) -> None:
    """The packages before ``net``, and programs in a terminal, know neither Twisted nor zope."""
    if _package(source) in TWISTED:
        return
    assert [
        module for module, _ in graph.imports(graph.tree(source)) if module.split(".")[0] in ("twisted", "zope")
    ] == []


@every_source
def test_no_module_imports_the_reactor(source: str) -> None:
    """Importing the reactor installs one, too early for ``--reactor``; only functions may import it."""
    for node in graph.tree(source).body:
        assert ("twisted.internet", "reactor") not in graph.imports(node) or isinstance(node, Definition)


@every_source
def test_pure_packages_have_no_clock_and_no_global_randomness(source: str) -> None:
    """Clocks, sockets and the functions of ``random`` are forbidden; a seeded ``random.Random`` is allowed."""
    if _package(source) not in PURE:
        return
    parsed = graph.tree(source)
    found = graph.imports(parsed)
    assert [module for module, _ in found if module.split(".")[0] in IMPURE] == []
    assert [name for module, name in found if module == "random" and name not in ("", "Random")] == []
    used = [node for node in ast.walk(parsed) if isinstance(node, ast.Attribute) and _is_name(node.value, "random")]
    assert [node.attr for node in used if node.attr != "Random"] == []


@every_source
def test_the_wall_clock_is_asked_in_one_place(source: str) -> None:
    """A timer or a limit by the date would wait, or end, when somebody sets the clock."""
    if _package(source) not in ("net", "server") or source.endswith(WALL_CLOCK):
        return
    parsed = graph.tree(source)
    asked = [name for module, name in graph.imports(parsed) if module == "time" and name not in ("", *MONOTONIC)]
    for node in ast.walk(parsed):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            asked += [f"{owner}.{name}" for owner, name in CALENDAR if (node.value.id, node.attr) == (owner, name)]
        if isinstance(node, ast.Call) and _name_of(node.func) in DATES:
            counted = [each for each in ast.walk(node) if isinstance(each, ast.Attribute) and each.attr == "seconds"]
            asked += [f"{_name_of(node.func)} of {ast.unparse(each)}" for each in counted]
    assert asked == []


def _name_of(called: ast.expr) -> str:
    """Return the last part of the name of what is called."""
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _is_name(node: ast.expr, name: str) -> bool:
    """Return whether an expression is just this name."""
    return isinstance(node, ast.Name) and node.id == name


@pytest.mark.parametrize("library", WRAPPED_LIBRARIES)
def test_library_is_behind_onemodule(library: str) -> None:
    """A change in a library affects one module."""
    users = [
        source
        for source in SOURCES
        if any(module.split(".")[0] == library for module, _ in graph.imports(graph.tree(source)))
    ]
    assert len(users) <= 1, users


@every_source
def test_the_public_is_documented(source: str) -> None:
    """Modules and their public classes and functions have docstrings; a method has one if it needs it."""
    parsed = graph.tree(source)
    assert ast.get_docstring(parsed), "the module has no docstring"
    public = [node for node in parsed.body if isinstance(node, Definition) and not node.name.startswith("_")]
    assert [node.name for node in public if not ast.get_docstring(node)] == []


@every_source
def test_functions_are_short(source: str) -> None:
    """A longer function does more than one thing."""
    functions = [(name, node) for name, node in _definitions(graph.tree(source)) if not isinstance(node, ast.ClassDef)]
    assert [name for name, node in functions if _length(node) > LONGEST_FUNCTION] == []


def _length(node: Definition) -> int:
    """Return the number of lines of a definition without its docstring."""
    last = node.end_lineno or node.lineno
    documented = node.body[0] if ast.get_docstring(node, clean=False) else None
    doc = (documented.end_lineno or 0) - documented.lineno + 1 if documented else 0
    return last - node.lineno + 1 - doc


@every_source
def test_names_say_something(source: str) -> None:
    """Files, classes and functions have no vague words in their names."""
    words = tuple(word.lower() for word in VAGUE)
    names = [Path(source).stem, *(name.rpartition(".")[2] for name, _ in _definitions(graph.tree(source)))]
    assert [name for name in names if any(word in name.lower() for word in words)] == []


def test_tests_start_programs_in_one_place() -> None:
    """A test that starts Python by itself pays for imports that ``support.programs`` has prepared."""
    starting = set()
    for source in graph.sources("tests"):
        text = (graph.ROOT / source).read_text("utf-8")
        if "subprocess" not in text or "executable" not in text:  # parsing takes longer
            continue
        parsed = graph.tree(source)
        starts = {("subprocess", name) for name in ("", "run", "Popen")} & {*graph.imports(parsed)}
        if starts and any(isinstance(node, ast.Attribute) and node.attr == "executable" for node in ast.walk(parsed)):
            starting.add(source.removeprefix("tests/"))
    assert starting == set(STARTS_ITSELF)
