"""The file of the blocks of a comparison or an arena: JSON lines, the setup first, then each block in its order."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO

from ump.arena.answer_counts import ANSWERS_IN_CLASS
from ump.arena.blocks import Block, BlockGame, Setup
from ump.record.own_fields import written_rules

NAME = "blocks.jsonl"
"""The name of the file in the folder of a comparison."""

SEATS = (3, 4)
"""The numbers of seats that a game has."""

_COUNT = re.compile(rf"(?!{ANSWERS_IN_CLASS})\w+|{ANSWERS_IN_CLASS}[0-9]{{1,2}}")
"""The name of a count."""


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


def read_block(line: str, players: int) -> Block:
    """Return the block of a line, of games of so many players; raises ValueError if it is none."""
    try:
        data = json.loads(line)
        number, listed, errors = data["block"], data["games"], data.get("errors", ("",) * players)
        games = tuple(_read_game(each, players) for each in listed)
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no block: {error}") from error
    if type(number) is not int or not games:
        raise ValueError("a block has a number and games")
    if len(errors) != players or not all(isinstance(error, str) for error in errors):
        raise ValueError(f"a block has a text for each of {players} players")
    return Block(number, games, tuple(errors))


def _read_game(data: Mapping[str, Any], players: int) -> BlockGame:
    """Return a game of a block; raises KeyError, TypeError or ValueError if it is none."""
    seats, places, points, counts = (tuple(data[key]) for key in ("seats", "places", "points", "counts"))
    size = len(seats)
    if size not in SEATS or not len(places) == len(points) == len(counts) == size:
        raise ValueError("a game has a player, a place, points and counts for each of 3 or 4 seats")
    numbers = (*seats, *places, *points, *(number for named in counts for number in named.values()))
    if not all(type(number) is int for number in numbers):
        raise ValueError("players, places, points and counts are whole numbers")
    if not all(0 <= player < players for player in seats) or not all(1 <= place <= size for place in places):
        raise ValueError("no such player or place")
    if not all(_COUNT.fullmatch(name) for named in counts for name in named):
        raise ValueError("no such count")
    return BlockGame(seats, places, points, counts)


class ResultsFile:
    """The blocks of one setup, which is given as JSON, in a folder."""

    def __init__(self, folder: Path, setup: Mapping[str, Any], players: int) -> None:
        """``players``: how many there are in the setup."""
        self.path = folder / NAME
        self._setup = setup
        self._players = players
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
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            head, *lines = whole.decode().split("\n")[:-1] or [""]
            if json.loads(head)["hash"] != setup_hash(self._setup):
                raise ResultsError(f"{self.path} has other players, rules, seed, placement points, schedule or time")
            blocks = [read_block(line, self._players) for line in lines]
        except (KeyError, TypeError, ValueError) as error:
            raise error if isinstance(error, ResultsError) else ResultsError(f"{self.path}: damaged: {error}") from None
        if [block.number for block in blocks] != list(range(len(blocks))):
            raise ResultsError(f"{self.path}: damaged: blocks are missing")
        self._file = self.path.open("r+", encoding="utf-8")
        self._file.truncate(len(whole))
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
