"""A rectangle of a terminal, on which text is put at columns and rows, and the looks of tiles on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import groupby
from operator import itemgetter

from rich.text import Text

from ump.model.notation import UMP_FACES
from ump.model.tiles import KIND_OF, RED_FIVES, Face
from ump.model.value import value
from ump.terminal.words import ENGLISH, WORDS, Words, language_of
from ump.text.layout import TextRole, TextStyle, padded, role_of, width
from ump.text.wording import PICTURES

COLUMNS, ROWS = 80, 24
"""The least size of a terminal."""

ROOMY_ROWS = 30
"""The rows from which on the parts of the screen stand apart."""

LARGE_COLUMNS, LARGE_ROWS = 120, 40
"""The size from which on tiles have two rows."""


class Canvas:
    """Cells with a character and a rich style each; what lies outside is not drawn."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self._cells = [[(" ", "")] * columns for _ in range(rows)]

    def put(self, x: int, y: int, text: str, style: str = "") -> int:
        """Put text from a column on; return the column behind it."""
        for character in text:
            size = width(character)
            if not size and x > 0 and y < len(self._cells):
                before = self._cells[y][x - 1]
                self._cells[y][x - 1] = (before[0] + character, before[1])
            elif 0 <= y < len(self._cells) and 0 <= x <= len(self._cells[y]) - size:
                self._cells[y][x : x + size] = [(character, style), *[("", style)] * (size - 1)]
            x += size
        return x

    def cut(self, rows: int) -> Canvas:
        """Return the first rows."""
        canvas = Canvas(self.columns, 0)
        canvas._cells = self._cells[:rows]
        return canvas

    def lines(self) -> list[str]:
        """Return the text alone, without blanks at the ends of lines."""
        return ["".join(character for character, _ in row).rstrip() for row in self._cells]

    def text(self) -> Text:
        """Return the text with its styles."""
        shown = Text(no_wrap=True)
        for at, row in enumerate(self._cells):
            if at:
                shown.append("\n")
            for style, cells in groupby(row, key=itemgetter(1)):
                shown.append("".join(character for character, _ in cells), style)
        return shown


class TileForm(Enum):
    """The forms of tiles."""

    LETTERS = "ascii"
    """Two letters, lines of ASCII: for every terminal."""
    BLOCKS = "blocks"
    """Coloured blocks, with the characters of real tiles where the language has them."""
    PICTURES = "unicode"
    """The pictures of Unicode, which few fonts show well."""


class Mark(Enum):
    """The state of a tile, as a block shows it besides the mark beside it: the paper, and that of its lower row."""

    NONE = "#f3ead2", "#dccfa9"
    TSUMOGIRI = "#cbbd98", "#b0a27b"
    RIICHI = "#f2c14e", "#d6a32c"
    LAST = "#ffffff", "#e8e8e8"
    CHOSEN = "#ffdd66", "#e6bf3c"
    BARRED = "#9d9580", "#857d69"
    """It cannot be discarded now."""
    CALLED = "", ""
    """It is not there any more: no block."""


_INKS = {
    TextRole.CHARACTERS: ("#8c1d5b", "magenta"),
    TextRole.CIRCLES: ("#0b5789", "cyan"),
    TextRole.BAMBOO: ("#186227", "green"),
    TextRole.WIND: ("#1d1d1d", ""),
    TextRole.WHITE: ("#5b6470", "bold"),
    TextRole.GREEN: ("bold #0c7a35", "bold green"),
    TextRole.RED: ("bold #b3201b", "bold red"),
}
"""The ink of each role on a block, and without one."""

_RED_FIVE = "#c62828", "#a11d1d"
"""The paper of a red five."""


