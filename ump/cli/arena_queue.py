"""The commands ``ump arena queue``: duels that wait in a folder, and workers that play them."""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from itertools import chain
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import click

from ump.arena.arena_setup import ArenaSetup, names_of
from ump.arena.block_play import ContestantError, rare_collections
from ump.arena.blocks import ArenaPlayer, FailingPlayer, check_players
from ump.arena.duel_report import duels_data, duels_lines, duels_page
from ump.arena.duels import DUEL_HYPOTHESES, MOST_GAMES, Duel, DuelFolder, DuelQueue, QueueError
from ump.arena.sequential import Hypotheses
from ump.cli import block_run
from ump.cli.command_line import (
    InputError,
    as_json,
    changes_of_rules,
    clear_progress,
    print_report,
    show_progress,
    time_option,
)
from ump.cli.convert import jobs_option
from ump.cli.main import INTERRUPTED
from ump.net.bot_commands import CommandError

BEAT_SECONDS = 5.0
"""The time between two signs of a worker."""

END_SECONDS = 20.0
"""The time that a process has to end its programs."""

LOOK_SECONDS = 2.0
"""The time between two looks for a block while others play the last ones."""


@click.group(
    epilog="""\b
Examples:
  ump arena queue add duels new=my_bot:Policy expert
  ump arena queue work duels            on each computer that shares the folder
  ump arena queue show duels --html duels/report.html"""
)
def queue() -> None:
    """Decide duels of two players, with workers on any computer.

    A queue is a folder of files. Workers on all computers that share it take blocks of four games until a test has
    decided each duel. docs/arena.md explains it.
    """


folder_argument = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))


@queue.command(
    short_help="Add a duel.",
    epilog="""\b
Examples:
  ump arena queue add duels new=my_bot:Policy expert
  ump arena queue add duels new=my_bot:Policy expert --games 2000 --name 1-fixed
  ump arena queue add duels expert "mine=mjai:python bot.py {seat}" --one-way --time 5+10""",
)
@folder_argument
@click.argument("first")
@click.argument("second")
@click.option("--name", help="The name of the duel; duels are played in the order of their names.  [default: seed]")
@block_run.rules_option
@changes_of_rules
@block_run.length_option
@click.option("--seed", help="Text that determines all walls.  [default: names of the players]")
@click.option("--games", type=click.IntRange(1), help="Play this many games, up to whole blocks, instead of the test.")
@click.option(
    "--most", type=click.IntRange(1), default=MOST_GAMES, show_default=True, help="The games of the test at most."
)
@click.option("--one-way", is_flag=True, help="Let SECOND always sit alone among copies of FIRST: it may be slow.")
@block_run.hypotheses_options(DUEL_HYPOTHESES)
@block_run.points_option
@time_option
def add(folder: Path, hypotheses: Hypotheses, games: int | None, most: int, name: str | None, **given: Any) -> None:
    """Add a duel of the players FIRST and SECOND, which are given as in 'ump compare'.

    Its test says whether FIRST is better, or not. With the usual options it finds a lead of 3 points per game in more
    than 95 % of all duels within 10,000 games, and wrongly in less than 5 % where there is none.
    """
    entrants = (block_run.read_entrant(given["first"]), block_run.read_entrant(given["second"]))
    setup = _read_setup(given, entrants)
    duel = Duel(setup, hypotheses if games is None else None, games or most, given["times"])
    try:
        DuelQueue(folder).add(name or re.sub(r"[^\w.+-]+", "-", setup.seed).strip("-")[:80], duel)
    except (QueueError, OSError) as error:
        raise InputError(str(error)) from error


def _read_setup(given: dict[str, Any], entrants: tuple[ArenaPlayer, ArenaPlayer]) -> ArenaSetup:
    """Return what the options say about the games; raises InputError."""
    ruleset, points = block_run.read_rules_and_points(given)
    names = names_of(entrants)
    if names[0] == names[1]:
        raise InputError("FIRST and SECOND have the same name; give each a name, as in NAME=KIND")
    programs = block_run.read_programs([entrant.kind for entrant in entrants])
    block_run.check_kinds(entrant.kind for entrant in entrants if entrant.kind not in programs)
    schedule = "challenge" if given["one_way"] else "round-robin"
    return ArenaSetup(entrants, ruleset, given["seed"] or "-".join(names), points, schedule)


@queue.command(
    short_help="Play the duels.",
    epilog="""\b
Exit status: 0 if all duels have ended, 1 if a player failed or a process ended, 2 for a wrong command line, 130 after
Ctrl-C.""",
)
@folder_argument
@click.argument("names", nargs=-1, metavar="[NAME]...")
@jobs_option
@block_run.keep_going_option
def work(folder: Path, names: Sequence[str], jobs: int | None, keep_going: bool) -> None:
    """Play blocks of the duels in FOLDER, or of those with these names, until all have ended.

    Any number of workers, on any computers that share the folder, play at a time. A worker can be killed: each of its
    processes loses at most one block, and others take it a minute later. A duel names programs and modules, which the
    worker runs: share the folder with people whom you trust.
    """
    duels = DuelQueue(folder, worker_name())
    status = work_in_processes(duels, folder, jobs, names, keep_going=keep_going)
    if status == 0:
        print_report(duels_lines(duels.duels()), {}, as_json=False)
    sys.exit(status)


