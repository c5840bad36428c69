"""The command ``ump arena zoo``: rate other people's bots."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ump.arena.duels import DuelQueue, QueueError
from ump.arena.zoo import Recipe, cache_folder, recipes, zoo_data, zoo_duel, zoo_lines, zoo_table
from ump.cli.arena_queue import work_in_processes, worker_name
from ump.cli.command_line import InputError, as_json, print_report, read_rules
from ump.cli.convert import jobs_option
from ump.model.choices import unknown
from ump.table.clock import TimeControl

GAMES = 200

LENGTH = "tonpu"
"""East games say nearly as much in half of the time."""

TIMES = TimeControl(300, 3_000)
"""Enough for slow bots on a busy computer."""


class RecipeError(ValueError):
    """A bot that is not there, or lacks something; the message is one line."""


def prepare(recipe: Recipe, cache: Path) -> str:
    """Return the kind of a bot, for which packages are installed unless they are there; raises RecipeError or OSError.

    The source of a bot is never fetched: whoever runs it decides that it may run here.
    """
    folder = (cache / recipe.name).absolute()
    if shlex.quote(str(folder)) != str(folder):
        raise RecipeError(f"{recipe.name}: the folder {folder} has a character that a shell reads")
    if not recipe.is_in(folder):
        _install(recipe, folder)
    return recipe.kind_in(str(folder))


def _install(recipe: Recipe, folder: Path) -> None:
    hint = f"; {recipe.how}" if recipe.how else ""
    made = folder / recipe.made
    if recipe.source and not made.exists():
        raise RecipeError(f"{recipe.name}: put {recipe.source} into {folder}, built as its README says{hint}")
    for program in recipe.needs:
        if shutil.which(program) is None:
            raise RecipeError(f"{recipe.name} needs the program {program}{hint}")
    folder.mkdir(parents=True, exist_ok=True)
    if recipe.install:
        click.echo(f"installing what {recipe.name} needs in {folder}", err=True)
    log = folder.with_suffix(".log")
    with log.open("wb") as output:
        for command in recipe.install:
            status = subprocess.run(
                command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
            )
            if status.returncode:
                raise RecipeError(f"{recipe.name}: {command!a} failed, see {log}{hint}")
    if not made.exists():
        raise RecipeError(f"{recipe.name}: there is no {made}{hint}")
    recipe.mark_installed(folder)


@click.command(
    short_help="Rate other people's bots.",
    epilog="""\b
Examples:
  ump arena zoo --list
  ump arena zoo --out zoo                          all that are there or can be installed
  ump arena zoo majiang manue --out zoo --games 1000
  ump arena zoo akochan --install                  say what it needs, and play nothing

\b
Exit status: 0 if all games were played, 1 if a player failed or a process ended, 2 for a wrong command line or a bot
that was named and is not there, 130 after Ctrl-C.""",
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "is_listed", is_flag=True, help="List the bots.")
@click.option("--install", "is_only_installed", is_flag=True, help="Install what the bots need, and play nothing.")
@click.option("--games", type=click.IntRange(1), default=GAMES, show_default=True, help="East games of each bot.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder that has a folder for each bot.  [default: ~/.cache/ump-zoo]",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Keep the games in this folder.")
@jobs_option
@as_json
def zoo(
    names: Sequence[str],
    is_listed: bool,
    is_only_installed: bool,
    games: int,
    cache: Path | None,
    out: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Let each of other people's bots play among copies of expert, and rate them.

    ump/arena/zoo.toml says what each bot needs. Packages are installed from registries; whatever else it needs you put
    into its folder. What is played stays: the same command goes on, and more --games are added. Without NAME, bots that
    are not there are left out.
    """
    chosen = _chosen(names)
    cache = cache or cache_folder()
    if is_listed:
        for recipe in chosen:
            state = "there" if recipe.is_in(cache / recipe.name) else "not there"
            click.echo(f"{recipe.name:17}{state:11}{recipe.about}")
        return
    kinds = _prepared(chosen, cache, is_strict=bool(names))
    if is_only_installed:
        return
    if out is None:
        raise InputError("zoo needs --out FOLDER, --install or --list")
    duels = DuelQueue(out, worker_name())
    _add(duels, kinds, games)
    status = work_in_processes(duels, out, jobs, names=list(kinds), keep_going=False)
    table = zoo_table(duels.duels())
    print_report(zoo_lines(table), zoo_data(table), as_json=as_json)
    sys.exit(status)


def _chosen(names: Sequence[str]) -> list[Recipe]:
    known = recipes()
    for name in names:
        if name not in known:
            raise InputError(unknown("bot", name, known))
    return [known[name] for name in names or known]


def _prepared(chosen: Sequence[Recipe], cache: Path, *, is_strict: bool) -> dict[str, str]:
    """Return the kinds of these bots by name, without those that are not there; if strict, raise InputError."""
    kinds = {}
    for recipe in chosen:
        try:
            kinds[recipe.name] = prepare(recipe, cache)
        except (RecipeError, OSError) as error:
            if is_strict:
                raise InputError(str(error)) from error
            click.echo(f"left out: {error}", err=True)
    return kinds


def _add(duels: DuelQueue, kinds: dict[str, str], games: int) -> None:
    """Add the duels of these bots, or games to those that are there; raises InputError."""
    ruleset = read_rules("--rules", "tenhou", [f"length={LENGTH}"])
    try:
        for name, kind in kinds.items():
            duels.add_or_extend(name, zoo_duel(name, kind, ruleset, games, TIMES))
    except (QueueError, OSError) as error:
        raise InputError(str(error)) from error
