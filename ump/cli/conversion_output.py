"""Where ``ump convert`` writes: standard output, a file, a folder of games, or a folder of tables.

An interrupted conversion leaves whole files alone: each is written under another name first.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from pathlib import Path, PurePath

import click

from ump.cli.command_line import InputError
from ump.record.conversion import Converted
from ump.record.formats import FORMATS
from ump.record.record_files import reason
from ump.record.record_format import Fact, RecordFormat
from ump.record.recorded_game import RecordError
from ump.record.tables import TABLE_FILES, UNFINISHED, TableFolder
from ump.text.progress import clear_progress

STDIN = Path("-")
"""The path that stands for standard input and output."""


class Output(ABC):
    """Takes converted games, and says what became of them."""

    is_one = False
    """Whether there is room for one game alone."""

    def __init__(self, target: RecordFormat) -> None:
        self._target = target
        self._lost: set[Fact] = set()
        self._derived: set[Fact] = set()
        self.written = 0
        """The number of games that were written."""
        self.problems = 0
        """The number of files that were not, or not wholly, converted."""

    def add(self, converted: Converted) -> None:
        """Write the games of one file, or say why there are none."""
        self._lost |= converted.lost
        self._derived |= converted.derived
        problem = converted.problem or self._write_all(converted)
        if problem:
            clear_progress()
            click.echo(f"{converted.name}: {problem}", err=True)
            self.problems += 1

    @abstractmethod
    def _write_all(self, converted: Converted) -> str:
        """Write the games of one file; return why that is impossible, or nothing."""

    def finish(self) -> None:
        """Complete what was written. Whole files are complete."""
        return

    def discard(self) -> None:
        """Remove what is not complete. Whole files are complete."""
        return

    def report(self) -> None:
        """Say how many games were written, and what the format did not carry."""
        click.echo(f"{self.written} game{'' if self.written == 1 else 's'} converted, {self.problems} not")
        if self._derived:
            click.echo(f"derived, because not every record says it: {_listed(self._derived)}")
        if self._lost:
            click.echo(f"{self._target.name} does not carry: {_listed(self._lost)}")


def _listed(facts: set[Fact]) -> str:
    return "; ".join(fact.value for fact in Fact if fact in facts)


def output_to(out: Path | None, target: RecordFormat, *, force: bool) -> Output:
    """Return where games of a format go; raise InputError if that is impossible."""
    if target.tabulate is None:
        return GameOutput(out, target, force=force)
    if out is None or out == STDIN or out.is_file():
        raise InputError("tables need a folder: --out FOLDER/")
    return TableOutput(out, target, force=force)


class TableOutput(Output):
    """A folder with a file for each table."""

    def __init__(self, out: Path, target: RecordFormat, *, force: bool) -> None:
        super().__init__(target)
        self._is_complete = False
        try:
            self._folder = TableFolder(out, TABLE_FILES[target.key], target.suffix, force=force)
        except OSError as error:
            raise InputError(f"{error.filename or out}: {reason(error)}") from None
        except RecordError as error:
            raise InputError(str(error)) from None

    def _write_all(self, converted: Converted) -> str:
        for rows in converted.rows:
            try:
                self._folder.add(rows)
            except OSError as error:
                raise InputError(f"cannot write the tables: {reason(error)}") from None
            self.written += 1
        return ""

    def finish(self) -> None:
        """Give the files their names."""
        try:
            self._folder.close()
        except OSError as error:
            raise InputError(f"cannot write the tables: {reason(error)}") from None
        self._is_complete = True

    def discard(self) -> None:
        """Remove the files unless they are complete."""
        if not self._is_complete:
            self._folder.discard()


class GameOutput(Output):
    """Standard output, one file, or a folder with a file for each game."""

    def __init__(self, out: Path | None, target: RecordFormat, *, force: bool) -> None:
        super().__init__(target)
        is_folder = out is not None and (out.is_dir() or str(out).endswith("/") or not out.suffix)
        self._folder = out if is_folder and out != STDIN else None
        self._file = None if is_folder or out == STDIN else out
        self._force = force
        self._names: set[str] = set()
        self.is_one = self._folder is None

    def _write_all(self, converted: Converted) -> str:
        for number, game in enumerate(converted.games, 1):
            problem = self._write(converted.name, number, game)
            if problem:
                return problem
        return ""

    def _write(self, name: str, number: int, game: bytes) -> str:
        """Write one game, and return why that is impossible, or nothing."""
        path = self._file if self._folder is None else self._folder / self._name(name, number)
        if self._folder is None and self.written:
            return "more than one game: give a folder, --out FOLDER/"
        try:
            if path is None:
                sys.stdout.buffer.write(game)
            elif path.exists() and not self._force:
                return f"{path} exists; --force replaces it"
            else:
                _write_whole(path, game)
        except OSError as error:
            return f"{path}: {reason(error)}"
        self.written += 1
        return ""

    def _name(self, name: str, number: int) -> str:
        """Return a name that no other game of this run has."""
        stem = PurePath(name.rpartition(":")[2]).name
        for suffix in (".gz", *sorted((each.suffix for each in FORMATS), key=len, reverse=True), ".xml", ".json"):
            stem = stem.removesuffix(suffix) or stem
        stem = stem.replace("-", "standard-input") if stem == "-" else stem
        stem = stem if number == 1 else f"{stem}-{number}"
        free = stem
        count = 1
        while free in self._names:
            count += 1
            free = f"{stem}_{count}"
        self._names.add(free)
        return f"{free}{self._target.suffix}"

    def report(self) -> None:
        """Say how many games were written; nothing if they went to standard output."""
        if self._folder is not None or self._file is not None:
            super().report()


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name first, so that it is never there in part; raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
