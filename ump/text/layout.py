"""Lines for a terminal of 80 columns: wrapping, and names that strangers have chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.text.text import width

LINE = 79
"""The greatest width of a line in columns. The last column stays free: some terminals wrap there."""

NAME = 20
"""The greatest width of a player's name in columns."""

_CUT = ".."
"""Ends a text that was too long."""

_MELDS_GAP = "   "
"""Between a hand and its melds."""


def printable(text: str) -> str:
    """Return a text without control, format and other invisible characters, which could rearrange a terminal.

    White space becomes single spaces, and each other unprintable character a question mark, also an empty text.
    """
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split())) or "?"


def shortened(text: str, places: int = NAME) -> str:
    """Return a text of at most this many columns; a longer one is cut and ends with two dots."""
    if width(text) <= places:
        return text
    while width(text) > places - len(_CUT):
        text = text[:-1]
    return text + _CUT


def wrapped(label: str, words: Iterable[str], gap: str = " ") -> list[str]:
    """Return words in lines of at most ``LINE`` columns; further lines are indented like the words after the label."""
    lines = []
    line, is_empty = label, True
    begin = place = width(label)
    for word in words:
        size = width(word)
        if not is_empty and place + len(gap) + size > LINE:
            lines.append(line)
            line, place, is_empty = " " * begin, begin, True
        line += word if is_empty else gap + word
        place += size if is_empty else len(gap) + size
        is_empty = False
    return [*lines, line.rstrip()]


def beside_or_below(hand: str, melds: Sequence[str], label: str) -> list[str]:
    """Return a hand with its melds on one line; if they do not fit, the melds follow below, after a label."""
    line = f"{hand}{_MELDS_GAP}{' '.join(melds)}".rstrip()
    return [line] if width(line) <= LINE else [hand, *wrapped(label, melds)]
