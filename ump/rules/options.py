"""Rulesets in text: a preset, and options that change single fields of it (``--set kuikae=allowed``).

Each field of ``Ruleset`` is one option, named like the field with ``-`` for ``_`` (``_`` works too). ``OPTIONS`` says
what each means and which values it takes. ``RuleOption.parse`` and ``RuleOption.format`` are inverse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from enum import Enum
from math import lcm
from typing import Any, ClassVar, Protocol

from ump.model.choices import did_you_mean, quoted, unknown
from ump.model.constants import LIVE_WALL, STICK_POINTS
from ump.model.seats import PLAYERS
from ump.model.tiles import COPIES
from ump.model.value import value
from ump.rules.presets import PRESETS, UMP
from ump.rules.ruleset import MEANING, LeftSticks, Rounding, Ruleset

MOST_POINTS = 1_000_000
"""The upper limit of all options in points."""

MOST_UMA = 1_000
"""The upper limit of an uma, in thousands of points."""

NUMBER = re.compile(r"[+-]?[0-9]{1,7}")
"""A number; ``int`` alone would accept blanks, underscores and the digits of other scripts."""


class RulesetError(ValueError):
    """A preset, option or value that does not exist or cannot be combined; the message is one line."""


class ValueType(Protocol):
    """The type of an option's values: parses and formats them."""

    @property
    def allowed(self) -> str:
        """The allowed values, briefly."""

    @property
    def words(self) -> tuple[str, ...]:
        """All values that are words."""

    def parse(self, text: str) -> object:
        """Return the value that a text stands for; raises ValueError."""

    def format(self, value: Any) -> str:
        """Return the text of a value."""


@value
class YesNo:
    """A switch, ``yes`` or ``no``."""

    words: ClassVar[tuple[str, ...]] = ("yes", "no")

    @property
    def allowed(self) -> str:
        """Both values."""
        return "|".join(self.words)

    def parse(self, text: str) -> bool:
        """Return True for ``yes``, False for ``no``; raises ValueError."""
        if text not in ("yes", "no"):
            raise ValueError(text)
        return text == "yes"

    def format(self, value: bool) -> str:
        """Return ``yes`` or ``no``."""
        return "yes" if value else "no"


@value
class EnumWord:
    """A member of an enum, by its value."""

    members: type[Enum]

    @property
    def words(self) -> tuple[str, ...]:
        """All values of the enum."""
        return tuple(member.value for member in self.members)

    @property
    def allowed(self) -> str:
        """All values of the enum."""
        return "|".join(self.words)

    def parse(self, text: str) -> Enum:
        """Return the member with this value; raises ValueError."""
        return self.members(text)

    def format(self, value: Enum) -> str:
        """Return a member's value."""
        return str(value.value)


@value
class Number:
    """An integer from ``low`` to ``high``, in steps from ``low``."""

    low: int
    high: int
    step: int = 1
    words: ClassVar[tuple[str, ...]] = ()

    @property
    def allowed(self) -> str:
        """The range and its step."""
        return f"{self.low}..{self.high}" + (f" in steps of {self.step}" if self.step > 1 else "")

    def parse(self, text: str) -> int:
        """Return the integer; raises ValueError if the text is not an integer in the range."""
        if not NUMBER.fullmatch(text) or (number := int(text)) not in range(self.low, self.high + 1, self.step):
            raise ValueError(text)
        return number

    def format(self, value: int) -> str:
        """Return the integer in decimal digits."""
        return str(value)


@value
class Numbers:
    """Some integers, separated by commas; ``counts`` says how many there may be."""

    counts: tuple[int, ...]
    number: Number
    words: ClassVar[tuple[str, ...]] = ()

    @property
    def allowed(self) -> str:
        """The number of integers, and the values that each may have."""
        return f"{' or '.join(map(str, self.counts))} numbers {self.number.allowed}, separated by commas"

    def parse(self, text: str) -> tuple[int, ...]:
        """Return the numbers; raises ValueError if their count is wrong or one is not allowed."""
        parts = text.split(",")
        if len(parts) not in self.counts:
            raise ValueError(text)
        return tuple(map(self.number.parse, parts))

    def format(self, value: tuple[int, ...]) -> str:
        """Return the numbers, separated by commas."""
        return ",".join(map(self.number.format, value))


