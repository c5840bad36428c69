"""Typed tiles, each with its place in the text, so that an error can point at the tile that is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ump.model.notation.majiang import MAJIANG_FACES
from ump.model.notation.mpsz import MPSZ_FACES
from ump.model.notation.signs import KANJI_NUMBERS, RED_SIGN, SINGLE_SIGNS, SUIT_SIGNS, UNUSED_TILES
from ump.model.notation.tables import NotationError, Span, readings
from ump.model.tiles import FIVES, RED_OF, Face
from ump.model.value import value

_MPSZ = readings(MPSZ_FACES)
_MAJIANG = readings(MAJIANG_FACES)

_SUITS = "".join(SUIT_SIGNS)
_TOKEN = re.compile(
    rf"(?P<red>{RED_SIGN}?)(?P<numbers>[0-9][0-9\s]*|[{KANJI_NUMBERS}]+)(?P<suit>[{_SUITS}])(?P<r>[rR]?)"
    rf"|(?P<bare>[{KANJI_NUMBERS}]+)"
    rf"|(?P<red_single>{RED_SIGN}?)(?P<single>[{''.join(SINGLE_SIGNS)}])"
    r"|(?P<blank>\s+)"
)
_SUIT_FIRST = re.compile(r"\s*(?:[mpsz]\s*|[MPSZ])[0-9]")
_SUIT_GROUP = re.compile(r"(?P<suit>[mpszMPSZ])\s*(?P<numbers>[0-9][0-9\s]*)|(?P<blank>\s+)")
_NO_SUIT = re.compile(rf"(?P<numbers>[0-9][0-9\s]*(?<!\s))\s*(?P<letter>(?![{''.join(SINGLE_SIGNS)}])[A-Za-z])?")


@value
class WrittenTile:
    """A tile, and which characters of the text stand for it."""

    face: Face
    span: Span


@value
class _Group:
    """Numbers that share a suit."""

    text: str
    """The whole text that was typed."""
    span: Span
    numbers: tuple[tuple[int, str], ...]
    """Each digit, with its place in the text."""
    suit: str
    """The suit as typed."""
    is_red: bool
    """Whether ``赤`` or mjai's ``r`` says that it is a red five."""
    is_kanji: bool

    @property
    def is_upper(self) -> bool:
        """Whether the suit is a letter in upper case."""
        return self.suit in "MPSZ"

    @property
    def is_capital_five(self) -> bool:
        """Whether it may be UMP's red five, ``5M``."""
        return self.suit in "MPS" and [digit for _, digit in self.numbers] == ["5"] and not self.is_red

    def tiles(self, *, capital_is_red: bool) -> Iterator[WrittenTile]:
        """Yield the tiles; ``capital_is_red`` says what ``5M`` means. Raises NotationError."""
        is_red = self.is_red or (capital_is_red and self.is_capital_five)
        suit = SUIT_SIGNS[self.suit]
        for at, digit in self.numbers:
            face = _looked_up(self.text, at, digit + suit, _MPSZ.get(digit + suit))
            if not is_red:
                yield WrittenTile(face, (at, at + 1))
            elif len(self.numbers) == 1:
                yield WrittenTile(_red(self.text, self.span, face), self.span)
            else:
                raise NotationError(self.text, "a red five stands alone, as in 0m or 5mr", self.span)


