"""The command ``ump stats``: what the players of recorded games did, for every format that is read."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from ump.arena.page import Figure, forest, page, stacked_bars
from ump.cli.block_run import write_page
from ump.cli.command_line import InputError, as_json, print_report, write_csv
from ump.cli.convert import from_option, jobs_option, length_option, paths_argument, rules_option, take_all
from ump.record.game_statistics import (
    PlayerTotals,
    Split,
    count_source,
    place_interval,
    places_shares,
    row_data,
    totals_data,
    totals_lines,
)
from ump.record.verify import Assumptions
from ump.rules.ruleset import Length, Ruleset
from ump.text.layout import printable
from ump.text.win import LANGUAGES

MOST = 20
"""The rows that tables and plots show by default."""


@click.command(
    short_help="Count what players did in recorded games.",
    epilog="""\b
Examples:
  ump stats games/ more.zip
  ump stats ump-records/ --player alice --split month
  ump stats games/ --csv > players.csv
  ump stats games/ --html stats.html --most 10
  ump stats arena/records --split seat

\b
Exit status: 0 if games were counted, 2 if there is no readable record, 130 after Ctrl-C.""",
)
@paths_argument
@click.option("--player", metavar="NAME", help="Show this player alone.")
@click.option(
    "--split",
    "splits",
    multiple=True,
    type=click.Choice([each.value for each in Split]),
    help="Make a row for each seat, room, .. of a player; repeatable.",
)
@click.option("--most", type=click.IntRange(1), default=MOST, show_default=True, help="How many rows to show.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="romaji", show_default=True, help="Language of yaku.")
@from_option
@rules_option
@length_option
@jobs_option
@as_json
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with all rows and figures.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page with plots to this file.")
def stats(
    paths: tuple[Path, ...],
    player: str | None,
    splits: tuple[str, ...],
    most: int,
    lang: str,
    source: str | None,
    rules: Ruleset | None,
    length: str | None,
    jobs: int | None,
    as_json: bool,
    as_csv: bool,
    html: Path | None,
) -> None:
    """Count what players did in recorded games: places, points, wins, deal-ins, riichi, calls, draws, yaku.

    Each PATH is a record of any format that 'ump convert --help' lists, plain or gzip, a folder of records, an archive
    (.zip, .tar, .tar.gz), or - for standard input. Unreadable records are named. The seats of a player in an arena are
    joined. docs/records.md defines each figure; --csv and --json have their 95 % intervals.
    """
    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other")
    assumptions = Assumptions(source, rules, None if length is None else Length(length))
    totals = PlayerTotals([Split(each) for each in splits])

    def done() -> str:
        """Return how far the work is."""
        return f"{totals.games} games counted, {len(totals.damaged)} unreadable"

    take_all(partial(count_source, assumptions=assumptions), paths, jobs, totals.add, done)
    if html is not None and totals.games:
        write_page(html, _page(totals, most, player, lang))
    if as_csv:
        for each in totals.damaged:
            click.echo(f"{each.name}: unreadable: {each.damage}", err=True)
        write_csv([row_data(key, counts, totals.splits) for key, counts in totals.sorted_rows(player)])
    else:
        print_report(totals_lines(totals, most, player, lang), totals_data(totals, player), as_json=as_json)
    if not totals.games:
        raise click.exceptions.Exit(2)


def _page(totals: PlayerTotals, most: int, player: str | None, lang: str) -> str:
    """Return the report with plots: the average places with their intervals, and the shares of the places."""
    rows = {" ".join(map(printable, key)): counts for key, counts in totals.sorted_rows(player)[:most]}
    places = {name: interval for name, counts in rows.items() if (interval := place_interval(counts)) is not None}
    shares = dict(places_shares(rows))
    figures = []
    if places:
        means = [((low + high) / 2, (high - low) / 2) for low, high in places.values()]
        figures.append(Figure("Average place, with its 95 % interval", forest(list(places), means, "place")))
    if shares:
        figures.append(Figure("Places", stacked_bars(list(shares), list(shares.values()))))
    return page("Statistics of players", totals_lines(totals, most, player, lang), figures, "")
