"""The imports of each module, read from the sources: for the rules of the architecture, and for ``--changed``.

Run it to draw the picture in docs/architecture.md anew.
"""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

COLUMN = (
    *("model", "web", "rules", "game", "players", "text", "wire", "table", "database", "record", "arena", "env"),
    *("drills", "net", "server", "bots", "terminal", "cli"),
)
"""The packages of ump. Each imports only from those before it."""

PAGE = ROOT / "docs" / "architecture.md"

HUBS = frozenset({"ump.cli.main", "ump.server.service", "support.memory_server", "support.memory_site"})
"""Modules that import nearly all of ump. A change below them is not followed through them to their tests."""


@cache
def sources(*folders: str) -> tuple[str, ...]:
    """Return the Python files in these folders, as paths relative to the checkout."""
    return tuple(sorted(path.relative_to(ROOT).as_posix() for each in folders for path in (ROOT / each).rglob("*.py")))


@cache
def tree(source: str) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse((ROOT / source).read_text(encoding="utf-8"), source)


def statements(node: ast.AST) -> list[ast.AST]:
    """Return the statements right below a node. Going through these alone is ten times as fast as ``ast.walk``."""
    return [each for part in ("body", "handlers", "orelse", "finalbody", "cases") for each in getattr(node, part, ())]


@cache
def imports(node: ast.AST) -> tuple[tuple[str, str], ...]:
    """Return each import as module and name. The name is empty for ``import module``."""
    if isinstance(node, ast.Import):
        return tuple((alias.name, "") for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        assert not node.level, "relative import"
        return tuple((node.module or "", alias.name) for alias in node.names)
    return tuple(found for each in statements(node) for found in imports(each))


def module(source: str) -> str:
    """Return the dotted name of a file, as others import it: ``support.imports`` for this one."""
    name = source.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return name.removeprefix("tests.")


def imported_modules(source: str, modules: Container[str]) -> set[str]:
    """Return the modules, out of the given ones, that a file imports."""
    names = {(module, f"{module}.{name}") for module, name in imports(tree(source))}
    return {full if full in modules else module for module, full in names if full in modules or module in modules}


def reached(start: str, edges: Mapping[str, Iterable[str]], stops: Container[str] = ()) -> set[str]:
    """Return what the edges lead to from a module, directly or through others; no way leads through ``stops``."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        at = waiting.pop()
        new = set(edges.get(at, ())) - found if at == start or at not in stops else set()
        found |= new
        waiting += new
    return found


def changed_files() -> list[str]:
    """Return the files that differ from the last commit, new ones included."""
    said = subprocess.run(
        ["git", "status", "--porcelain", "--no-renames", "--untracked-files=all"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line[3:] for line in said.stdout.splitlines() if not line.startswith((" D", "D"))]


def tests_of(changed: Iterable[str], folders: Sequence[str] = ("ump", "tests", "scripts", "clients")) -> set[str]:
    """Return the test files that a change of these files can reach by imports of the files in some folders."""
    modules = {module(source): source for source in sources(*folders)}
    importers: dict[str, set[str]] = {name: set() for name in modules}
    for name, source in modules.items():
        for other in imported_modules(source, modules):
            importers[other].add(name)
    begin = [module(each) for each in changed if each.endswith(".py")]
    names = {name for each in begin for name in (each, *reached(each, importers, HUBS))}
    return {modules[name] for name in names if name in modules and "/test_" in modules[name]}


def picture() -> str:
    """Return a row for each package, with a dot below the square of each package that it imports."""
    width = max(map(len, COLUMN))
    rows = []
    for name in COLUMN:
        used = _packages_of(name)
        marks = ("■" if other == name else "·" if other in used else " " for other in COLUMN)
        rows.append(f"{name:{width + 2}}{''.join(marks)}")
    return "\n".join(line.rstrip() for line in rows)


def _packages_of(package: str) -> set[str]:
    names = {".".join(filter(None, each)) for source in sources(f"ump/{package}") for each in imports(tree(source))}
    return {name.split(".")[1] for name in names if name.startswith("ump.") and name.count(".")}


def page_with_picture() -> str:
    """Return docs/architecture.md with the picture of today."""
    before, mark, rest = PAGE.read_text("utf-8").partition("```imports\n")
    return f"{before}{mark}{picture()}\n```{rest.partition('```')[2]}"


if __name__ == "__main__":
    PAGE.write_text(page_with_picture(), "utf-8")
