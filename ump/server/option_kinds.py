"""Kinds of options: how values are written on the command line and in a TOML file, and which are allowed.

A text of the command line first becomes the value that a file would have in its place, so that both are read, and
refused, alike. Readers raise ValueError with one plain sentence, without the option's name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from ump.database.place import read_place
from ump.model.choices import did_you_mean, quoted, unknown
from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, BotSeats, read_command
from ump.net.dialects import BOT_COMMAND
from ump.net.endpoints import EXPECTED, read_endpoint
from ump.net.http.host_names import read_host_name
from ump.net.network_list import read_network
from ump.players.policy import POLICIES
from ump.rules.options import MJAI_LENGTHS, OPTIONS, read_change, read_length
from ump.rules.ruleset import Length
from ump.server.spectating import Spectating
from ump.table.bot_delay import BotDelay
from ump.table.clock import TimeControl

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_NUMBER = 999_999_999
"""The largest number of an option."""

MAX_SHOWN = 60
"""Characters of a list, table or number in a file that an error repeats."""

NONE = "none"
"""The value that removes all values before it, of options that can be given several times."""

ROOM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")

_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")
_POLICY = re.compile(r"([^:*]*)[:*]([1-9])")
_PROGRAM = re.compile(
    rf"""(?P<dialect>{"|".join(BOT_DIALECTS)})(?:\*(?P<number>[1-9]))?:
    (?:(?P<name>{ROOM_NAME.pattern})(?:\*(?P<named>[1-9]))?=)?(?P<command>.*)""",
    re.DOTALL | re.VERBOSE,
)
"""A program; the name of its bots is optional, and the number may stand after the dialect or after the name."""


@value
class Kind(Generic[T_co]):
    """A kind of option."""

    metavar: str
    """The placeholder of a value in help, as in ``PRESET``; empty for a switch."""
    read: Callable[[object], T_co]
    """Returns what a value of a file stands for; raises ValueError."""
    from_text: Callable[[str], object] = str
    """Returns the value of a file for a text of the command line. It need not be allowed."""
    words: tuple[str, ...] = ()
    """Values, or beginnings of values, that a shell completes."""
    is_repeatable: bool = False
    """Whether the option can be given several times. ``read`` then takes one value or a list of them."""


def shown(raw: object) -> str:
    """Return a value of a file for an error: texts in quotes, the rest as in TOML, in one short line."""
    if isinstance(raw, str):
        return quoted(raw)
    if isinstance(raw, bool):
        return str(raw).lower()
    text = ascii(raw)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def read_text(raw: object) -> str:
    """Return a text; raises ValueError for another type."""
    if not isinstance(raw, str):
        raise ValueError(f"{shown(raw)} is not a text in quotes")
    return raw


def text(metavar: str) -> Kind[str]:
    """Return the kind of any text."""
    return Kind(metavar, read_text)


def _read_spectating(raw: object) -> Spectating:
    """Return what spectators may see; raises ValueError."""
    given = read_text(raw)
    try:
        return Spectating.parse(given)
    except ValueError as error:
        raise ValueError(f"{quoted(given)} is unknown; {error}") from None


SPECTATING: Kind[Spectating] = Kind("VIEW", _read_spectating, words=("masked", "open:", "none"))
"""The view of a room that spectators have."""


def word(metavar: str, noun: str, values: Mapping[str, T]) -> Kind[T]:
    """Return the kind of a word that stands for a value; ``noun`` says in errors what the words are."""

    def read(raw: object) -> T:
        """Return the value of a word."""
        given = read_text(raw)
        if given not in values:
            raise ValueError(unknown(noun, given, values))
        return values[given]

    return Kind(metavar, read, words=tuple(values))


def number(least: int, most: int = MAX_NUMBER) -> Kind[int]:
    """Return the kind of a whole number from ``least`` to ``most``."""

    def read(raw: object) -> int:
        """Return the number if it is in range."""
        if isinstance(raw, bool) or not isinstance(raw, int) or not least <= raw <= most:
            raise ValueError(f"{shown(raw)} is not a whole number from {least} to {most}")
        return raw

    return Kind("N", read, _number_in)


def _number_in(given: str) -> object:
    """Return the number that a text of the command line stands for, or the text."""
    if _WHOLE.fullmatch(given):
        return int(given)
    return float(given) if _DECIMAL.fullmatch(given) else given


def several(kind: Kind[T], *, is_clearable: bool = True) -> Kind[tuple[T, ...]]:
    """Return the kind of several values; if ``is_clearable``, ``none`` removes those before it."""

    def read(raw: object) -> tuple[T, ...]:
        """Return all values of a list, or one."""
        values: list[T] = []
        for each in raw if isinstance(raw, list) else [raw]:
            if is_clearable and each == NONE:
                values.clear()
            else:
                values.append(kind.read(each))
        return tuple(values)

    words = (*kind.words, NONE) if is_clearable else kind.words
    return Kind(kind.metavar, read, kind.from_text, words, is_repeatable=True)


def read_switch(raw: object) -> bool:
    """Return true or false; raises ValueError."""
    if not isinstance(raw, bool):
        raise ValueError(f"{shown(raw)} is neither true nor false")
    return raw


def read_seconds(raw: object) -> float:
    """Return a number of seconds; raises ValueError."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw < math.inf:
        raise ValueError(f"{shown(raw)} is not a number of seconds, 0 or more")
    return float(raw)


