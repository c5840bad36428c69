"""A table of the games that count for no ladder, because the operator has annulled them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "annulled"
down_revision = "owners"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "annulled",
        sa.Column("file", PLAIN, nullable=False),
        sa.PrimaryKeyConstraint("file", name=op.f("annulled_pkey")),
    )
