"""The commands ``ump verify`` and ``ump convert``, for records of all formats in files, folders and archives."""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import NoReturn, TypeVar

import click

from ump.cli.command_line import (
    InputError,
    RecordPath,
    as_json,
    clear_progress,
    fills,
    input_errors,
    option_of,
    options_of,
    print_report,
    show_progress,
)
from ump.record.conversion import Conversion, Converted, convert_source
from ump.record.formats import FORMATS, named
from ump.record.lint.lint import LintTotals, lint_data, lint_lines, lint_source
from ump.record.record_files import NAMES, RecordSource, files_at, reason, records_in, records_of_stream, results
from ump.record.record_format import Fact, RecordFormat
from ump.record.recorded_game import RecordError
from ump.record.tables import TABLE_FILES, UNFINISHED, TableFolder
from ump.record.verify import Assumptions, Totals, summary_data, summary_lines, verify_source
from ump.text.wording import counted

WRITABLE = [each.key for each in FORMATS if each.is_written]

paths_argument = click.argument(
    "paths",
    nargs=-1,
    required=True,
    type=RecordPath(dir_okay=True),
    metavar="PATH...",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1), metavar="N", help="Number of processes; by default one for each core."
)
from_option = option_of(Assumptions, "source")
rules_option = option_of(Assumptions, "rules")
set_option = option_of(Assumptions, "changes")


@click.command(
    short_help="Replay recorded games and report every difference.",
    epilog="""\b
Examples:
  ump verify 2022010115gm-00a9-0000-eb81f1a4.xml
  ump verify ump-records/
  ump verify games/ more.zip older.tar.gz
  ump verify bot-games/ --rules mleague
  ump verify games/ --json --jobs 1
  ump verify --lint mine.mjson

\b
Exit status: 0 if every record agrees with the rules, 1 if a record differs,
2 if a record is unreadable or there is none; with --lint, 1 if there is a
finding. 130 after Ctrl-C.""",
)
@paths_argument
@options_of(Assumptions, "assumptions")
@jobs_option
@click.option("--lint", is_flag=True, help="Report every fault in form and moves, for records of other programs.")
@as_json
def verify(paths: tuple[Path, ...], assumptions: Assumptions, jobs: int | None, lint: bool, as_json: bool) -> None:
    """Replay recorded games by the rules, and report every difference.

    The comparison covers deals, actions, wins, payments, the next dealer, and final scores, as far as the record has
    them. Each PATH is a record of any format that 'ump convert --help' lists, plain or gzip, a folder of records, an
    archive (.zip, .tar, .tar.gz), or - for standard input. If a record does not say which rules were played, those of
    Tenhou are assumed; results that other rules could explain are then no mismatch, but named as "unknown rules".

    A replay ends a kyoku at its first fault. With --lint, each fault is reported with its line or entry, and the
    kyoku goes on; docs/records.md lists the rules. On a terminal the command shows how far it is.
    """
    if lint:
        _lint(paths, assumptions, jobs, as_json=as_json)
    totals = Totals()

    def done() -> str:
        """Return how far the verification is."""
        return f"{totals.files} records verified, {totals.different} differ, {totals.unreadable} unreadable"

    take_all(partial(verify_source, assumptions=assumptions), paths, jobs, totals.add, done)
    print_report(summary_lines(totals), summary_data(totals), as_json=as_json)
    sys.exit(2 if totals.unreadable else 1 if totals.different else 0)


def _lint(paths: Sequence[Path], assumptions: Assumptions, jobs: int | None, *, as_json: bool) -> NoReturn:
    """Lint all records at these paths, print the report, and exit."""
    totals = LintTotals()

    def done() -> str:
        """Return how far the work is."""
        return f"{totals.files} records linted, {totals.faulty} with findings"

    take_all(partial(lint_source, assumptions=assumptions), paths, jobs, totals.add, done)
    print_report(lint_lines(totals), lint_data(totals), as_json=as_json)
    sys.exit(1 if totals.found else 0)


Worked = TypeVar("Worked")


def take_all(
    work: Callable[[RecordSource], Worked],
    paths: Sequence[Path],
    jobs: int | None,
    take: Callable[[Worked], object],
    done: Callable[[], str],
) -> None:
    """Work on all records at these paths in several processes, take the results in order, and show what ``done`` says.

    Raises InputError if there is no record.
    """
    try:
        for each in results(work, sources_in(paths, done), jobs or os.cpu_count() or 1):
            take(each)
    finally:
        clear_progress()


