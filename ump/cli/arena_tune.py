"""The command ``ump arena tune``: better constants of a policy, by games between copies of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from ump.arena.block_play import BlockRun, play_planned
from ump.arena.blocks import PlannedBlock, PlayedBlock
from ump.arena.tuning import (
    TunedConstant,
    Tuning,
    TuningBlocks,
    TuningCourse,
    tuning_data,
    tuning_lines,
    tuning_page,
    tuning_progress,
    tuning_setup_data,
)
from ump.cli import block_run
from ump.cli.command_line import InputError, as_json, changes_of_rules, print_report
from ump.cli.convert import jobs_option

_SHARE = click.FloatRange(0, 0.5, min_open=True)


@click.command(
    short_help="Tune constants of a policy.",
    epilog="""\b
Examples:
  ump arena tune expert caution=1.6,0,3 --steps 100
  ump arena tune expert caution=1,0,3 call_bonus=0,-500,1000 --out tune --html tune/report.html
  ump arena tune my_bot:Policy push=0.5,0,1 --steps 1000 --out tune --resume

\b
Exit status: 0 if all steps were taken, 1 if the policy failed or a process ended, 2 for a wrong command line, 130 after
Ctrl-C.""",
)
@click.argument("kind")
@click.argument("constants", nargs=-1, required=True, metavar="NAME=START,LOW,HIGH...")
@click.option("--steps", type=click.IntRange(1), default=200, show_default=True, help="Steps of the constants.")
@click.option("--pairs", type=click.IntRange(1), default=1, show_default=True, help="Pairs of blocks in a step.")
@click.option(
    "--spread", type=_SHARE, default=0.1, show_default=True, help="The part of its range that a step tries each way."
)
@click.option(
    "--rate",
    type=_SHARE,
    default=0.05,
    show_default=True,
    help="The part of its range by which a constant follows a lead of 25 points.",
)
@block_run.rules_option
@changes_of_rules
@block_run.length_option
@click.option("--seed", default="tune", show_default=True, help="Text that determines all walls.")
@block_run.points_option
@block_run.out_option
@block_run.resume_option
@jobs_option
@as_json
@block_run.html_option
def tune(
    steps: int, jobs: int | None, out: Path | None, resume: bool, as_json: bool, html: Path | None, **given: Any
) -> None:
    """Tune constants of the policy KIND by SPSA.

    In each step two copies play against each other on equal walls: one with all constants moved at random, and one with
    all moved the other way. KIND is expert, one of its personalities, or MODULE:CLASS, whose class takes the constants
    as arguments. docs/arena.md explains it.
    """
    block_run.check_outputs(as_json=as_json, as_csv=False, resume=resume, out=out)
    course = TuningCourse(_read_tuning(given))
    blocks = TuningBlocks(course, steps)
    with ExitStack() as stack:
        run = BlockRun(
            tuning_setup_data(course.tuning),
            ("plus", "minus"),
            partial(_results, blocks, block_run.Means({}, None, jobs, 1, None, with_records=False), stack),
            blocks.add,
            blocks.needs_more,
            blocks.pending,
            partial(tuning_progress, course),
            blocks.expected_blocks,
        )
        status = block_run.play_blocks(run, out, resume=resume, keep_going=False)
    print_report(tuning_lines(course), tuning_data(course), as_json=as_json)
    if html is not None:
        block_run.write_page(html, tuning_page(course))
    sys.exit(status)


def _results(
    blocks: TuningBlocks, means: block_run.Means, stack: ExitStack, planned: Iterable[PlannedBlock]
) -> Generator[PlayedBlock, None, None]:
    """Yield the blocks of the step, played."""
    setup = blocks.setup()
    play = partial(play_planned, setup.match, time.perf_counter, with_records=False)
    kinds = [entrant.kind for entrant in setup.entrants]
    return block_run.policy_results(play, kinds, means, 1, stack)(planned)


def _read_tuning(given: dict[str, Any]) -> Tuning:
    """Return what the options say; raises InputError."""
    ruleset, points = block_run.read_rules_and_points(given)
    constants = tuple(map(_read_constant, given["constants"]))
    names = [constant.name for constant in constants]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} is given twice")
    tuning = Tuning(
        given["kind"], constants, ruleset, given["seed"], points, given["pairs"], given["spread"], given["rate"]
    )
    block_run.check_kinds(entrant.kind for entrant in TuningBlocks(TuningCourse(tuning), 1).setup().entrants)
    return tuning


def _read_constant(text: str) -> TunedConstant:
    name, _, numbers = text.partition("=")
    try:
        start, low, high = map(float, numbers.split(","))
    except ValueError:
        raise InputError(f"{text!a}: expected NAME=START,LOW,HIGH, such as caution=1,0,3") from None
    if not name.isidentifier() or not -1e9 < low <= start <= high < 1e9 or low == high:
        raise InputError(f"{text!a}: expected a name, and numbers of which the first one is between the other two")
    return TunedConstant(name, start, low, high)
