"""The networks from which each user has logged in lately."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "networks"
down_revision = "accounts"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "networks",
        sa.Column("user_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("network", "seen")),
        sa.PrimaryKeyConstraint("user_id", "network", name=op.f("networks_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("networks_user_id_fkey"), ondelete="CASCADE"),
    )