@value
class NumberTable:
    """Rows of numbers, separated by slashes, as many as there are players but one; or none at all."""

    row: Numbers
    words: ClassVar[tuple[str, ...]] = ("none",)

    @property
    def allowed(self) -> str:
        """The rows, or the word for none."""
        return f"none, or 2 or 3 rows, separated by /, of {self.row.allowed}"

    def parse(self, text: str) -> tuple[tuple[int, ...], ...]:
        """Return the rows; raises ValueError if one is not allowed, or their number and their length do not fit."""
        if text in self.words:
            return ()
        rows = tuple(map(self.row.parse, text.split("/")))
        if {len(row) for row in rows} != {len(rows) + 1}:
            raise ValueError(text)
        return rows

    def format(self, value: tuple[tuple[int, ...], ...]) -> str:
        """Return the rows, separated by slashes."""
        return "/".join(map(self.row.format, value)) or "none"


_UMA = Numbers(PLAYERS, Number(-MOST_UMA, MOST_UMA))

NUMBERS: dict[str, ValueType] = {
    "start_points": Number(0, MOST_POINTS, 100),
    "return_points": Number(0, MOST_POINTS, 100),
    "uma": _UMA,
    "floating_uma": NumberTable(_UMA),
    "chips": Number(0, 100_000, 100),
    "red_fives": Numbers((3,), Number(0, COPIES)),
    "noten_penalty": Number(0, 60_000, 100),
    "target": Number(0, MOST_POINTS, 100),
    "riichi_points": Number(0, MOST_POINTS, 100),
    "riichi_tiles": Number(0, LIVE_WALL - 1),
    "double_wind_fu": Number(2, 4, 2),
}
"""The types of the fields that hold numbers; those of the others follow from their defaults."""


@value
class RuleOption:
    """A field of a ruleset as an option."""

    field: str
    type: ValueType
    meaning: str

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.field.replace("_", "-")

    def parse(self, text: str) -> object:
        """Return the value that a text stands for; raises RulesetError, which names the allowed values."""
        try:
            return self.type.parse(text)
        except ValueError:
            hint = did_you_mean(text, self.type.words)
            raise RulesetError(f"{self.name}={quoted(text)}{hint}: expected {self.type.allowed}") from None

    def format(self, ruleset: Ruleset) -> str:
        """Return the field's value in a ruleset as text."""
        return self.type.format(getattr(ruleset, self.field))


def _type_of(field: str) -> ValueType:
    """Return the type of a field's values, from NUMBERS or from its default."""
    default = getattr(UMP, field)
    if isinstance(default, Enum):
        return EnumWord(type(default))
    return YesNo() if isinstance(default, bool) else NUMBERS[field]


OPTIONS: dict[str, RuleOption] = {
    each.name: RuleOption(each.name, _type_of(each.name), each.metadata[MEANING])
    for each in fields(Ruleset)
    if MEANING in each.metadata
}
"""All options by the field's name."""


def noten_step(seats: int) -> int:
    """Return what the noten penalty must be a multiple of, so that all players pay and receive whole hundreds."""
    return 100 * lcm(*range(1, seats))


