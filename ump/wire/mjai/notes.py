"""The notes that bots add to their replies: ``log``, a text, and ``meta``, an object such as Mortal's.

They go into the record of the game, and to no player. A note that a strict reader of JSON could refuse is left out, so
that no bot can make a record unreadable.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from ump.wire.json_text import JSON, write
from ump.wire.session import Note

MAX_NOTE = 4_096
"""Maximum length of each part of a note, in characters. A longer text is cut, a longer object is left out."""

MAX_INTEGER = 2**53
"""Integers up to this size are exact in every program that reads JSON."""


def read_note(reply: Mapping[str, JSON]) -> Note | None:
    """Return the note in a reply, or None if it has none."""
    if "log" not in reply and "meta" not in reply:
        return None
    log, meta = reply.get("log"), reply.get("meta")
    text = log[:MAX_NOTE] if isinstance(log, str) and _is_portable(log) else None
    written = write(meta) if isinstance(meta, dict) and _is_portable(meta) else ""
    if not 0 < len(written) <= MAX_NOTE:
        return None if text is None else Note(text, None)
    return Note(text, written)


def _is_portable(content: JSON) -> bool:
    """Tell whether every reader accepts this content: no lone surrogates, no infinite or enormous numbers."""
    match content:
        case str():
            return not any("\ud800" <= character <= "\udfff" for character in content)
        case bool() | None:
            return True
        case int():
            return abs(content) <= MAX_INTEGER
        case float():
            return isfinite(content)
        case list():
            return all(map(_is_portable, content))
        case dict():
            return all(map(_is_portable, content)) and all(map(_is_portable, content.values()))