def read_bot_delay(raw: object) -> BotDelay:
    """Return a delay, from a text or from a number of seconds; raises ValueError."""
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    return BotDelay.parse(str(raw) if is_number else read_text(raw))


def read_room_name(raw: object) -> str:
    """Return a name; raises ValueError if no room may have it."""
    name = read_text(raw)
    if not ROOM_NAME.fullmatch(name):
        raise ValueError(
            f"{quoted(name)} is not a room's name; expected up to 32 letters and digits, and after the first also . _ -"
        )
    return name


def read_port(raw: object) -> str:
    """Return the endpoint for a port or an endpoint; raises ValueError."""
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError(f"{shown(raw)} is not a port or an endpoint; {EXPECTED}")
    return read_endpoint(str(raw))


def read_bots(raw: object) -> BotSeats:
    """Return seats for built-in bots: ``efficiency:3``, ``mjai:alpha*2=python bot.py``; raises ValueError."""
    given = read_text(raw)
    found = _PROGRAM.fullmatch(given)
    if found is not None:
        return _read_program(found)
    found = _POLICY.fullmatch(given)
    if found is None:
        hint = did_you_mean(re.split("[:*]", given, maxsplit=1)[0], (*POLICIES, *BOT_DIALECTS))
        raise ValueError(
            f"{quoted(given)} names no bots{hint}; expected KIND:N with N from 1 to 9, as in {next(iter(POLICIES))}:3, "
            f"or a program, as in {next(iter(BOT_DIALECTS))}:{BOT_COMMAND}"
        )
    kind, most = found.groups()
    if kind not in POLICIES:
        raise ValueError(unknown("built-in bot", kind, (*POLICIES, *(f"{each}:COMMAND" for each in BOT_DIALECTS))))
    return BotSeats(kind, int(most))


def _read_program(found: re.Match[str]) -> BotSeats:
    """Return seats for bots that are programs; raises ValueError."""
    dialect, number, name, named = found["dialect"], found["number"], found["name"], found["named"]
    if number is not None and named is not None:
        raise ValueError(f"{quoted(found[0])} says twice how many; expected {dialect}:{name}*{named}=COMMAND")
    return BotSeats(dialect, int(number or named or 1), read_command(dialect, found["command"]), name)


def read_http_name(raw: object) -> str:
    """Return a host name or an address; raises ValueError."""
    given = read_text(raw)
    try:
        return read_host_name(given)
    except ValueError as error:
        raise ValueError(f"{quoted(given)} is not a host; {error}") from error


SWITCH = Kind("", read_switch, lambda _: True)
TRUTH = Kind("BOOLEAN", read_switch, lambda given: _TRUTHS.get(given, given), words=tuple(_TRUTHS))
SECONDS = Kind("SECONDS", read_seconds, _number_in)
BOT_DELAY = Kind("SECONDS", read_bot_delay)
TIMES = Kind("MOVE+BANK", lambda raw: TimeControl.parse(read_text(raw)))
PLACE = Kind("PLACE", lambda raw: read_place(read_text(raw)).absolute())
FOLDER = Kind("FOLDER", lambda raw: Path(read_text(raw)))
ROOM = Kind("NAME", read_room_name)
PORTS = several(Kind("PORT", read_port))
BOTS = several(Kind("KIND:N", read_bots, words=(*(f"{kind}:3" for kind in POLICIES), *(f"{k}:" for k in BOT_DIALECTS))))
NETWORKS = several(Kind("NETWORK", lambda raw: read_network(read_text(raw))))
HTTP_NAMES = several(Kind("NAME", read_http_name))
LENGTH = word(
    "LENGTH", "length", {each: read_length(each) for each in (*(length.value for length in Length), *MJAI_LENGTHS)}
)
CHANGES = several(
    Kind(
        "FIELD=VALUE",
        lambda raw: read_change(read_text(raw)),
        words=tuple(f"{each.name}=" for each in OPTIONS.values()),
    ),
    is_clearable=False,
)
