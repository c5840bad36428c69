"""Players of an arena that are programs: how the command line names them."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Mapping
from typing import TypeAlias

from ump.model.choices import unknown
from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, Command, CommandError, read_command
from ump.net.dialects import port_options
from ump.net.endpoints import LOCAL, read_endpoint

CONNECT = "connect"
"""The word before the command of a bot that connects to the arena."""

WAIT = "wait"
"""The word before the ports at which the arena waits for bots that somebody else starts."""

PORTS = tuple(option.name for option in port_options())
"""The ports that a bot can connect to, by the names of the server's options."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_FREE = LOCAL.format(0)


class GameStopped(Exception):
    """A game that did not come to its end: the arena is over, or the server has a bug."""


@value
class ChildProgram:
    """A bot that speaks over its standard streams: one process for each seat of each game."""

    command: Command


@value
class NetworkProgram:
    """A bot that connects to ports of its own."""

    endpoints: tuple[tuple[str, str], ...]
    """The option of each port, and where it listens."""
    words: tuple[str, ...] = ()
    """The command that starts a bot for each seat of each game; empty: somebody else starts the bots."""

    def words_at(self, numbers: Mapping[str, int], name: str) -> list[str]:
        """Return the command for a bot of this name; ``numbers`` are its ports, by their options."""
        known = {option: str(number) for option, number in numbers.items()} | {"name": name}
        return [_PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), word) for word in self.words]


Program: TypeAlias = ChildProgram | NetworkProgram


def read_program(kind: str) -> Program | None:
    """Read the kind of a player; return None if it is no program. Raises CommandError."""
    word, colon, rest = kind.partition(":")
    if not colon:
        return None
    if word in BOT_DIALECTS:
        return ChildProgram(read_command(word, rest))
    if word == CONNECT:
        return _read_connect(rest)
    return _read_wait(rest) if word == WAIT else None


def _read_connect(text: str) -> NetworkProgram:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"{text!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise CommandError(f"{CONNECT}: expected a command, as in {CONNECT}:python bot.py 127.0.0.1:{{listen}}")
    if shutil.which(words[0]) is None:
        raise CommandError(f"{text!r}: there is no program {words[0]}")
    named = set(_PLACEHOLDER.findall(text))
    ports = tuple((option, _FREE) for option in PORTS if option in named)
    if not ports:
        listed = ", ".join(f"{{{option}}}" for option in PORTS)
        raise CommandError(f"{text!r}: the command does not say which port it connects to; use one of {listed}")
    return NetworkProgram(ports, words)


def _read_wait(text: str) -> NetworkProgram:
    ports = []
    for part in text.split(","):
        option, equals, given = part.partition("=")
        if not equals:
            raise CommandError(f"{WAIT}:{text}: expected OPTION=PORT, as in {WAIT}:mjai=21801")
        if option not in PORTS:
            raise CommandError(f"{WAIT}:{text}: {unknown('port', option, PORTS)}")
        try:
            ports.append((option, read_endpoint(given)))
        except ValueError as error:
            raise CommandError(f"{WAIT}:{text}: {error}") from None
    return NetworkProgram(tuple(ports))
