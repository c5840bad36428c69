"""Find other people's programs and their versions, or report why they are missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ump.arena.zoo import cache_folder

PATIENCE = 30.0  # seconds within which a program must print its version

SCOPE = "@kobalab"
HOW_NPM = "ump arena zoo majiang --install"
HOW_MJAI = HOW_BOTS = "ump arena zoo rulebase --install"
HOW_RIICHIENV = "pip install -e '.[oracle]'"
HOW_GIMITE = "ump arena zoo shanten --install"
HOW_RUBY = "install ruby, ruby-nokogiri and ruby-sass"
NO_NODE = "node is not installed"


class Missing(Exception):
    """A program is missing; the message says which one, and how to install it."""


@dataclass(frozen=True)
class Npm:
    """A folder of packages for node, in which kobalab's are installed."""

    node: str  # the path of the program
    folder: Path  # the folder ``node_modules``

    def version(self, name: str) -> str:
        """Return the version of one of kobalab's packages; raise Missing if it is not installed."""
        return str(self._read(name)["version"])

    def program(self, name: str, command: str) -> list[str]:
        """Return the words that start a command of a package; raise Missing if it is not installed."""
        return [self.node, str(self.folder / SCOPE / name / self._read(name)["bin"][command])]

    @property
    def has_websocket(self) -> bool:
        """Whether a script can open a WebSocket: with the package ws, or with node 22 and later."""
        return (self.folder / "ws").is_dir() or int(
            version_of([self.node, "--version"]).lstrip("v").split(".")[0]
        ) >= 22

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which scripts in any folder find the packages."""
        return {"NODE_PATH": str(self.folder)}

    def _read(self, name: str) -> dict[str, dict[str, str]]:
        try:
            text = (self.folder / SCOPE / name / "package.json").read_text(encoding="utf-8")
            return dict(json.loads(text))
        except OSError:
            raise Missing(f"{SCOPE}/{name} is not in {self.folder}: {HOW_NPM}") from None


@dataclass(frozen=True)
class PyPI:
    """A Python with the package mjai, and the version of the package."""

    python: str
    version: str


@dataclass(frozen=True)
class Locations:
    """The places in which to look for the programs; None for the usual ones."""

    npm: Path | None
    mjai_python: str | None
    mjai_bots: Path | None
    mjai_ruby: Path | None

    @classmethod
    def from_environment(cls) -> Locations:
        """Return the locations in the environment, or else those of the folders of ``ump arena zoo``."""
        zoo = cache_folder()
        python = _location("UMP_MJAI_PYTHON", zoo / "rulebase/venv/bin/python")
        return cls(
            _location("UMP_NPM"),
            None if python is None else str(python),
            _location("UMP_MJAI_BOTS", zoo / "rulebase/examples"),
            _location("MJAI_RUBY", zoo / "shanten"),
        )


def _location(variable: str, usual: Path | None = None) -> Path | None:
    given = os.environ.get(variable)
    if given:
        return Path(given)
    return usual if usual is not None and usual.exists() else None


def find_npm(locations: Locations) -> Npm:
    """Find kobalab's packages; raise Missing without them or without node."""
    node = shutil.which("node")
    if node is None:
        raise Missing(NO_NODE)
    for folder in _npm_folders(locations.npm):
        if (folder / SCOPE).is_dir():
            return Npm(_absolute(node), folder.resolve())
    raise Missing(f"the packages of {SCOPE} are not installed: {HOW_NPM}")


def _npm_folders(given: Path | None) -> Iterator[Path]:
    """Yield the folders that may contain the packages: only in the given one, if there is one."""
    if given is not None:
        yield from (given / "node_modules", given)
        return
    yield from (Path(each) for each in os.environ.get("NODE_PATH", "").split(os.pathsep) if each)
    yield Path("node_modules")
    yield cache_folder() / "majiang" / "node_modules"


def find_mjai(locations: Locations) -> PyPI:
    """Find a Python with the package mjai; raise Missing without one."""
    python = _absolute(locations.mjai_python or sys.executable)
    try:
        return PyPI(python, version_of([python, "-c", "from importlib.metadata import *; print(version('mjai'))"]))
    except Missing:
        raise Missing(f"{python} has no mjai: {HOW_MJAI}") from None


def find_riichienv() -> str:
    """Return the version of riichienv in the Python that runs this script; raise Missing without it."""
    try:
        return version("riichienv")
    except PackageNotFoundError:
        raise Missing(f"riichienv is not installed: {HOW_RIICHIENV}") from None


def find_bot(locations: Locations, name: str) -> Path:
    """Find one of the example bots of mjai; raise Missing without it."""
    if locations.mjai_bots is None:
        raise Missing(f"the example bots of mjai are not installed: {HOW_BOTS}")
    path = (locations.mjai_bots / name / "bot.py").resolve()
    if not path.is_file():
        raise Missing(f"{path} does not exist: {HOW_BOTS}")
    return path


def find_gimite(locations: Locations) -> list[str]:
    """Return the words that start a command of gimite/mjai; raise Missing without its source, ruby or its libraries.

    The commands in its folder ``bin`` need the gem, which pins a version of json that no longer builds.
    """
    if locations.mjai_ruby is None:
        raise Missing(f"gimite/mjai is not installed: {HOW_GIMITE}")
    library = locations.mjai_ruby.resolve() / "lib"
    if not library.is_dir():
        raise Missing(f"{library} does not exist: {HOW_GIMITE}")
    ruby = ["ruby", "-W0", "-I", str(library), "-r", "mjai/mjai_command", "-e"]
    try:
        version_of([*ruby, ""])
    except Missing:
        raise Missing(f"ruby does not load {library}: {HOW_RUBY}") from None
    return [*ruby, "Mjai::MjaiCommand.execute(ARGV.shift, ARGV)"]


def _absolute(program: str) -> str:
    """Return a program with an absolute path, since it is started from other folders; a bare name is left to PATH.

    Links are kept: the python of a virtual environment is one, and would lose its packages.
    """
    return os.path.abspath(program) if os.sep in program else program


def version_of(command: list[str]) -> str:
    """Return the version that a command prints; raise Missing if it fails."""
    with suppress(OSError, subprocess.SubprocessError):
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=True, stdin=subprocess.DEVNULL
        )
        return ended.stdout.strip()
    raise Missing(f"{command[0]} does not print its version")
