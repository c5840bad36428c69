"""Built-in bots as a room has them: how many of each kind, and the commands of those that are child processes."""

from __future__ import annotations

import shlex
import shutil

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.dialects import BOT_COMMAND, bot_dialects
from ump.wire.dialect import Caller
from ump.wire.session import Session

SEAT = "{seat}"
"""The part of a command that becomes the bot's seat, 0 to 3; 0 is the first dealer."""

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
        """What people read for these bots."""
        return self.name or self.kind


def read_command(dialect: str, text: str) -> Command:
    """Split a command as a shell would; raises CommandError if it is empty or there is no such program."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"{text!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise CommandError(f"{text!r} is empty; expected a command, as in {BOT_COMMAND}")
    if "/" not in words[0] and shutil.which(words[0]) is None:  # a path may be relative to another folder
        raise CommandError(f"{text!r}: there is no program {words[0]}")
    return Command(dialect, words)
