"""The commands that a person can type at any time, with their help."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from ump.model.value import value


class Command(Enum):
    """A command."""

    HELP = "help"
    BOARD = "board"
    HAND = "hand"
    SCORE = "score"
    WAITS = "waits"
    RULES = "rules"
    ROOMS = "rooms"
    AUTO = "auto"
    COLOUR = "color"
    LANGUAGE = "lang"
    BYE = "bye"


@value
class CommandHelp:
    """The form of a command, and its effect."""

    typed: str
    does: str
    words: tuple[str, ...] = ()
    """Other words for it."""


COMMANDS: Mapping[Command, CommandHelp] = {
    Command.HELP: CommandHelp("help", "what can be typed now", ("?", "h")),
    Command.BOARD: CommandHelp("board", "the table", ("b",)),
    Command.HAND: CommandHelp("hand", "your hand"),
    Command.SCORE: CommandHelp("score", "points and places", ("scores",)),
    Command.WAITS: CommandHelp("waits", "what your hand waits for, or the best discards", ("wait",)),
    Command.RULES: CommandHelp("rules", "the rules of this room", ("rule",)),
    Command.ROOMS: CommandHelp("rooms", "the rooms of this server", ("room",)),
    Command.AUTO: CommandHelp("auto win|pass|discard on|off", "let the server answer, until the kyoku ends"),
    Command.COLOUR: CommandHelp("color on|off", "coloured tiles", ("colour", "colors", "colours")),
    Command.LANGUAGE: CommandHelp("lang en|ja", "the language of yaku"),
    Command.BYE: CommandHelp("bye", "leave", ("quit", "exit", "logout")),
}
"""Every command with its help."""

_NAMED = {word: command for command, text in COMMANDS.items() for word in (command.value, *text.words)}

_WITH_ARGUMENTS = frozenset((Command.AUTO, Command.COLOUR, Command.LANGUAGE))


def read_command(text: str) -> tuple[Command, list[str]] | None:
    """Return the command of a line with its arguments; None if the line is no command."""
    words = text.lower().split()
    command = _NAMED.get(words[0]) if words else None
    if command is None or (len(words) > 1 and command not in _WITH_ARGUMENTS):
        return None
    return command, words[1:]
