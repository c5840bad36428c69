"""Which names look alike: across scripts, upper and lower case, digits and letters.

The full table of Unicode (UTS 39, confusables.txt) has some six thousand entries. This one has what can be typed, or
copied from a page of letters, to imitate a name in Latin letters, digits or kana.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_ALIKE = {
    "a": "аɑα",
    "b": "ЬƄß",
    "c": "сϲⅽ",
    "d": "ԁⅾɗ",
    "e": "еҽє",
    "f": "ſẝ",
    "g": "ɡցɢ",
    "h": "һհн",
    "j": "јϳ",
    "k": "кκ",
    "l": "i1|!ıіӏιļǀⅼ丨",
    "m": "мⅿ",
    "n": "ոпη",
    "o": "0оοσօө〇○",
    "p": "рρ",
    "q": "ԛգ",
    "r": "гᴦ",
    "s": "ѕꜱ",
    "t": "тτ",
    "u": "սυʋц",
    "v": "ѵνⅴ",
    "w": "ԝшωա",
    "x": "хχ×",
    "y": "уүγ",
    "z": "ᴢ",
    "3": "зʒӡ",
    "-": "‐‑‒–—−ー一―ㅡ",
    "'": "’‘ʼ`´",
    "へ": "ヘ",
    "べ": "ベ",
    "ぺ": "ペ",
    "り": "リ",
    "口": "ロ囗",
    "力": "カ",
    "二": "ニ",
    "工": "エ",
    "卜": "ト",
    "夕": "タ",
    "八": "ハ",
    "千": "チ",
}
"""Characters that look like the key, in lower case. Those that Unicode itself calls the same are not listed."""

_UPPER = {"В": "b", "Β": "b", "Н": "h", "Η": "h", "Р": "p", "Ρ": "p", "С": "c", "Υ": "y", "Ν": "n", "Ζ": "z"}
"""Capital letters of other scripts whose small letters look like another letter, or like none."""

_LETTERS = str.maketrans({each: key for key, alike in _ALIKE.items() for each in alike} | _UPPER)

_PAIRS = (("rn", "m"), ("vv", "w"))
"""Two letters that look like one."""


@lru_cache(maxsize=4_096)
def skeleton(name: str) -> str:
    """Return a text that is the same for all names that look like this one; it is not for display."""
    text = "".join(_without_marks(unicodedata.normalize("NFKC", name).translate(_LETTERS)))
    text = unicodedata.normalize("NFKC", text.casefold()).translate(_LETTERS)
    for pair, letter in _PAIRS:
        text = text.replace(pair, letter)
    return text


def _without_marks(text: str) -> Iterator[str]:
    """Yield the characters without accents. The voicing marks of kana make other letters, and stay."""
    for character in text:
        if unicodedata.name(character, "").startswith("LATIN"):
            yield unicodedata.normalize("NFD", character)[0]
        elif unicodedata.category(character) != "Mn" or character in "\u3099\u309a":
            yield character


def look_alike(name: str, other: str) -> bool:
    """Return whether two different names can be taken for each other. Equal names are the same name."""
    return name != other and skeleton(name) == skeleton(other)
