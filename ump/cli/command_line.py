"""The common part of the commands: errors about the command line, reports, progress on a terminal, and options."""

from __future__ import annotations

import csv
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ump.model.hand import HandError
from ump.model.notation import NotationError
from ump.model.seats import LETTERS
from ump.model.setting import Setting, key_of, setting_of
from ump.record.recorded_game import RecordError
from ump.rules.options import RulesetError, read_ruleset
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.text.layout import indented, pointer
from ump.text.win import ConditionsError
from ump.wire.text import UnwritableError, WireError


class InputError(click.ClickException):
    """A wrong command line; the message is one line, and two more if it points at a part of a text."""

    exit_code = 2


@contextmanager
def input_errors(source: str = "") -> Iterator[None]:
    """Turn errors about bad input into an InputError; ``source`` is the option or argument to name in the message."""
    try:
        yield
    except (NotationError, RulesetError, HandError, ConditionsError, RecordError, WireError, UnwritableError) as error:
        lines = [f"{source}: {error}" if source else str(error)]
        if isinstance(error, NotationError) and error.span is not None:
            lines += indented(pointer(error.text, error.span))
        raise InputError("\n".join(lines)) from None


def write_csv(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows with their keys above; nothing without rows."""
    if rows:
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def print_report(lines: Iterable[str], data: dict[str, object], *, as_json: bool) -> None:
    """Print a report, as text or as JSON."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2) if as_json else "\n".join(lines))


Decorator = Callable[[Callable[..., None]], Callable[..., None]]

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
changes_of_rules = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Change one field of the rules; repeatable. 'ump rules' lists the fields.",
)


def read_rules(source: str, preset: str, changes: Sequence[str]) -> Ruleset:
    """Return a preset with its --set changes; ``source`` is the option or argument that names the preset."""
    with input_errors(source):
        ruleset = read_ruleset(preset, ())
    with input_errors("--set"):
        return read_ruleset(preset, changes) if changes else ruleset


def options_of(settings: type, parameter: str, without: Sequence[str] = ()) -> Decorator:
    """Return a decorator that adds an option for each field of a dataclass with a ``setting``, in their order.

    The command takes one value of the class, as ``parameter``. ``without`` are fields that keep their defaults.
    """
    options = {name: option for name, option in _options_by_field(settings).items() if name not in without}

    def _decorate(command: Callable[..., None]) -> Callable[..., None]:
        decorated = fills(settings, parameter)(command)
        for option in reversed(options.values()):
            decorated = option(decorated)
        return decorated

    return _decorate


def fills(settings: type, parameter: str) -> Decorator:
    """Return a decorator for a command that takes one value of a dataclass, as ``parameter``.

    The options and arguments that have the names of its fields fill it.
    """
    names = {field.name for field in fields(settings)}

    def _decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def _filled(**given: object) -> None:
            values = {name: given.pop(name) for name in names & given.keys()}
            command(**given, **{parameter: settings(**values)})

        return _filled

    return _decorate


def option_of(settings: type, name: str) -> Decorator:
    """Return the option for one field of a dataclass, for a command that has other options between them."""
    return _options_by_field(settings)[name]


def _options_by_field(settings: type) -> dict[str, Decorator]:
    """Return the options that set the fields of a dataclass, by the names of the fields."""
    options: dict[str, Decorator] = {}
    for described in fields(settings):
        about = setting_of(described)
        if about is not None:
            key = key_of(described, about)
            options[described.name] = _described_option(described.name, key.replace("_", "-"), described.default, about)
    return options


def _described_option(name: str, option: str, default: object, about: Setting) -> Decorator:
    """Return an option that its description reads: None without a text or a default, repeatable for a tuple."""

    def _read(_context: click.Context, parameter: click.Parameter, given: Any) -> object:
        if isinstance(given, tuple):
            return tuple(_value(each, parameter) for each in given)
        return _value(given, parameter)

    def _value(given: Any, parameter: click.Parameter) -> object:
        if given is None:
            return None
        if about.choices is not None:
            return about.choices[given]
        if about.read is None:
            return given
        try:
            with input_errors(f"--{option}"):
                return about.read(given)
        except ValueError as error:
            raise click.BadParameter(str(error), param=parameter) from None

    return click.option(
        f"--{option}",
        name,
        type=_type_of(default, about),
        is_flag=isinstance(default, bool) or None,
        multiple=isinstance(default, tuple),
        default=default,
        show_default=default not in (None, False, ()),
        metavar=about.metavar or None,
        envvar=about.variable or None,
        show_envvar=bool(about.variable),
        callback=_read,
        help=about.help,
    )


def _type_of(default: object, about: Setting) -> Any:
    """Return the type of an option: its choices decide, or else the type of its default; None is a text."""
    if about.choices is not None:
        return click.Choice(list(about.choices))
    if isinstance(default, int) and not isinstance(default, bool):
        return click.IntRange(about.least, about.most)
    if isinstance(default, float):
        return click.FloatRange(about.least)
    return None


