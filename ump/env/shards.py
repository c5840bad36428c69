"""Write decisions into Parquet shards, with a manifest that describes them. It needs the extra ``tables``."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from ump.env.action_ids import ACTION_NAMES, ACTIONS
from ump.env.decisions import Decisions, Kept
from ump.env.rows import ENCODING, ROWS, SHAPE, SIZE
from ump.record.tables import UNFINISHED

SCHEMA = 1
"""The version of the columns and of the manifest."""

MANIFEST = "manifest.json"

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("game", "string", "name of the record, with its place in an archive, and `#2` for the second game in a file"),
    ("kyoku", "int16", "number of the kyoku in the record, from 1"),
    ("decision", "int16", "number of the question in the kyoku, from 1"),
    ("seats", "int8", "number of players"),
    ("seat", "int8", "seat of the player that was asked; 0 is the first dealer"),
    ("phase", "string", "`turn` after a draw or a call, `call`, `chankan` or `declare`"),
    ("observation", f"binary[{SIZE}]", "the rows, one byte for each number"),
    ("action_mask", f"binary[{ACTIONS}]", "1 for each legal action id, otherwise 0"),
    ("action", "int16", "id of the action that was taken"),
    ("action_words", "string", "the same in the words of the journal, which tell tsumogiri"),
    (
        "kyoku_change",
        "int32",
        "points that the player won or lost in the kyoku, with honba and riichi sticks; null if its end is missing",
    ),
    ("game_points", "int32", "points of the player at the end of the game, before uma; null if the record has no end"),
    ("game_place", "int8", "place of the player in the game, 1 is the best; null if the record has no places"),
)
"""Name, type and meaning of each column."""


class DatasetError(ValueError):
    """A data set that cannot be written."""


class Shards:
    """The shards of a data set in a folder; ``close`` completes it with a manifest, ``discard`` removes it.

    Until then their names mark them as unfinished, and a data set that they replace stays. The decisions of a game stay
    together. The methods raise OSError.
    """

    def __init__(self, folder: Path, kept: Kept, rows: int, *, force: bool) -> None:
        """Begin a data set of shards with at least ``rows`` decisions each, but for the last one.

        Raises DatasetError if the folder has one already, unless ``force`` replaces it, and without pyarrow.
        """
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise DatasetError("data sets need pyarrow: pip install 'ump-mahjong[tables]'") from None
        self._arrow, self._parquet = pyarrow, parquet
        self._schema = pyarrow.schema([(name, _arrow_type(pyarrow, kind)) for name, kind, _ in COLUMNS])
        self._folder, self._kept, self._most = folder, kept, rows
        folder.mkdir(parents=True, exist_ok=True)
        old = self._present()
        if old and not force:
            raise DatasetError(f"{old[0]} exists; --force replaces the data set")
        self._writer: Any = None
        self._rows: list[int] = []
        self.games = self.decisions = self.left_out = 0

    @property
    def count(self) -> int:
        """The number of shards so far."""
        return len(self._rows)

    def add(self, game: Decisions) -> None:
        """Append the decisions of a game."""
        self.games += 1
        self.left_out += game.left_out
        if not len(game):
            return
        if self._writer is None:
            self._rows.append(0)
            path = _unfinished(self._path(self.count - 1))
            self._writer = self._parquet.ParquetWriter(str(path), self._schema, compression="zstd")
        self._writer.write_table(self._table(game))
        self._rows[-1] += len(game)
        self.decisions += len(game)
        if self._rows[-1] >= self._most:
            self._finish()

    def close(self) -> None:
        """Complete the last shard, write the manifest, and put them in the place of an older data set."""
        self._finish()
        manifest = self._folder / MANIFEST
        written = [*map(self._path, range(self.count)), manifest]  # without its manifest a data set is incomplete
        _unfinished(manifest).write_text(json.dumps(self._manifest(), indent=2) + "\n", encoding="utf-8")
        manifest.unlink(missing_ok=True)
        for path in {*self._present()} - {*map(_unfinished, written)}:
            path.unlink()
        for path in written:
            os.replace(_unfinished(path), path)

    def discard(self) -> None:
        """Remove all shards of an interrupted data set."""
        with suppress(OSError):  # a full disk
            self._finish()
        for path in [*map(self._path, range(self.count)), self._folder / MANIFEST]:
            _unfinished(path).unlink(missing_ok=True)

    def _present(self) -> list[Path]:
        """Return the files of data sets in the folder, finished or not."""
        shards = [path for each in Kept for path in sorted(self._folder.glob(f"{each.value}-*.parquet*"))]
        return [*shards, *self._folder.glob(f"{MANIFEST}*")]

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._kept.value}-{number:05}.parquet"

    def _finish(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _table(self, game: Decisions) -> Any:
        size = len(game)
        columns: dict[str, Any] = {
            "game": [game.game] * size,
            "kyoku": game.kyoku,
            "decision": game.number,
            "seats": [game.seats] * size,
            "seat": game.seat,
            "phase": game.phase,
            "observation": self._binary(game.observation, SIZE),
            "action_mask": self._binary(game.mask, ACTIONS),
            "action": game.action,
            "action_words": game.words,
            "kyoku_change": game.change,
            "game_points": game.points,
            "game_place": game.place,
        }
        return self._arrow.table(columns, schema=self._schema)

    def _binary(self, numbers: bytearray, size: int) -> Any:
        """Return a column of equally long pieces of bytes, without copying them."""
        arrow = self._arrow
        count = len(numbers) // size
        return arrow.FixedSizeBinaryArray.from_buffers(arrow.binary(size), count, [None, arrow.py_buffer(numbers)])

    def _manifest(self) -> dict[str, Any]:
        """Return what a reader needs to know, for JSON."""
        return {
            "schema": SCHEMA,
            "encoding": ENCODING,
            "kind": self._kept.value,
            "observation_shape": list(SHAPE),
            "observation_rows": [{"name": row.name, "most": row.most} for row in ROWS],
            "actions": list(ACTION_NAMES),
            "games": self.games,
            "decisions": self.decisions,
            "kyoku_left_out": self.left_out,
            "shards": [{"file": self._path(number).name, "decisions": rows} for number, rows in enumerate(self._rows)],
        }


def _unfinished(path: Path) -> Path:
    """Return the name of a file until the data set is complete."""
    return path.with_name(f"{path.name}{UNFINISHED}")


def _arrow_type(arrow: Any, kind: str) -> Any:
    """Return the type of a column."""
    size = kind.removeprefix("binary[").removesuffix("]")
    return arrow.binary(int(size)) if size != kind else getattr(arrow, kind)()
