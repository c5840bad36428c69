"""Bounded reading and writing of JSON, for all JSON dialects.

A message from outside holds one object or array, which is neither too long nor too deep and has no NaN or infinity.
Reading raises ``WireError`` for anything else, with a message that quotes it, and takes a few milliseconds at most.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NoReturn, TypeAlias

from ump.wire.text import WireError, quoted

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None
"""A value as ``json`` returns it."""

MAX_OBJECT = 64 * 1024
"""Maximum length of a message in bytes; bots add logs and probabilities to their answers."""

MAX_BRACKETS = 4_096
"""Maximum number of opening brackets in a message. An answer has a handful, but brackets in texts count too."""

MAX_DOCUMENT = 4 * 1024 * 1024
"""Maximum length of a server's message to a client, in bytes; the end of a game may hold its whole record."""

MAX_DEPTH = 16
"""Maximum depth of arrays and objects; deeper ones could exhaust the stack of code that prints them."""

_ENCODER = json.JSONEncoder(separators=(",", ":"))
"""``json.dumps`` would make one for each text."""

_QUOTED = 200
"""The number of bytes of a wrong message that an error quotes."""


def read_object(message: bytes) -> dict[str, JSON]:
    """Read one object; raise WireError if the message is anything else, too long, too deep, or not UTF-8."""
    read = _read(message)
    if not isinstance(read, dict):
        raise WireError(f"{_start_of(message)} is not a JSON object")
    return read


def read_array(message: bytes) -> list[JSON]:
    """Read one array; raise WireError as ``read_object`` does."""
    read = _read(message)
    if not isinstance(read, list):
        raise WireError(f"{_start_of(message)} is not a JSON array")
    return read


def read_document(message: bytes) -> JSON:
    """Read a server's message to a client; raise WireError as ``read_object`` does, but only over MAX_DOCUMENT."""
    return _read(message, MAX_DOCUMENT, MAX_DOCUMENT)


def _read(message: bytes, most: int = MAX_OBJECT, most_brackets: int = MAX_BRACKETS) -> JSON:
    if len(message) > most:
        raise WireError("too long")
    brackets = message.count(b"[") + message.count(b"{")
    if brackets > most_brackets:
        raise WireError("too many brackets")
    try:
        read: JSON = json.loads(message.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise WireError(f"{_start_of(message)} is not JSON") from error
    if brackets > MAX_DEPTH and _is_deep(read):
        raise WireError("too deep")
    return read


def _is_deep(read: JSON) -> bool:
    """Tell whether arrays and objects are nested more than MAX_DEPTH deep."""
    level = [read]
    for _ in range(MAX_DEPTH + 1):
        below: list[JSON] = []
        for content in level:
            if isinstance(content, dict):
                below += content.values()
            elif isinstance(content, list):
                below += content
        level = [content for content in below if isinstance(content, dict | list)]
        if not level:
            return False
    return True


def write(content: Mapping[str, object] | Sequence[object]) -> str:
    """Write an object or an array on one line, in ASCII."""
    return _ENCODER.encode(content)


def _start_of(message: bytes) -> str:
    """Return the start of a message, for an error to quote."""
    return quoted(message[:_QUOTED].decode("ascii", "replace"))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
