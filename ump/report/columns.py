"""Text in columns, where Japanese characters take two places."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence

GAP = "  "


def width(text: str) -> int:
    """Return how many places of a terminal line a text takes: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in ("W", "F")) for char in text
    )


def padded(text: str, places: int, *, right: bool = False) -> str:
    """Return a text filled up with spaces, on its left when it belongs to the right."""
    blanks = " " * (places - width(text))
    return blanks + text if right else text + blanks


def columns(rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return rows of equal length as aligned lines; ``right``: the columns that are flush right."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(padded(cell, widths[at], right=at in right) for at, cell in enumerate(row)).rstrip() for row in rows
    ]
