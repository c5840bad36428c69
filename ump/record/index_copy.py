"""Copies an index with all counts, so that no game has to be read and counted again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sqlalchemy import Connection, RowMapping, insert, select

from ump.record.index_queries import AT_ONCE
from ump.record.index_tables import DUPLICATES, GAMES, PLAYERS
from ump.record.player_totals import count_in, remove


def copy_games(source: Connection, target: Connection, prefix: str, progress: Callable[[int], None]) -> int:
    """Enter all games of a folder's own index in another one, in place of entries for the same files.

    ``prefix`` is put before the names of the files. ``progress`` gets the number of games so far, which is returned.
    """
    count = 0
    for games in _games(source):
        files = [row["file"] for row in games]
        named = [f"{prefix}{file}" for file in files]
        remove(target, named)
        target.execute(insert(GAMES), _renamed(games, prefix))
        for table in (PLAYERS, DUPLICATES):
            rows = source.execute(select(table).where(table.c.file.in_(files))).mappings().all()
            if rows:
                target.execute(insert(table), _renamed(rows, prefix))
        count_in(target, named)
        count += len(files)
        progress(count)
    return count


def _games(source: Connection) -> Iterator[Sequence[RowMapping]]:
    """Yield the rows of all games, some at a time."""
    last = ""
    query = select(GAMES).order_by(GAMES.c.file).limit(AT_ONCE)
    while rows := source.execute(query.where(GAMES.c.file > last)).mappings().all():
        yield rows
        last = rows[-1]["file"]


def _renamed(rows: Sequence[RowMapping], prefix: str) -> list[dict[str, object]]:
    return [{**row, "file": f"{prefix}{row['file']}"} for row in rows]
