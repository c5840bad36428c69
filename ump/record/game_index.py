"""The index of recorded games: an SQLite database beside the journals, made from them at any time.

Two tables: ``games`` has a row for each finished game, ``players`` a row for each seat of it. ``docs/records.md`` lists
their columns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from ump.model.value import value
from ump.record.journal.journal_replay import GameSummary

INDEX = "games.sqlite"
"""The name of the database in the folder of journals."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    file TEXT PRIMARY KEY, game TEXT NOT NULL, room TEXT NOT NULL, began TEXT NOT NULL, milliseconds INTEGER NOT NULL,
    end TEXT NOT NULL, rules TEXT NOT NULL, length TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS players (
    file TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, speaks TEXT NOT NULL, points INTEGER, place INTEGER, result INTEGER,
    PRIMARY KEY (file, seat)
);
CREATE INDEX IF NOT EXISTS games_began ON games (began);
CREATE INDEX IF NOT EXISTS players_name ON players (name);
"""


@value
class IndexedPlayer:
    """A player of a recorded game."""

    name: str
    points: int | None
    place: int | None
    """None if the game was not completed."""
    result: int | None
    """With uma and oka, in tenths of a thousand points; None if the game was not completed."""


@value
class IndexedGame:
    """A recorded game as the index knows it."""

    file: str
    """The name of its journal in the folder."""
    game: str
    room: str
    began: str
    """Date and time in UTC, in ISO 8601."""
    milliseconds: int
    end: str
    rules: str
    length: str
    players: tuple[IndexedPlayer, ...]


class GameIndex:
    """The database of one folder. Every method opens and closes it, so that several programs can share it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / INDEX

    def add(self, file: str, summary: GameSummary) -> None:
        """Enter a finished game, in place of an entry for the same file; raises sqlite3.Error."""
        with closing(self._connect()) as database, database:
            _insert(database, file, summary)

    def rebuild(self, games: Iterable[tuple[str, GameSummary]]) -> int:
        """Replace all entries by these games, and return how many they are; raises sqlite3.Error."""
        count = 0
        with closing(self._connect()) as database, database:
            database.execute("DELETE FROM games")
            for file, summary in games:
                _insert(database, file, summary)
                count += 1
        return count

    def games(self, last: int | None = None) -> Iterator[IndexedGame]:
        """Yield all games, or only the last ones, the newest first; raises sqlite3.Error."""
        if not self.path.exists():
            return
        limit = -1 if last is None else last
        with closing(self._connect()) as database:
            rows = database.execute("SELECT * FROM games ORDER BY began DESC, file DESC LIMIT ?", (limit,))
            for file, game, room, began, milliseconds, end, rules, length in rows.fetchall():
                players = database.execute(
                    "SELECT name, points, place, result FROM players WHERE file = ? ORDER BY seat", (file,)
                )
                seated = tuple(IndexedPlayer(*player) for player in players)
                yield IndexedGame(file, game, room, began, milliseconds, end, rules, length, seated)

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=30.0)
        database.execute("PRAGMA foreign_keys = ON")
        database.executescript(_SCHEMA)
        return database


def _insert(database: sqlite3.Connection, file: str, summary: GameSummary) -> None:
    header, opening, result = summary.header, summary.header.opening, summary.result
    database.execute("DELETE FROM games WHERE file = ?", (file,))
    database.execute(
        "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            file,
            opening.name,
            header.room,
            header.began,
            summary.duration,
            "unfinished" if summary.end is None else summary.end.value,
            opening.ruleset.name,
            opening.ruleset.length.value,
        ),
    )
    database.executemany(
        "INSERT INTO players VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                file,
                seat,
                opening.players[seat],
                player.kind.value,
                player.speaks,
                None if summary.points is None else summary.points[seat],
                None if result is None else result.places[seat],
                None if result is None else result.results[seat],
            )
            for seat, player in enumerate(header.players)
        ),
    )
