"""Bots that are run as child processes: how one is started, and what is spoken with it over its standard streams."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, Mapping

from ump.model.seats import Seat
from ump.model.value import value
from ump.wire.mjai.batch_session import BatchSession
from ump.wire.mjai.line_session import LineSession
from ump.wire.session import Introduction, Session

SEAT = "{seat}"
"""Stands in a command for the number of the bot's seat, 0 to 3; 0 is the first dealer."""

BOTS: Mapping[str, Callable[[Introduction], Session]] = {
    "mjai": BatchSession,
    "mjai-lines": LineSession,
}
"""The dialects that bots speak over their standard streams, by name."""


class CommandError(ValueError):
    """What was written is no command; one line that says what would be."""


@value
class Command:
    """How a bot is started, and in which dialect it is spoken with."""

    dialect: str
    words: tuple[str, ...]
    """The program and its arguments; no shell looks at them."""

    def at(self, seat: Seat) -> list[str]:
        """Return the words for the bot that has this seat."""
        return [word.replace(SEAT, str(seat)) for word in self.words]

    def open_session(self, name: str) -> Session:
        """Begin the session of one game with a bot that plays under this name."""
        return BOTS[self.dialect](Introduction(name=name))


def read_command(dialect: str, text: str) -> Command:
    """Read a command as a shell would split it; raises CommandError where there is none, or no such program."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"{text!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise CommandError(f"{text!r}: a command is wanted, as in python bot.py {SEAT}")
    if "/" not in words[0] and shutil.which(words[0]) is None:  # a path may stand in another folder by then
        raise CommandError(f"{text!r}: there is no program {words[0]}")
    return Command(dialect, words)
