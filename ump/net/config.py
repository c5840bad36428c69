"""Rooms as the operator describes them: with options, and in a TOML file if there are several.

Both use the same words: ``house_after`` in the file is the option ``--house-after``. The most specific value wins: a
room's own table in the file, then the options, then the values for all rooms of the file, then the defaults.

    time = "60+600"             # for all rooms of this file
    house = ["efficiency:3"]

    [rooms.main]                # the first room is for clients that name none

    [rooms.league]
    rules = "mleague"
    set = ["kuitan=no"]
    house = []
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ump.host.bot_delay import NO_DELAY, BotDelay
from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, Command, read_command
from ump.players.policy import POLICIES
from ump.rules.options import RulesetError, read_ruleset
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.table.outcomes import Faults

T = TypeVar("T")

DEFAULT_ROOM = "main"
"""The name of the only room of a server without a file."""

HOUSE_AFTER = 3.0
"""Seconds until built-in bots complete a table: time for two people who start together to meet, short for one alone."""

HOUSE = re.compile(r"([a-z]+):([1-9])")
HOUSE_BOT = re.compile(rf"({'|'.join(BOT_DIALECTS)})(?:\*([1-9]))?:(.*)", re.DOTALL)
_FAULTS = {faults.value: faults for faults in Faults}

ROOM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")


class ConfigError(ValueError):
    """An option or a file that cannot be used, with a message of one line: the key, the value, and what is allowed."""


@value
class BotSeats:
    """Seats that built-in bots of one kind may fill at each table: ``efficiency:3``, ``mjai*3:python bot.py``."""

    kind: str
    """A policy, or the dialect of a child process."""
    most: int
    """How many of them may sit at one table."""
    command: Command | None = None
    """The command that starts each of them, for child processes."""


@value
class RoomOptions:
    """The options for a room that stand in one place; None (and no changes) for those that do not."""

    rules: str | None = None
    changes: tuple[str, ...] = ()
    """Fields of the ruleset, as ``FIELD=VALUE``."""
    length: str | None = None
    times: TimeControl | None = None
    house: tuple[BotSeats, ...] | None = None
    house_after: float | None = None
    bot_delay: BotDelay | None = None
    ask_all: bool | None = None
    faults: Faults | None = None


@value
class RoomSettings:
    """All settings of a room."""

    name: str
    ruleset: Ruleset
    times: TimeControl
    house: tuple[BotSeats, ...]
    """The built-in bots that complete a table, in this order."""
    house_after: float
    """Seconds between the arrival of the first player and that of the bots."""
    ask_all: bool
    """Whether every player is asked about every discard, so that timing reveals nothing."""
    faults: Faults = Faults.DEFAULT
    """The consequence of an illegal or unreadable answer when the question is not asked again."""
    bot_delay: BotDelay = NO_DELAY
    """How long built-in bots think while a person plays at the table."""


ROOM_KEYS = ("rules", "set", "length", "time", "house", "house_after", "bot_delay", "ask_all", "faults")
"""The keys of a room in the file."""


def read_room_options(raw: Mapping[str, object]) -> RoomOptions:
    """Read the values of ``ROOM_KEYS``, with the types of TOML; raises ConfigError."""
    unknown = sorted(set(raw) - set(ROOM_KEYS))
    if unknown:
        raise ConfigError(f"{unknown[0]}: unknown key; choose from {', '.join(ROOM_KEYS)}")
    return RoomOptions(
        rules=_read(raw, "rules", _text),
        changes=_read(raw, "set", _texts) or (),
        length=_read(raw, "length", _text),
        times=_read(raw, "time", _times),
        house=_read(raw, "house", _house),
        house_after=_read(raw, "house_after", _seconds),
        bot_delay=_read(raw, "bot_delay", _bot_delay),
        ask_all=_read(raw, "ask_all", _flag),
        faults=_read(raw, "faults", _faults),
    )


def read_rooms_file(path: str) -> tuple[RoomOptions, dict[str, RoomOptions]]:
    """Return the options that a file has for all rooms, and those of each room by name; raises ConfigError."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(error.strerror or str(error)) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise ConfigError(str(error)) from error
    rooms = content.pop("rooms", {})
    shared = read_room_options(content)
    if not isinstance(rooms, dict) or not rooms:
        raise ConfigError("expected at least one room, as a table [rooms.NAME]")
    return shared, {name: _read_room(name, raw) for name, raw in rooms.items()}


