"""Typed hands in any notation; the text determines which one.

Besides the notations of ``ump.model.notation``, people type upper case, kanji (``一二三萬``, ``東``, ``①``) and Unicode
tiles (``🀀`` to ``🀡``). Case means nothing, except that ``5M`` is a red five if the text can be UMP's notation: if each
number has its own suit, and no other suit is in upper case. So ``5M`` and ``1m5M`` have red fives, ``5M6M`` and
``555M`` have plain ones, and ``12m5M`` is refused. Each tile has its place in the text, so that an error can point at
the tile that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import TypeAlias, TypeVar

from ump.model.constants import FULL_HAND
from ump.model.melds import Meld
from ump.model.notation import (
    LONGEST,
    MAJIANG_FACES,
    MPSZ_FACES,
    ONE_EACH,
    SUITS,
    NotationError,
    Shoupai,
    Span,
    bounded,
    check_hand,
    format_ump_faces,
    parse_id_meld,
    parse_id_tiles,
    parse_majiang_meld,
    parse_shoupai,
    parse_tenhou_tiles,
    parse_ump_hand,
    readings,
)
from ump.model.tiles import COPIES, FIVES, KIND_OF, KINDS, RED_OF, TILES, Face, faces_of_tiles
from ump.model.value import value

KANJI_NUMBERS = "一二三四五六七八九"
"""The numerals 1 to 9."""

UNICODE_KINDS: tuple[str, ...] = (
    *map(chr, range(0x1F007, 0x1F010)),
    *map(chr, range(0x1F019, 0x1F022)),
    *map(chr, range(0x1F010, 0x1F019)),
    *map(chr, range(0x1F000, 0x1F004)),
    *map(chr, (0x1F006, 0x1F005, 0x1F004)),
)
"""The Unicode character of each kind: the index is the kind. Unicode has no red fives."""

RED_SIGN = "赤"
"""Makes the five after it a red one."""

SUIT_SIGNS: dict[str, str] = {
    **{letter: letter.lower() for letter in "mpszMPSZ"},
    **dict.fromkeys("萬万", "m"),
    **dict.fromkeys("筒餅饼", "p"),
    **dict.fromkeys("索條条", "s"),
    "字": "z",
}
"""The suit letter of each sign that may follow a number."""

SINGLE_SIGNS: dict[str, Face] = {
    **readings(UNICODE_KINDS),
    **{sign: 9 + at for at, sign in enumerate("①②③④⑤⑥⑦⑧⑨")},
    **{sign: 27 + at for at, sign in enumerate("東南西北白發中")},
    **{sign: 27 + at for at, sign in enumerate("ESWNPFC")},
    "东": 27,
    "発": 32,
    "发": 32,
}
"""The face of each character that is a whole tile, mjai's letters of honours among them."""

UNUSED_TILES = frozenset(map(chr, range(0x1F022, 0x1F02C)))
"""The Unicode characters of flowers, seasons, the joker and the back of a tile."""

_ASCII: dict[int, str] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    ord("\u3000"): " ",
    ord("、"): ",",
    0xFE0E: " ",
    0xFE0F: " ",
}


def as_ascii(text: str) -> str:
    """Return the text of the same length with ASCII characters for full-width ones.

    Variation selectors, which some keyboards add to Unicode tiles, become spaces.
    """
    return text.translate(_ASCII)


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


_WORD = re.compile(r"<[^<>()]*>|\([^<>()]*\)|[^\s,<>()]+|[<>()]")
_NUMBERS = re.compile(r"\s*\[?[0-9]+(?:[\s,]+[0-9]+)*\]?\s*")
_BOTH = frozenset(str(number + copy) for number in (110, 120, 130) for copy in range(4))
"""Numbers that mean one tile as three-digit ids and another one as Tenhou's numbers."""

T = TypeVar("T")


WrittenHand: TypeAlias = tuple[tuple[Face, ...], tuple[Meld, ...], bool]
"""A typed hand: concealed tiles, melds, and whether the text says that it is in riichi (Majiang's ``*``).

The tiles are in the order typed; one that has just been drawn is the last. Only the tiles and types of melds are
reliable, since some notations do not say the source.
"""

_PLAIN = re.compile(r"(?:[0-9]+[mps]|[1-7]+z)+")
_PLAIN_FACES: dict[str, dict[str, Face]] = {
    suit: {tile[0]: face for tile, face in _MPSZ.items() if tile[1] == suit} for suit in SUITS
}
"""The face of each digit, by the suit that follows it."""


_PLAIN_HAND = re.compile(r"([0-9mpsz]*)((?:<[0-9mpsz]+>|\([0-9mpsz]+\))*)")
_PLAIN_MELD = re.compile(r"[<(][^<(]*")


