"""The text of reports on a terminal: tiles and hands in MPSZ, and aligned columns.

``ump.model.notation.parse_written_hand`` reads the hands back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from ump.model.melds import Meld
from ump.model.notation import MPSZ_FACES, format_mpsz
from ump.model.tiles import Face, dora_of, sort_faces

GAP = "  "
"""The separator between two columns."""

_LONGEST_LINE = 76
"""Columns of a text that an error quotes in a line of its own."""

_ESCAPE = "\x1b"
_COLOUR = re.compile(rf"{_ESCAPE}\[[0-9;]*m")
"""A change of colour on a terminal, which takes no column."""


# Tiles


def tile_text(face: Face) -> str:
    """Write one tile: ``0p``."""
    return MPSZ_FACES[face]


def tiles_text(faces: Iterable[Face]) -> str:
    """Write tiles, sorted: ``406p11z``; a dash if there are none."""
    return format_mpsz(sort_faces(faces)) or "-"


def dora_text(indicators: Iterable[Face], seats: int = 4) -> str:
    """Write the dora that these indicators point at in a game of so many seats, in the order of the indicators."""
    pointed_at = dora_of(seats)
    return " ".join(MPSZ_FACES[pointed_at[indicator]] for indicator in indicators)


def meld_text(meld: Meld) -> str:
    """Write a meld: ``<345p>``, a closed kan ``(6666z)``."""
    tiles = tiles_text(meld.faces)
    return f"<{tiles}>" if meld.is_open else f"({tiles})"


def hand_text(faces: Iterable[Face], melds: Iterable[Meld]) -> str:
    """Write a hand: the concealed tiles sorted, then the melds."""
    return tiles_text(faces) + "".join(map(meld_text, melds))


# Columns


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    A wide East Asian character takes two, an accent none, and a change of colour none.
    """
    if _ESCAPE in text:
        text = _COLOUR.sub("", text)
    return len(text) if text.isascii() else sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def padded(text: str, places: int, *, right: bool = False) -> str:
    """Return a text filled with spaces to a width; ``right`` aligns it to the right."""
    blanks = " " * (places - width(text))
    return blanks + text if right else text + blanks


def columns(rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return rows of equal length as aligned lines; ``right`` numbers the columns that are aligned to the right."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(padded(cell, widths[at], right=at in right) for at, cell in enumerate(row)).rstrip() for row in rows
    ]


# Errors


def pointer(text: str, span: tuple[int, int]) -> list[str]:
    """Return the text, and a line with ``^`` under the part ``text[span[0]:span[1]]``.

    Nothing is returned if a terminal cannot show the text in one line.
    """
    if not text.isprintable() or width(text) > _LONGEST_LINE:
        return []
    start, end = span
    return [text, " " * width(text[:start]) + "^" * max(width(text[start:end]), 1)]
