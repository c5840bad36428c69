"""Rulesets as an operator writes them: a preset, and options that change single fields (``--set kuikae=allowed``).

Each field of ``Ruleset`` is one option, its name written with ``-`` (``_`` is read as well). ``OPTIONS`` says in one
place what each means and which values it takes; ``Option.parse`` and ``Option.format`` are twins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from enum import Enum
from math import lcm
from typing import Any, Protocol

from ump.model.constants import LIVE_WALL, STICK_POINTS
from ump.model.tiles import COPIES
from ump.model.value import value
from ump.rules.presets import PRESETS, UMP
from ump.rules.ruleset import MEANING, LeftSticks, Rounding, Ruleset

NOTEN_STEP = 100 * lcm(*range(1, UMP.seats))
"""Whoever is noten or tenpai, their parts of the noten penalty are whole hundreds."""

MOST_POINTS = 1_000_000
"""No rules in use come near it, and scores stay readable."""

MOST_UMA = 1_000
"""In thousands of points, like the uma itself."""

NUMBER = re.compile(r"[+-]?[0-9]{1,7}")
"""What is read as a number: int() alone would take other scripts' digits, blanks and underscores."""

SHOWN = 40
"""So many characters of what was written are repeated in an error."""


class RulesetError(ValueError):
    """What was written is no ruleset; the text says in one line why and what is allowed."""


class ValueType(Protocol):
    """The values that an option takes, as text and back."""

    @property
    def allowed(self) -> str:
        """The allowed values in few words."""

    def parse(self, text: str) -> object:
        """Return the value that a text means; raises ValueError."""

    def format(self, value: Any) -> str:
        """Return the text that means a value."""


@value
class YesNo:
    """A switch."""

    allowed: str = "yes|no"

    def parse(self, text: str) -> bool:
        """Return True for ``yes``, False for ``no``; raises ValueError."""
        if text not in ("yes", "no"):
            raise ValueError(text)
        return text == "yes"

    def format(self, value: bool) -> str:
        """Return ``yes`` or ``no``."""
        return "yes" if value else "no"


@value
class Word:
    """One of the members of an enum, by its value."""

    members: type[Enum]

    @property
    def allowed(self) -> str:
        """All values."""
        return "|".join(member.value for member in self.members)

    def parse(self, text: str) -> Enum:
        """Return the member with this value; raises ValueError."""
        return self.members(text)

    def format(self, value: Enum) -> str:
        """Return a member's value."""
        return str(value.value)


@value
class Number:
    """An integer in a range, in steps from its lower end."""

    low: int
    high: int
    step: int = 1

    @property
    def allowed(self) -> str:
        """The range and its step."""
        return f"{self.low}..{self.high}" + (f" in steps of {self.step}" if self.step > 1 else "")

    def parse(self, text: str) -> int:
        """Read an integer; raises ValueError when it is none, or not in the range."""
        if not NUMBER.fullmatch(text) or (number := int(text)) not in range(self.low, self.high + 1, self.step):
            raise ValueError(text)
        return number

    def format(self, value: int) -> str:
        """Return the integer in decimal digits."""
        return str(value)


@value
class Numbers:
    """So many integers, with commas between them."""

    count: int
    number: Number

    @property
    def allowed(self) -> str:
        """How many numbers, and what each may be."""
        return f"{self.count} numbers {self.number.allowed} with commas between"

    def parse(self, text: str) -> tuple[int, ...]:
        """Read all numbers; raises ValueError when there are more or fewer, or one is not allowed."""
        parts = text.split(",")
        if len(parts) != self.count:
            raise ValueError(text)
        return tuple(map(self.number.parse, parts))

    def format(self, value: tuple[int, ...]) -> str:
        """Return the numbers with commas between."""
        return ",".join(map(self.number.format, value))


NUMBERS: dict[str, ValueType] = {
    "start_points": Number(0, MOST_POINTS, 100),
    "return_points": Number(0, MOST_POINTS, 100),
    "uma": Numbers(UMP.seats, Number(-MOST_UMA, MOST_UMA)),
    "red_fives": Numbers(3, Number(0, COPIES)),
    "noten_penalty": Number(0, 100 * NOTEN_STEP, NOTEN_STEP),
    "target": Number(0, MOST_POINTS, 100),
    "riichi_points": Number(0, MOST_POINTS, 100),
    "riichi_tiles": Number(0, LIVE_WALL - 1),
    "double_wind_fu": Number(2, 4, 2),
}
"""The fields that hold numbers; what the others hold follows from their values."""


