"""The first tables of users. SQLite files of earlier versions have exactly these."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "first_users"
down_revision = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_APPLICATION = 0x756D7075


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "users",
        sa.Column("id", _ID, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("name", "folded")),
        sa.Column("password", PLAIN),
        sa.Column("created", PLAIN, nullable=False),
        sa.Column("banned_until", PLAIN),
        sa.PrimaryKeyConstraint("id", name=op.f("users_pkey")),
        sa.UniqueConstraint("name", name=op.f("users_name_key")),
        sa.UniqueConstraint("folded", name=op.f("users_folded_key")),
        if_not_exists=True,
    )
    op.create_table(
        "tokens",
        sa.Column("id", PLAIN, nullable=False),
        sa.Column("user_id", _ID, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("hash", "label", "created")),
        sa.PrimaryKeyConstraint("id", name=op.f("tokens_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("tokens_user_id_fkey"), ondelete="CASCADE"),
        if_not_exists=True,
    )
    op.create_index("tokens_user", "tokens", ["user_id"], if_not_exists=True)
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"PRAGMA application_id = {_APPLICATION}")
