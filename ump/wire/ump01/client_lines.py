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


def is_from_person(given_id: str | None, words: list[str] | None) -> bool:
    """Tell whether a first line was typed by a person; the arguments are the results of ``split_line``.

    Programs repeat the id of the server's hello, or say ``_human=0``, or ask for a later version of UMP.
    A program may ask for ``_human=1``. A line without any word, or with digits alone, is no message of a program.
    """
    if words == []:
        return True
    if words is None or words[:1] != ["hello"]:
        return given_id is None
    if given_id is not None:
        return "_human=1" in words
    return "_human=0" not in words and all(word == "ump=0.1" for word in words if word.startswith("ump="))


def without_id(line: bytes, given_id: str | None) -> bytes:
    """Return a line without the id that ``split_line`` has found in it."""
    return line if given_id is None else line.strip().removeprefix(given_id.encode())
