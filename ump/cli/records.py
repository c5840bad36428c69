"""The commands ``ump records``, the games that a server has recorded, and ``ump stats``, for records of all formats."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path

import click

from ump.arena.page import Figure, forest, page, stacked_bars, table, text_cell
from ump.cli.block_run import write_page
from ump.cli.command_line import (
    InputError,
    as_json,
    clear_progress,
    options_of,
    print_report,
    show_progress,
    write_csv,
)
from ump.cli.convert import jobs_option, paths_argument, take_all
from ump.cli.database import index_option, site_option
from ump.database.database import DatabaseError, DatabasePlace, folder_id, made_folder_id
from ump.model.choices import MAX_LISTED, did_you_mean, quoted
from ump.record.figures import CALL_RATE, DEAL_IN_RATE, RIICHI_RATE, WIN_RATE, place_interval
from ump.record.game_index import GameIndex
from ump.record.game_statistics import (
    Counts,
    PlayerTotals,
    Split,
    count_source,
    places_shares,
    rates_of,
    row_data,
    summary,
    tables_of,
    totals_data,
    totals_lines,
    yaku_cells,
)
from ump.record.indexed_game import (
    GameFilter,
    pair_data,
    pair_lines,
    pairs,
    records_data,
    records_lines,
    records_rows,
)
from ump.record.journal import GameSummary, journal_counts, read_journal, read_last_kyoku, summary_of
from ump.record.player_counts import PlayerCounts
from ump.record.player_statistics import statistics_data, statistics_lines
from ump.record.record_copies import RecordCopies
from ump.record.record_files import RecordSource, files_at, read_source, results, unpacked
from ump.record.recorded_game import RecordError
from ump.record.verify import Assumptions
from ump.table.journal_entries import End
from ump.text.layout import printable
from ump.text.win import LANGUAGES

JOURNAL = re.compile(r"\.journal(\.gz)?$")

_KINDS = 5
"""The kinds of other records that an error names."""

_KEPT = 200
"""Counted games that are entered together, so that Ctrl-C loses few."""


@click.command(
    short_help="List recorded games, or count what their players did.",
    epilog="""\b
