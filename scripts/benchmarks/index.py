"""Reports from the index of a million recorded games: over the totals that it keeps, and over the rows of all games."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median

from scripts.benchmarks.figures import SEATS, Section
from ump.record.game_index import GameFilter, GameIndex
from ump.record.player_counts import COUNTED
from ump.record.player_totals import drop_totals, make_totals
from ump.report.progress import show_progress

PLAYERS, DAYS, ROOMS = 200, 365, ("main", "east", "quick")
RESULTS = (450, 50, -100, -400)

REPORTS = {
    "all players": GameFilter(),
    "all players, one room of three": GameFilter(room="main"),
    "all players, the last month of twelve": GameFilter(since="2026-12-01"),
    "one player": GameFilter(player="bot-7"),
}


def game_rows(games: int, chance: Random) -> Iterator[tuple[object, ...]]:
    """Yield rows of the table of games."""
    for number in range(games):
        day = number * DAYS // games
        began = f"2026-{day // 31 + 1:02}-{day % 31 + 1:02}T{chance.randrange(24):02}:00:00Z"
        room = chance.choice(ROOMS)
        yield f"{room}-{number}", f"{room}-{number}", room, began, 600_000, "completed", "tenhou", "hanchan"


def player_rows(games: int, chance: Random) -> Iterator[tuple[object, ...]]:
    """Yield rows of the table of players; ``chance`` chooses the same rooms as for the games."""
    for number in range(games):
        chance.randrange(24)
        file = f"{chance.choice(ROOMS)}-{number}"
        for seat in range(SEATS):
            name = f"bot-{(number * 7 + seat * 53) % PLAYERS}"
            place = (number + seat) % SEATS
            counts = (number + seat + each for each in range(len(COUNTED)))
            yield file, seat, name, "client", "ump 0.1", 40_000 - 10_000 * place, place + 1, RESULTS[place], *counts


def fill(index: GameIndex, games: int) -> float:
    """Enter games, and return the CPU seconds that adding up all rows took."""
    index.uncounted()
    list(index.games(1))
    with closing(index._connect()) as database, database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("BEGIN")
        drop_totals(database)
        _insert(database, "games", game_rows(games, Random(1)), 8)
        _insert(database, "players", player_rows(games, Random(1)), 8 + len(COUNTED))
        before = time.process_time()
        make_totals(database)
        return time.process_time() - before


def _insert(database: sqlite3.Connection, table: str, rows: Iterator[tuple[object, ...]], width: int) -> None:
    database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * width)})", rows)


def seconds_of(index: GameIndex, chosen: GameFilter) -> tuple[float, int]:
    """Return the CPU seconds of a report, and the number of its players."""
    before = time.process_time()
    players = len(index.players(chosen))
    return time.process_time() - before, players


def by_rows(chosen: GameFilter) -> GameFilter:
    """Return a filter that chooses the same games by instants, which totals cannot answer."""
    since = f"{chosen.since or '2026-01-01'}T00"
    return GameFilter(chosen.player, since, chosen.until, chosen.room, chosen.rules, chosen.end)


def measure_index(runs: int, games: int) -> Section:
    """Measure reports over so many games."""
    section = Section(f"Reports from the index of {games:,} games, {PLAYERS} players, {DAYS} days, {runs} runs")
    with tempfile.TemporaryDirectory(prefix="ump-bench-") as folder:
        index = GameIndex(Path(folder))
        show_progress(f"an index of {games:,} games is made")
        added_up = fill(index, games)
        for name, chosen in REPORTS.items():
            show_progress(f"index: {name}")
            totals, rows = [], []
            for run in range(runs):
                seconds, players = seconds_of(index, chosen)
                totals.append(seconds)
                if run < 3:  # they are slow
                    rows.append(seconds_of(index, by_rows(chosen))[0])
            section.runs |= {f"index: {name}": totals, f"index: {name}, by rows": rows}
            section.lines.append(
                {
                    "report": name,
                    "players": players,
                    "totals, ms": 1_000 * median(totals),
                    "rows of all games, ms": 1_000 * median(rows),
                    "times": median(rows) / median(totals),
                }
            )
        section.notes.append(f"adding up all rows of an index without totals, once: {added_up:.1f} s")
        section.notes.append(f"size of the database: {index.path.stat().st_size / 1e6:,.0f} MB")
    return section
