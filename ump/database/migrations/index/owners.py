"""A table of who has played each game, by what the player is known: it finds the games of one user or guest."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "owners"
down_revision = "first_index"


def upgrade() -> None:
    """Make the table. Games of before are in it after ``ump records --reindex``."""
    op.create_table(
        "owners",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("who", "began", "file")),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("file", "seat", name=op.f("owners_pkey")),
        sa.ForeignKeyConstraint(["file"], ["games.file"], name=op.f("owners_file_fkey"), ondelete="CASCADE"),
    )
    op.create_index("owners_games", "owners", ["who", "began", "file"])
