"""The commands ``ump compare`` and ``ump arena``: which player is better, and where."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from ump.arena.arena_report import arena_data, arena_lines, arena_page, arena_progress, standing_data
from ump.arena.arena_setup import (
    SCHEDULES,
    ArenaSetup,
    anchor,
    arena_setup_data,
    comparison_setup_data,
    lineups,
    names_of,
)
from ump.arena.block_play import BlockRun, Match, policy_factory
from ump.arena.blocks import ArenaPlayer, Block
from ump.arena.comparison import (
    Comparison,
    comparison_data,
    comparison_lines,
    comparison_page,
    progress_text,
)
from ump.arena.fork_report import ForkGains, forks_data, forks_lines, forks_page, forks_progress
from ump.arena.forks import ForkTest, forks_setup_data, play_forks
from ump.arena.plan import ArenaStandings, OpenBlocks
from ump.arena.sequential import Hypotheses, PairTests, pairs_of
from ump.arena.statistics import player_data
from ump.cli import block_run
from ump.cli.arena_queue import queue
from ump.cli.arena_tune import tune
from ump.cli.arena_zoo import zoo
from ump.cli.command_line import InputError, as_json, changes_of_rules, print_report, time_option, write_csv
from ump.cli.convert import jobs_option
from ump.model.choices import unknown
from ump.server.program_arena import Program

# ump compare


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
@block_run.hypotheses_options(Hypotheses())
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
    hypotheses: Hypotheses,
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
    entrants = [block_run.read_entrant(given["first"]), block_run.read_entrant(given["second"])]
    programs = block_run.read_programs([entrant.kind for entrant in entrants])
    setup = _read_pair(given, entrants, programs)
    blocks = None if given["games"] is None else -(-given["games"] // setup.ruleset.seats)
    comparison = Comparison(setup, hypotheses, blocks, names_of(entrants))
    means = block_run.Means(programs, given["times"], jobs, given["tables"], None, out is not None)
    with ExitStack() as stack:
        run = BlockRun(
            comparison_setup_data(setup) | ({"time": str(given["times"])} if programs else {}),
            comparison.names,
            block_run.block_results(setup, means, stack),
            comparison.add,
            comparison.needs_more,
            comparison.pending,
            partial(progress_text, comparison),
            comparison.expected_blocks,
        )
        status = block_run.play_blocks(run, out, resume=resume, keep_going=keep_going)
    if as_csv:
        write_csv(list(map(player_data, comparison.players())))
    else:
        print_report(comparison_lines(comparison), comparison_data(comparison), as_json=as_json)
    if html is not None:
        block_run.write_page(html, comparison_page(comparison, block_run.records_beside(html, out)))
    sys.exit(status)


def _read_pair(given: dict[str, Any], entrants: Sequence[ArenaPlayer], programs: Collection[str]) -> ArenaSetup:
    """Return what the options say about the games. In records, a program without a name is first or second."""
    ruleset, points = block_run.read_rules_and_points(given)
    block_run.check_kinds(entrant.kind for entrant in entrants if entrant.kind not in programs)
    seated = []
    for name, entrant in zip(("first", "second"), entrants, strict=True):
        is_unnamed = entrant.name in programs  # a command is too long for a name
        seated.append(ArenaPlayer(name, entrant.kind) if is_unnamed else entrant)
    return ArenaSetup(tuple(seated), ruleset, given["seed"], points, "round-robin")


MOST_PLAYERS = 32
"""More players than that have thousands of directions."""


COMMAND_LINE_ONLY = ("config", "resume", "as_json", "as_csv")
"""The options that are not keys of a file for --config."""

_FORMS = {"points": list, "players": dict}
"""The types of keys that a file gives in another form than the command line; these keys are parameters, too."""

_WRITTEN = {
    int: "a whole number",
    str: "a text",
    list: "a list",
    bool: "true or false",
    float: "a number with a point",
    dict: "a table of names and kinds",
}


def _file_options(command: click.Command) -> dict[str, click.Option]:
    """Return the options that a file for --config may give, by their keys."""
    options = {}
    for option in command.params:
        if not isinstance(option, click.Option) or option.name in COMMAND_LINE_ONLY:
            continue
        if option.name in _FORMS:
            options[str(option.name)] = option
        else:
            options[option.opts[0].removeprefix("--").replace("-", "_")] = option
    return options


def _type_in_file(option: click.Option) -> type:
    """Return the type of an option's value in a file."""
    if option.name in _FORMS:
        return _FORMS[option.name]
    if option.is_flag or option.multiple:
        return bool if option.is_flag else list
    numbers: dict[type, type] = {click.IntRange: int, click.FloatRange: float}
    return numbers.get(type(option.type), str)


