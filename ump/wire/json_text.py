"""JSON from outside, bounded: one object to a message, not too long, and no number that is none.

What the JSON dialects share. Raises ``WireError``: the peer's fault, with a message that quotes what it was. Whatever a
message holds, reading it takes some milliseconds at most: no part of it is looked at by a loop of ours.
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
"""Arrays and objects in a message, and with them how deep they stand in each other; honest answers have a handful,
but brackets in texts count too."""

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
    if message.count(b"[") + message.count(b"{") > MAX_BRACKETS:
        raise WireError("too many brackets")
    try:
        read: JSON = json.loads(message.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise WireError(f"{_start_of(message)} is no JSON") from error
    return read


def write(content: Mapping[str, object] | list[object]) -> str:
    """Write an object, or an array, on one line and in ASCII."""
    return json.dumps(content, separators=(",", ":"))


def _start_of(message: bytes) -> str:
    """Return the start of a message as an error quotes it."""
    return quoted(message[:_QUOTED].decode("ascii", "replace"))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
