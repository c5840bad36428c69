"""A line as a person typed it: bytes become text, without the control characters of terminals."""

from __future__ import annotations

import re
from urllib.parse import quote

MAX_TYPED = 200
"""Characters of a line that are read; the rest of a longer line is dropped."""

MAX_PASSWORD = 256
"""Characters of a password that are read: no user has a longer one."""

_NEGOTIATION = re.compile(rb"\xff(?:\xff|[\xfb-\xfe].?|\xfa.*?(?:\xff\xf0|$)|[\xf0-\xf9]|$)", re.DOTALL)
"""Commands of telnet (RFC 854): options, subnegotiations, others; 255 twice stands for itself, which is no UTF-8."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.|$)")
"""The codes of arrow and function keys."""

_ERASING = "\b\x7f"
"""Backspace and delete: each erases the character before it."""


def typed_line(line: bytes) -> str:
    """Return the text of a line without its end: decoded as UTF-8, edited, and stripped of control characters.

    Runs of white space become one space. Bytes that are not UTF-8 become replacement characters.
    """
    return " ".join("".join(_edited(line)).split())[:MAX_TYPED].rstrip()


def as_password(line: bytes) -> bytes:
    """Return a line that is a password as an option, ``password=..``: logs and traces hide its value."""
    return b"password=" + quote("".join(_edited(line)[:MAX_PASSWORD]), safe="").encode()


def _edited(line: bytes) -> list[str]:
    """Return the characters of a line that are left after editing."""
    text = _NEGOTIATION.sub(b"", line).decode("utf-8", "replace")
    kept: list[str] = []
    for char in _ESCAPES.sub("", text):
        if char in _ERASING:
            del kept[-1:]
        elif char.isspace():
            kept.append(" ")
        elif char.isprintable():
            kept.append(char)
    return kept
