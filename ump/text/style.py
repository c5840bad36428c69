"""The style of text for people: its language, and its colours."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

from ump.model.tiles import GREEN as GREEN_DRAGON
from ump.model.tiles import KIND_OF, RED_FIVES, Face
from ump.model.tiles import RED as RED_DRAGON
from ump.model.tiles import WHITE as WHITE_DRAGON
from ump.model.value import value


class Role(Enum):
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


COLOURS: Mapping[Role, str] = {
    Role.CHARACTERS: "35",
    Role.CIRCLES: "36",
    Role.BAMBOO: "32",
    Role.WIND: "39",
    Role.WHITE: "1",
    Role.GREEN: "1;32",
    Role.RED: "1;31",
    Role.RED_FIVE: "1;31",
    Role.HEADING: "1",
    Role.RIICHI: "7",
    Role.TURN: "1",
}
"""The SGR parameters of each role: colours of the terminal's own palette, bold (1), and reversed (7)."""

_SUITS = (Role.CHARACTERS, Role.CIRCLES, Role.BAMBOO, Role.WIND)
"""The role of nine kinds each, in the order of kinds; the dragons have their own."""

_DRAGONS = {WHITE_DRAGON: Role.WHITE, GREEN_DRAGON: Role.GREEN, RED_DRAGON: Role.RED}


@value
class Style:
    """The wishes of one reader."""

    language: str = "en"
    """The language of yaku and limits: ``en``, ``romaji``, ``ja`` or ``zh``."""
    is_coloured: bool = False
    """Whether text has ANSI colours. No meaning depends on them."""
    is_pictured: bool = False
    """Whether tiles are the Unicode pictures instead of two letters; a red five has an apostrophe."""

    def paint(self, role: Role, text: str) -> str:
        """Return the text in the colour of its role; unchanged for a reader without colours."""
        return f"\x1b[{COLOURS[role]}m{text}\x1b[0m" if self.is_coloured else text


def role_of(face: Face) -> Role:
    """Return the role of a tile."""
    if face in RED_FIVES:
        return Role.RED_FIVE
    return _DRAGONS.get(face) or _SUITS[KIND_OF[face] // 9]


PLAIN = Style()
"""English, without colours."""
