"""The command ``ump dataset``: the decisions of records as Parquet shards, to learn from."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from ump.cli.command_line import InputError, clear_progress
from ump.cli.convert import from_option, jobs_option, paths_argument, rules_option, take_all
from ump.cli.main import INTERRUPTED
from ump.env.dataset import DatasetError, Encoded, KeptDecisions, Selection, Shards, encode_source
from ump.env.extras import GROUPS
from ump.record.record_files import reason
from ump.rules.ruleset import Ruleset

SHARD = 100_000
"""Decisions of a shard, by default."""


@click.command(
    short_help="Write the decisions of records as a data set.",
    epilog="""\b
Examples:
  ump dataset ump-records/ --out data/
  ump dataset games.zip more/ --out data/ --kind discards
  ump dataset logs/ --out data/ --rules mleague --jobs 4

\b
Exit status: 0 if every record was used, 1 if one was not, 2 for a wrong command line or without any decision,
130 after Ctrl-C.""",
)
@paths_argument
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="DIR", help="Folder to write to."
)
@click.option(
    "--kind",
    type=click.Choice([each.value for each in KeptDecisions]),
    default=KeptDecisions.DECISIONS.value,
    show_default=True,
    help="All decisions, or those that discard a tile.",
)
@click.option(
    "--extra",
    "extras",
    type=click.Choice(GROUPS),
    multiple=True,
    help="Add columns (repeatable); those of oracle and targets hold hidden tiles.",
)
@click.option(
    "--shard", type=click.IntRange(1), default=SHARD, show_default=True, metavar="N", help="Decisions of each shard."
)
@from_option
@click.option("--force", is_flag=True, help="Replace a data set that exists, once the new one is complete.")
@rules_option
@jobs_option
def dataset(
    paths: tuple[Path, ...],
    out: Path,
    kind: str,
    extras: tuple[str, ...],
    shard: int,
    source: str | None,
    rules: Ruleset | None,
    jobs: int | None,
    force: bool,
) -> None:
    """Write what players saw, could do and did, and what came of it, to Parquet files in DIR.

    Each PATH is a record of any format that 'ump convert --help' lists, a folder of records, an archive, or - for
    standard input. A replay by the rules finds the questions and their legal answers. A record that cannot be used is
    named with the reason, and the others go on. The same records give the same shards, in any number of processes.
    docs/learning.md describes the columns. It needs pip install 'ump-mahjong[tables]'.
    """
    selection = Selection(KeptDecisions(kind), source, rules, tuple(dict.fromkeys(extras)))
    try:
        shards = Shards(out, selection.kept, shard, extras=selection.extras, force=force)
        problems = _write(paths, shards, selection, jobs)
    except KeyboardInterrupt:
        click.echo("interrupted; the unfinished data set was removed", err=True)
        sys.exit(INTERRUPTED)
    except DatasetError as error:
        raise InputError(str(error)) from None
    except OSError as error:
        raise InputError(f"cannot write the data set: {error.filename or out}: {reason(error)}") from None
    click.echo(
        f"{shards.decisions} decisions of {shards.games} games in {shards.count} shards; {problems} records not used"
    )
    if shards.left_out:
        click.echo(f"{shards.left_out} kyoku were left out in part: they contradict the rules; ump verify says where")
    sys.exit(1 if problems else 0)


def _write(paths: tuple[Path, ...], shards: Shards, selection: Selection, jobs: int | None) -> int:
    """Write all records, and return how many could not be used."""
    problems = 0
    is_complete = False

    def done() -> str:
        """Return how far the data set is."""
        return f"{shards.games} games, {shards.decisions} decisions"

    def take(encoded: Encoded) -> None:
        """Write the decisions of a file, or say why there are none."""
        nonlocal problems
        if encoded.problem:
            clear_progress()
            click.echo(f"{encoded.name}: {encoded.problem}", err=True)
            problems += 1
        for game in encoded.games:
            shards.add(game)

    try:
        take_all(partial(encode_source, selection=selection), paths, jobs, take, done)
        if not shards.decisions:
            raise DatasetError("no record has a decision: there is no data set")
        shards.close()
        is_complete = True
    finally:
        if not is_complete:
            shards.discard()
    return problems