def contradictions_in(rules: Ruleset) -> list[str]:
    """Return why nobody can play these rules; an empty list if they are sound."""
    is_whole = rules.rounding is Rounding.WHOLE
    tests = (
        (sum(rules.uma) != 0, "uma: the numbers must add up to 0"),
        (any(map(sum, rules.floating_uma)), "floating-uma: the numbers of each row must add up to 0"),
        (
            len(rules.floating_uma) not in (0, rules.seats - 1),
            "floating-uma: expected a row of numbers for each number of players but all",
        ),
        (
            rules.return_points < rules.start_points,
            "return-points must not be below start-points: the oka would be negative",
        ),
        (
            rules.noten_penalty % noten_step(rules.seats) != 0,
            "noten-penalty must be a multiple of 600 for four players, and of 200 for three: all pay whole hundreds",
        ),
        (rules.kita and rules.seats != 3, "kita=yes requires three players"),
        (rules.kan_ura and not rules.kan_dora, "kan-ura=yes requires kan-dora=yes"),
        (rules.kan_ura and not rules.ura_dora, "kan-ura=yes requires ura-dora=yes"),
        (
            0 < rules.riichi_points < STICK_POINTS,
            "riichi-points must be 0 or at least 1000, the cost of a riichi",
        ),
        (
            is_whole and (rules.return_points % 1000, rules.chips % 1000) != (0, 0),
            "rounding=whole requires return-points and chips in whole thousands",
        ),
        (
            is_whole and rules.left_sticks is LeftSticks.LOST,
            "rounding=whole excludes left-sticks=lost: the first place gets minus the others' sum, sticks included",
        ),
    )
    return [reason for is_wrong, reason in tests if is_wrong]


MJAI_LENGTHS = {"one_kyoku": "kyoku", "tonnan": "hanchan"}
"""Lengths by their names in mjai's server (gimite/mjai, ``--game_type``), where they differ from ours."""


@value
class RuleChange:
    """A new value for one field of a ruleset."""

    field: str
    value: Any


def read_ruleset(preset: str, overrides: Iterable[str] = ()) -> Ruleset:
    """Return a preset with changed fields.

    ``overrides`` are texts ``FIELD=VALUE``; if a field is given twice, the last value wins. Raises RulesetError for
    anything unknown or impossible to combine.
    """
    if preset not in PRESETS:
        raise RulesetError(unknown("preset", preset, PRESETS))
    changes = [read_change(text) for text in overrides]
    return changed_ruleset(preset, changes) if changes else PRESETS[preset]


def changed_ruleset(preset: str, changes: Iterable[RuleChange]) -> Ruleset:
    """Return an existing preset with changes, the last of each field; raises RulesetError if they are impossible."""
    return changed(PRESETS[preset], changes)


def changed(base: Ruleset, changes: Iterable[RuleChange]) -> Ruleset:
    """Return rules with changes, the last of each field; raises RulesetError if they are impossible."""
    values: dict[str, Any] = {change.field: change.value for change in changes}
    ruleset = replace(base, **values)
    preset = base.name.rstrip("*")
    if ruleset.seats != base.seats:
        raise RulesetError(f"uma: expected {base.seats} numbers, one for each place in {preset}")
    if ruleset != replace(base, length=ruleset.length):
        ruleset = replace(ruleset, name=f"{preset}*")
    for reason in contradictions_in(ruleset):
        raise RulesetError(reason)
    return ruleset


def describe(ruleset: Ruleset = UMP) -> list[str]:
    """Return one line for each option: its value in this ruleset, its meaning, the allowed values."""
    settings = [f"{option.name}={option.format(ruleset)}" for option in OPTIONS.values()]
    width = max(map(len, settings))
    return [
        f"{setting:{width}}  {option.meaning} ({option.type.allowed})"
        for setting, option in zip(settings, OPTIONS.values(), strict=True)
    ]


def read_change(text: str) -> RuleChange:
    """Read a text ``FIELD=VALUE``; raises RulesetError."""
    name, equals, given = text.partition("=")
    if not equals:
        raise RulesetError(f"{quoted(text)}: expected FIELD=VALUE")
    option = OPTIONS.get(name.strip().replace("-", "_"))
    if option is None:
        raise RulesetError(unknown("field", name, (each.name for each in OPTIONS.values())))
    return RuleChange(option.field, option.parse(given.strip()))


def read_length(word: str) -> RuleChange:
    """Read the length of a game, by our name or mjai's; raises RulesetError."""
    return RuleChange("length", OPTIONS["length"].parse(MJAI_LENGTHS.get(word, word)))
