"""The options of the server: how each is written on the command line and in a TOML file, and which values are allowed.

``options_of`` makes them from the fields of a dataclass (``ump.model.setting``). A text of the command line first
becomes the value that a file would have in its place, so that both are read, and refused, alike. Readers raise
ValueError with one plain sentence, without the option's name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from ump.model.choices import quoted, unknown
from ump.model.setting import Setting, key_of, setting_of
from ump.model.value import value
from ump.net.endpoints import EXPECTED, read_endpoint
from ump.table.clock import BotDelay, TimeControl

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_SHOWN = 60
"""Characters of a list, table or number in a file that an error repeats."""

NONE = "none"
"""The value that removes those of less specific places, and those before it if the option can be given several times.
"""

_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")


class ConfigError(ValueError):
    """An option or a file that cannot be used; the message is one line: the option, its value, and what is allowed."""


class Group(Enum):
    """A group of options in the help and in the documentation, with its title."""

    PORTS = "Ports"
    ROOMS = "Rooms"
    GAMES = "Games and records"
    LIMITS = "Limits"


class Scope(Enum):
    """The places where an option can stand, besides the command line."""

    ROOM = "in a room"
    """In the file above the rooms, for all of them, and in each room."""
    SERVER = "above the rooms"
    """In the file above the rooms."""
    COMMAND = "no"
    """Not in the file."""


@value
class OptionKind(Generic[T_co]):
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


@value
class Option(Generic[T_co]):
    """An option of the server."""

    name: str
    """The option on the command line, without its dashes."""
    kind: OptionKind[T_co]
    default: T_co
    group: Group
    scope: Scope
    help: str
    """Its description, as a sentence."""
    shown_default: str = ""
    """The default as help shows it; empty if there is nothing to show."""
    section: str = ""
    """The section of docs/server.md that says more."""
    needs: str = ""
    """The key of the option without which this one has no effect."""

    @property
    def key(self) -> str:
        """The key in a file."""
        return self.name.replace("-", "_")

    @property
    def full_help(self) -> str:
        """Its description, with the default."""
        notes = ["repeatable"] if self.kind.is_repeatable else []
        if self.shown_default:
            notes.append(f"default: {self.shown_default}")
        return f"{self.help} [{'; '.join(notes)}]" if notes else self.help


def options_of(settings: type, scope: Scope, group: Group, section: str = "") -> Iterator[Option[Any]]:
    """Yield the options that set the fields of a dataclass, and of those that are defaults of its fields.

    ``scope``, ``group`` and ``section`` are those of fields that name no other ones.
    """
    for each in fields(settings):
        about = setting_of(each)
        if about is not None:
            yield Option(
                key_of(each, about).replace("_", "-"),
                _kind_of(about, each.default),
                each.default,
                about.group if isinstance(about.group, Group) else group,
                about.scope if isinstance(about.scope, Scope) else scope,
                about.help.format(least=about.least, most=about.most),
                _shown_default(about, each.default) if about.shown is None else about.shown,
                about.section or section,
                about.needs,
            )
        elif is_dataclass(each.default):
            yield from options_of(type(each.default), scope, group, section)


def _shown_default(about: Setting, default: object) -> str:
    match default:
        case None | False | ():
            return ""
        case True:
            return "" if about.turns_off else "true"
        case Enum():
            return str(default.value)
        case int():
            return str(default // about.unit)
        case float():
            return f"{default:g}"
        case _:
            return str(default)


def _kind_of(about: Setting, default: object) -> OptionKind[Any]:
    """Return the kind of an option: its description decides, or else the type of its default."""
    if about.read is not None:
        kind = texts(about.metavar, about.read, about.words)
        if default is None:
            return OptionKind(
                kind.metavar, lambda raw: None if raw == NONE else kind.read(raw), words=(*kind.words, NONE)
            )
        return several(kind, is_clearable=about.is_clearable) if isinstance(default, tuple) else kind
    if about.choices is not None:
        return word(about.metavar, about.noun, about.choices)
    match default:
        case bool():
            return SWITCH_OFF if about.turns_off else TRUTH if default else SWITCH
        case Enum():
            return word(about.metavar, about.noun, {each.value: each for each in type(default)})
        case int():
            return number(about.least, about.most, about.unit)
        case float():
            return SECONDS
        case BotDelay():
            return BOT_DELAY
        case TimeControl():
            return texts("MOVE+BANK", TimeControl.parse)
        case _:
            return texts(about.metavar, str)


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


def texts(metavar: str, parse: Callable[[str], T], words: tuple[str, ...] = ()) -> OptionKind[T]:
    """Return the kind of texts that ``parse`` reads."""
    return OptionKind(metavar, lambda raw: parse(read_text(raw)), words=words)


def word(metavar: str, noun: str, values: Mapping[str, T]) -> OptionKind[T]:
    """Return the kind of a word that stands for a value; ``noun`` says in errors what the words are."""

    def read(raw: object) -> T:
        given = read_text(raw)
        if given not in values:
            raise ValueError(unknown(noun, given, values))
        return values[given]

    return OptionKind(metavar, read, words=tuple(values))


def number(least: int, most: int, unit: int) -> OptionKind[int]:
    """Return the kind of a whole number from ``least`` to ``most``, which stands for so many times ``unit``."""

    def read(raw: object) -> int:
        if isinstance(raw, bool) or not isinstance(raw, int) or not least <= raw <= most:
            raise ValueError(f"{shown(raw)} is not a whole number from {least} to {most}")
        return raw * unit

    return OptionKind("N", read, _number_in)


def _number_in(given: str) -> object:
    if _WHOLE.fullmatch(given):
        return int(given)
    return float(given) if _DECIMAL.fullmatch(given) else given


def several(kind: OptionKind[T], *, is_clearable: bool = True) -> OptionKind[tuple[T, ...]]:
    """Return the kind of several values; if ``is_clearable``, ``none`` removes those before it."""

    def read(raw: object) -> tuple[T, ...]:
        values: list[T] = []
        for each in raw if isinstance(raw, list) else [raw]:
            if is_clearable and each == NONE:
                values.clear()
            else:
                values.append(kind.read(each))
        return tuple(values)

    words = (*kind.words, NONE) if is_clearable else kind.words
    return OptionKind(kind.metavar, read, kind.from_text, words, is_repeatable=True)


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


def read_port(raw: object) -> str:
    """Return the endpoint for a port or an endpoint; raises ValueError."""
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError(f"{shown(raw)} is not a port or an endpoint; {EXPECTED}")
    return read_endpoint(str(raw))


SWITCH: OptionKind[bool] = OptionKind("", read_switch, lambda _: True)
SWITCH_OFF: OptionKind[bool] = OptionKind("", lambda raw: not read_switch(raw), lambda _: True)
"""The kind of a switch such as ``no-pages``, whose field is true without it."""
TRUTH: OptionKind[bool] = OptionKind(
    "BOOLEAN", read_switch, lambda given: _TRUTHS.get(given, given), words=tuple(_TRUTHS)
)
SECONDS: OptionKind[float] = OptionKind("SECONDS", read_seconds, _number_in)
BOT_DELAY: OptionKind[BotDelay] = OptionKind("SECONDS", read_bot_delay)
PORTS: OptionKind[tuple[str, ...]] = several(OptionKind("PORT", read_port))
