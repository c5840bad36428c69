"""Reports from the index of a million recorded games: over the totals that it keeps, and over the rows of all games."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from sqlalchemy import Connection, Table
from support.databases import missing, postgres_server

from scripts.lab.figures import SEATS, Section
from ump.cli.command_line import show_progress
from ump.database.database import read_place
from ump.record.game_index import INDEX, GameIndex
from ump.record.index_queries import GAMES, PLAYERS, refill
from ump.record.indexed_game import GameFilter
from ump.record.player_counts import COUNTED

NAMES, DAYS, ROOMS = 200, 365, ("main", "east", "quick")
RESULTS = (450, 50, -100, -400)

REPORTS = {
    "all players": GameFilter(),
    "all players, one room of three": GameFilter(room="main"),
    "all players, the last month of twelve": GameFilter(since="2026-12-01"),
    "one player": GameFilter(player="bot-7"),
}


def game_rows(games: int, chance: Random) -> Iterator[tuple[object, ...]]:
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
            name = f"bot-{(number * 7 + seat * 53) % NAMES}"
            place = (number + seat) % SEATS
            counts = (number + seat + each for each in range(len(COUNTED)))
            yield file, seat, name, "client", "ump 0.1", 40_000 - 10_000 * place, place + 1, RESULTS[place], *counts


def fill(index: GameIndex, games: int, clock: Callable[[], float]) -> float:
    """Enter games, and return the seconds that adding up all rows took."""
    with index._database.writing() as connection:
        _insert(connection, GAMES, game_rows(games, Random(1)))
        _insert(connection, PLAYERS, player_rows(games, Random(1)))
        before = clock()
        refill(connection)
        return clock() - before


def _insert(connection: Connection, table: Table, rows: Iterator[tuple[object, ...]]) -> None:
    """Insert rows past SQLAlchemy, which would take most of the time."""
    driver: Any = connection.connection.driver_connection
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(table.columns))
        driver.executemany(f"INSERT INTO {table.name} ({names}) VALUES ({places})", rows)
        return
    with driver.cursor() as cursor, cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def seconds_of(index: GameIndex, chosen: GameFilter, clock: Callable[[], float]) -> tuple[float, int]:
    before = clock()
    players = len(index.players(chosen))
    return clock() - before, players


def by_rows(chosen: GameFilter) -> GameFilter:
    """Return a filter that chooses the same games by instants, which totals cannot answer."""
    since = f"{chosen.since or '2026-01-01'}T00"
    return GameFilter(chosen.player, since, chosen.until, chosen.room, chosen.rules, chosen.end)


def measure_index(runs: int, games: int) -> Section:
    """Measure reports over so many games, in SQLite and, if it is installed, in PostgreSQL."""
    section = Section(f"Reports from the index of {games:,} games, {NAMES} players, {DAYS} days, {runs} runs")
    with tempfile.TemporaryDirectory(prefix="ump-bench-") as folder:
        file = Path(folder) / INDEX
        _measure(section, "SQLite", GameIndex(file.parent), games, runs, time.process_time)
        section.notes.append(f"size of the database: {file.stat().st_size / 1e6:,.0f} MB")
    reason = missing()
    if reason is not None:
        section.notes.append(reason)
        return section
    with postgres_server() as server:
        index = GameIndex(Path(), read_place(server.new_url()), "bench")
        _measure(section, "PostgreSQL", index, games, runs, time.perf_counter)
        with index._database.reading() as connection:
            size = connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar()
        section.notes.append(f"the same in PostgreSQL: {(size or 0) / 1e6:,.0f} MB; its times are elapsed, not CPU")
    return section


def _measure(
    section: Section, database: str, index: GameIndex, games: int, runs: int, clock: Callable[[], float]
) -> None:
    show_progress(f"{database}: an index of {games:,} games is made")
    added_up = fill(index, games, clock)
    for name, chosen in REPORTS.items():
        show_progress(f"{database}: {name}")
        totals, rows = [], []
        for run in range(runs):
            seconds, players = seconds_of(index, chosen, clock)
            totals.append(seconds)
            if run < 3:  # they are slow
                rows.append(seconds_of(index, by_rows(chosen), clock)[0])
        section.runs |= {f"index, {database}: {name}": totals, f"index, {database}: {name}, by rows": rows}
        section.lines.append(
            {
                "database": database,
                "report": name,
                "players": players,
                "totals, ms": 1_000 * median(totals),
                "rows of all games, ms": 1_000 * median(rows),
                "times": median(rows) / median(totals),
            }
        )
    section.notes.append(f"{database}: adding up all rows, once: {added_up:.1f} s")