def _plain_faces(text: str) -> tuple[Face, ...] | None:
    """Return the tiles of ``123m406p77z``, or None for any other text. Nearly all text is such."""
    if len(text) > LONGEST or not _PLAIN.fullmatch(text):
        return None
    faces: list[Face] = []
    of_suit: dict[str, Face] = {}
    for sign in reversed(text):
        if sign in of_suit:
            faces.append(of_suit[sign])
        else:
            of_suit = _PLAIN_FACES[sign]
    faces.reverse()
    return tuple(faces)


def parse_plain_hand(text: str) -> WrittenHand | None:
    """Return the hand of ``123m406p<234p>(6666z)``, or None for any other text. Nobody has counted its tiles."""
    if not text.endswith((">", ")")):
        faces = _plain_faces(text)
        return None if faces is None else (faces, (), False)
    match = _PLAIN_HAND.fullmatch(text)
    faces = _plain_faces(match[1]) if match else None
    if match is None or faces is None:
        return None
    melds = []
    for word in _PLAIN_MELD.findall(match[2]):
        meld = _plain_meld(word)
        if meld is None:
            return None
        melds.append(meld)
    return faces, tuple(melds), False


@lru_cache(1 << 10)
def _plain_meld(word: str) -> Meld | None:
    """Return the meld of ``<234p>``, or None if it is none."""
    faces = _plain_faces(word[1:-1])
    if faces is None:
        return None
    hand = _attempt(parse_ump_hand, word[0] + format_ump_faces(faces) + word[-1])
    return None if hand is None else hand[1][0]


def parse_written_tiles(text: str, reds: tuple[int, ...] = ONE_EACH) -> tuple[Face, ...]:
    """Read tiles in any notation, in the order written.

    ``reds``, the numbers of red fives in m, p and s, matters only for numbered tiles. Raises NotationError.
    """
    if text in _MPSZ:
        return (_MPSZ[text],)
    plain = _plain_faces(text)
    if plain is not None:
        return plain
    read = as_ascii(bounded(text))
    if _NUMBERS.fullmatch(read):
        return _parse_numbers(text, read, reds)
    return tuple(tile.face for tile in scan_tiles(read.replace(",", " "), text))


def parse_written_hand(text: str, reds: tuple[int, ...] = ONE_EACH) -> WrittenHand:
    """Read a hand in any notation: the concealed tiles first, then melds in any notation that has them.

    Spaces and commas may separate the parts. After the first part, text that can be a meld is read as one (``z7777``).
    ``reds``, the numbers of red fives in m, p and s, matters only for numbered tiles. Raises NotationError if no
    notation fits, or if the hand has too many tiles; where it can, the error says which part is wrong.
    """
    plain = parse_plain_hand(text)
    if plain is not None and _fits(*plain[:2]):
        return plain
    read = as_ascii(bounded(text))
    if _NUMBERS.fullmatch(read):
        hand: WrittenHand = _parse_numbers(text, read, reds), (), False
    else:
        # Try Majiang on the whole text first: where its drawn tile may stand depends on the melds after it.
        joined = ",".join(_WORD.findall(read))
        shoupai = _attempt(parse_shoupai, joined.lower() if joined[:1] in _CAPITAL_SUITS else joined)
        hand = _parse_parts(text, read) if shoupai is None else _of_shoupai(text, shoupai)
    check_hand(text, *hand[:2])
    return hand


def _fits(faces: tuple[Face, ...], melds: tuple[Meld, ...]) -> bool:
    """Tell whether a hand can have these tiles."""
    counts = [0] * KINDS
    for face in faces:
        counts[KIND_OF[face]] += 1
    for meld in melds:
        for face in meld.faces:
            counts[KIND_OF[face]] += 1
    return len(faces) + 3 * len(melds) <= FULL_HAND and max(counts) <= COPIES


_CAPITAL_SUITS = frozenset("MPSZ")


def _parse_numbers(text: str, read: str, reds: tuple[int, ...]) -> tuple[Face, ...]:
    """Read Tenhou's numbers or three-digit ids; numbers in brackets are ids."""
    numbers = re.findall("[0-9]+", read)
    is_list = read.strip().startswith("[")
    if not is_list and _BOTH.issuperset(numbers):
        raise NotationError(text, "may be Tenhou's numbers or three-digit ids; write [110, 111] for ids")
    is_tenhou = not is_list and all(len(number) < 3 or number < str(TILES) for number in numbers)
    _check_numbers(text, read, is_tenhou=is_tenhou)
    tiles = parse_tenhou_tiles(",".join(numbers)) if is_tenhou else parse_id_tiles(f"[{', '.join(numbers)}]", reds)
    faces = faces_of_tiles(reds)
    return tuple(faces[tile] for tile in tiles)


