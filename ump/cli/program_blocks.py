"""Programs as players of ``ump compare`` and ``ump arena run``: reading them, and playing their blocks."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache

import click

from ump.arena.arena_setup import ArenaSetup
from ump.arena.blocks import PlannedBlock, PlayedBlock
from ump.cli.block_run import BlockResults
from ump.cli.command_line import InputError
from ump.net.bot_commands import CommandError
from ump.server.arena.programs import CONNECT, GameStopped, NetworkProgram, Program, read_program
from ump.table.clock import TimeControl
from ump.text.progress import clear_progress


def _read_time(_context: click.Context, _parameter: click.Parameter, given: str) -> TimeControl:
    try:
        return TimeControl.parse(given)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


time_option = click.option(
    "--time",
    "times",
    default="10+20",
    show_default=True,
    metavar="MOVE+BANK",
    callback=_read_time,
    help="Seconds per move and per kyoku for programs.",
)
"""The option with the time control of programs."""


def read_programs(kinds: Iterable[str]) -> dict[str, Program]:
    """Return the players among these that are programs, by their kinds; raise InputError for a wrong one."""
    try:
        found = {kind: read_program(kind) for kind in kinds}
    except CommandError as error:
        raise InputError(str(error)) from None
    return {kind: program for kind, program in found.items() if program is not None}


def check_for_cluster(programs: Mapping[str, Program]) -> None:
    """Raise InputError if a worker of a cluster cannot start one of these programs."""
    for kind, program in programs.items():
        if isinstance(program, NetworkProgram) and not program.words:
            raise InputError(
                f"--dask: {kind} waits for bots on this computer; let the workers start it with {CONNECT}:COMMAND"
            )


@contextmanager
def programs_playing(
    setup: ArenaSetup, programs: Mapping[str, Program], times: TimeControl, jobs: int | None
) -> Iterator[BlockResults[PlannedBlock]]:
    """Yield what plays blocks in which players are programs, so many at a time, by default as many as processors.

    Ports and programs are closed at the end. Raises InputError for a port that is in use, and ClickException after a
    bug, which the log describes.
    """
    from ump.net.listener import PortError
    from ump.server.arena.arena import ProgramArena  # takes a while to load, and needs Twisted

    players = {at: programs[each.kind] for at, each in enumerate(setup.entrants) if each.kind in programs}
    at_once = jobs or os.cpu_count() or 1
    try:
        with ProgramArena(setup, players, times, time.perf_counter, _report) as arena:
            for invitation in arena.invitations:
                click.echo(invitation, err=True)
            yield lambda planned: arena.results(planned, at_once)
    except PortError as error:
        raise InputError(error.reason) from None
    except GameStopped as error:
        raise click.ClickException(str(error)) from error


def play_program_block(
    setup: ArenaSetup, kinds: Collection[str], times: TimeControl, planned: PlannedBlock
) -> PlayedBlock:
    """Play one block on a worker of a cluster, which starts the programs with these kinds itself.

    Raises CommandError if there is no such program here, and GameStopped after a bug.
    """
    from ump.server.arena.arena import ProgramArena

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
