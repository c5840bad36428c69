"""The file of the blocks of a comparison or an arena: JSON lines, the setup first, then each block in its order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from ump.arena.blocks import Block, BlockGame, Setup
from ump.record.own_fields import written_rules

NAME = "blocks.jsonl"
"""The name of the file in the folder of a comparison."""


class ResultsError(ValueError):
    """A file of blocks that is unreadable, or belongs to another setup."""


def setup_data(setup: Setup) -> dict[str, Any]:
    """Return the setup of a comparison as JSON, with all rules."""
    return {
        "players": list(setup.players),
        "rules": written_rules(setup.ruleset),
        "seed": setup.seed,
        "points": list(setup.points),
    }


def setup_hash(setup: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a setup as JSON, in hex: blocks of equal hashes belong together."""
    return sha256(json.dumps(setup, sort_keys=True).encode()).hexdigest()


def written_block(block: Block) -> str:
    """Return the line of a block, without its end."""
    games = [
        {"seats": game.seating, "places": game.places, "points": game.points, "counts": game.counts}
        for game in block.games
    ]
    data = {"block": block.number, "games": games, "errors": block.errors}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def read_block(line: str) -> Block:
    """Return the block of a line; raises ValueError, KeyError or TypeError if it is none."""
    data = json.loads(line)
    games = tuple(
        BlockGame(tuple(each["seats"]), tuple(each["places"]), tuple(each["points"]), tuple(each["counts"]))
        for each in data["games"]
    )
    return Block(int(data["block"]), games, tuple(data.get("errors", ("", ""))))


class ResultsFile:
    """The blocks of one setup, which is given as JSON, in a folder."""

    def __init__(self, folder: Path, setup: Mapping[str, Any]) -> None:
        self.path = folder / NAME
        self._setup = setup
        self._file: TextIO | None = None

    def create(self) -> None:
        """Begin the file; raises ResultsError if there is one, OSError if it cannot be written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = self.path.open("x", encoding="utf-8")
        except FileExistsError:
            raise ResultsError(f"{self.path} exists; give --resume to go on with it, or another folder") from None
        head = {"setup": self._setup, "hash": setup_hash(self._setup)}
        print(json.dumps(head, ensure_ascii=False), file=self._file, flush=True)

    def resume(self) -> list[Block]:
        """Return the blocks of the file, and go on after them; without a file, create it.

        A line that was cut while it was written is removed. Raises ResultsError if the file belongs to another setup or
        is damaged, OSError if it is not accessible.
        """
        if not self.path.exists():
            self.create()
            return []
        text = self.path.read_text(encoding="utf-8")
        head, *lines = text[: text.rfind("\n") + 1].splitlines() or [""]
        try:
            if json.loads(head)["hash"] != setup_hash(self._setup):
                raise ResultsError(f"{self.path} has other players, rules, seed, placement points, schedule or time")
            blocks = [read_block(line) for line in lines]
        except (KeyError, TypeError, ValueError) as error:
            raise error if isinstance(error, ResultsError) else ResultsError(f"{self.path}: damaged: {error}") from None
        if [block.number for block in blocks] != list(range(len(blocks))):
            raise ResultsError(f"{self.path}: damaged: blocks are missing")
        self._file = self.path.open("r+", encoding="utf-8")
        self._file.truncate(len("".join(f"{line}\n" for line in (head, *lines)).encode()))
        self._file.seek(0, 2)
        return blocks

    def add(self, block: Block) -> None:
        """Append a block; raises OSError."""
        assert self._file is not None
        print(written_block(block), file=self._file, flush=True)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
