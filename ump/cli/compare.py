"""The command ``ump compare``: which of two players is better, by games in process."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from ump.arena.arena_setup import ArenaSetup, comparison_setup_data
from ump.arena.block_play import BlockRun
from ump.arena.blocks import Entrant
from ump.arena.comparison import (
    Comparison,
    comparison_data,
    comparison_lines,
    comparison_page,
    progress_text,
)
from ump.arena.sequential import Hypotheses
from ump.arena.statistics import player_data
from ump.cli import block_run
from ump.cli.command_line import InputError, as_json, changes_of_rules, print_report, time_option, write_csv
from ump.cli.convert import jobs_option

_SHARE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command(
    short_help="Find out which of two players is better.",
    epilog="""\b
Examples:
  ump compare efficiency tsumogiri
  ump compare my_bot:Policy efficiency --out my-bot --jobs 2
  ump compare my_bot:Policy efficiency --out my-bot --jobs 2 --resume
  ump compare new=my_bot:Policy old=old_bot:Policy --games 1000 --html report.html
  ump compare "mjai:python bot.py {seat}" efficiency --time 5+10

\b
Exit status: 0 if the comparison was finished, 1 if a player failed or a process ended, 2 for a wrong command line,
130 after Ctrl-C.""",
)
@click.argument("first")
@click.argument("second")
@block_run.rules_option
@changes_of_rules
@block_run.length_option
@click.option("--seed", default="compare", show_default=True, help="Text that determines all walls.")
@click.option("--games", type=click.IntRange(1), help="Play this many games, up to whole blocks, instead of the test.")
@click.option("--h0", default=0.0, show_default=True, help="The test's H0: FIRST is ahead by so many points per game.")
@click.option("--h1", default=5.0, show_default=True, help="The test's H1: FIRST is ahead by so many points per game.")
@click.option("--alpha", type=_SHARE, default=0.05, show_default=True, help="How often H1 may be wrong.")
@click.option("--beta", type=_SHARE, default=0.05, show_default=True, help="How often H0 may be wrong.")
@block_run.points_option
@time_option
@block_run.out_option
@block_run.resume_option
@block_run.keep_going_option
@jobs_option
@block_run.tables_option
@as_json
@block_run.csv_option
@block_run.html_option
def compare(
    as_json: bool,
    as_csv: bool,
    html: Path | None,
    jobs: int | None,
    out: Path | None,
    resume: bool,
    keep_going: bool,
    **given: Any,
) -> None:
    """Find out whether the player FIRST is better than SECOND, by games in process.

    A player is a built-in bot (docs/players.md), random, or MODULE:CLASS, a policy in Python (docs/library.md); its
    module is searched in the current folder, too. NAME=KIND names a player. Programs can play, too, as in 'ump arena
    run --help'. Four games on one seed are a block: one player sits in each seat once, against three copies of the
    other, in turns. Blocks are played until a sequential test decides. docs/arena.md explains it.
    """
    block_run.check_outputs(as_json=as_json, as_csv=as_csv, resume=resume, out=out)
    entrants = [block_run.read_entrant(given[each]) for each in ("first", "second")]
    programs = block_run.read_programs([entrant.kind for entrant in entrants])
    setup = _read_setup(given, entrants, programs)
    blocks = None if given["games"] is None else -(-given["games"] // setup.ruleset.seats)
    comparison = Comparison(setup, _read_hypotheses(given), blocks, [entrant.name for entrant in entrants])
    means = block_run.Means(programs, given["times"], jobs, given["tables"], None, out is not None)
    with ExitStack() as stack:
        run = BlockRun(
            comparison_setup_data(setup) | ({"time": str(given["times"])} if programs else {}),
            comparison.names,
            block_run.block_results(setup, means, stack),
            comparison.add,
            comparison.needs_more,
            comparison.pending,
            lambda: progress_text(comparison),
            lambda: comparison.expected_blocks,
        )
        status = block_run.play_blocks(run, out, resume=resume, keep_going=keep_going)
    if as_csv:
        write_csv([player_data(player) for player in comparison.players()])
    else:
        print_report(comparison_lines(comparison), comparison_data(comparison), as_json=as_json)
    if html is not None:
        block_run.write_page(html, comparison_page(comparison, block_run.records_beside(html, out)))
    sys.exit(status)


def _read_setup(given: dict[str, Any], entrants: Sequence[Entrant], programs: Collection[str]) -> ArenaSetup:
    """Return what the options say about the games. In records, a program without a name is first or second."""
    ruleset, points = block_run.read_rules_and_points(given)
    block_run.check_kinds(entrant.kind for entrant in entrants if entrant.kind not in programs)
    seated = (
        Entrant(name, entrant.kind) if entrant.name in programs else entrant  # a command is too long for a name
        for name, entrant in zip(("first", "second"), entrants, strict=True)
    )
    return ArenaSetup(tuple(seated), ruleset, given["seed"], points, "round-robin")


def _read_hypotheses(given: dict[str, Any]) -> Hypotheses:
    if not given["h0"] < given["h1"]:
        raise InputError("--h1 must be greater than --h0")
    return Hypotheses(given["h0"], given["h1"], given["alpha"], given["beta"])
