"""The first table of a club: tournaments, each with its revision and content."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "first_club"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "tournaments",
        sa.Column("id", PLAIN, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("content", PLAIN, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("tournaments_pkey")),
    )
