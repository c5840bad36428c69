"""The first tables of the index. SQLite files of earlier versions keep their games."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "first_index"
down_revision = None

_COUNTS = (
    *("kyoku", "wins", "tsumo", "deal_ins", "riichi", "calls", "draws", "tenpai", "win_points", "deal_in_points"),
    *("answers", "answer_milliseconds", "longest_answer", "refusals", "timeouts"),
)
_SUMS = (
    *("games", "completed", "place_1", "place_2", "place_3", "place_4", "places", "place_squares", "points", "result"),
    "counted",
)
_KEY = ("name", "room", "rules", "end", "day")


def upgrade() -> None:
    """Make the tables, or add what an earlier SQLite file lacks."""
    _make_games()
    _add_counts()
    op.create_table(
        "day_totals",
        *(sa.Column(name, PLAIN, nullable=False) for name in _KEY),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in (*_SUMS, *_COUNTS)),
        sa.PrimaryKeyConstraint(*_KEY, name=op.f("day_totals_pkey")),
        sqlite_with_rowid=False,
    )
    op.create_index("games_began", "games", ["began"], if_not_exists=True)
    op.create_index("players_name", "players", ["name"], if_not_exists=True)
    uncounted = sa.text("kyoku IS NULL")
    op.create_index(
        "players_uncounted", "players", ["file"], if_not_exists=True,
        sqlite_where=uncounted, postgresql_where=uncounted,
    )  # fmt: skip


def _make_games() -> None:
    """Make the tables of games and their players."""
    op.create_table(
        "games",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("file", "game", "room", "began")),
        sa.Column("milliseconds", sa.Integer, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("end", "rules", "length")),
        sa.PrimaryKeyConstraint("file", name=op.f("games_pkey")),
        if_not_exists=True,
    )
    op.create_table(
        "players",
        sa.Column("file", PLAIN, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("name", "kind", "speaks")),
        *(sa.Column(name, sa.Integer) for name in ("points", "place", "result")),
        sa.PrimaryKeyConstraint("file", "seat", name=op.f("players_pkey")),
        sa.ForeignKeyConstraint(["file"], ["games.file"], name=op.f("players_file_fkey"), ondelete="CASCADE"),
        if_not_exists=True,
    )
    op.create_table(
        "duplicate_games",
        sa.Column("file", PLAIN, nullable=False),
        sa.Column("duplicate", PLAIN, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("number", "games")),
        sa.PrimaryKeyConstraint("file", name=op.f("duplicate_games_pkey")),
        sa.ForeignKeyConstraint(["file"], ["games.file"], name=op.f("duplicate_games_file_fkey"), ondelete="CASCADE"),
        if_not_exists=True,
    )


def _add_counts() -> None:
    """Add the columns of counts that the players lack; they are empty until the games are counted.

    The version 0 of an SQLite file counted otherwise.
    """
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("players")}
    for name in _COUNTS:
        if name not in present:
            op.add_column("players", sa.Column(name, sa.Integer))
    bind = op.get_bind()
    if bind.dialect.name == "sqlite" and bind.exec_driver_sql("PRAGMA user_version").scalar() == 0:
        bind.exec_driver_sql(f"UPDATE players SET {', '.join(f'{name} = NULL' for name in _COUNTS)}")