def _read_time(_context: click.Context, _parameter: click.Parameter, given: str) -> TimeControl:
    try:
        return TimeControl.parse(given)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


time_option = click.option(
    "--time",
    "times",
    default="10+20",
    show_default=True,
    metavar="MOVE+BANK",
    callback=_read_time,
    help="Seconds per move and per kyoku for programs.",
)
mjai_option = click.option(
    "--mjai", metavar="COMMAND", help="Start a bot that reads arrays of mjai events and replies to each array."
)
mjai_lines_option = click.option(
    "--mjai-lines", metavar="COMMAND", help="Start a bot that reads mjai events line by line."
)
tiles_option = click.option(
    "--tiles",
    type=click.Choice(["ascii", "blocks", "unicode"]),
    help="Tiles as two letters, as coloured blocks, or as Unicode pictures, which few fonts show well. The default is "
    "blocks where the terminal has colours and UTF-8.",
)
language_option = click.option(
    "--lang", "language", type=click.Choice(["en", "ja", "zh"]), help="The language; by default that of the locale."
)


class RecordPath(click.Path):
    """The path of a record, or - for standard input. An address of a site is refused with the way to the file."""

    def __init__(self, *, dir_okay: bool = False, allow_dash: bool = True) -> None:
        super().__init__(exists=True, dir_okay=dir_okay, allow_dash=allow_dash, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if isinstance(value, str) and (way := way_to_file(value)):
            raise InputError(way)
        return super().convert(value, param, ctx)


def way_to_file(address: str) -> str:
    """Return how to get the file of a record at an address; empty for anything but an address."""
    if not re.match("https?://", address):
        return ""
    log = re.search(r"tenhou\.net/.*[?&]log=([\w-]+)", address)
    if log:
        file = f"https://tenhou.net/0/log/?{log[1]}"
        seat = re.search(r"[?&]tw=([0-3])", address)
        who = f" (tw={seat[1]} is seat {LETTERS[int(seat[1])]})" if seat else ""
        return f"a Tenhou address; open {file} in a browser, save the page as {log[1]}.mjlog, and name that file{who}"
    if "paipu=" in address:
        return "a Mahjong Soul address; save the record in the game's page with a downloader, and name that file"
    if "#json=" in address:
        return "an address with a record in it; put it into a file NAME.urls.txt, and name that file"
    return "an address; save the record as a file, and name that file"


@contextmanager
def textual_needed(instead: str) -> Iterator[None]:
    """Turn the error that textual is missing into an InputError, with what to do ``instead``."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("textual", "rich"):
            raise
        how = "pip install 'ump-mahjong[terminal]'"
        raise InputError(f"the terminal program needs textual: {how}; {instead}") from error


def read_server(server: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 host may be in brackets."""
    host, _, port = server.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 1 << 16:
        raise InputError(f"{server}: expected HOST:PORT with a port from 1 to 65535, as in localhost:19000")
    return host.removeprefix("[").removesuffix("]"), int(port)


PATIENCE = 10.0
"""Seconds until a server that does not answer counts as stuck."""

LONG_SECONDS = 5.0
"""After so much time, progress says how long the rest will take."""


class _Display:
    """The progress that the terminal shows now."""

    def __init__(self) -> None:
        self.above = 0
        """The lines above the last one."""
        self.begun: tuple[float, int] | None = None
        """The seconds of the clock at which the progress began, and what was done then; None without progress."""

    def time_left(self, done: int, total: int) -> str:
        """Return how long the rest of the work will take, if it is known and long."""
        now = time.monotonic()
        self.begun = self.begun or (now, done)
        seconds, new = now - self.begun[0], done - self.begun[1]
        if seconds < LONG_SECONDS or not new > 0 or done >= total:
            return ""
        left = seconds / new * (total - done)
        return f", {left:.0f} s left" if left < 100 else f", {left / 60:.0f} min left"


_DISPLAY = _Display()


def show_progress(text: str, done: int = 0, total: int = 0) -> None:
    """Replace the progress on standard error with ``text``, of one or more lines, if standard error is a terminal.

    If ``done`` of ``total`` pieces of work are done, the first line says how long the rest will take. A file or a pipe
    receives nothing: every line would stay in it.
    """
    if sys.stderr.isatty():
        first, *others = text.split("\n")
        _show("\n".join((first + _DISPLAY.time_left(done, total), *others)))


def clear_progress() -> None:
    """Erase the progress, so that the next output starts on an empty line."""
    _DISPLAY.begun = None
    if sys.stderr.isatty():
        _show("")


def _show(text: str) -> None:
    erase = f"\r\x1b[{_DISPLAY.above}A\x1b[J" if _DISPLAY.above else "\r\x1b[K"
    print(f"{erase}{text}", end="", file=sys.stderr, flush=True)
    _DISPLAY.above = text.count("\n")
