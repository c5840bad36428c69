"""Copies of the records of finished games, so that any server of the site shows them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "records"
down_revision = "servers"


def upgrade() -> None:
    """Make the table. Games of before are in it after ``ump records --reindex --site``."""
    op.create_table(
        "site_records",
        sa.Column("name", PLAIN, nullable=False),
        sa.Column("folder", PLAIN, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("site_records_pkey")),
    )
