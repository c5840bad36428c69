"""The common part of ``ump compare`` and ``ump arena run``: blocks are read, played, kept and counted in order."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any

import click

from ump.arena.arena_setup import ArenaSetup
from ump.arena.block_play import (
    GAMES,
    PLAYERS,
    BlockResults,
    BlockRun,
    ContestantError,
    blocks_together,
    has_batches,
    in_groups,
    play_on,
    play_planned,
    policy_factory,
    split_constants,
)
from ump.arena.blocks import (
    ArenaPlayer,
    Block,
    FailingPlayer,
    PlannedBlock,
    PlayedBlock,
    ResultsError,
    ResultsFile,
    check_players,
)
from ump.arena.dask_blocks import ClusterError, DaskBlocks, WorkerError
from ump.arena.plan import ForeignBlockError
from ump.arena.sequential import Hypotheses
from ump.cli.command_line import Decorator, InputError, clear_progress, fills, read_rules, show_progress
from ump.cli.main import INTERRUPTED
from ump.model.value import value
from ump.net.bot_commands import CommandError
from ump.record.record_files import reason, results
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.server.program_arena import CONNECT, GameStopped, NetworkProgram, Program, read_program
from ump.table.clock import TimeControl


def play_blocks(run: BlockRun, out: Path | None, *, resume: bool, keep_going: bool) -> int:
    """Play blocks until enough are counted; return the exit status, also if Ctrl-C or a failing player ends the run."""
    file = None if out is None else ResultsFile(out, run.setup, len(run.players))
    done, played, begun = 0, 0, time.monotonic()
    try:
        with closing(_blocks(run, out, file, resume=resume)) as blocks:
            for block, is_new in blocks:
                done += 1
                if is_new:
                    played += len(block.games)
                    first, *others = run.progress().split("\n")
                    rate = played / max(time.monotonic() - begun, 0.001)
                    show_progress("\n".join((f"{first}, {rate:.2g} games/s", *others)), done, run.blocks() or 0)
                if not keep_going:
                    check_players(block, run.players)
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except FailingPlayer as error:
        clear_progress()
        click.echo(f"Error: {error} (--keep-going plays on)", err=True)
        return 1
    except WorkerError as error:
        raise click.ClickException(str(error)) from error
    except BrokenProcessPool as error:
        raise click.ClickException("a process ended in the middle of a block; --jobs 1 shows why") from error
    except OSError as error:
        raise InputError(f"cannot write results: {error.filename or out}: {reason(error)}") from error
    except (ResultsError, ForeignBlockError, ContestantError) as error:
        raise InputError(str(error)) from error
    finally:
        clear_progress()
        if file is not None:
            file.close()


def _blocks(
    run: BlockRun, out: Path | None, file: ResultsFile | None, *, resume: bool
) -> Generator[tuple[Block, bool], None, None]:
    """Count and yield the blocks of the file, then those that are played; say for each whether it is new."""
    if file is not None and not resume:
        file.create()
    elif file is not None:
        for block in file.resume():
            if run.needs_more():
                run.add(block)
                yield block, False
    with closing(play_on(run, out, file)) as played:
        for block in played:
            yield block, True


# Options

rules_option = click.option(
    "--rules", default="tenhou", show_default=True, metavar="PRESET", help=f"Rules: {', '.join(PRESETS)}."
)
length_option = click.option(
    "--length",
    type=click.Choice([each.value for each in Length]),
    help="Length of a game.  [default: that of the rules]",
)
out_option = click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Keep blocks and records in this folder."
)
keep_going_option = click.option(
    "--keep-going", is_flag=True, help="Play on if a player fails at every answer, or at more than a tenth of them."
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


_SHARE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
_LEAD = click.FloatRange(-1_000, 1_000)


def hypotheses_options(default: Hypotheses) -> Decorator:
    """Return a decorator that adds the options of a test; the command takes them as ``hypotheses``."""
    helps = {
        "h0": "The test's H0: FIRST is ahead by so many points per game.",
        "h1": "The test's H1: FIRST is ahead by so many points per game.",
        "alpha": "How often H1 may be wrong.",
        "beta": "How often H0 may be wrong.",
    }

    def _decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def _checked(**given: Any) -> None:
            if not given["hypotheses"].h0 < given["hypotheses"].h1:
                raise InputError("--h1 must be greater than --h0")
            command(**given)

        decorated = fills(Hypotheses, "hypotheses")(_checked)
        for name, text in reversed(helps.items()):
            kind = _LEAD if name.startswith("h") else _SHARE
            option = click.option(f"--{name}", type=kind, default=getattr(default, name), show_default=True, help=text)
            decorated = option(decorated)
        return decorated

    return _decorate


def check_outputs(*, as_json: bool, as_csv: bool, resume: bool, out: Path | None) -> None:
    """Raise InputError for options that exclude each other."""
    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other")
    if resume and out is None:
        raise InputError("--resume needs --out FOLDER")


def read_rules_and_points(given: Mapping[str, Any]) -> tuple[Ruleset, tuple[float, ...]]:
    """Return the rules of --rules, --set and --length, and --points.

    Raises InputError if the points are for another number of players.
    """
    length = () if given["length"] is None else (f"length={given['length']}",)
    ruleset = read_rules("--rules", given["rules"], (*given["changes"], *length))
    points: tuple[float, ...] = given["points"] or POINTS[ruleset.seats]
    if len(points) != ruleset.seats:
        raise InputError(f"--points: expected {ruleset.seats} numbers, got {len(points)}")
    return ruleset, points


def read_entrant(given: str, option: str = "") -> ArenaPlayer:
    """Return the player of ``KIND`` or ``NAME=KIND``; without a name, its kind is its name. Raises InputError."""
    name, equals, kind = given.partition("=")
    if not equals or ":" in name:  # the kind has a = of its own, as in wait:mjai=21801
        return ArenaPlayer(given, given)
    if not (name and kind):
        raise InputError(f"{option}{given!a}: expected KIND or NAME=KIND, such as mine=my_bot:Policy")
    if len(name) > 40 or not name.isprintable():
        raise InputError(f"{option}{given!a}: a name has at most 40 printable characters")
    return ArenaPlayer(name, kind)


def records_beside(html: Path, out: Path | None) -> str | None:
    """Return the folder of the records relative to a page, for its links; None without ``--out``."""
    return None if out is None else Path(os.path.relpath(out / GAMES, html.parent)).as_posix()


def write_page(html: Path, page: str) -> None:
    """Write the page of --html, in a new folder if need be: long work comes before it. Raises InputError."""
    try:
        html.parent.mkdir(parents=True, exist_ok=True)
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


POINTS = {4: (90.0, 45.0, 0.0, -135.0), 3: (90.0, 0.0, -90.0)}
"""The placement points of each place without --points, by the number of players."""


def _read_points(_context: click.Context, parameter: click.Parameter, given: str | None) -> tuple[float, ...] | None:
    """Read placement points on the command line, as a callback of click."""
    if given is None:
        return None
    try:
        points = tuple(map(float, given.split(",")))
    except ValueError:
        raise click.BadParameter(f"{given!a}: expected numbers such as 90,45,0,-135", param=parameter) from None
    if not all(abs(each) <= 10_000 for each in points):
        raise click.BadParameter("expected numbers from -10000 to 10000", param=parameter)
    return points


points_option = click.option(
    "--points",
    metavar="P,P,P[,P]",
    callback=_read_points,
    help="The placement points of each place.  [default: 90,45,0,-135; 90,0,-90 for three players]",
)
resume_option = click.option("--resume", is_flag=True, help="Go on with the games in the folder of --out.")


def read_programs(kinds: Iterable[str]) -> dict[str, Program]:
    """Return the players among these that are programs, by their kinds; raise InputError for a wrong one."""
    programs = {}
    for kind in kinds:
        try:
            program = read_program(kind)
        except CommandError as error:
            raise InputError(str(error)) from None
        if program is not None:
            programs[kind] = program
    return programs


@value
class Means:
    """The means by which blocks are played."""

    programs: Mapping[str, Program]
    times: TimeControl | None
    """For programs, if there are any."""
    jobs: int | None
    tables: int
    """Those that play side by side, for batched policies."""
    dask: str | None
    """The address of a scheduler."""
    with_records: bool


def block_results(setup: ArenaSetup, means: Means, stack: ExitStack) -> BlockResults:
    """Return what plays the blocks: a cluster, processes, or this one with a reactor if players are programs."""
    programs, match = means.programs, setup.match
    if programs and means.dask is None:
        assert means.times is not None
        return stack.enter_context(_programs_playing(setup, programs, means.times, means.jobs))
    if programs:
        assert means.times is not None
        cluster = _cluster(means, [entrant.kind for entrant in setup.entrants], stack)
        return partial(cluster.results, partial(_play_program_block, setup, frozenset(programs), means.times))
    play = partial(play_planned, match, time.perf_counter, with_records=means.with_records)
    processes = 1 if means.jobs is None and has_batches(match) else means.jobs
    kinds = [entrant.kind for entrant in setup.entrants]
    return policy_results(play, kinds, replace(means, jobs=processes), blocks_together(match, means.tables), stack)


def policy_results(
    play: Callable[[Sequence[PlannedBlock]], list[PlayedBlock]],
    kinds: Iterable[str],
    means: Means,
    size: int,
    stack: ExitStack,
) -> BlockResults:
    """Return what plays blocks between policies of these kinds in groups of ``size``: a cluster, or processes."""
    if means.dask is not None:
        return in_groups(partial(_cluster(means, kinds, stack).results, play), size)
    return in_groups(partial(results, play, processes=means.jobs or os.cpu_count() or 1, batch=1), size)


def _cluster(means: Means, kinds: Iterable[str], stack: ExitStack) -> DaskBlocks:
    """Connect to a cluster, and send it the modules of policies; raises InputError."""
    assert means.dask is not None
    _check_for_cluster(means.programs)
    try:
        cluster = stack.enter_context(DaskBlocks(means.dask))
        cluster.send_modules(sorted({split_constants(kind)[0] for kind in kinds} - {*PLAYERS, *means.programs}))
    except ClusterError as error:
        raise InputError(str(error)) from None
    return cluster


def _check_for_cluster(programs: Mapping[str, Program]) -> None:
    """Raise InputError if a worker of a cluster cannot start one of these programs."""
    for kind, program in programs.items():
        if isinstance(program, NetworkProgram) and not program.words:
            raise InputError(
                f"--dask: {kind} waits for bots on this computer; let the workers start it with {CONNECT}:COMMAND"
            )


@contextmanager
def _programs_playing(
    setup: ArenaSetup, programs: Mapping[str, Program], times: TimeControl, jobs: int | None
) -> Iterator[BlockResults]:
    """Yield what plays blocks in which players are programs, so many at a time, by default as many as processors.

    Ports and programs are closed at the end. Raises InputError for a port that is in use, and ClickException after a
    bug, which the log describes.
    """
    from ump.net.listener import PortError
    from ump.server.program_arena import ProgramArena  # takes a while to load, and needs Twisted

    players = {at: programs[each.kind] for at, each in enumerate(setup.entrants) if each.kind in programs}
    at_once = jobs or os.cpu_count() or 1
    try:
        with ProgramArena(setup, players, times, time.perf_counter, _report) as arena:
            for invitation in arena.invitations:
                click.echo(invitation, err=True)
            yield partial(arena.results, at_once=at_once)
    except PortError as error:
        raise InputError(error.reason) from None
    except GameStopped as error:
        raise click.ClickException(str(error)) from error


def _play_program_block(
    setup: ArenaSetup, kinds: Collection[str], times: TimeControl, planned: PlannedBlock
) -> PlayedBlock:
    """Play one block on a worker of a cluster, which starts the programs with these kinds itself.

    Raises CommandError if there is no such program here, and GameStopped after a bug.
    """
    from ump.server.program_arena import ProgramArena

    programs = {at: _program_here(each.kind) for at, each in enumerate(setup.entrants) if each.kind in kinds}
    with ProgramArena(setup, programs, times, time.perf_counter) as arena:
        return next(arena.results([planned], 1))


@cache
def _program_here(kind: str) -> Program:
    """Read a program on a worker, once for each process: an archive is unpacked."""
    program = read_program(kind)
    assert program is not None
    return program


def _report(text: str) -> None:
    clear_progress()
    click.echo(text, err=True)
