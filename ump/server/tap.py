"""The options of ``twist ump-server`` and ``twistd ump-server``, and the service made from them.

Every mistake on the command line or in the file ends the program with one line and status 1, under all starters:
``usage.UsageError`` would print the whole help before its line, an exception in ``makeService`` a traceback.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn, TextIO

from twisted.application.service import IService
from twisted.python import usage

from ump.net.dialects import DIALECTS
from ump.players.policy import POLICIES
from ump.server.config import misused_option, read_command_line, server_settings, unknown_option
from ump.server.journals import FolderError
from ump.server.service import Server
from ump.server.settings import ConfigError, ServerOption, ServerSettings, all_options
from ump.wire.dialect import Dialect


def refuse(message: object) -> NoReturn:
    """End the program with one line and status 1."""
    raise SystemExit(f"ump-server: {message}")


class ServerOptions(usage.Options):
    """The command line. After ``parseOptions``, ``settings`` are those of the server to start."""

    dialects: ClassVar[tuple[Dialect, ...]]
    longdesc = (
        "A riichi mahjong server for bots and people, over UMP, mjai and Majiang. Four players make a table. "
        f"Built-in bots: {', '.join(POLICIES)}. "
        "To play by hand, type telnet localhost 19000, and press Enter."
    )

    def __init__(self) -> None:
        super().__init__()
        self._given: dict[str, list[str]] = {}

    def add(self, option: ServerOption[Any], text: str) -> None:
        """Add a value of an option to those before it."""
        self._given.setdefault(option.name, []).append(text)

    def opt_help(self) -> NoReturn:
        """Display this help and exit."""
        try:
            print(self, flush=True)
        except BrokenPipeError:  # as by head
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit

    def parseArgs(self, *arguments: str) -> None:
        """End the program if the command line has anything but options."""
        if arguments:
            refuse(f"{arguments[0]!r} is not an option; --help lists the options")

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line; ends the program on a mistake."""
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            refuse(_explained(error, all_options(self.dialects)))

    def postOptions(self) -> None:
        """Read the settings; ends the program on a mistake."""
        try:
            self.settings = self.settings_again()
        except ConfigError as error:
            refuse(error)

    def settings_again(self) -> ServerSettings:
        """Return the settings for the command line as its files are now; raises ConfigError."""
        return server_settings(read_command_line(self._given, all_options(self.dialects)), self.dialects)


def options_for(dialects: tuple[Dialect, ...]) -> type[ServerOptions]:
    """Return a class of options for a server that speaks these dialects."""
    methods = {f"opt_{option.key}": _taker(option) for option in all_options(dialects)}
    return type("Options", (ServerOptions,), {"__doc__": ServerOptions.__doc__, "dialects": dialects, **methods})


def _taker(option: ServerOption[Any]) -> Callable[..., None]:
    """Return the method that takes an option from the command line. Twisted shows its docstring as help."""

    def take(options: ServerOptions, text: str) -> None:
        """Take an option with a value."""
        options.add(option, text)

    def take_switch(options: ServerOptions) -> None:
        """Take an option without a value."""
        options.add(option, "")

    method: Callable[..., None] = take if option.kind.metavar else take_switch
    form = option.kind.metavar
    method.__doc__ = option.full_help if form.isalpha() or not form else f"{form}: {option.full_help}"
    return method


def _explained(error: usage.UsageError, options: Sequence[ServerOption[Any]]) -> str:
    """Return Twisted's error about a command line in one sentence that says what is allowed."""
    match str(error).split():
        case ["option", name, "not", "recognized"]:
            return unknown_option(name, options)
        case ["option", name, "requires", "argument"] | ["option", name, "must", "not", "have", "an", "argument"]:
            return misused_option(name, options)
        case ["option", name, "not", "a", "unique", "prefix"]:
            return f"{name} is ambiguous; --help lists the options"
        case _:
            return f"{error}; --help lists the options"


Options = options_for(DIALECTS)


def print_banner(text: str) -> None:
    """Print what a person reads when the server has started. ``sys.stderr`` would lead into the log."""
    terminal = sys.__stderr__
    assert terminal is not None
    ending = "Ctrl-C ends the server.\n" if terminal.isatty() else ""
    print(f"\n{text}\n{ending}", file=terminal, flush=True)


def escape_unwritable(*streams: TextIO) -> None:
    """Let streams write characters that their encoding lacks as escapes.

    Otherwise the log would lose each line with such a name where standard output is not UTF-8.
    """
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def makeService(options: ServerOptions) -> IService:
    """Return the server; ends the program if a required port cannot be opened.

    The reactor is imported here, after the starter has chosen one.
    """
    from twisted.internet import reactor

    escape_unwritable(sys.stdout, sys.stderr)
    server = Server(options.settings, reactor, print_banner, options.settings_again)
    try:
        if options.parent is not None:
            server.bound_log(options.parent)
        server.open_log()
        server.open_records()
    except (FolderError, ConfigError) as error:
        refuse(error)
    server.try_ports()
    return server