def _check_numbers(text: str, read: str, *, is_tenhou: bool) -> None:
    """Raise NotationError for the first number that is no three-digit id, or that occurs twice."""
    seen: set[str] = set()
    for match in re.finditer("[0-9]+", read):
        if not is_tenhou and _attempt(parse_id_tiles, f"[{match[0]}]") is None:
            problem = f"not a three-digit id (110 to 473), and Tenhou's numbers end at {TILES - 1}"
            raise NotationError(text, problem, match.span())
        if match[0] in seen:
            raise NotationError(text, "this tile is in the list twice", match.span())
        seen.add(match[0])


def _parse_parts(text: str, read: str) -> WrittenHand:
    """Read the parts of a hand: concealed tiles and melds. ``read`` is the text in ASCII where that is possible."""
    melds: list[Meld] = []
    concealed = read.replace(",", " ")
    for match in _WORD.finditer(read):
        meld = _parse_meld(match, text, is_first=not read[: match.start()].strip(" ,"))
        if meld is not None:
            melds.append(meld)
            concealed = concealed[: match.start()] + " " * len(match[0]) + concealed[match.end() :]
    tiles = scan_tiles(concealed, text)
    _check_tiles(text, tiles, melds)
    return tuple(tile.face for tile in tiles), tuple(melds), False


def _parse_meld(match: re.Match[str], text: str, *, is_first: bool) -> Meld | None:
    """Return the meld in a word of the text, or None if the word is concealed tiles.

    Only a meld in brackets may be the first word. Raises NotationError for brackets that do not hold a meld.
    """
    word = match[0]
    if word[0] in "<(>)":
        return _parse_bracketed(match, text)
    if is_first:
        return None
    word = word.lower() if word[0] in _CAPITAL_SUITS else word
    return next((meld for read in _MELD_READERS if (meld := _attempt(read, word))), None)


def _parse_bracketed(match: re.Match[str], text: str) -> Meld:
    """Read a meld in UMP's brackets, with tiles in any notation: ``<234p>``, ``(6z6z6z6z)``."""
    word = match[0]
    if len(word) < 2:
        raise NotationError(
            text, "this bracket has no partner; melds are <234p>, and (6666z) for a closed kan", match.span()
        )
    start, end = match.span()
    inside = " " * (start + 1) + match.string[start + 1 : end - 1].replace(",", " ")
    faces = format_ump_faces(tile.face for tile in scan_tiles(inside, text))
    hand = _attempt(parse_ump_hand, word[0] + faces + word[-1])
    if hand is None:
        raise NotationError(text, "not a meld; melds are <234p>, <666z>, and (6666z) for a closed kan", match.span())
    return hand[1][0]


_MELD_READERS: tuple[Callable[[str], Meld], ...] = (
    partial(parse_majiang_meld, owner=0),
    partial(parse_id_meld, owner=0),
    partial(parse_id_meld, owner=3, absolute=True),
)
"""The parsers of melds. Two of them may differ on which tile of a meld was called, but not on its tiles."""


def _check_tiles(text: str, tiles: Sequence[WrittenTile], melds: Sequence[Meld]) -> None:
    """Raise NotationError for the first concealed tile that a hand with these melds cannot have."""
    most = max(FULL_HAND - 3 * len(melds), 0)
    counts = [0] * KINDS
    for meld in melds:
        for face in meld.faces:
            counts[KIND_OF[face]] += 1
    for number, tile in enumerate(tiles, 1):
        kind = KIND_OF[tile.face]
        counts[kind] += 1
        if counts[kind] > COPIES:
            raise NotationError(
                text, f"this is one {MPSZ_FACES[kind]} too many; there are {COPIES} of a kind", tile.span
            )
        if number > most:
            problem = f"this is one tile too many; a hand has at most {FULL_HAND} (a meld counts three)"
            raise NotationError(text, problem, tile.span)


def _attempt(read: Callable[[str], T], text: str) -> T | None:
    """Return what a parser makes of the text, or None if it refuses it."""
    try:
        return read(text)
    except NotationError:
        return None


def _of_shoupai(text: str, hand: Shoupai) -> WrittenHand:
    """Return Majiang's hand with its drawn tile last."""
    if hand.hidden:
        raise NotationError(text, "has hidden tiles")
    faces = list(hand.faces)
    if hand.drawn is not None:
        faces.remove(hand.drawn)
        faces.append(hand.drawn)
    return tuple(faces), hand.melds, hand.riichi
