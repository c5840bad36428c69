"""Tables of practice: ratings, answers and own mistakes of users and guests, and drills that servers have made."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "drills"
down_revision = "stars"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _of_owner(table: str, *columns: sa.Column[Any], key: str) -> None:
    """Make a table whose rows go with their owner."""
    op.create_table(
        table,
        sa.Column("owner_id", _ID, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("owner_id", key, name=op.f(f"{table}_pkey")),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["drill_owners.id"], name=op.f(f"{table}_owner_id_fkey"), ondelete="CASCADE"
        ),
    )


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "drill_owners",
        sa.Column("id", _ID, nullable=False),
        sa.Column("user_id", _ID),
        sa.Column("guest", PLAIN),
        sa.Column("seen", PLAIN, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("drill_owners_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("drill_owners_user_id_fkey"), ondelete="CASCADE"),
        sa.UniqueConstraint("user_id", name=op.f("drill_owners_user_id_key")),
        sa.UniqueConstraint("guest", name=op.f("drill_owners_guest_key")),
    )
    op.create_index("drill_owners_seen", "drill_owners", ["seen"])
    _of_owner(
        "drill_ratings",
        sa.Column("kind", PLAIN, nullable=False),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("rating", "deviation", "volatility")),
        key="kind",
    )
    _of_owner(
        "drill_attempts",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("drill", "kind", "made")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("is_right", "milliseconds")),
        key="drill",
    )
    _of_owner(
        "drill_repeats",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("drill", "content", "due", "answered")),
        sa.Column("box", sa.Integer, nullable=False),
        key="drill",
    )
    _of_owner("drill_reports", sa.Column("drill", PLAIN, nullable=False), key="drill")
    op.create_table(
        "drills_made",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("id", "kind", "side", "made", "content")),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("drills_made_pkey")),
    )
    op.create_table(
        "drills_withdrawn",
        sa.Column("drill", PLAIN, nullable=False),
        sa.PrimaryKeyConstraint("drill", name=op.f("drills_withdrawn_pkey")),
    )