def _read_config(context: click.Context, _parameter: click.Parameter, path: Path | None) -> None:
    """Take defaults of options from a file in TOML; what the command line gives has precedence."""
    if path is None:
        return
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"--config {path}: {error}") from None
    defaults: dict[str, Any] = {}
    options = _file_options(context.command)
    for key, content in data.items():
        if key not in options:
            raise InputError(f"--config {path}: {unknown('key', key, options)}")
        if type(content) is not (expected := _type_in_file(options[key])):
            raise InputError(f"--config {path}: {key}: expected {_WRITTEN[expected]}")
        defaults[str(options[key].name)] = content
    if "points" in defaults:
        defaults["points"] = ",".join(map(str, defaults["points"]))
    defaults["changes"] = list(map(str, defaults.get("changes", ())))
    defaults["players"] = [f"{name}={kind}" for name, kind in defaults.get("players", {}).items()]
    context.default_map = defaults


dask_option = click.option(
    "--dask", metavar="ADDRESS", help="Play on the cluster of this Dask scheduler, as in 127.0.0.1:8786."
)


@click.group(
    epilog="""\b
Examples:
  ump arena run efficiency defensive tsumogiri --games 240
  ump arena forks expert my_bot:Changed
  ump arena queue add duels my_bot:Changed expert"""
)
def arena() -> None:
    """Let several players play many games, and rate them, or test a change of one."""


arena.add_command(queue)
arena.add_command(tune)
arena.add_command(zoo)


