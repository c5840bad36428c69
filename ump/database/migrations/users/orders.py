"""Tables of bans and of orders, and the role of each user. A ban was a column of its user before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from ump.database.columns import PLAIN

revision = "orders"
down_revision = "first_users"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables, and move the bans."""
    op.create_table(
        "bans",
        sa.Column("id", _ID, nullable=False),
        *(sa.Column(name, PLAIN, nullable=False) for name in ("kind", "target", "reason", "made_by", "made", "until")),
        sa.Column("lifted_by", PLAIN),
        sa.PrimaryKeyConstraint("id", name=op.f("bans_pkey")),
    )
    in_force = sa.text("lifted_by IS NULL")
    op.create_index(
        "bans_in_force", "bans", ["kind", "target"], unique=True, sqlite_where=in_force, postgresql_where=in_force
    )
    op.create_table(
        "orders",
        sa.Column("id", _ID, nullable=False),
        *(
            sa.Column(name, PLAIN, nullable=False)
            for name in ("made", "made_by", "via", "name", "target", "arguments", "outcome")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("orders_pkey")),
    )
    op.execute(
        "INSERT INTO bans (kind, target, reason, made_by, made, until)"
        " SELECT 'user', name, '', '', created, banned_until FROM users WHERE banned_until IS NOT NULL"
    )
    op.drop_column("users", "banned_until")
    op.add_column("users", sa.Column("role", PLAIN, nullable=False, server_default="player"))
