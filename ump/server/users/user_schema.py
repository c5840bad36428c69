"""The schema of the database of users, which the modules beside this one share."""

from __future__ import annotations

import sqlalchemy as sa

from ump.database.columns import new_metadata
from ump.database.database import Schema

METADATA = new_metadata()

APPLICATION = 0x756D7075
"""``ump users`` in SQLite's application_id: ``umpu``."""

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _is_foreign(connection: sa.Connection) -> bool:
    """Tell whether an SQLite file is not one of users."""
    return connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION


USER_SCHEMA = Schema("users", "guests", "users", is_foreign=_is_foreign, implied="first_users")
