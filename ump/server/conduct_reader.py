"""Reads from the records of rated games what their players did to each other, a few games at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from twisted.logger import Logger

from ump.record.indexed_game import ELSEWHERE
from ump.record.journal import JournalError, read_journal
from ump.record.record_files import unpacked
from ump.record.recorded_game import RecordError
from ump.server.ladder.conduct import Conduct, conduct_of
from ump.server.ladder.rated_game import RatedGame

AT_ONCE = 50
"""The games that are played again for each round of a room: a hanchan takes some 30 ms in another thread."""


class ConductReader:
    """The conduct in the games of each room that it was asked for last, as far as it is known."""

    _log = Logger()

    def __init__(self, folder: Path, at_once: int = AT_ONCE) -> None:
        """Read journals in a folder, at most ``at_once`` of them for each call."""
        self._folder = folder
        self._at_once = at_once
        self._known: dict[str, dict[str, Conduct | None]] = {}
        """By room and record; None for a record that cannot be read."""

    def added_to(self, room: str, newest_first: Iterable[RatedGame]) -> list[RatedGame]:
        """Return the games of a room, the oldest first, with their conduct; the newest unknown ones are read.

        Records that another server has are left out.

        It may be called in another thread.
        """
        before, known = self._known.get(room, {}), dict[str, Conduct | None]()
        games: list[RatedGame] = []
        left = self._at_once
        for game in newest_first:
            if game.file in before:
                known[game.file] = before[game.file]
            elif left and ELSEWHERE not in game.file:
                left -= 1
                known[game.file] = self._read(game.file)
            games.append(replace(game, conduct=known.get(game.file)))
        self._known[room] = known
        return games[::-1]

    def _read(self, file: str) -> Conduct | None:
        """Play the game of a record again; None if it cannot be read."""
        try:
            return conduct_of(read_journal(unpacked((self._folder / file).read_bytes())))
        except (OSError, JournalError, RecordError) as error:
            self._log.warn("{file} is left out of the flags: {error}", file=file, error=str(error))
            return None
