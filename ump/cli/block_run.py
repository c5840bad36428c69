"""What ``ump compare`` and ``ump arena run`` share: blocks are read, played, kept and counted in their order."""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import click

from ump.arena.block_play import Match, play_planned
from ump.arena.blocks import Block, PlannedBlock, PlayedBlock
from ump.arena.contestants import ContestantError, is_batched_kind, policy_factory
from ump.arena.garbage import rare_collections
from ump.arena.plan import PlanError
from ump.arena.results_file import ResultsError, ResultsFile
from ump.cli.command_line import InputError, read_rules
from ump.model.value import value
from ump.record.parallel import results
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.text.progress import clear_progress, show_progress

GAMES = "games"
"""The folder of the records in the folder of ``--out``."""

Planned = TypeVar("Planned", int, PlannedBlock)
"""How a block is named that is to be played."""

BlockResults: TypeAlias = Callable[[Iterable[Planned]], Generator[PlayedBlock, None, None]]
"""A function that plays planned blocks and yields them in their order."""


@value
class BlockRun(Generic[Planned]):
    """What to play, and what to do with it."""

    setup: Mapping[str, Any]
    """As JSON: what a resumed file must have in common."""
    players: int
    results: BlockResults[Planned]
    """May be closed early."""
    add: Callable[[Block], None]
    """Counts the next block."""
    needs_more: Callable[[], bool]
    """Whether another block is needed after those that were counted."""
    pending: Callable[[], Iterable[Planned]]
    """The blocks that are known to be needed then."""
    progress: Callable[[], str]
    """What the progress line says."""


def play_blocks(run: BlockRun[Planned], out: Path | None, *, resume: bool) -> bool:
    """Play blocks until enough are counted; return whether they are, and not after Ctrl-C."""
    file = None if out is None else ResultsFile(out, run.setup, run.players)
    try:
        if file is not None:
            for block in file.resume() if resume else _created(file):
                if run.needs_more():
                    run.add(block)
        with rare_collections():
            _play_on(run, out, file)
        return True
    except KeyboardInterrupt:
        return False
    except BrokenProcessPool as error:
        raise click.ClickException("a process ended in the middle of a block; --jobs 1 shows why") from error
    except (ResultsError, PlanError, OSError) as error:
        raise InputError(str(error)) from error
    finally:
        clear_progress()
        if file is not None:
            file.close()


def _play_on(run: BlockRun[Planned], out: Path | None, file: ResultsFile | None) -> None:
    """Play blocks until enough are counted."""
    while run.needs_more():
        with closing(run.results(run.pending())) as played:
            for block, records in played:
                if out is not None and file is not None:
                    _keep(out / GAMES, block, records)
                    file.add(block)
                run.add(block)
                show_progress(run.progress())
                if not run.needs_more():
                    break


def in_processes(match: Match, jobs: int | None, tables: int, *, with_records: bool) -> BlockResults[PlannedBlock]:
    """Return what plays blocks between policies in so many processes.

    By default there are as many as processors; with batched policies there is one, because each process has its own
    copy of them.
    """
    processes = jobs or (1 if has_batches(match) else os.cpu_count() or 1)
    play = partial(play_planned, match, time.perf_counter, with_records=with_records)
    return in_groups(lambda groups: results(play, groups, processes, batch=1), blocks_together(match, tables))


def in_groups(
    play: Callable[[Iterable[Sequence[PlannedBlock]]], Generator[list[PlayedBlock], None, None]], size: int
) -> BlockResults[PlannedBlock]:
    """Return what plays blocks in groups of ``size`` blocks, with a function that plays groups."""

    def _results(planned: Iterable[PlannedBlock]) -> Generator[PlayedBlock, None, None]:
        waiting = iter(planned)
        groups = iter(lambda: tuple(islice(waiting, size)), ())
        with closing(play(groups)) as played:
            for group in played:
                yield from group

    return _results


def has_batches(match: Match) -> bool:
    """Tell whether a player decides about many tables in one call."""
    return any(is_batched_kind(entrant.kind) for entrant in match.entrants)


def blocks_together(match: Match, tables: int) -> int:
    """Return how many blocks are played side by side: one is enough without batched policies."""
    return max(1, tables // match.ruleset.seats) if has_batches(match) else 1


def _created(file: ResultsFile) -> tuple[Block, ...]:
    file.create()
    return ()


def _keep(folder: Path, block: Block, records: tuple[bytes, ...]) -> None:
    """Write the records of a block's games: ``000012-3.mjson`` is the last game of block 12."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, record in enumerate(records):
        (folder / record_name(block.number, number)).write_bytes(record)


def record_name(block: int, game: int) -> str:
    """Return the name of the record of a game in ``GAMES``."""
    return f"{block:06}-{game}.mjson"


# Options

rules_option = click.option(
    "--rules", default="tenhou", show_default=True, metavar="PRESET", help=f"Rules: {', '.join(PRESETS)}."
)
out_option = click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Keep blocks and records in this folder."
)
csv_option = click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a row for each player.")
html_option = click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page with plots to this file."
)
tables_option = click.option(
    "--tables",
    type=click.IntRange(1, 10_000),
    default=64,
    show_default=True,
    help="Tables that play side by side, for players with choose_all; without --jobs they have one process.",
)
"""How many tables a batched policy is asked about in one call, at most."""


def check_outputs(*, as_json: bool, as_csv: bool, resume: bool, out: Path | None) -> None:
    """Raise InputError for options that exclude each other."""
    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other")
    if resume and out is None:
        raise InputError("--resume needs --out FOLDER")


def read_rules_and_points(given: Mapping[str, Any]) -> Ruleset:
    """Return the rules of --rules and --set; raise InputError if --points are for another number of players."""
    ruleset = read_rules("--rules", given["rules"], given["changes"])
    if len(given["points"]) != ruleset.seats:
        raise InputError(f"--points: expected {ruleset.seats} numbers, got {len(given['points'])}")
    return ruleset


def write_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows with their keys above."""
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def write_page(html: Path, page: str) -> None:
    """Write the page of --html; raises InputError."""
    try:
        html.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"--html: {error}") from error


def check_kinds(kinds: Iterable[str]) -> None:
    """Raise InputError if there is no such player; modules are searched in the current folder, too."""
    if sys.path[:1] != [""]:
        sys.path.insert(0, "")
    for kind in kinds:
        try:
            policy_factory(kind)
        except ContestantError as error:
            raise InputError(str(error)) from None


def read_points(_context: click.Context, parameter: click.Parameter, given: str) -> tuple[float, ...]:
    """Read placement points on the command line, as a callback of click."""
    try:
        points = tuple(float(text) for text in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given!a}: expected numbers such as 90,45,0,-135", param=parameter) from None
    if not all(abs(each) <= 10_000 for each in points):
        raise click.BadParameter("expected numbers from -10000 to 10000", param=parameter)
    return points
