"""A folder of game logs in mjai's format (``.mjson``): one event per line, with all hidden tiles.

The names of the fields are those that every known reader of such files accepts (docs/protocols/mjai.md). The first
line has one more field, ``ump``, with the table, room, date, rules and seed of the game, and the versions of the
programs that decide its course.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from twisted.logger import Logger

from ump.model.events import Event, GameEnded, GameStarted
from ump.model.installation import installed_version
from ump.model.seats import Seat
from ump.rules.options import OPTIONS
from ump.server.seeds import Publish, Seals
from ump.table.opening import Opening
from ump.wire.json_text import write
from ump.wire.mjai.events import Message, MjaiNarrator, Written
from ump.wire.session import Note

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")

RUNNING = ".running"
"""The further end of the name of a log whose game is not over."""


class GameLog:
    """The log of one game, written event by event. A disk error ends the log; the game goes on.

    It holds all hands. So only the server's user can read it, and it has a hidden name until the game is over.

    An event is held back until the next one, because bots may add notes to the answers that follow from it.
    """

    has_person = False

    _log = Logger()

    def __init__(self, path: Path, about: Message, seal: Callable[[Publish], None]) -> None:
        """Begin a file; ``about`` describes the game, in the file's first line. ``seal`` takes what names the file."""
        self._path = path
        self._seal = seal
        self._about = about
        self._narrator = MjaiNarrator(None)
        self._held: Written | None = None
        """The last event, which is not written yet."""
        self._fields: list[str] = []
        """Further fields of that event, as text."""
        self._notes: dict[Seat, Note] = {}
        """The notes on the answers to that event."""
        self._file: IO[str] | None = None
        self._running = path.with_name(f".{path.name}{RUNNING}")
        try:
            if path.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            descriptor = os.open(self._running, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(descriptor, "w", encoding="ascii")
        except OSError as error:
            self._give_up(error)

    def note(self, event: Event) -> None:
        """Write down an event, hidden tiles included."""
        if self._file is None:
            return
        message = self._narrator.tell(event)
        if message is None:
            return
        self._write_held()
        self._held = message
        if isinstance(event, GameStarted):
            self._fields.append(f'"ump":{write(self._about)}')
        if isinstance(event, GameEnded):
            self.close()

    def add_note(self, seat: Seat, note: Note) -> None:
        """Add the note of a bot on its answer to the last event."""
        self._notes[seat] = note

    def close(self) -> None:
        """Close the file, and give it its name, as soon as everybody may know that the game is over."""
        if self.suspend():
            self._seal(self._name)

    def _name(self) -> None:
        try:
            self._running.rename(self._path)
        except OSError as error:
            self._give_up(error)

    def suspend(self) -> bool:
        """Close the file, which stays hidden: the game may go on later. Return False if it is closed or has failed."""
        self._write_held()
        if self._file is None:
            return False
        try:
            self._file.close()
        except OSError as error:
            self._give_up(error)
            return False
        self._file = None
        return True

    def _write_held(self) -> None:
        """Write the last event, with the notes on the answers to it."""
        held, self._held = self._held, None
        if held is None or self._file is None:
            return
        if self._notes:
            seats = range(len(self._narrator.scores))
            notes = [self._notes.get(seat) for seat in seats]
            self._fields.append(f'"logs":{write([None if note is None else note.log for note in notes])}')
            metas = ["null" if note is None or note.meta is None else note.meta for note in notes]
            self._fields.append(f'"metas":[{",".join(metas)}]')
        try:
            self._file.write(held.extended(",".join(self._fields)) + "\n")
        except OSError as error:
            self._give_up(error)
        self._fields.clear()
        self._notes.clear()

    def _give_up(self, error: OSError) -> None:
        if self._file is not None:
            for give_back in (self._running.unlink, self._file.close):  # closing may write what is left
                with suppress(OSError):
                    give_back()
            self._file = None
        self._log.error("{path}: no log of this game: {error}", path=str(self._path), error=error.strerror or error)


class LogFolder:
    """The folder for the logs of a server's games."""

    def __init__(self, folder: Path, seals: Seals) -> None:
        """``seals`` keep logs that nobody may read yet."""
        self._folder = folder
        self._seals = seals

    def open(self, opening: Opening, room: str, now: float) -> GameLog:
        """Begin the log of a game in a room; ``now`` is the time in seconds since 1970."""
        date = datetime.fromtimestamp(now, UTC)
        name = f"{date:%Y-%m-%d-%H%M%S}-{_UNSAFE.sub('_', opening.name)}.mjson"
        return GameLog(self._folder / name, _about(opening, room, date), self._seals.seal_of(opening.duplicate))


def _about(opening: Opening, room: str, date: datetime) -> Message:
    """Describe a game for readers of its log."""
    ruleset, place = opening.ruleset, opening.duplicate
    duplicate = {} if place is None else {"duplicate": {"group": place.group, "number": place.number}}
    return {
        "table": opening.name,
        "room": room,
        "date": f"{date:%Y-%m-%dT%H:%M:%SZ}",
        "rules": {"name": ruleset.name, **{option.name: option.format(ruleset) for option in OPTIONS.values()}},
        "seed": opening.seed,
        **duplicate,
        "versions": {"ump": installed_version()},
    }
