"""A table of reports: users say which player of a game a moderator should look at."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "reports"
down_revision = "networks"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "reports",
        sa.Column("id", _ID, nullable=False),
        sa.Column("made", PLAIN, nullable=False),
        sa.Column("user_id", _ID, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("game", "room", "player", "reason")),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("verdict", PLAIN),
        sa.PrimaryKeyConstraint("id", name=op.f("reports_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("reports_user_id_fkey"), ondelete="CASCADE"),
        sa.UniqueConstraint("user_id", "game", "seat", name=op.f("reports_user_id_key")),
    )
    op.create_index("reports_player", "reports", ["player"])
