"""Built-in bots as a room has them: how many of each kind, and the commands of those that are child processes."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.bot_archive import BOT_FILE, SUFFIX, ArchiveError, unpack
from ump.net.dialects import BOT_COMMAND, bot_dialects
from ump.wire.dialect import Caller
from ump.wire.session import Session

SEAT = "{seat}"
"""The part of a command that becomes the bot's seat, 0 to 3; 0 is the first dealer."""

PYTHONS = ("python", "python3")
"""The programs on PATH of which the first one runs bots in zip files."""

BOT_DIALECTS = bot_dialects()
"""The dialects that bots may speak over their standard streams, by key."""


class CommandError(ValueError):
    """A command that cannot be used, with a message of one line."""


@value
class Command:
    """A command that starts a bot."""

    dialect: str
    """The key of the bot's dialect in ``BOT_DIALECTS``."""
    words: tuple[str, ...]
    """The program and its arguments. No shell runs them."""
    folder: Path | None = None
    """The folder in which it runs; None: that of this process."""

    def at(self, seat: Seat) -> list[str]:
        """Return the words for a bot that has this seat."""
        return [word.replace(SEAT, str(seat)) for word in self.words]

    def open_session(self, name: str) -> Session:
        """Return the session of one game with a bot of this name."""
        return BOT_DIALECTS[self.dialect].open_session(Caller(name=name))


@value
class BotSeats:
    """Seats that built-in bots of one kind may fill at each table: ``efficiency:3``, ``mjai:alpha*2=python bot.py``."""

    kind: str
    """A policy, or the dialect of a child process."""
    most: int
    """How many of them may sit at one table."""
    command: Command | None = None
    """The command that starts each of them, for child processes."""
    name: str | None = None
    """The name that the operator gives them; None: they are numbered by their kind."""

    @property
    def label(self) -> str:
        """The name of these bots for people."""
        return self.name or self.kind


def read_command(dialect: str, text: str) -> Command:
    """Split a command as a shell would; raises CommandError if it is empty or there is no such program.

    The name of a zip file alone is a command too: the file is unpacked, and its ``bot.py`` is started there.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"{text!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise CommandError(f"{text!r} is empty; expected a command, as in {BOT_COMMAND}")
    if len(words) == 1 and words[0].lower().endswith(SUFFIX):
        return _command_of_archive(dialect, words[0])
    if "/" not in words[0] and shutil.which(words[0]) is None:  # a path may be relative to another folder
        raise CommandError(f"{text!r}: there is no program {words[0]}")
    return Command(dialect, words)


def _command_of_archive(dialect: str, path: str) -> Command:
    """Return the command that starts the bot in a zip file, as mjai.app does; raises CommandError."""
    python = next(filter(None, map(shutil.which, PYTHONS)), sys.executable)
    try:
        return Command(dialect, (os.path.abspath(python), "-u", BOT_FILE, SEAT), unpack(Path(path)))
    except ArchiveError as error:
        raise CommandError(f"{path!r}: {error}") from None
