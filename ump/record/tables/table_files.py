"""Write tables to files: one for each table, as CSV or Parquet. They appear under their names when all is written."""

from __future__ import annotations

import csv
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from ump.record.recorded_game import RecordError
from ump.record.tables.columns import TABLES, Column, Kind, Row

UNFINISHED = ".part"
"""The end of the name of a file that is being written."""

ROW_GROUP = 50_000
"""Rows of Parquet that are written at a time."""


class TableFile(ABC):
    """The file of one table. Its methods raise OSError."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self.path = path
        self._columns = columns

    @abstractmethod
    def add(self, rows: Iterable[Row]) -> None:
        """Append rows."""

    @abstractmethod
    def close(self) -> None:
        """Write what waits, and close the file."""


class CsvFile(TableFile):
    """A table as CSV: UTF-8, LF, a line of names first, empty cells for what is unknown, ``true`` and ``false``."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        self._file: TextIO = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(column.name for column in columns)

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows."""
        for row in rows:
            cells = (row.get(column.name) for column in self._columns)
            self._writer.writerow(str(cell).lower() if isinstance(cell, bool) else cell for cell in cells)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ParquetFile(TableFile):
    """A table as Parquet, written with pyarrow."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        self._arrow, parquet = _pyarrow()
        types = {Kind.TEXT: self._arrow.string(), Kind.NUMBER: self._arrow.int64(), Kind.TRUTH: self._arrow.bool_()}
        self._schema = self._arrow.schema([(column.name, types[column.kind]) for column in columns])
        self._writer: Any = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows; they are written in groups."""
        self._waiting += rows
        if len(self._waiting) >= ROW_GROUP:
            self._write()

    def close(self) -> None:
        """Write the last group, and close the file."""
        if self._waiting:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        cells = {column.name: [row.get(column.name) for row in self._waiting] for column in self._columns}
        self._waiting = []
        self._writer.write_table(self._arrow.table(cells, schema=self._schema))


def _pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raise RecordError if it is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise RecordError("Parquet needs pyarrow: pip install 'ump[tables]'; csv needs nothing") from None
    return pyarrow, parquet


class TableFolder:
    """The files of all tables in a folder. Its methods raise OSError; ``close`` or ``discard`` ends it."""

    def __init__(self, folder: Path, kind: type[TableFile], suffix: str, *, force: bool) -> None:
        """Begin; raise FileExistsError if there are such tables already, unless ``force`` replaces them."""
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = {name: folder / f"{name}{suffix}" for name in TABLES}
        there = [path for path in self._paths.values() if path.exists() and not force]
        if there:
            raise FileExistsError(0, "exists; --force replaces it", str(there[0]))
        self._files: dict[str, TableFile] = {}
        try:
            for name, path in self._paths.items():
                self._files[name] = kind(path.with_name(path.name + UNFINISHED), TABLES[name])
        except (OSError, RecordError):
            self.discard()
            raise

    def add(self, rows: Mapping[str, Iterable[Row]]) -> None:
        """Append the rows of a game to each table."""
        for name, file in self._files.items():
            file.add(rows[name])

    def close(self) -> None:
        """Finish all files, and give them their names."""
        for file in self._files.values():
            file.close()
        for name, file in self._files.items():
            os.replace(file.path, self._paths[name])

    def discard(self) -> None:
        """Remove all unfinished files."""
        for file in self._files.values():
            try:
                file.close()
            finally:
                file.path.unlink(missing_ok=True)
