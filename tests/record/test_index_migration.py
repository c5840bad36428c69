"""Indexes of earlier versions keep their games, and every version of the tables is what the migrations make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from ump.database.database import Database, DatabaseError, file_place
from ump.record.game_index import INDEX, GameIndex
from ump.record.index_queries import INDEX_SCHEMA, METADATA
from ump.record.indexed_game import GameFilter
from ump.record.player_counts import COUNTED, PlayerCounts

EARLIER = """
CREATE TABLE games (
    file TEXT PRIMARY KEY, game TEXT NOT NULL, room TEXT NOT NULL, began TEXT NOT NULL, milliseconds INTEGER NOT NULL,
    end TEXT NOT NULL, rules TEXT NOT NULL, length TEXT NOT NULL
);
CREATE TABLE players (
    file TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, speaks TEXT NOT NULL, points INTEGER, place INTEGER, result INTEGER,
    PRIMARY KEY (file, seat)
);
CREATE TABLE duplicate_games (
    file TEXT PRIMARY KEY REFERENCES games ON DELETE CASCADE, duplicate TEXT NOT NULL, number INTEGER NOT NULL,
    games INTEGER NOT NULL
);
CREATE INDEX games_began ON games (began);
CREATE INDEX players_name ON players (name);
INSERT INTO games VALUES ('a', 'main-1', 'main', '2026-11-22T10:00:00Z', 60000, 'completed', 'tenhou', 'hanchan');
INSERT INTO players VALUES ('a', 0, 'alice', 'client', 'ump', 40000, 1, 500);
INSERT INTO players VALUES ('a', 1, 'bob', 'bot', 'random', 0, 2, -500);
"""
"""The first index, without counts, and a game of two players."""

TOTALS = """
CREATE TABLE player_totals (name TEXT);
CREATE TRIGGER totals_add AFTER INSERT ON players BEGIN INSERT INTO player_totals VALUES (NEW.name); END;
CREATE TRIGGER totals_change AFTER UPDATE ON players BEGIN DELETE FROM player_totals; END;
CREATE TRIGGER totals_remove BEFORE DELETE ON games BEGIN DELETE FROM player_totals; END;
"""
"""The additions of the last version before the migrations, in short."""


def earlier(folder: Path, version: int) -> GameIndex:
    """Return an index as an earlier version has left it: 0 without counts, 1 with counts, 2 with totals."""
    with closing(sqlite3.connect(folder / INDEX)) as database, database:
        database.executescript(EARLIER)
        if version:
            for name in COUNTED:
                database.execute(f"ALTER TABLE players ADD COLUMN {name} INTEGER")
            database.execute("UPDATE players SET kyoku = 8, wins = seat")
            database.execute("PRAGMA user_version = 1")
        if version == 2:
            database.executescript(TOTALS)
    return GameIndex(folder)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_earlier_index_keeps_its_games(tmp_path: Path, version: int) -> None:
    """Its games and results stay, its counts if they are those of today; the totals are made."""
    index = earlier(tmp_path, version)
    alice, bob = index.players()
    assert (alice.name, alice.games, alice.points, alice.result) == ("alice", 1, 40_000, 500)
    assert (bob.counted, bob.counts.kyoku, bob.counts.wins) == ((1, 8, 1) if version else (0, 0, 0))
    assert index.uncounted() == ([] if version else ["a"])
    assert [game.file for game in index.games()] == ["a"]
    index.set_counts([("a", (PlayerCounts(kyoku=3), PlayerCounts(kyoku=4)))])
    assert [each.counts.kyoku for each in index.players()] == [3, 4]
    assert index.players() == index.players(GameFilter(since="2026-11-22T00"))


def test_an_earlier_version_may_come_back(tmp_path: Path) -> None:
    """It enters games by its own totals; the next use of this version adds all up again."""
    index = earlier(tmp_path, 1)
    assert index.players()[0].games == 1
    with closing(sqlite3.connect(tmp_path / INDEX)) as database, database:
        database.executescript(TOTALS)
        game = "('b', 'main-2', 'main', '2026-11-22T11:00:00Z', 60000, 'completed', 'tenhou', 'hanchan')"
        database.execute(f"INSERT INTO games VALUES {game}")
        rows = "INSERT INTO players (file, seat, name, kind, speaks) VALUES ('b', 0, 'alice', 'client', 'ump')"
        database.execute(rows)
    assert index.players()[0].games == 2
    with closing(sqlite3.connect(tmp_path / INDEX)) as database:
        old = "SELECT name FROM sqlite_master WHERE name LIKE 'totals%' OR name = 'player_totals'"
        assert database.execute(old).fetchall() == []


def test_tables_of_a_newer_version_are_left_alone(tmp_path: Path) -> None:
    """An older program says so, and changes nothing."""
    index = earlier(tmp_path, 1)
    list(index.games())
    with closing(sqlite3.connect(tmp_path / INDEX)) as database, database:
        database.execute("UPDATE ump_index_revision SET version_num = 'of_tomorrow'")
    with pytest.raises(DatabaseError, match="newer version"):
        index.players()


def test_the_migrations_make_the_tables_that_the_queries_use(tmp_path: Path) -> None:
    """Nothing is missing and nothing is left over."""
    Database(file_place(tmp_path / INDEX), INDEX_SCHEMA).upgrade()
    engine = create_engine(f"sqlite:///{tmp_path / INDEX}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": INDEX_SCHEMA.version_table})
        assert compare_metadata(context, METADATA) == []
    engine.dispose()