def worker_name() -> str:
    """Return a name that no other worker has, on any computer."""
    return f"{socket.gethostname()}-{os.getpid()}"


def work_in_processes(
    duels: DuelQueue, folder: Path, jobs: int | None, names: Sequence[str] = (), *, keep_going: bool
) -> int:
    """Play the duels of a folder in so many processes; return the exit status. ``names`` are those to play, or none."""
    try:
        duels.workers.beat()
        duels.duels(names)  # complain before processes start
        _work_on(duels, folder, jobs or os.cpu_count() or 1, names, keep_going=keep_going)
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except FailingPlayer as error:
        clear_progress()
        click.echo(f"Error: {error} (--keep-going plays on)", err=True)
        return 1
    except (QueueError, ContestantError, CommandError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"cannot write results: {error}") from error
    finally:
        clear_progress()
        duels.workers.leave()


def _work_on(duels: DuelQueue, folder: Path, jobs: int, names: Sequence[str], *, keep_going: bool) -> None:
    """Play in processes, and raise the first error of one of them. A termination is taken as Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    running = [_PlayingProcess(folder, duels.workers.name, names, keep_going) for _ in range(jobs)]
    try:
        while running:
            ended = wait([each.sentinel for each in running], BEAT_SECONDS)
            for each in running:
                if each.sentinel in ended:
                    each.check()
            running = [each for each in running if each.sentinel not in ended]
            duels.workers.beat()
            _show_progress(duels.duels(names))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for each in running:
            each.terminate()
        for each in running:
            each.end()


def _show_progress(duels: Sequence[DuelFolder]) -> None:
    opened = [duel for duel in duels if duel.is_open]
    if opened:
        comparison = opened[0].comparison
        lead = f"{comparison.test.mean:+.1f} pt after {comparison.games} games"
        show_progress(f"{len(opened)} duels open; {opened[0].name}: {lead}")


class _PlayingProcess:
    """A process that plays blocks. A pool would not do: it waits for ever if a process is ended at a wrong moment."""

    def __init__(self, folder: Path, worker: str, names: Sequence[str], keep_going: bool) -> None:
        self._errors, errors = Pipe(duplex=False)
        self._process = Process(target=_play_and_report, args=(errors, folder, worker, names, keep_going))
        self._process.start()
        errors.close()

    @property
    def sentinel(self) -> int:
        """Becomes ready when the process ends."""
        return self._process.sentinel

    def check(self) -> None:
        """Raise the error of a process that has ended, if there was one."""
        with suppress(EOFError):
            raise self._errors.recv()
        self._process.join()
        if self._process.exitcode:
            raise click.ClickException("a process ended in the middle of a block")

    def terminate(self) -> None:
        """Let the process give its claim back, and end its programs."""
        self._process.terminate()

    def end(self) -> None:
        """Wait for its end, for a while."""
        self._process.join(END_SECONDS)
        self._process.kill()
        self._process.join()


# In a process of a worker


def _play_and_report(errors: Connection, folder: Path, worker: str, names: Sequence[str], keep_going: bool) -> None:
    """Play blocks; send the error if that fails. A termination is none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it reaches all processes of a terminal; the worker ends this one
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _play_duels(folder, worker, names, keep_going)
    except KeyboardInterrupt:
        return
    except (FailingPlayer, QueueError, ContestantError, CommandError, click.ClickException, OSError) as error:
        errors.send(error)


def _play_duels(folder: Path, worker: str, names: Sequence[str], keep_going: bool) -> None:
    """Play blocks of these duels, or of all, in the name of a worker until all have ended.

    Raises FailingPlayer, QueueError, ContestantError, CommandError, ClickException or OSError.
    """
    duels = DuelQueue(folder, worker)
    while _has_parent() and (opened := [duel for duel in duels.duels(names) if duel.is_open]):
        if not any(_play_duel(duel, keep_going) for duel in opened):
            time.sleep(LOOK_SECONDS)


def _play_duel(duel: DuelFolder, keep_going: bool) -> int:
    """Play blocks of a duel until there is none to claim; return how many."""
    setup, times = duel.duel.setup, duel.duel.times
    played_now = 0
    with rare_collections(), closing(duel.claims()) as claims, ExitStack() as stack:
        first = next(claims, None)
        if first is None:
            return 0
        kinds = [entrant.kind for entrant in setup.entrants]
        programs = block_run.read_programs(kinds)
        block_run.check_kinds(kind for kind in kinds if kind not in programs)
        means = block_run.Means(programs, times, 1, setup.ruleset.seats, None, with_records=False)
        played = stack.enter_context(closing(block_run.block_results(setup, means, stack)(chain((first,), claims))))
        for block, _ in played:
            if not keep_going:
                check_players(block, names_of(setup.entrants))  # before it counts
            duel.keep(block)
            played_now += 1
            if not _has_parent():
                break
    return played_now


def _has_parent() -> bool:
    parent = parent_process()
    return parent is None or parent.is_alive()


@queue.command(short_help="Show how the duels stand.")
@folder_argument
@as_json
@block_run.html_option
def show(folder: Path, as_json: bool, html: Path | None) -> None:
    """Show how the duels in FOLDER stand, and who plays."""
    try:
        duels = DuelQueue(folder, now=time.time()).duels()
    except QueueError as error:
        raise InputError(str(error)) from error
    print_report(duels_lines(duels), duels_data(duels), as_json=as_json)
    if html is not None:
        block_run.write_page(html, duels_page(duels))
