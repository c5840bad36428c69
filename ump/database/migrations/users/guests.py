"""A table of the guests that users were before they registered, whose games are theirs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "guests"
down_revision = "drills"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "guests",
        sa.Column("who", PLAIN, nullable=False),
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("who", name=op.f("guests_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("guests_user_id_fkey"), ondelete="CASCADE"),
    )
    op.create_index("guests_user", "guests", ["user_id"])