def scan_tiles(text: str, shown: str) -> tuple[WrittenTile, ...]:
    """Read tiles in the order written, numbers before or after their suit.

    ``text`` may have blanks in place of parts of ``shown``, the text to quote in errors. Raises NotationError.
    """
    if _SUIT_FIRST.match(text):
        return tuple(_scan_suits_first(text, shown))
    groups: list[_Group] = []
    parts: list[_Group | WrittenTile] = []
    bare: list[re.Match[str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotationError(shown, *_trouble(text, at))
        if match["numbers"]:
            groups.append(_group(match, shown))
            parts.append(groups[-1])
        elif match["bare"]:
            bare.append(match)
            parts += [WrittenTile(KANJI_NUMBERS.index(match[0][i]), (at + i, at + i + 1)) for i in range(len(match[0]))]
        elif match["single"]:
            face = SINGLE_SIGNS[match["single"]]
            span = match.span()
            parts.append(WrittenTile(_red(shown, span, face) if match["red_single"] else face, span))
        at = match.end()
    if bare and any(group.is_kanji for group in groups):
        raise NotationError(shown, f"the suit is missing; write {bare[0][0]}萬, 筒 or 索", bare[0].span())
    capital_is_red = _capital_is_red(groups, shown)
    tiles: list[WrittenTile] = []
    for part in parts:
        tiles += part.tiles(capital_is_red=capital_is_red) if isinstance(part, _Group) else [part]
    return tuple(tiles)


def _group(match: re.Match[str], shown: str) -> _Group:
    """Return the group of a match of ``_TOKEN``."""
    start = match.start("numbers")
    numbers = tuple(
        (start + at, str(KANJI_NUMBERS.index(sign) + 1) if sign in KANJI_NUMBERS else sign)
        for at, sign in enumerate(match["numbers"])
        if not sign.isspace()
    )
    is_kanji = match["numbers"][0] in KANJI_NUMBERS
    return _Group(shown, match.span(), numbers, match["suit"], bool(match["red"] or match["r"]), is_kanji)


def _capital_is_red(groups: Sequence[_Group], shown: str) -> bool:
    """Return whether ``5M`` is a red five.

    It is in UMP's notation, where each number has its own suit and no other suit is a capital letter. If all suits are
    capital letters, case means nothing. Raises NotationError if both readings are possible.
    """
    capitals = [group for group in groups if group.is_capital_five]
    others = [group for group in groups if not group.is_capital_five]
    is_ump = all(len(group.numbers) == 1 and group.numbers[0][1] != "0" and not group.is_red for group in others)
    if not capitals or (is_ump and not any(group.is_upper for group in others)):
        return True
    if all(group.is_upper for group in others):
        return False
    letter = SUIT_SIGNS[capitals[0].suit]
    raise NotationError(
        shown,
        f"either a red five (UMP's 5{letter.upper()}) or a plain one; write 0{letter} or 5{letter}",
        capitals[0].span,
    )


def _scan_suits_first(text: str, shown: str) -> Iterator[WrittenTile]:
    """Yield the tiles of ``m123z5``, in any order of the suits; upper case means nothing."""
    at = 0
    while at < len(text):
        match = _SUIT_GROUP.match(text, at)
        if match is None:
            raise NotationError(shown, *_trouble(text, at))
        for place, digit in enumerate(match["numbers"] or "", match.start("numbers")):
            if not digit.isspace():
                suit = match["suit"].lower()
                face = _looked_up(shown, place, digit + suit, _MAJIANG.get(suit + digit))
                yield WrittenTile(face, (place, place + 1))
        at = match.end()


def _looked_up(text: str, at: int, tile: str, face: Face | None) -> Face:
    """Return the face; raises NotationError with the reason if it is None."""
    if face is None:
        allowed = (
            "honours are 1z to 7z" if tile[1] == "z" else f"the numbers are 1 to 9, and 0{tile[1]} is the red five"
        )
        raise NotationError(text, f"there is no tile {tile}; {allowed}", (at, at + 1))
    return face


def _red(text: str, span: Span, face: Face) -> Face:
    """Return the red five of a five; raises NotationError for other tiles."""
    if face not in FIVES:
        raise NotationError(text, "only a five of m, p or s can be red", span)
    return RED_OF[face]


def _trouble(text: str, at: int) -> tuple[str, Span]:
    """Return what is wrong with the text at a place where no tile begins, and which part of it."""
    match = _NO_SUIT.match(text, at)
    if match is not None and match["letter"]:
        return "not a suit; suits are m, p, s, and z for honours", match.span("letter")
    if match is not None:
        return "the suit is missing; add m, p, s or z", match.span("numbers")
    span = (at, at + 1)
    if text[at] in UNUSED_TILES:
        return "riichi is played without this tile", span
    if text[at] in SUIT_SIGNS:
        return "a suit without a number; write 5m, or m5", span
    return "not part of a tile; tiles are written as 5m, 0m (red), 1z, E, 五萬 or 東", span
