"""The tables of the index of recorded games. docs/records.md lists their columns."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
)

from ump.database.columns import PLAIN, new_metadata
from ump.record.player_counts import COUNTED

METADATA = new_metadata()

GAMES = Table(
    "games",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in ("file", "game", "room", "began")),
    Column("milliseconds", Integer, nullable=False),
    *(Column(name, PLAIN, nullable=False) for name in ("end", "rules", "length")),
    PrimaryKeyConstraint("file"),
    Index("games_began", "began"),
)
"""A row for each finished game."""

PLAYERS = Table(
    "players",
    METADATA,
    Column("file", PLAIN, nullable=False),
    Column("seat", Integer, nullable=False),
    *(Column(name, PLAIN, nullable=False) for name in ("name", "kind", "speaks")),
    *(Column(name, Integer) for name in ("points", "place", "result", *COUNTED)),
    PrimaryKeyConstraint("file", "seat"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
    Index("players_name", "name"),
)
"""A row for each seat of each game."""

Index(
    "players_uncounted",
    PLAYERS.c.file,
    sqlite_where=PLAYERS.c.kyoku.is_(None),
    postgresql_where=PLAYERS.c.kyoku.is_(None),
)
# The few rows without counts, so that a report finds them without a look at every row.

DUPLICATES = Table(
    "duplicate_games",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in ("file", "duplicate")),
    *(Column(name, Integer, nullable=False) for name in ("number", "games")),
    PrimaryKeyConstraint("file"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
)
"""A row for each game of a duplicate group."""

KEY = ("name", "room", "rules", "end", "day")
"""What the totals are by."""

SUMMED = (
    *("games", "completed", "place_1", "place_2", "place_3", "place_4", "places", "place_squares", "points", "result"),
    *("counted", *COUNTED),
)
"""The sums, in the order of ``PlayerSums``; of the longest answer it is the greatest."""

TOTALS = Table(
    "day_totals",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in KEY),
    *(Column(name, BigInteger, nullable=False) for name in SUMMED),
    PrimaryKeyConstraint(*KEY),
    sqlite_with_rowid=False,
)
"""The sums of each player on each day, by room, rules and end."""
