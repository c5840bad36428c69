"""Parts that the tables of all schemas share: names of constraints, and the type of text."""

from __future__ import annotations

from sqlalchemy import MetaData, Text
from sqlalchemy.dialects.postgresql import TEXT

NAMING = {
    "pk": "%(table_name)s_pkey",
    "fk": "%(table_name)s_%(column_0_name)s_fkey",
    "uq": "%(table_name)s_%(column_0_name)s_key",
}
"""The names of constraints, which migrations need to change them."""

PLAIN = Text().with_variant(TEXT(collation="C"), "postgresql")
"""Text that is compared by its characters, as SQLite does; the rules of a language would change the order."""


def new_metadata() -> MetaData:
    """Return metadata without tables."""
    return MetaData(naming_convention=NAMING)