@arena.command(
    short_help="Play games among several players, and rate them.",
    epilog="""\b
Kinds of programs:
  mjai:COMMAND      speaks mjai over its standard streams; also mjai-lines
  connect:COMMAND   connects to the port {listen}, {mjai}, {majiang} or {http}
  wait:mjai=PORT    is started by you, and connects to this port

\b
Examples:
  ump arena run efficiency defensive tsumogiri --games 240
  ump arena run --player mine=my_bot:Policy efficiency defensive --out arena --jobs 2
  ump arena run --player mine=my_bot:Policy efficiency defensive --out arena --jobs 2 --resume --html arena/report.html
  ump arena run --player "mine=mjai:python bot.py {seat}" efficiency --time 5+10 --out arena
  ump arena run --player "other=connect:node bot.js http://127.0.0.1:{http}/server" efficiency
  ump arena run efficiency defensive tsumogiri --until-decided --jobs 2
  ump arena run efficiency defensive --games 20000 --dask 192.0.2.7:8786 --out arena
  ump arena run --config arena.toml --resume

\b
Exit status: 0 if all games were played, 1 if a player failed or a process ended, 2 for a wrong command line, 130 after
Ctrl-C.""",
)
@click.option(
    "--config",
    is_eager=True,
    expose_value=False,
    callback=_read_config,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Read players and options from this file in TOML.",
)
@click.argument("kinds", nargs=-1, metavar="[[NAME=]KIND]...")
@click.option("--player", "players", multiple=True, metavar="[NAME=]KIND", help="A player, and its name; repeatable.")
@click.option(
    "--games",
    type=click.IntRange(1),
    help="Games, up to whole blocks.  [default: 400, or with --until-decided no limit]",
)
@click.option(
    "--schedule",
    type=click.Choice(list(SCHEDULES)),
    default="round-robin",
    show_default=True,
    help="The choice of opponents.",
)
@click.option("--until-decided", is_flag=True, help="Let each pair play until tests decide which one is better.")
@click.option(
    "--lead",
    "until_lead",
    type=click.FloatRange(0, 1_000, min_open=True),
    default=5.0,
    show_default=True,
    help="The lead in points per game that these tests look for.",
)
@click.option(
    "--anchor", "anchored", metavar="NAME", help="The player rated 1500.  [default: efficiency, or the first]"
)
@block_run.rules_option
@changes_of_rules
@block_run.length_option
@time_option
@click.option("--seed", default="arena", show_default=True, help="Text that determines all walls.")
@block_run.points_option
@block_run.out_option
@block_run.resume_option
@block_run.keep_going_option
@jobs_option
@block_run.tables_option
@dask_option
@as_json
@block_run.csv_option
@block_run.html_option
def run(
    as_json: bool,
    as_csv: bool,
    html: Path | None,
    dask: str | None,
    games: int | None,
    jobs: int | None,
    out: Path | None,
    resume: bool,
    keep_going: bool,
    **given: Any,
) -> None:
    """Play games among several players, and rate them.

    A KIND is a built-in bot (docs/players.md), random, or MODULE:CLASS, a policy in Python (docs/library.md); its
    module is searched in the current folder, too. A KIND without NAME is its own name. Programs can play, too.
    docs/arena.md explains players, schedules and ratings.
    """
    block_run.check_outputs(as_json=as_json, as_csv=as_csv, resume=resume, out=out)
    if games is None and not given["until_decided"]:
        games = 400
    entrants = [block_run.read_entrant(player, "--player ") for player in given["players"]]
    entrants += map(block_run.read_entrant, given["kinds"])
    programs = block_run.read_programs([entrant.kind for entrant in entrants])
    setup = _read_setup(given, entrants, programs)
    standings = ArenaStandings(setup, _read_anchor(setup, given["anchored"]))
    tests = _pair_tests(setup)
    blocks = None if games is None else -(-games // setup.ruleset.seats)
    plan = OpenBlocks(setup, standings, blocks, tests)
    means = block_run.Means(programs, given["times"], jobs, given["tables"], dask, out is not None)
    terminal = shutil.get_terminal_size()
    size = terminal.columns - 1, terminal.lines - 1

    def _count_block(block: Block) -> None:
        standings.add(block)
        plan.add(block)

    def _blocks() -> int | None:
        return blocks

    with ExitStack() as stack:
        status = block_run.play_blocks(
            BlockRun(
                arena_setup_data(setup) | ({"time": str(given["times"])} if programs else {}),
                names_of(setup.entrants),
                block_run.block_results(setup, means, stack),
                _count_block,
                plan.needs_more,
                plan.pending,
                partial(arena_progress, standings, None if blocks is None else blocks * setup.ruleset.seats, *size),
                _blocks,
            ),
            out,
            resume=resume,
            keep_going=keep_going,
        )
    table = standings.table()
    if as_csv:
        write_csv([standing_data(standings, standing) for standing in table])
    else:
        print_report(arena_lines(standings, table, tests), arena_data(standings, table, tests), as_json=as_json)
    if html is not None:
        block_run.write_page(html, arena_page(standings, table, block_run.records_beside(html, out), tests))
    sys.exit(status)


def _pair_tests(setup: ArenaSetup) -> PairTests | None:
    """Return the tests of all pairs, if the schedule lets pairs meet."""
    pairs = pairs_of(setup.schedule, len(setup.entrants))
    return PairTests(pairs, setup.until, setup.points) if pairs else None


def _read_setup(given: dict[str, Any], entrants: Sequence[ArenaPlayer], programs: Mapping[str, Program]) -> ArenaSetup:
    """Return what the options say about the games."""
    ruleset, points = block_run.read_rules_and_points(given)
    names = names_of(entrants)
    if not 2 <= len(entrants) <= MOST_PLAYERS:
        raise InputError(f"expected 2 to {MOST_PLAYERS} players, got {len(entrants)}")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two players are called {name!a}; give each a name, as in NAME=KIND")
    block_run.check_kinds(entrant.kind for entrant in entrants if entrant.kind not in programs)
    until = given["until_lead"] if given["until_decided"] else None
    setup = ArenaSetup(tuple(entrants), ruleset, given["seed"], points, given["schedule"], until)
    if until is not None and not pairs_of(setup.schedule, len(entrants)):
        raise InputError("--until-decided needs --schedule round-robin, gauntlet or challenge, in which pairs meet")
    if not lineups(setup):
        raise InputError(f"--schedule {setup.schedule} needs {ruleset.seats} players or more, got {len(entrants)}")
    return setup


def _read_anchor(setup: ArenaSetup, name: str | None) -> int:
    if name is None:
        return anchor(setup.entrants)
    names = names_of(setup.entrants)
    if name not in names:
        raise InputError(f"--anchor: no player is called {name!a}")
    return names.index(name)


@arena.command(
    short_help="Find out what the decisions gain in which a new policy differs.",
    epilog="""\b
Examples:
  ump arena forks expert my_bot:Changed
  ump arena forks expert my_bot:Changed --forks 8000 --out forks --html forks/report.html
  ump arena forks expert my_bot:Changed --forks 8000 --out forks --resume
  ump arena forks old=old_bot:Policy new=my_bot:Policy --games 100 --json

\b
Exit status: 0 if the test was finished, 1 if a process ended, 2 for a wrong command line or a policy that fails,
130 after Ctrl-C.""",
)
@click.argument("old")
@click.argument("new")
@click.option("--games", type=click.IntRange(1), help="Games at most.")
@click.option(
    "--forks", "changed", type=click.IntRange(1), help="End after so many forks.  [default: 2000, without --games]"
)
@click.option(
    "--reviewer",
    default="expert",
    show_default=True,
    help="The policy that says what a hand is worth two and three turns later.",
)
@block_run.rules_option
@changes_of_rules
@block_run.length_option
@click.option("--seed", default="forks", show_default=True, help="Text that determines all walls.")
@block_run.points_option
@block_run.out_option
@block_run.resume_option
@jobs_option
@dask_option
@as_json
@block_run.html_option
def forks(
    as_json: bool,
    html: Path | None,
    dask: str | None,
    games: int | None,
    changed: int | None,
    jobs: int | None,
    out: Path | None,
    resume: bool,
    **given: Any,
) -> None:
    """Find out what the decisions gain in which the policy NEW differs from OLD.

    OLD plays games in all seats, and NEW is asked the same questions. Where it answers otherwise, the kyoku is played
    on both ways with equal hidden tiles. The gains are those by the end of the kyoku, in points and in placement
    points, and two and three own turns later in the opinion of the reviewer, which says the same with less chance.
    Policies are named as in 'ump compare'. docs/arena.md explains it.
    """
    block_run.check_outputs(as_json=as_json, as_csv=False, resume=resume, out=out)
    if games is None and changed is None:
        changed = 2_000
    test = _read_forks(given)
    gains = ForkGains(test, games, changed)
    means = block_run.Means({}, None, jobs, 1, dask, out is not None)
    kinds = [*(entrant.kind for entrant in test.match.entrants), test.reviewer]
    with ExitStack() as stack:
        run = BlockRun(
            forks_setup_data(test),
            names_of(test.match.entrants),
            block_run.policy_results(partial(play_forks, test, with_records=out is not None), kinds, means, 1, stack),
            gains.add,
            gains.needs_more,
            gains.pending,
            partial(forks_progress, gains),
            gains.expected_games,
        )
        status = block_run.play_blocks(run, out, resume=resume, keep_going=True)
    print_report(forks_lines(gains), forks_data(gains), as_json=as_json)
    if html is not None:
        block_run.write_page(html, forks_page(gains, block_run.records_beside(html, out)))
    sys.exit(status)


def _read_forks(given: dict[str, Any]) -> ForkTest:
    """Return what the options say about a fork test; raises InputError."""
    ruleset, points = block_run.read_rules_and_points(given)
    entrants = (block_run.read_entrant(given["old"]), block_run.read_entrant(given["new"]))
    kinds = [entrant.kind for entrant in entrants]
    block_run.check_kinds([*kinds, given["reviewer"]])
    if names_of(entrants)[0] == names_of(entrants)[1]:
        raise InputError("OLD and NEW have the same name; give each a name, as in NAME=KIND")
    if not hasattr(policy_factory(given["reviewer"])(""), "evaluate"):
        raise InputError(
            f"--reviewer: {given['reviewer']} does not say what a hand is worth (docs/library.md#reviewers)"
        )
    return ForkTest(Match(entrants, ruleset, given["seed"]), given["reviewer"], points)
