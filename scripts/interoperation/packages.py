"""Other people's programs: where they are looked for, in which version they are there, or why they are not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 30.0
"""Seconds within which a program must have said its version."""

SCOPE = "@kobalab"
HOW_NPM = "npm install --prefix DIR @kobalab/majiang-server, then --npm DIR"
HOW_MJAI = "pip install mjai into an environment of its own, then --mjai-python DIR/bin/python"
HOW_BOTS = "get the examples/ of smly/mjai.app, then --mjai-bots DIR"
NO_NODE = "there is no node"


class Missing(Exception):
    """Something is not there; the message says what, and how one comes by it."""


@dataclass(frozen=True)
class Npm:
    """A folder of packages for node."""

    node: str
    """The program."""
    folder: Path
    """That which node calls ``node_modules``."""

    def version(self, name: str) -> str:
        """Return the version of one of kobalab's packages; raises Missing."""
        return str(self._read(name)["version"])

    def program(self, name: str, command: str) -> list[str]:
        """Return how a package's command is started; raises Missing."""
        return [self.node, str(self.folder / SCOPE / name / self._read(name)["bin"][command])]

    @property
    def has_websocket(self) -> bool:
        """Whether a script can open a WebSocket: node itself can from version 22 on."""
        return (self.folder / "ws").is_dir() or int(
            version_of([self.node, "--version"]).lstrip("v").split(".")[0]
        ) >= 22

    @property
    def environment(self) -> dict[str, str]:
        """What lets a script from anywhere find the packages."""
        return {"NODE_PATH": str(self.folder)}

    def _read(self, name: str) -> dict[str, dict[str, str]]:
        try:
            text = (self.folder / SCOPE / name / "package.json").read_text(encoding="utf-8")
            return dict(json.loads(text))
        except OSError:
            raise Missing(f"there is no {SCOPE}/{name} in {self.folder}: {HOW_NPM}") from None


@dataclass(frozen=True)
class PyPI:
    """A Python that has the package mjai."""

    python: str
    version: str


@dataclass(frozen=True)
class Wanted:
    """Where to look; None for where such things usually are."""

    npm: Path | None = None
    mjai_python: str | None = None
    mjai_bots: Path | None = None

    @classmethod
    def by_environment(cls) -> Wanted:
        """Return what the environment says: UMP_NPM, UMP_MJAI_PYTHON, UMP_MJAI_BOTS."""
        npm, python, bots = (os.environ.get(name) or None for name in VARIABLES)
        return cls(None if npm is None else Path(npm), python, None if bots is None else Path(bots))


VARIABLES = ("UMP_NPM", "UMP_MJAI_PYTHON", "UMP_MJAI_BOTS")


def find_npm(wanted: Wanted) -> Npm:
    """Find kobalab's packages; raises Missing."""
    node = shutil.which("node")
    if node is None:
        raise Missing(NO_NODE)
    for folder in _npm_folders(wanted.npm):
        if (folder / SCOPE).is_dir():
            return Npm(node, folder.resolve())
    raise Missing(f"there are no packages of {SCOPE}: {HOW_NPM}")


def _npm_folders(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield from (given / "node_modules", given)
        return
    yield from (Path(each) for each in os.environ.get("NODE_PATH", "").split(os.pathsep) if each)
    yield Path("node_modules")


def find_mjai(wanted: Wanted) -> PyPI:
    """Find a Python with the package mjai; raises Missing."""
    python = wanted.mjai_python or sys.executable
    try:
        return PyPI(python, version_of([python, "-c", "from importlib.metadata import *; print(version('mjai'))"]))
    except Missing:
        raise Missing(f"{python} has no mjai: {HOW_MJAI}") from None


def find_bot(wanted: Wanted, name: str) -> Path:
    """Find one of the examples that belong to mjai; raises Missing."""
    if wanted.mjai_bots is None:
        raise Missing(f"there are no examples of mjai: {HOW_BOTS}")
    path = (wanted.mjai_bots / name / "bot.py").resolve()
    if not path.is_file():
        raise Missing(f"there is no {path}: {HOW_BOTS}")
    return path


def version_of(command: list[str]) -> str:
    """Return what a command prints, which is a version; raises Missing."""
    with suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=True, stdin=subprocess.DEVNULL
        )
        return said.stdout.strip()
    raise Missing(f"{command[0]} does not say its version")