@value
class Look:
    """The looks of the screen: words, tiles, colours and size."""

    words: Words = ENGLISH
    tiles: TileForm = TileForm.LETTERS
    is_coloured: bool = False
    columns: int = COLUMNS
    rows: int = ROWS

    @property
    def is_large(self) -> bool:
        """Whether there is room for tiles of two rows."""
        return self.columns >= LARGE_COLUMNS and self.rows >= LARGE_ROWS

    @property
    def has_lines(self) -> bool:
        """Whether the terminal has the characters of boxes."""
        return self.tiles is not TileForm.LETTERS

    @property
    def _has_characters(self) -> bool:
        """Whether blocks show the characters of real tiles."""
        return self.tiles is TileForm.BLOCKS and not self.words.suits.isascii()

    def height(self, *, is_small: bool = False) -> int:
        """Return the rows of a tile."""
        return 2 if self.is_large and self.tiles is TileForm.BLOCKS and not is_small else 1

    def width(self, *, is_small: bool = False) -> int:
        """Return the columns of a tile."""
        return width(self.tile_rows(0, is_small=is_small)[0])

    def tile_rows(self, face: Face, *, is_small: bool = False) -> tuple[str, ...]:
        """Return the rows of a tile."""
        if self.tiles is TileForm.LETTERS:
            return (UMP_FACES[face],)
        if self.tiles is TileForm.PICTURES:
            return (padded(PICTURES[face], 3),)
        kind, is_red = KIND_OF[face], face in RED_FIVES
        if kind >= 27:
            return self._honour_rows(face, self.words.honours[kind - 27], is_small=is_small)
        number, suit = kind % 9, self.words.suits[kind // 9]
        if self.height(is_small=is_small) == 1:
            return (f"{0 if is_red else number + 1}{suit}" if self._has_characters else UMP_FACES[face],)
        if self._has_characters:
            return f" {self.words.numbers[number]}{'r' if is_red else ' '}", f" {suit} "
        return f" {number + 1} ", f" {UMP_FACES[face][1]} "

    def _honour_rows(self, face: Face, word: str, *, is_small: bool) -> tuple[str, ...]:
        if self.height(is_small=is_small) == 1:
            return (f"{word} " if self._has_characters else UMP_FACES[face],)
        size = 4 if self._has_characters else 3
        return padded(f" {word}" if len(word) == 1 else word, size), padded(f"{UMP_FACES[face]:>{size - 1}}", size)

    def tile_text(self, face: Face) -> str:
        """Return a tile within a text."""
        return self.tile_rows(face, is_small=True)[0].strip()

    def tiles_text(self, faces: Iterable[Face]) -> str:
        """Return tiles within a text."""
        return "".join(map(self.tile_text, faces))

    def tile_style(self, face: Face, mark: Mark = Mark.NONE, row: int = 0) -> str:
        """Return the rich style of a row of a tile. No meaning depends on it alone."""
        if not self.is_coloured:
            return ""
        role = role_of(face)
        is_red_five = role is TextRole.RED_FIVE
        block, letters = _INKS[TextRole.RED if is_red_five else role]
        if self.tiles is not TileForm.BLOCKS:
            bold = {Mark.LAST: "bold ", Mark.BARRED: "dim ", Mark.CALLED: "dim "}.get(mark, "")
            return f"{bold}{letters}".strip()
        if mark is Mark.CALLED:
            return "#8fa398"
        if is_red_five and mark is not Mark.BARRED:
            return f"bold #ffffff on {_RED_FIVE[row]}"
        underlined = "bold underline " if mark is Mark.LAST else ""
        return f"{underlined}{block} on {mark.value[row]}"

    def put_tile(
        self, canvas: Canvas, x: int, y: int, face: Face, mark: Mark = Mark.NONE, *, is_small: bool = False
    ) -> int:
        """Put a tile on a canvas; return the column behind it."""
        rows = self.tile_rows(face, is_small=is_small)
        for step, row in enumerate(rows):
            canvas.put(x, y + step, row, self.tile_style(face, mark, step))
        return x + self.width(is_small=is_small)

    @property
    def text_style(self) -> TextStyle:
        """The style of the texts that all programs share."""
        return TextStyle(self.words.language, self.is_coloured, is_pictured=self.tiles is TileForm.PICTURES)

    def style(self, wanted: str) -> str:
        """Return a rich style for text, or none without colours."""
        return wanted if self.is_coloured else ""


_PLAIN_TERMINALS = ("", "dumb")


def look_for(environment: Mapping[str, str], encoding: str | None, tiles: str | None, language: str | None) -> Look:
    """Return the look for a terminal: tiles and language as they were chosen, or as the terminal can show them."""
    is_coloured = "NO_COLOR" not in environment
    form = TileForm.LETTERS
    if tiles is not None:
        form = TileForm(tiles)
    elif is_coloured and environment.get("TERM", "") not in _PLAIN_TERMINALS and _is_utf_8(encoding):
        form = TileForm.BLOCKS
    return Look(WORDS[language or language_of(environment)], form, is_coloured)


def _is_utf_8(encoding: str | None) -> bool:
    return (encoding or "").lower().replace("-", "").startswith("utf8")