@value
class Option:
    """One field of a ruleset as an option."""

    field: str
    type: ValueType
    meaning: str

    @property
    def name(self) -> str:
        """How it is written on the command line."""
        return self.field.replace("_", "-")

    def parse(self, text: str) -> object:
        """Return the field's value that a text means; raises RulesetError naming what is allowed."""
        try:
            return self.type.parse(text)
        except ValueError:
            raise RulesetError(f"{self.name}={_shown(text)}: allowed is {self.type.allowed}") from None

    def format(self, ruleset: Ruleset) -> str:
        """Return the text that sets the field as it is in a ruleset."""
        return self.type.format(getattr(ruleset, self.field))


def _type_of(field: str) -> ValueType:
    """Return which values a field takes: its numbers are tabled, words and switches show in its default."""
    default = getattr(UMP, field)
    if isinstance(default, Enum):
        return Word(type(default))
    return YesNo() if isinstance(default, bool) else NUMBERS[field]


OPTIONS: dict[str, Option] = {
    each.name: Option(each.name, _type_of(each.name), each.metadata[MEANING])
    for each in fields(Ruleset)
    if MEANING in each.metadata
}
"""All options by the field's name."""

IMPOSSIBLE: tuple[tuple[Callable[[Ruleset], bool], str], ...] = (
    (lambda rules: sum(rules.uma) != 0, "uma: the numbers must add up to 0"),
    (
        lambda rules: rules.return_points < rules.start_points,
        "return-points: not below start-points, or oka is negative",
    ),
    (lambda rules: rules.kan_ura and not rules.kan_dora, "kan-ura=yes: there is none with kan-dora=no"),
    (lambda rules: rules.kan_ura and not rules.ura_dora, "kan-ura=yes: there is none with ura-dora=no"),
    (
        lambda rules: 0 < rules.riichi_points < STICK_POINTS,
        "riichi-points: a riichi costs 1000; it asks for no points (0), or for 1000 and more",
    ),
    (
        lambda rules: rules.rounding is Rounding.WHOLE and rules.return_points % 1000 != 0,
        "rounding=whole: return-points must be whole thousands",
    ),
    (
        lambda rules: rules.rounding is Rounding.WHOLE and rules.left_sticks is LeftSticks.LOST,
        "rounding=whole: the first gets minus the rest and with it the sticks, so left-sticks=lost cannot be",
    ),
)
"""Which rulesets cannot be played, and why not."""


MJAI_LENGTHS = {"one_kyoku": "kyoku", "tonnan": "hanchan"}
"""What mjai's server calls lengths, where it has words of its own (gimite/mjai, ``--game_type``)."""


def read_ruleset(preset: str, overrides: Iterable[str] = (), length: str | None = None) -> Ruleset:
    """Return a preset with changed fields.

    ``overrides`` are ``FIELD=VALUE``; of two for the same field the later one holds, and ``length``, which may be
    mjai's word for it, before both. Raises RulesetError, one line with what is allowed, for whatever is unknown or
    cannot be combined.
    """
    if preset not in PRESETS:
        raise RulesetError(f"no preset {_shown(preset)}; there are {', '.join(PRESETS)}")
    base = PRESETS[preset]
    changes = dict(map(_read_override, overrides))
    if length is not None:
        changes["length"] = OPTIONS["length"].parse(MJAI_LENGTHS.get(length, length))
    ruleset = replace(base, **changes)
    if ruleset != replace(base, length=ruleset.length):
        ruleset = replace(ruleset, name=f"{preset}*")
    for is_impossible, reason in IMPOSSIBLE:
        if is_impossible(ruleset):
            raise RulesetError(reason)
    return ruleset


def describe(ruleset: Ruleset = UMP) -> list[str]:
    """Return one line for each option: how this ruleset sets it, which values it takes, what it means."""
    settings = [f"{option.name}={option.format(ruleset)}" for option in OPTIONS.values()]
    width = max(map(len, settings))
    return [
        f"{setting:{width}}  {option.meaning} ({option.type.allowed})"
        for setting, option in zip(settings, OPTIONS.values(), strict=True)
    ]


def _read_override(text: str) -> tuple[str, Any]:
    """Return the field and the value of ``FIELD=VALUE``."""
    name, equals, given = text.partition("=")
    if not equals:
        raise RulesetError(f"{_shown(text)}: a change is written FIELD=VALUE")
    option = OPTIONS.get(name.strip().replace("-", "_"))
    if option is None:
        raise RulesetError(f"no field {_shown(name)}; there are {', '.join(each.name for each in OPTIONS.values())}")
    return option.field, option.parse(given.strip())


def _shown(text: str) -> str:
    """Return what was written, fit for one line of an error."""
    return ascii(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