def room_settings(name: str, *layers: RoomOptions) -> RoomSettings:
    """Return the settings of a room from options that stand in several places, the most specific first.

    Raises ConfigError.
    """
    rules = _first((layer.rules for layer in layers), "ump")
    changes = [
        change for layer in reversed(layers) for change in layer.changes
    ]  # a later change replaces an earlier one
    length = next((layer.length for layer in layers if layer.length is not None), None)
    return RoomSettings(
        name=name,
        ruleset=_ruleset(rules, changes, length),
        times=_first((layer.times for layer in layers), TimeControl()),
        house=_first((layer.house for layer in layers), ()),
        house_after=_first((layer.house_after for layer in layers), HOUSE_AFTER),
        ask_all=_first((layer.ask_all for layer in layers), False),
        faults=_first((layer.faults for layer in layers), Faults.DEFAULT),
        bot_delay=_first((layer.bot_delay for layer in layers), NO_DELAY),
    )


def all_room_settings(options: RoomOptions, path: str | None, room: str | None = None) -> tuple[RoomSettings, ...]:
    """Return the settings of all rooms; the first is for clients that name none. Raises ConfigError.

    ``path`` is the file of rooms. ``room`` is the name of the only room of a server without a file.
    """
    if path is None:
        return (_check_delay(room_settings(check_room_name(room or DEFAULT_ROOM), options)),)
    if room is not None:
        raise ConfigError(f"room: {room!r} cannot be used with a file of rooms; name the room in {path}")
    try:
        shared, rooms = read_rooms_file(path)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    settled = []
    for name, own in rooms.items():
        try:
            settled.append(_check_delay(room_settings(name, own, options, shared)))
        except ConfigError as error:
            raise ConfigError(f"{path}: rooms.{name}: {error}") from error
    return tuple(settled)


def check_room_name(name: str) -> str:
    """Return a room's name; raises ConfigError if no room may have it."""
    if not ROOM_NAME.fullmatch(name):
        raise ConfigError(
            f"room: {name!r} is not a name; expected up to 32 letters and digits, and after the first also . _ -"
        )
    return name


def _read_room(name: str, raw: object) -> RoomOptions:
    check_room_name(name)
    try:
        if not isinstance(raw, dict):
            raise ConfigError(f"{raw!r} is not a table; expected [rooms.{name}]")
        return read_room_options(raw)
    except ConfigError as error:
        raise ConfigError(f"rooms.{name}: {error}") from error


def _check_delay(room: RoomSettings) -> RoomSettings:
    """Return a room; raises ConfigError if its built-in bots would think longer than a player may."""
    most, times = room.bot_delay.most, room.times
    if most > times.move:
        raise ConfigError(f"bot_delay: {most:g} seconds; the time {times} leaves {times.move:g} for each move")
    return room


def _ruleset(rules: str, changes: Sequence[str], length: str | None) -> Ruleset:
    """Return a preset with changes; raises ConfigError that names the key of the first mistake."""
    try:
        key = "rules"
        read_ruleset(rules, ())
        key = "length"
        read_ruleset(rules, (), length)
        key = "set"
        return read_ruleset(rules, changes, length)
    except RulesetError as error:
        raise ConfigError(f"{key}: {error}") from error


def _first(given: Iterable[T | None], default: T) -> T:
    return next((each for each in given if each is not None), default)


def _either(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _read(raw: Mapping[str, object], key: str, reader: Callable[[object], T]) -> T | None:
    if key not in raw:
        return None
    try:
        return reader(raw[key])
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from error


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise ValueError(f"{given!r} is not a text in quotes")
    return given


def _texts(given: object) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise ValueError(f'{given!r} is not a list of texts, as in ["..."]')
    return tuple(_text(part) for part in given)


def _flag(given: object) -> bool:
    if not isinstance(given, bool):
        raise ValueError(f"{given!r}; expected true or false")
    return given


def _seconds(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < math.inf:
        raise ValueError(f"{given!r}; expected a number of seconds, 0 or more")
    return float(given)


def _times(given: object) -> TimeControl:
    return TimeControl.parse(_text(given))


def _bot_delay(given: object) -> BotDelay:
    return BotDelay.parse(_text(given))


def _faults(given: object) -> Faults:
    text = _text(given)
    if text not in _FAULTS:
        raise ValueError(f"unknown faults policy {text!r}; choose {_either(_FAULTS)}")
    return _FAULTS[text]


def _house(given: object) -> tuple[BotSeats, ...]:
    return tuple(map(_house_seats, _texts(given)))


def _house_seats(text: str) -> BotSeats:
    found = HOUSE_BOT.fullmatch(text)
    if found is not None:
        kind, most, command = found.groups(default="1")
        return BotSeats(kind, int(most), read_command(kind, command))
    found = HOUSE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r}; expected KIND:N with N from 1 to 9, as in {next(iter(POLICIES))}:3")
    kind, most = found.groups()
    if kind not in POLICIES:
        raise ValueError(
            f"unknown built-in bot {kind!r}; choose {_either(POLICIES)}, or {':COMMAND or '.join(BOT_DIALECTS)}:COMMAND"
        )
    return BotSeats(kind, int(most))
