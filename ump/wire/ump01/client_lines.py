"""Splits a client's line into its id and its words, without interpreting the words."""

from __future__ import annotations

import re

_LEADING_ID = re.compile(r" *([0-9]+)(?: |$)")


def split_line(line: bytes) -> tuple[str | None, list[str] | None]:
    """Split a line, without its end, into the id (None if there is none) and the words after it.

    Runs of spaces and tabs count as one space, because people type. The words are None if the line holds a byte other
    than tabs and printable ASCII, as from a stray key or an accent: such a line may still be an unreadable answer.
    """
    text = line.replace(b"\t", b" ").decode("latin-1")
    if not (text.isascii() and text.isprintable()):
        match = _LEADING_ID.match(text)
        return (None if match is None else match[1]), None
    words = text.split()
    given_id = words.pop(0) if words and words[0].isdigit() else None
    return given_id, words


def is_id(text: str, number: int) -> bool:
    """Tell whether digits, of any length and with leading zeros, are this id."""
    return text.lstrip("0") == str(number).lstrip("0")
