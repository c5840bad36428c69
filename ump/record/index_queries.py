"""What the index asks its database and changes in it, for SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    true,
    update,
)

from ump.database.schema import Schema
from ump.record.index_tables import DUPLICATES, GAMES, PLAYERS, SUMMED, TOTALS
from ump.record.indexed_game import DuplicateResult, GameFilter, IndexedGame, IndexedPlayer, indexed
from ump.record.journal.journal_replay import GameSummary
from ump.record.player_counts import COUNTED, PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.player_totals import LONGEST, OLD_TOTALS, added_up, count_in, refill, remove

T = TypeVar("T")

INDEX_SCHEMA = Schema("index", "first_index", "games", settle=refill, left_behind=OLD_TOTALS)

AT_ONCE = 500
"""The games of one statement."""

_FOR_SCANS = ("PRAGMA mmap_size = 4294967296", "PRAGMA cache_size = -200000", "PRAGMA temp_store = MEMORY")
"""Settings for reports over many games in SQLite: they halve the time of a large index, and use up to 200 MB."""


def insert_games(connection: Connection, games: Sequence[tuple[str, GameSummary]]) -> list[str]:
    """Enter games in place of those with the same files, without the totals; return the files."""
    newest = dict(games)
    rows: dict[str, list[dict[str, object]]] = defaultdict(list)
    for file, summary in newest.items():
        game = indexed(file, summary)
        rows["games"].append({name: getattr(game, name) for name in GAMES.c.keys()})  # noqa: SIM118
        rows["players"] += [_player_row(file, seat, player) for seat, player in enumerate(game.players)]
        place = summary.header.opening.duplicate
        if place is not None:
            group = {"file": file, "duplicate": place.group, "number": place.number, "games": place.games}
            rows["duplicate_games"].append(group)
    for table in (GAMES, PLAYERS, DUPLICATES):
        if rows[table.name]:
            connection.execute(insert(table), rows[table.name])
    return list(newest)


def _player_row(file: str, seat: int, player: IndexedPlayer) -> dict[str, object]:
    names = ("name", "kind", "speaks", "points", "place", "result")
    return {"file": file, "seat": seat, **{name: getattr(player, name) for name in names}}


def add_games(connection: Connection, games: Iterable[tuple[str, GameSummary]]) -> None:
    """Enter finished games by their files, in place of entries for the same files."""
    for some in _some(games):
        remove(connection, [file for file, _ in some])
        count_in(connection, insert_games(connection, some))


def rebuild(connection: Connection, games: Iterable[tuple[str, GameSummary]], prefix: str) -> int:
    """Replace all entries whose files begin with the prefix by these games, and return how many they are."""
    connection.execute(delete(TOTALS))
    connection.execute(delete(GAMES).where(_has_prefix(GAMES.c.file, prefix)))
    count = sum(len(insert_games(connection, some)) for some in _some(games))
    refill(connection)
    return count


def find_games(connection: Connection, last: int | None, chosen: GameFilter) -> Iterator[IndexedGame]:
    """Yield the chosen games, or only the last ones, the newest first."""
    conditions = _conditions(chosen)
    if chosen.player is not None:
        conditions.append(GAMES.c.file.in_(select(PLAYERS.c.file).where(PLAYERS.c.name == chosen.player)))
    query = select(GAMES).where(*conditions).order_by(GAMES.c.began.desc(), GAMES.c.file.desc()).limit(last)
    columns = (PLAYERS.c.file, *(PLAYERS.c[name] for name in ("name", "points", "place", "result", "kind", "speaks")))
    for some in _some(connection.execute(query).all()):
        seated: dict[str, list[IndexedPlayer]] = defaultdict(list)
        of_games = select(*columns).where(PLAYERS.c.file.in_([row.file for row in some]))
        for file, *player in connection.execute(of_games.order_by(PLAYERS.c.file, PLAYERS.c.seat)):
            seated[file].append(IndexedPlayer(*player))
        yield from (IndexedGame(**row._mapping, players=tuple(seated[row.file])) for row in some)


def find_players(connection: Connection, chosen: GameFilter) -> list[PlayerSums]:
    """Return the sums of each player over the chosen games, most games first."""
    if connection.dialect.name == "sqlite":
        for pragma in _FOR_SCANS:
            connection.exec_driver_sql(pragma)
    query = _by_rows(chosen) if chosen.is_within_days else _by_totals(chosen)
    return [PlayerSums.of_row(row) for row in connection.execute(query)]


def _by_totals(chosen: GameFilter) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of each player over the totals."""
    conditions = _conditions(chosen, TOTALS)
    if chosen.player is not None:
        conditions.append(TOTALS.c.name == chosen.player)
    sums = (func.max(TOTALS.c[name]) if name == LONGEST else func.sum(TOTALS.c[name]) for name in SUMMED)
    order = (func.sum(TOTALS.c.games).desc(), TOTALS.c.name)
    return select(TOTALS.c.name, *sums).where(*conditions).group_by(TOTALS.c.name).order_by(*order)


