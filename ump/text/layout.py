"""Text on a terminal: its style, tiles and hands in MPSZ, aligned columns, wrapped lines, and names of strangers.

``ump.model.written.parse_written_hand`` reads the hands back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import Enum, auto

from ump.model.melds import Meld
from ump.model.notation import MPSZ_FACES, format_mpsz
from ump.model.tiles import GREEN as GREEN_DRAGON
from ump.model.tiles import KIND_OF, RED_FIVES, Face, pointed_at, sort_faces
from ump.model.tiles import RED as RED_DRAGON
from ump.model.tiles import WHITE as WHITE_DRAGON
from ump.model.value import value

# The style of text for people: its language, and its colours.


class TextRole(Enum):
    """The role of a piece of text, as far as its colour depends on it."""

    CHARACTERS = auto()
    CIRCLES = auto()
    BAMBOO = auto()
    WIND = auto()
    WHITE = auto()
    GREEN = auto()
    RED = auto()
    RED_FIVE = auto()
    HEADING = auto()
    """The first line of a kyoku, a result or the end of the game."""
    RIICHI = auto()
    TURN = auto()
    """The player that is to discard, or whose discard may be called."""


COLOURS: Mapping[TextRole, str] = {
    TextRole.CHARACTERS: "35",
    TextRole.CIRCLES: "36",
    TextRole.BAMBOO: "32",
    TextRole.WIND: "39",
    TextRole.WHITE: "1",
    TextRole.GREEN: "1;32",
    TextRole.RED: "1;31",
    TextRole.RED_FIVE: "1;31",
    TextRole.HEADING: "1",
    TextRole.RIICHI: "7",
    TextRole.TURN: "1",
}
"""The SGR parameters of each role: colours of the terminal's own palette, bold (1), and reversed (7)."""

_SUITS = (TextRole.CHARACTERS, TextRole.CIRCLES, TextRole.BAMBOO, TextRole.WIND)
"""The role of nine kinds each, in the order of kinds; the dragons have their own."""

_DRAGONS = {WHITE_DRAGON: TextRole.WHITE, GREEN_DRAGON: TextRole.GREEN, RED_DRAGON: TextRole.RED}


@value
class TextStyle:
    """The wishes of one reader."""

    language: str = "en"
    """The language of yaku and limits: ``en``, ``romaji``, ``ja`` or ``zh``."""
    is_coloured: bool = False
    """Whether text has ANSI colours. No meaning depends on them."""
    is_pictured: bool = False
    """Whether tiles are the Unicode pictures instead of two letters; a red five has an apostrophe."""

    def paint(self, role: TextRole, text: str) -> str:
        """Return the text in the colour of its role; unchanged for a reader without colours."""
        return f"\x1b[{COLOURS[role]}m{text}\x1b[0m" if self.is_coloured else text


def role_of(face: Face) -> TextRole:
    """Return the role of a tile."""
    if face in RED_FIVES:
        return TextRole.RED_FIVE
    return _DRAGONS.get(face) or _SUITS[KIND_OF[face] // 9]


PLAIN = TextStyle()
"""English, without colours."""


# Text on a terminal: tiles and hands in MPSZ, aligned columns, wrapped lines, and names that strangers have chosen.
#
# ``ump.model.written.parse_written_hand`` reads the hands back.

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
    return " ".join(map(tile_text, pointed_at(indicators, seats)))


def meld_text(meld: Meld) -> str:
    """Write a meld: ``<345p>``, a closed kan ``(6666z)``."""
    tiles = tiles_text(meld.faces)
    return f"<{tiles}>" if meld.is_open else f"({tiles})"


def hand_text(faces: Iterable[Face], melds: Iterable[Meld]) -> str:
    """Write a hand: the concealed tiles sorted, then the melds."""
    return tiles_text(faces) + "".join(map(meld_text, melds))


# Columns


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes; a change of colour takes none."""
    if _ESCAPE in text:
        text = _COLOUR.sub("", text)
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # takes time to load, and few texts need it

    size = wcswidth(text)
    return len(text) if size < 0 else size  # negative if a character is not printable


def padded(text: str, places: int, *, right: bool = False) -> str:
    """Return a text filled with spaces to a width; ``right`` aligns it to the right."""
    blanks = " " * (places - width(text))
    return blanks + text if right else text + blanks


def columns(rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return rows of equal length as aligned lines; ``right`` numbers the columns that are aligned to the right."""
    rows = list(rows)
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [padded(cell, widths[at], right=at in right) for at, cell in enumerate(row)]
        lines.append(GAP.join(cells).rstrip())
    return lines


def indented(lines: Iterable[str]) -> list[str]:
    """Return lines that begin two columns later."""
    return [f"  {line}" for line in lines]


# Errors


def pointer(text: str, span: tuple[int, int]) -> list[str]:
    """Return the text, and a line with ``^`` under the part ``text[span[0]:span[1]]``.

    Nothing is returned if a terminal cannot show the text in one line.
    """
    if not text.isprintable() or width(text) > _LONGEST_LINE:
        return []
    start, end = span
    return [text, " " * width(text[:start]) + "^" * max(width(text[start:end]), 1)]


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
