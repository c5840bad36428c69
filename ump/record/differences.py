"""Events and actions in words, for mismatches: tiles as UMP writes them, seats as letters."""

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
"""A field, what is expected there, and what is found."""


def _face(face: Any) -> str:
    return "none" if face is None else UMP_FACES[face]


def _faces(faces: Any) -> str:
    return "hidden" if faces is None else "".join(map(_face, faces)) or "none"


def _seat(seat: Any) -> str:
    return "nobody" if seat is None else LETTERS[seat]


def _yaku(pairs: Iterable[tuple[Yaku, int]]) -> str:
    return " ".join(f"{yaku.romaji} {han}" for yaku, han in pairs) or "none"


SPELLINGS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("face", "tile", "indicator", "called", "added", "kind"), _face),
    **dict.fromkeys(("faces", "own", "ura"), _faces),
    **dict.fromkeys(("seat", "dealer", "loser", "liable", "source"), _seat),
    "yaku": _yaku,
}
"""How fields of these names are written."""


def describe(thing: object, name: str = "") -> str:
    """Return an event, an action or the value of one of its fields in words; ``name`` is the field's."""
    if name in SPELLINGS:
        return SPELLINGS[name](thing)
    if isinstance(thing, Enum):
        return str(thing.value)
    if isinstance(thing, tuple):
        return "(" + ", ".join(describe(each) for each in thing) + ")"
    if not is_dataclass(thing):
        return str(thing)
    told = [(field.name, getattr(thing, field.name)) for field in fields(thing)]
    inner = " ".join(_field(name, value) for name, value in told if value is not None and value is not False)
    return f"{type(thing).__name__} {inner}".strip()


def _field(name: str, value: object) -> str:
    """Return a field in words; of a switch that is on, its name."""
    return name if value is True else f"{name} {describe(value, name)}"


def differences(expected: Any, found: Any) -> list[Difference]:
    """Return the fields in which two values of one class differ; within a hand's value, the fields of that."""
    listed: list[Difference] = []
    for field in fields(expected):
        ours, theirs = getattr(found, field.name), getattr(expected, field.name)
        if ours == theirs:
            continue
        if is_dataclass(theirs) and type(ours) is type(theirs) and not isinstance(theirs, Meld):
            listed += differences(theirs, ours)
        else:
            listed.append((field.name, describe(theirs, field.name), describe(ours, field.name)))
    return listed


def joined(listed: Iterable[Difference]) -> tuple[str, str]:
    """Return what is expected and what is found in one line each."""
    found = list(listed)
    return (
        ", ".join(f"{name} {expected}" for name, expected, _ in found),
        ", ".join(f"{name} {ours}" for name, _, ours in found),
    )
