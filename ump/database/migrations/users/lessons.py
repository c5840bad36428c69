"""A table of the tasks of the course that users have solved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "lessons"
down_revision = "reports"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "lessons",
        sa.Column("user_id", _ID, nullable=False),
        sa.Column("task", PLAIN, nullable=False),
        sa.PrimaryKeyConstraint("user_id", "task", name=op.f("lessons_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("lessons_user_id_fkey"), ondelete="CASCADE"),
    )
