"""JSON from outside, bounded: one object to a message, and nothing in it that is too deep, too long or no number.

What the JSON dialects share. Raises ``WireError``: the peer's fault, with a message that quotes what it was.
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

MAX_DEPTH = 16
"""How deep arrays and objects may stand in each other; honest answers reach four."""

_MAX_DIGITS = 15
"""Digits of the longest integer: beyond it reading alone would cost time."""


def read_object(message: bytes) -> dict[str, JSON]:
    """Read one object; raises WireError where it is none, is too long or too deep, or no UTF-8."""
    read = _read(message)
    if not isinstance(read, dict):
        raise WireError(f"{quoted(message.decode('ascii', 'replace'))} is no JSON object")
    return read


def read_array(message: bytes) -> list[JSON]:
    """Read one array; raises WireError as ``read_object`` does."""
    read = _read(message)
    if not isinstance(read, list):
        raise WireError(f"{quoted(message.decode('ascii', 'replace'))} is no JSON array")
    return read


def _read(message: bytes) -> JSON:
    if len(message) > MAX_OBJECT:
        raise WireError("too long")
    if message.count(b"[") + message.count(b"{") > MAX_DEPTH and _depth(message) > MAX_DEPTH:
        raise WireError("too deep")
    try:
        read: JSON = json.loads(message.decode(), parse_constant=_refuse_constant, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise WireError(f"{quoted(message.decode('ascii', 'replace'))} is no JSON") from error
    return read


def write(content: Mapping[str, object] | list[object]) -> str:
    """Write an object, or an array, on one line and in ASCII."""
    return json.dumps(content, separators=(",", ":"))


def _depth(message: bytes) -> int:
    """Return how deep brackets stand in each other; those in texts count too, which honest messages can bear."""
    deepest = depth = 0
    for byte in message:
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("no number of this size is meant")
    return int(digits)
