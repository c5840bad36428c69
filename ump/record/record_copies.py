"""Copies of the records of finished games in the database of a site, so that any server opens a game.

The files stay the truth: ``ump records --reindex --site`` makes the copies again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ump.database.database import Database, DatabasePlace, Schema

RECORDS_SCHEMA = Schema("site", "records", "site_records")

AT_ONCE = 50
"""Records that are held in memory and sent together, some 15 kB each."""

_WRITE = (
    "INSERT INTO site_records (name, folder, content) VALUES (%(name)s, %(folder)s, %(content)s)"
    " ON CONFLICT (name) DO UPDATE SET folder = excluded.folder, content = excluded.content"
)
_FORGET = "DELETE FROM site_records WHERE folder = %(folder)s AND name <> ALL(string_to_array(%(names)s, E'\\n'))"
_FIND = "SELECT content FROM site_records WHERE name = %(name)s"


class RecordCopies:
    """The copies of a site. All methods raise DatabaseError; call them in another thread."""

    def __init__(self, place: DatabasePlace) -> None:
        self._database = Database(place, RECORDS_SCHEMA)

    def write(self, folder: Path, folder_id: str, names: Sequence[str]) -> None:
        """Copy the files of these names in a folder, in place of earlier copies; raises OSError, too."""
        with self._database.writing() as connection:
            for some in _batches(names):
                rows = [{"name": name, "folder": folder_id, "content": (folder / name).read_bytes()} for name in some]
                connection.exec_driver_sql(_WRITE, rows)

    def keep_only(self, folder_id: str, names: Sequence[str]) -> None:
        """Remove the copies of other files of a folder."""
        with self._database.writing() as connection:
            connection.exec_driver_sql(_FORGET, {"folder": folder_id, "names": "\n".join(names)})

    def find(self, name: str) -> bytes | None:
        """Return the content of a file; None if there is no copy."""
        with self._database.reading() as connection:
            found: bytes | None = connection.exec_driver_sql(_FIND, {"name": name}).scalar()
        return found


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(names), AT_ONCE):
        yield names[first : first + AT_ONCE]
