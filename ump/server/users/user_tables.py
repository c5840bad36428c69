"""The tables of users, and how their databases are recognized."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    UniqueConstraint,
)

from ump.database.columns import PLAIN, new_metadata
from ump.database.schema import Schema

METADATA = new_metadata()

APPLICATION = 0x756D7075
"""``ump users`` in SQLite's application_id: ``umpu``."""

_ID = BigInteger().with_variant(Integer, "sqlite")

USERS = Table(
    "users",
    METADATA,
    Column("id", _ID, primary_key=True, nullable=False),
    *(Column(name, PLAIN, nullable=False) for name in ("name", "folded")),
    Column("password", PLAIN),
    Column("created", PLAIN, nullable=False),
    Column("banned_until", PLAIN),
    UniqueConstraint("name"),
    UniqueConstraint("folded"),
)
"""A row for each user; ``password`` is a hash."""

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", PLAIN, nullable=False),
    Column("user_id", _ID, nullable=False),
    *(Column(name, PLAIN, nullable=False) for name in ("hash", "label", "created")),
    PrimaryKeyConstraint("id"),
    ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    Index("tokens_user", "user_id"),
)
"""A row for each access token."""


def _is_foreign(connection: Connection) -> bool:
    """Tell whether an SQLite file is not one of users."""
    return connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION


USER_SCHEMA = Schema("users", "first_users", "users", is_foreign=_is_foreign, implied="first_users")
