"""A table of the people whom users have starred."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "stars"
down_revision = "lessons"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "stars",
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("person", "name", "made")),
        sa.PrimaryKeyConstraint("user_id", "person", name=op.f("stars_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("stars_user_id_fkey"), ondelete="CASCADE"),
    )
    op.create_index("stars_name", "stars", ["name"])
