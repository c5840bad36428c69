"""The command ``ump arena zoo``: build other people's bots, and rate them."""

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
    """A bot that cannot be built here; the message is one line."""


def prepare(recipe: Recipe, cache: Path) -> str:
    """Return the kind of a bot, which is fetched and built unless it is there; raises RecipeError or OSError."""
    folder = (cache / recipe.name).absolute()
    if shlex.quote(str(folder)) != str(folder):
        raise RecipeError(f"{recipe.name}: the folder {folder} has a character that a shell reads")
    if not recipe.is_in(folder):
        _build(recipe, folder)
    return recipe.kind_in(str(folder))


def _build(recipe: Recipe, folder: Path) -> None:
    hint = f"; {recipe.how}" if recipe.how else ""
    for program in recipe.needs:
        if shutil.which(program) is None:
            raise RecipeError(f"{recipe.name} needs the program {program}{hint}")
    folder.mkdir(parents=True, exist_ok=True)
    commands = [*_fetching(recipe, folder), *recipe.build]
    click.echo(f"building {recipe.name} in {folder}", err=True)
    log = folder.with_suffix(".log")
    with log.open("wb") as output:
        for command in commands:
            status = subprocess.run(
                command, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
            )
            if status.returncode:
                raise RecipeError(f"{recipe.name}: {command!a} failed, see {log}{hint}")
    if not (folder / recipe.made).exists():
        raise RecipeError(f"{recipe.name}: there is no {folder / recipe.made}{hint}")
    recipe.mark_built(folder)


def _fetching(recipe: Recipe, folder: Path) -> list[str]:
    """Return the commands that bring the files of a repository; a build that was interrupted goes on."""
    if not recipe.git:
        return []
    url, commit = shlex.quote(recipe.git), shlex.quote(recipe.commit)
    is_cloned = (folder / ".git").exists()
    return [
        "git fetch --quiet" if is_cloned else f"git clone --quiet --no-checkout {url} .",
        f"git checkout --quiet {commit}",
        # git leaves out what the copy of a repository lacks, and reports no failure
        'test -z "$(git ls-files --deleted)"',
    ]


@click.command(
    short_help="Build other people's bots, and rate them.",
    epilog="""\b
Examples:
  ump arena zoo --list
  ump arena zoo --out zoo                          all that can be built here
  ump arena zoo majiang manue --out zoo --games 1000
  ump arena zoo akochan --build                    build it, and play nothing

\b
Exit status: 0 if all games were played, 1 if a player failed or a process ended, 2 for a wrong command line or a bot
that was named and cannot be built, 130 after Ctrl-C.""",
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "is_listed", is_flag=True, help="List the bots.")
@click.option("--build", "is_only_built", is_flag=True, help="Build the bots, and play nothing.")
@click.option("--games", type=click.IntRange(1), default=GAMES, show_default=True, help="East games of each bot.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder in which bots are built.  [default: ~/.cache/ump-zoo]",
)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Keep the games in this folder.")
@jobs_option
@as_json
def zoo(
    names: Sequence[str],
    is_listed: bool,
    is_only_built: bool,
    games: int,
    cache: Path | None,
    out: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Build other people's bots, let each play among copies of expert, and rate them.

    What is built and what is played stays: the same command goes on, and more --games are added. Without NAME, bots
    that cannot be built here are left out. The recipes are in ump/arena/zoo.toml; build commands come from there.
    """
    chosen = _chosen(names)
    cache = cache or cache_folder()
    if is_listed:
        for recipe in chosen:
            state = "there" if recipe.is_in(cache / recipe.name) else "not built"
            click.echo(f"{recipe.name:12}{state:11}{recipe.about}")
        return
    kinds = _prepared(chosen, cache, is_strict=bool(names))
    if is_only_built:
        return
    if out is None:
        raise InputError("zoo needs --out FOLDER, --build or --list")
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
    """Return the kinds of these bots by name, without those that cannot be built; if strict, raise InputError."""
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
