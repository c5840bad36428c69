"""The servers of a site by their letters, and the server of each room. The list of rooms is written anew."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "servers"
down_revision = "first_site"


def upgrade() -> None:
    """Make the table of servers, and the table of rooms again."""
    op.create_table(
        "site_servers",
        sa.Column("letter", PLAIN, nullable=False),
        sa.Column("server", PLAIN, nullable=False),
        sa.Column("folder", PLAIN, nullable=False),
        sa.Column("state", PLAIN, nullable=False),
        sa.Column("content", PLAIN, nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("letter", name=op.f("site_servers_pkey")),
    )
    op.drop_table("site_rooms")
    op.create_table(
        "site_rooms",
        sa.Column("name", PLAIN, nullable=False),
        sa.Column("letter", PLAIN, nullable=False),
        sa.Column("content", PLAIN, nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("site_rooms_pkey")),
    )
