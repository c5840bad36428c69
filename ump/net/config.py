"""Rooms as the operator describes them: with options, and in a TOML file when there are several.

The same words stand in both (``house_after`` in the file is ``--house-after`` among the options). What is said more
closely holds: a room's own table in the file goes before the options, the options go before what stands in the file
for all rooms, and that goes before what is built in.

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
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from ump.model.value import value
from ump.net.bot_commands import BOTS, Command, read_command
from ump.players.policy import POLICIES
from ump.rules.options import RulesetError, read_ruleset
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.table.faults import Faults

T = TypeVar("T")

DEFAULT_ROOM = "main"
"""The name of the one room of a server without a file."""

HOUSE_AFTER = 3.0
"""Seconds: long enough that two people who start together meet each other, short enough for one who is alone."""

HOUSE = re.compile(r"([a-z]+):([1-9])")
HOUSE_BOT = re.compile(rf"({'|'.join(BOTS)})(?:\*([1-9]))?:(.*)", re.DOTALL)
_FAULTS = {faults.value: faults for faults in Faults}

ROOM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")


class ConfigError(ValueError):
    """Something that the operator wrote cannot be used; one line that says what, and what could be."""


@value
class BotSeats:
    """So many house players of a kind, at most, at each table of a room: ``efficiency:3``, ``mjai*3:python bot.py``."""

    kind: str
    most: int
    command: Command | None = None
    """What starts each of them, if they are bots of their own."""


@value
class RoomOptions:
    """What one place says about a room; None (and no changes) where it says nothing."""

    rules: str | None = None
    changes: tuple[str, ...] = ()
    """Fields of the ruleset, as ``FIELD=VALUE``."""
    length: str | None = None
    times: TimeControl | None = None
    house: tuple[BotSeats, ...] | None = None
    house_after: float | None = None
    ask_all: bool | None = None
    faults: Faults | None = None


@value
class RoomSettings:
    """Everything that is settled about a room."""

    name: str
    ruleset: Ruleset
    times: TimeControl
    house: tuple[BotSeats, ...]
    """Who completes a table, in this order."""
    house_after: float
    """Seconds from the first player's sitting down until they do."""
    ask_all: bool
    """Whether everybody is asked on every discard, so that timing tells nothing."""
    faults: Faults = Faults.DEFAULT
    """What is made of an answer that does not count and is not asked for again."""


WORDS = ("rules", "set", "length", "time", "house", "house_after", "ask_all", "faults")
"""What can be said about a room."""


def read_room_options(raw: Mapping[str, object]) -> RoomOptions:
    """Read what stands under the names of ``WORDS``, typed as TOML types it; raises ConfigError."""
    unknown = sorted(set(raw) - set(WORDS))
    if unknown:
        raise ConfigError(f"{unknown[0]}: there is no such key; there are {', '.join(WORDS)}")
    return RoomOptions(
        rules=_read(raw, "rules", _text),
        changes=_read(raw, "set", _texts) or (),
        length=_read(raw, "length", _text),
        times=_read(raw, "time", _times),
        house=_read(raw, "house", _house),
        house_after=_read(raw, "house_after", _seconds),
        ask_all=_read(raw, "ask_all", _flag),
        faults=_read(raw, "faults", _faults),
    )


def read_rooms_file(path: str) -> tuple[RoomOptions, dict[str, RoomOptions]]:
    """Read a file of rooms: what it says for all, and for each by name, in order. Raises ConfigError."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(error.strerror or str(error)) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise ConfigError(str(error)) from error
    rooms = content.pop("rooms", {})
    shared = read_room_options(content)
    if not isinstance(rooms, dict) or not rooms:
        raise ConfigError("there is no room in it; each is a table [rooms.NAME]")
    return shared, {name: _read_room(name, raw) for name, raw in rooms.items()}


def room_settings(name: str, *layers: RoomOptions) -> RoomSettings:
    """Make a room of what several places say about it, the closest first; raises ConfigError."""
    rules = _first((layer.rules for layer in layers), "ump")
    changes = [change for layer in reversed(layers) for change in layer.changes]  # a later one replaces an earlier one
    length = next((layer.length for layer in layers if layer.length is not None), None)
    try:
        ruleset = read_ruleset(rules, changes, length)
    except RulesetError as error:
        raise ConfigError(str(error)) from error
    return RoomSettings(
        name=name,
        ruleset=ruleset,
        times=_first((layer.times for layer in layers), TimeControl()),
        house=_first((layer.house for layer in layers), ()),
        house_after=_first((layer.house_after for layer in layers), HOUSE_AFTER),
        ask_all=_first((layer.ask_all for layer in layers), False),
        faults=_first((layer.faults for layer in layers), Faults.DEFAULT),
    )


def all_room_settings(options: RoomOptions, path: str | None, room: str | None = None) -> tuple[RoomSettings, ...]:
    """Make all rooms of a server, the one for clients that name none first; raises ConfigError.

    ``room`` names the one room of a server without a file.
    """
    if path is None:
        return (room_settings(check_room_name(room or DEFAULT_ROOM), options),)
    if room is not None:
        raise ConfigError(f"{path}: the rooms are named there, --room={room} is one too many")
    try:
        shared, rooms = read_rooms_file(path)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    settled = []
    for name, own in rooms.items():
        try:
            settled.append(room_settings(name, own, options, shared))
        except ConfigError as error:
            raise ConfigError(f"{path}: rooms.{name}: {error}") from error
    return tuple(settled)


def check_room_name(name: str) -> str:
    """Return a name that a room may have; raises ConfigError."""
    if not ROOM_NAME.fullmatch(name):
        raise ConfigError(f"room {name!r}: a name has up to 32 letters, digits, and after the first of these . _ -")
    return name


def _read_room(name: str, raw: object) -> RoomOptions:
    check_room_name(name)
    try:
        if not isinstance(raw, dict):
            raise ConfigError(f"a table is wanted: [rooms.{name}]")
        return read_room_options(raw)
    except ConfigError as error:
        raise ConfigError(f"rooms.{name}: {error}") from error


def _first(said: Iterable[T | None], otherwise: T) -> T:
    return next((word for word in said if word is not None), otherwise)


def _read(raw: Mapping[str, object], word: str, reader: Callable[[object], T]) -> T | None:
    if word not in raw:
        return None
    try:
        return reader(raw[word])
    except ValueError as error:
        raise ConfigError(f"{word}: {error}") from error


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise ValueError(f"{given!r} is no text")
    return given


def _texts(given: object) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise ValueError(f"{given!r} is no list of texts")
    return tuple(_text(part) for part in given)


def _flag(given: object) -> bool:
    if not isinstance(given, bool):
        raise ValueError(f"{given!r} is neither true nor false")
    return given


def _seconds(given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given < math.inf:
        raise ValueError(f"{given!r} is no number of seconds")
    return float(given)


def _times(given: object) -> TimeControl:
    return TimeControl.parse(_text(given))


def _faults(given: object) -> Faults:
    text = _text(given)
    if text not in _FAULTS:
        raise ValueError(f"{text!r} is nothing that is made of faults; there are {', '.join(_FAULTS)}")
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
        raise ValueError(f"{text!r}: KIND:N is wanted, with N from 1 to 9")
    kind, most = found.groups()
    if kind not in POLICIES:
        raise ValueError(f"{text!r}: there is no such house player; there are {', '.join(POLICIES)}")
    return BotSeats(kind, int(most))
