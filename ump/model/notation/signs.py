"""Tiles as printed in books and chats: kanji (``一二三萬``, ``東``, ``①``) and the Unicode tiles (``🀀`` to ``🀡``).

Only ``written`` reads these signs. To write a kind or face, index the table with it.
"""

from __future__ import annotations

from itertools import product

from ump.model.notation.tables import readings
from ump.model.tiles import Face

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

KANJI_FACES: tuple[str, ...] = (
    *(number + suit for suit, number in product("萬筒索", KANJI_NUMBERS)),
    *"東南西北白發中",
    "赤五萬",
    "赤五筒",
    "赤五索",
)
"""How each face is written in kanji: the index is the face."""

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
