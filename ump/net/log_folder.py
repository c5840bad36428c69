"""A folder of game logs in mjai's format (``.mjson``): one event per line, with all hidden tiles."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from twisted.logger import Logger

from ump.model.events import Event, GameEnded
from ump.wire import json_text
from ump.wire.mjai.events import Narrator

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


class GameLog:
    """The log of one game, written event by event. A disk error ends the log; the game goes on."""

    _log = Logger()

    def __init__(self, path: Path) -> None:
        self._path = path
        self._narrator = Narrator(None)
        self._file: IO[str] | None = None
        try:
            self._file = path.open("x", encoding="ascii")
        except OSError as error:
            self._give_up(error)

    def note(self, event: Event) -> None:
        """Write down an event, hidden tiles included."""
        if self._file is None:
            return
        message = self._narrator.tell(event)
        if message is None:
            return
        try:
            self._file.write(json_text.write(message) + "\n")
        except OSError as error:
            self._give_up(error)
        if isinstance(event, GameEnded):
            self.close()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._file = None
        self._log.error("{path}: no log of this game: {error}", path=str(self._path), error=error.strerror or error)


class LogFolder:
    """The folder for the logs of a server's games."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self, table: str, now: float) -> GameLog:
        """Begin the log of a game at a table; ``now`` is the time in seconds since 1970."""
        instant = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d-%H%M%S")
        return GameLog(self._folder / f"{instant}-{_UNSAFE.sub('_', table)}.mjson")