Examples:
  ump records
  ump records /var/lib/ump/records --last 100
  ump records --player alice --since 2026-11-01 --rules mleague
  ump records --players
  ump records --players --room main --csv > players.csv
  ump records --pairs --player alice
  ump records --reindex
  ump records --index postgresql://ump@localhost/ump
  ump records --reindex --site postgresql://ump@localhost/ump""",
)
@click.argument("folder", default="ump-records", type=click.Path(file_okay=False, path_type=Path), metavar="[FOLDER]")
@click.option("--last", type=click.IntRange(1), default=20, show_default=True, help="How many games to list.")
@click.option("--players", is_flag=True, help="Print statistics of each player over all chosen games instead.")
@click.option(
    "--pairs", "by_pairs", is_flag=True, help="Print the difference of each pair of players in duplicate games instead."
)
@options_of(GameFilter, "games")
@click.option("--reindex", is_flag=True, help="First make the index of the folder again, from its journals.")
@index_option
@site_option
@jobs_option
@as_json
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, a row for each player.")
def records(
    folder: Path,
    last: int,
    players: bool,
    by_pairs: bool,
    games: GameFilter,
    reindex: bool,
    index: DatabasePlace | None,
    site: DatabasePlace | None,
    jobs: int | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List the recorded games of a FOLDER, by default ump-records, the newest first.

    The list comes from the folder's index of finished games, or with --index from one that servers share. A running
    server enters each game when it is over. With --players the command replays the games of the folder that it has not
    counted yet, once, and prints for each player places, points, and rates of wins, deal-ins and more, over the games
    that were played to their end, or that ended as --end says. With --pairs it prints by how much players differ who
    have played the same walls from every seat (--duplicate of the server).
    docs/records.md defines each number.
    """
    if as_json and as_csv:
        raise InputError("--json and --csv exclude each other")
    if players and by_pairs:
        raise InputError("--players and --pairs exclude each other")
    opened = _opened(folder, site or index, None if site is None else RecordCopies(site), reindex=reindex)
    try:
        if site is None and index is None:
            _check_records(folder, opened)
        if reindex:
            opened.rebuild(_finished_games(folder))
        if players:
            _count(opened, folder, jobs or os.cpu_count() or 1)
            found = opened.players(games if games.end else replace(games, end=End.COMPLETED.value))
            data = [statistics_data(each) for each in found]
            _print(statistics_lines(found), {"players": data}, data, as_json=as_json, as_csv=as_csv)
            is_empty = not found
        elif by_pairs:
            compared = pairs(opened.duplicate_games(games), games.player)
            data = [pair_data(each) for each in compared]
            _print(pair_lines(compared), {"pairs": data}, data, as_json=as_json, as_csv=as_csv)
            is_empty = not compared
        else:
            listed = list(opened.games(last, games))
            rows = list(records_rows(listed))
            _print(records_lines(listed), records_data(listed), rows, as_json=as_json, as_csv=as_csv)
            is_empty = not listed
        if is_empty:
            for option, column in (("player", "name"), ("room", "room"), ("rules", "rules")):
                _note_unknown(option, getattr(games, option), partial(opened.words, column))
    except (OSError, DatabaseError) as error:
        raise InputError(f"{opened.place.shown}: {error}") from error


def _note_unknown(option: str, word: str | None, find: Callable[[], Sequence[str]]) -> None:
    """Say on standard error that no game has the word of an option, and which words the games have instead."""
    words = [] if word is None else find()
    if word is None or not words or word in words:
        return
    listed = ", ".join(map(printable, words[:MAX_LISTED]))
    if len(words) > MAX_LISTED:
        listed += f" and {len(words) - MAX_LISTED} more"
    click.echo(f"--{option}: no game has {quoted(word)}{did_you_mean(word, words)}; the games have {listed}", err=True)


def _opened(folder: Path, place: DatabasePlace | None, copies: RecordCopies | None, *, reindex: bool) -> GameIndex:
    """Return the index of a folder, or one that servers share; only the second needs no folder."""
    if not folder.is_dir() and (place is None or reindex):
        raise InputError(f"FOLDER: there is no folder '{folder}'; give that of --record-dir")
    if place is None:
        return GameIndex(folder)
    try:
        own_id = made_folder_id(folder) if reindex else folder_id(folder)
        return GameIndex(folder, place, own_id or "", copies)
    except (OSError, ValueError) as error:
        raise InputError(str(error)) from None


def _check_records(folder: Path, opened: GameIndex) -> None:
    """Raise InputError for a folder that has records, but none that a server has written."""
    if list(opened.games(1)):
        return
    with suppress(RecordError):  # no records at all
        files = files_at([folder])
        if not any(JOURNAL.search(path.name) for path in files):
            kinds = Counter("".join(path.suffixes[-2:]) or path.name for path in files)
            found = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common(_KINDS))
            raise InputError(
                f"FOLDER: no journals of a server in '{folder}', but {len(files)} other records ({found}); "
                "ump stats counts what their players did, ump verify and ump convert read them too"
            )


def _print(
    lines: Iterator[str],
    data: dict[str, object],
    rows: Sequence[Mapping[str, object]],
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print a report as text, JSON or CSV."""
    if as_csv:
        write_csv(rows)
    else:
        print_report(lines, data, as_json=as_json)


def _finished_games(folder: Path) -> Iterator[tuple[str, GameSummary]]:
    """Yield all finished games of a folder; name each journal that is unreadable."""
    files = sorted(folder.glob("*.journal.gz"))
    for number, path in enumerate(files, 1):
        show_progress(f"journal {number} of {len(files)}", number - 1, len(files))
        try:
            yield path.name, summary_of(read_last_kyoku(unpacked(path.read_bytes())))
        except (OSError, ValueError) as error:
            _complain(f"{path}: unreadable: {error}")
    clear_progress()


def _count(index: GameIndex, folder: Path, jobs: int) -> None:
    """Count the games that have no counts yet, and enter them; name each whose journal is missing or damaged."""
    files = index.uncounted()
    counted: list[tuple[str, tuple[PlayerCounts, ...]]] = []
    sources = [RecordSource(str(folder / file)) for file in files]
    try:
        for number, (file, counts) in enumerate(zip(files, results(_counts, sources, jobs), strict=True), 1):
            show_progress(f"game {number} of {len(files)} is counted", number, len(files))
            if isinstance(counts, str):
                _complain(f"{folder / file}: not counted: {counts}")
            else:
                counted.append((file, counts))
            if len(counted) == _KEPT:
                index.set_counts(counted)
                counted = []
    finally:
        clear_progress()
        if counted:
            index.set_counts(counted)


def _counts(source: RecordSource) -> tuple[PlayerCounts, ...] | str:
    """Return the counts of a journal, or why there are none; a worker process calls it."""
    try:
        return journal_counts(read_journal(unpacked(read_source(source))))
    except ValueError as error:
        return str(error)


def _complain(problem: str) -> None:
    clear_progress()
    click.echo(problem, err=True)


# ump stats

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
  ump stats arena/games --split seat
  ump stats ump-records/ --player alice --profile

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
@click.option(
    "--profile",
    is_flag=True,
    help="Review the games of --player with 'expert' instead, and show what costs it most; from 20 games on.",
)
@click.option("--most", type=click.IntRange(1), default=MOST, show_default=True, help="How many rows to show.")
@click.option("--lang", type=click.Choice(LANGUAGES), default="romaji", show_default=True, help="Language of yaku.")
@options_of(Assumptions, "assumptions")
@jobs_option
@as_json
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with all rows and figures.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page with plots to this file.")
def stats(
    paths: tuple[Path, ...],
    player: str | None,
    splits: tuple[str, ...],
    profile: bool,
    most: int,
    lang: str,
    assumptions: Assumptions,
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
    if profile:
        if player is None or splits or as_csv or html is not None:
            raise InputError("--profile needs --player, and excludes --split, --csv and --html")
        from ump.cli.profile import print_profile  # the reviewer takes a while to load

        print_profile(paths, player, assumptions, jobs, as_json=as_json)
        return
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
    _note_unknown("player", player, lambda: list(dict.fromkeys(key[0] for key, _ in totals.sorted_rows())))
    if not totals.games:
        raise click.exceptions.Exit(2)


def _page(totals: PlayerTotals, most: int, player: str | None, lang: str) -> str:
    """Return the report with plots: places, the rates with their intervals, and all tables."""
    rows = {" ".join(map(printable, key)): counts for key, counts in totals.sorted_rows(player)[:most]}
    places = {name: interval for name, counts in rows.items() if (interval := place_interval(counts)) is not None}
    shares = dict(places_shares(rows))
    figures = []
    if shares:
        figures.append(Figure("Places", stacked_bars(list(shares), list(shares.values()))))
    if places:
        figures.append(_intervals("Average place", places, "place", ".2f"))
    for title, figure in PLOTTED.items():
        intervals = rates_of(figure, rows)
        if intervals:
            figures.append(_intervals(title, intervals, "of kyoku", ".1%"))
    shown = list(rows.items())
    if player is None:
        shown.insert(0, ("everybody", totals.everybody))
    tables = "".join(_tables(shown, lang))
    return page("Statistics of players", (), figures, tables, "\n".join(summary(totals)))


def _tables(rows: Sequence[tuple[str, Counts]], lang: str) -> Iterator[str]:
    """Yield all tables of counts with their names in HTML, and the yaku of the first."""
    for of, (head, *cells) in tables_of(rows):
        yield _titled(of, head, cells)
    for name, counts in rows[:1]:
        yield _titled(f"of wins: yaku, and dora in han, {name}", ["yaku", "wins"], yaku_cells(counts, lang))


def _titled(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [[*map(text_cell, row)] for row in rows]
    return f"<h2>{escape(title.capitalize())}</h2>\n{table(head, cells)}\n"


PLOTTED = {"Win rate": WIN_RATE, "Deal-in rate": DEAL_IN_RATE, "Riichi rate": RIICHI_RATE, "Call rate": CALL_RATE}
"""The rates that the page plots."""


def _intervals(title: str, intervals: Mapping[str, tuple[float, float]], unit: str, form: str) -> Figure:
    """Return a plot of 95 % intervals by name."""
    means = [((low + high) / 2, (high - low) / 2) for low, high in intervals.values()]
    return Figure(f"{title}, with its 95 % interval", forest(list(intervals), means, unit, form))
