"""The first tables of a site."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "first_site"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "site_rooms",
        sa.Column("name", PLAIN, nullable=False),
        sa.Column("server", PLAIN, nullable=False),
        sa.Column("content", PLAIN, nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("site_rooms_pkey")),
    )
    op.create_table(
        "site_players",
        sa.Column("player", PLAIN, nullable=False),
        sa.Column("server", PLAIN, nullable=False),
        sa.Column("since", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("player", name=op.f("site_players_pkey")),
    )
    op.create_table(
        "site_failures",
        sa.Column("key", PLAIN, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("last", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("site_failures_pkey")),
    )
