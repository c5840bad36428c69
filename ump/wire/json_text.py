"""JSON from outside, bounded: one object to a message, neither too long nor too deep, and no number that is none.

What the JSON dialects share. Raises ``WireError``: the peer's fault, with a message that quotes what it was. Whatever a
message holds, reading it takes some milliseconds at most.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn, TypeAlias

from ump.wire.text import WireError, quoted

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None
"""A value as ``json`` reads it."""

MAX_OBJECT = 64 * 1024
"""Bytes of the longest message that is read: bots add logs and probabilities to their answers."""

MAX_BRACKETS = 4_096
"""Arrays and objects in a message; honest answers have a handful, but brackets in texts count too."""

MAX_DEPTH = 16
"""How deep arrays and objects may stand in each other: deeper, whoever only shows them could run out of stack."""

_QUOTED = 200
"""Bytes of a wrong message that an error may quote."""


def read_object(message: bytes) -> dict[str, JSON]:
    """Read one object; raises WireError where it is none, is too long or too deep, or no UTF-8."""
    read = _read(message)
    if not isinstance(read, dict):
        raise WireError(f"{_start_of(message)} is no JSON object")
    return read


def read_array(message: bytes) -> list[JSON]:
    """Read one array; raises WireError as ``read_object`` does."""
    read = _read(message)
    if not isinstance(read, list):
        raise WireError(f"{_start_of(message)} is no JSON array")
    return read


def _read(message: bytes) -> JSON:
    if len(message) > MAX_OBJECT:
        raise WireError("too long")
    brackets = message.count(b"[") + message.count(b"{")
    if brackets > MAX_BRACKETS:
        raise WireError("too many brackets")
    try:
        read: JSON = json.loads(message.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise WireError(f"{_start_of(message)} is no JSON") from error
    if brackets > MAX_DEPTH and _is_deep(read):
        raise WireError("too deep")
    return read


def _is_deep(read: JSON) -> bool:
    """Tell whether arrays and objects stand in each other more than MAX_DEPTH deep."""
    level = [read]
    for _ in range(MAX_DEPTH + 1):
        nested = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [inner for content in nested for inner in content if isinstance(inner, dict | list)]
        if not level:
            return False
    return True


def write(content: Mapping[str, object] | list[object]) -> str:
    """Write an object, or an array, on one line and in ASCII."""
    return json.dumps(content, separators=(",", ":"))


def _start_of(message: bytes) -> str:
    """Return the start of a message as an error quotes it."""
    return quoted(message[:_QUOTED].decode("ascii", "replace"))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