def sources_in(paths: Sequence[Path], done: Callable[[], str]) -> Iterator[RecordSource]:
    """Yield the records at these paths, and show how many files were opened and what ``done`` says.

    Raises InputError if there is no record.
    """
    with input_errors():
        files = files_at(path for path in paths if path != STDIN)
    is_empty = True
    if STDIN in paths:
        for source in records_of_stream(sys.stdin.buffer):
            is_empty = False
            yield source
    for number, file in enumerate(files, 1):
        for source in records_in(file, is_given=file in paths):
            show_progress(f"file {number} of {len(files)}: {done()}", number - 1, len(files))
            is_empty = False
            yield source
    if is_empty:
        raise InputError(f"no records in {', '.join(map(str, paths))}: expected {NAMES}")


@click.command(
    short_help="Convert recorded games to the format of another program.",
    epilog="""\b
Formats:
"""
    + "\n".join(
        f"  {each.key:<14}{each.name}{'' if each.is_written else ', only read'}{'' if each.read else ', only written'}"
        for each in FORMATS
    )
    + """

\b
Examples:
  ump convert game.journal.gz --to mjai
  ump convert 2022010115gm-00a9-0000-eb81f1a4.xml --to tenhou6 --out game.json
  ump convert ump-records/ more.zip --to paipu --out paipu/
  ump convert game.journal.gz --to mjai --seat B
  ump convert ump-records/ --to csv --out tables/

\b
Exit status: 0 if every game was converted, 1 if one was not, 2 for a wrong command line, 130 after Ctrl-C.""",
)
@paths_argument
@click.option("--to", "target", type=click.Choice(WRITABLE), required=True, help="Format to write.")
@from_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="File for one game, folder for several or for tables; - is the default.",
)
@option_of(Conversion, "seat")
@option_of(Conversion, "lossy")
@option_of(Conversion, "unfinished")
@click.option("--force", is_flag=True, help="Replace files that exist.")
@rules_option
@set_option
@option_of(Assumptions, "length")
@jobs_option
@fills(Conversion, "conversion")
def convert(paths: tuple[Path, ...], conversion: Conversion, out: Path | None, jobs: int | None, force: bool) -> None:
    """Convert recorded games to the format of another program.

    Each PATH is a record, a folder of records, an archive, or - for standard input. A record that cannot be
    converted is named with the reason, and the others go on. Nothing is invented. If the format needs what a record
    does not say, a replay derives it, under the rules of the record or --rules; if that is impossible, it is an error,
    which names the fact. docs/records.md has a table of what each format can carry.

    If a game was stopped in the middle of a kyoku, that kyoku is left out of the formats of other programs, and the
    game ends with the scores before it.
    """
    output = output_to(out, named(conversion.target), force=force)
    if output.is_one and (len(paths) > 1 or (paths[0].is_dir())):
        raise InputError("several records need a folder: --out FOLDER/")

    def done() -> str:
        """Return how far the conversion is."""
        return f"{output.written} games converted, {output.problems} not"

    try:
        take_all(partial(convert_source, conversion=conversion), paths, jobs, output.add, done)
        output.finish()
    finally:
        output.discard()
    output.report()
    sys.exit(1 if output.problems else 0)


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
        self._left_out = 0
        self.written = 0
        """The number of games that were written."""
        self.problems = 0
        """The number of files that were not, or not wholly, converted."""

    def add(self, converted: Converted) -> None:
        """Write the games of one file, or say why there are none."""
        self._lost |= converted.lost
        self._derived |= converted.derived
        self._left_out += converted.left_out
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
        self._report_facts()

    def _report_facts(self, *, err: bool = False) -> None:
        """Say what was left out and derived, and what the format does not carry."""
        if self._left_out:
            games = counted(self._left_out, "game")
            click.echo(f"left out: a last kyoku without a result, of {games} (--unfinished keeps it)", err=err)
        if self._derived:
            click.echo(f"derived, because not every record says it: {_listed(self._derived)}", err=err)
        if self._lost:
            click.echo(f"{self._target.name} does not carry: {_listed(self._lost)}", err=err)


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
        """Say how many games were written, or about one on standard output only the rest, on standard error."""
        if self._folder is None and self._file is None:
            self._report_facts(err=True)
        else:
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
