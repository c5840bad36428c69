"""Describe events and actions, and the differences between them: tiles in UMP's notation, seats as letters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from ump.model.melds import Meld
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS
from ump.model.yaku import Yaku

Difference = tuple[str, str, str]
"""The name of a field, its expected value and its actual value, both as text."""


def _face(face: Any) -> str:
    return "none" if face is None else UMP_FACES[face]


def _faces(faces: Any) -> str:
    return "hidden" if faces is None else "".join(map(_face, faces)) or "none"


def _seat(seat: Any) -> str:
    return "nobody" if seat is None else LETTERS[seat]


def _yaku(pairs: Iterable[tuple[Yaku, int]]) -> str:
    return " ".join(f"{yaku.romaji} {han}" for yaku, han in pairs) or "none"


_FORMATS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("face", "tile", "indicator", "called", "added", "kind"), _face),
    **dict.fromkeys(("faces", "own", "ura"), _faces),
    **dict.fromkeys(("seat", "dealer", "loser", "liable", "source"), _seat),
    "yaku": _yaku,
}
"""How to write the fields with these names; other fields follow from the type of their value."""


def describe(thing: object, name: str = "") -> str:
    """Return an event, an action or the value of one of its fields as text; ``name`` is the name of the field."""
    if name in _FORMATS:
        return _FORMATS[name](thing)
    if isinstance(thing, Enum):
        return str(thing.value)
    if isinstance(thing, tuple):
        return "(" + ", ".join(describe(each) for each in thing) + ")"
    if not is_dataclass(thing):
        return str(thing)
    listed = [(field.name, getattr(thing, field.name)) for field in fields(thing)]
    inner = " ".join(_field(name, value) for name, value in listed if value is not None and value is not False)
    return f"{type(thing).__name__} {inner}".strip()


def _field(name: str, value: object) -> str:
    """Return a field as text: its name and value, or only its name if the value is True."""
    return name if value is True else f"{name} {describe(value, name)}"


def differences(expected: Any, found: Any) -> list[Difference]:
    """Return the fields in which two values of the same class differ, down to the fields of a hand's value."""
    listed: list[Difference] = []
    for field in fields(expected):
        should, actual = getattr(expected, field.name), getattr(found, field.name)
        if actual == should:
            continue
        if is_dataclass(should) and type(actual) is type(should) and not isinstance(should, Meld):
            listed += differences(should, actual)
        else:
            listed.append((field.name, describe(should, field.name), describe(actual, field.name)))
    return listed


def join_differences(listed: Iterable[Difference]) -> tuple[str, str]:
    """Return all expected values and all actual values, in one line each."""
    found = list(listed)
    return (
        ", ".join(f"{name} {expected}" for name, expected, _ in found),
        ", ".join(f"{name} {actual}" for name, _, actual in found),
    )
