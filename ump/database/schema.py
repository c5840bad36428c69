"""The schema of a database: the tables of one purpose, and their migrations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ump.model.value import value

if TYPE_CHECKING:
    from sqlalchemy import Connection


@value
class Schema:
    """The tables of one purpose."""

    name: str
    """The folder of its migrations."""
    head: str
    """The newest revision."""
    locked: str
    """The table whose lock a writer holds."""
    settle: Callable[[Connection], None] | None = None
    """Brings what is derived in line after a migration."""
    is_foreign: Callable[[Connection], bool] | None = None
    """Tells whether an SQLite file that has tables was made by another program."""
    implied: str | None = None
    """The revision of SQLite files that were made before there were revisions; None: they need the first migration."""
    left_behind: str | None = None
    """A table that only earlier versions make in SQLite: they do not know the newer tables, so these are settled."""

    @property
    def version_table(self) -> str:
        """The table that holds the revision."""
        return f"ump_{self.name}_revision"