def _by_rows(chosen: GameFilter) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of each player over the rows of all games, which alone know instants."""
    conditions: list[ColumnElement[bool]] = [PLAYERS.c.file.in_(select(GAMES.c.file).where(*_conditions(chosen)))]
    if chosen.player is not None:
        conditions.append(PLAYERS.c.name == chosen.player)
    # SQLite would read the rows in the order of an index on the plain name, which takes longer.
    name = PLAYERS.c.name if chosen.player is not None else PLAYERS.c.name.concat("")
    query = select(func.min(PLAYERS.c.name), *added_up()).where(*conditions)
    return query.group_by(name).order_by(func.count().desc(), func.min(PLAYERS.c.name))


def find_duplicates(connection: Connection, chosen: GameFilter) -> Iterator[DuplicateResult]:
    """Yield the results of all players in the chosen duplicate games, those of a group together."""
    player = (PLAYERS.c[name] for name in ("name", "points", "place", "result"))
    query = (
        select(DUPLICATES.c.duplicate, DUPLICATES.c.games, GAMES.c.file, *player)
        .select_from(DUPLICATES.join(GAMES).join(PLAYERS, PLAYERS.c.file == GAMES.c.file))
        .where(PLAYERS.c.place.is_not(None), *_conditions(chosen))
        .order_by(DUPLICATES.c.duplicate, DUPLICATES.c.number, PLAYERS.c.seat)
    )
    for row in connection.execute(query):
        yield DuplicateResult(*row)


def find_uncounted(connection: Connection, prefix: str) -> list[str]:
    """Return the files with the prefix whose counts are empty, oldest first."""
    query = select(PLAYERS.c.file).where(PLAYERS.c.kyoku.is_(None), _has_prefix(PLAYERS.c.file, prefix)).distinct()
    return list(connection.execute(query.order_by(PLAYERS.c.file)).scalars())


def set_counts(connection: Connection, games: Iterable[tuple[str, tuple[PlayerCounts, ...]]]) -> None:
    """Enter the counts of games by file and seat."""
    is_seat = (PLAYERS.c.file == bindparam("of_file"), PLAYERS.c.seat == bindparam("at_seat"))
    change = update(PLAYERS).where(*is_seat).values({name: bindparam(f"new_{name}") for name in COUNTED})
    for some in _some(games):
        files = sorted({file for file, _ in some})
        count_in(connection, files, -1)
        connection.execute(
            change,
            [
                {"of_file": file, "at_seat": seat} | _renamed(each)
                for file, counts in some
                for seat, each in enumerate(counts)
            ],
        )
        count_in(connection, files)


def _renamed(counts: PlayerCounts) -> dict[str, int]:
    return {f"new_{name}": number for name, number in zip(COUNTED, astuple(counts), strict=True)}


def _conditions(chosen: GameFilter, table: Table = GAMES) -> list[ColumnElement[bool]]:
    """Return the conditions on games or totals, without the player."""
    began = table.c.began if table is GAMES else table.c.day
    given = {"room": chosen.room, "rules": chosen.rules, "end": chosen.end}
    conditions: list[ColumnElement[bool]] = [
        table.c[name] == wanted for name, wanted in given.items() if wanted is not None
    ]
    if chosen.since is not None:
        conditions.append(began >= chosen.since)
    if chosen.until is not None:
        conditions.append(began < f"{chosen.until}U")  # U follows the T before the time
    return conditions


def _some(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield rows in lists that one statement takes."""
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _has_prefix(file: Column[str], prefix: str) -> ColumnElement[bool]:
    """Return the condition that a file begins with a prefix such as ``SERVER/``; the digit 0 follows the slash."""
    return true() if not prefix else (file >= prefix) & (file < f"{prefix[:-1]}0")
