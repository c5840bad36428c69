"""Accounts that users keep by themselves: sessions and tokens of bots, invitations, identities of a provider."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "accounts"
down_revision = "orders"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    for name in ("ends", "bot"):
        op.add_column("tokens", sa.Column(name, PLAIN))
    op.create_table(
        "invitations",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("id", "hash")),
        sa.Column("user_id", _ID),
        sa.Column("uses", sa.Integer, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("made_by", "created", "ends")),
        sa.PrimaryKeyConstraint("id", name=op.f("invitations_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("invitations_user_id_fkey"), ondelete="CASCADE"),
    )
    op.create_table(
        "identities",
        *(sa.Column(name, PLAIN, nullable=False) for name in ("issuer", "subject")),
        sa.Column("user_id", _ID, nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("identities_pkey")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("identities_user_id_fkey"), ondelete="CASCADE"),
    )
    op.create_index("identities_user", "identities", ["user_id"])
    op.create_table(
        "deleted_users",
        sa.Column("id", _ID, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("folded_hash", "deleted")),
        sa.PrimaryKeyConstraint("id", name=op.f("deleted_users_pkey")),
        sa.UniqueConstraint("folded_hash", name=op.f("deleted_users_folded_hash_key")),
    )
