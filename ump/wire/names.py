"""The names of players and rooms that are allowed, in every dialect, and their form in a log.

Names appear on terminals, on pages and in records, beside those of others. So a name has only characters that can be
seen, and that stay in their place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from ump.wire.text import MAX_NAME, WireError

_CONTROLS = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of control characters, surrogates and line ends."""

_UNSEEN = frozenset({"Cf", "Co", "Cn", "Zs"})
"""Categories of characters that cannot be seen (zero-width, directional and tag characters, spaces of other widths), or
that each font shows differently, or not at all."""

_SPACES = " \u3000"
"""The spaces that a name may have between other characters: the plain one, and that of Japanese."""

_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters of other categories that look like nothing: joiners and fillers of Hangul, Khmer and Braille (Unicode,
DerivedCoreProperties, Default_Ignorable_Code_Point, and U+2800)."""

_SELECTORS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Selectors of variants, which are not seen by themselves."""

_MARKS = frozenset({"Mn", "Me"})
"""Categories of marks that stand on the character before them."""

MOST_MARKS = 2
"""Marks on one character. Vietnamese needs two; more of them reach into the lines above and below."""

_PLAIN = re.compile(r"[\w.-]+")


def check_name(text: str, option: str) -> str:
    """Return a name of a client or a room unchanged; raise WireError if it may not be one.

    ``option`` is what the error message calls the text (``name=``).
    """
    categories = [unicodedata.category(character) for character in text]
    if not text.strip() or len(text) > MAX_NAME or not _CONTROLS.isdisjoint(categories):
        raise WireError(f"{option} must have 1 to {MAX_NAME} characters, and no control characters")
    if text[0] in _SPACES or text[-1] in _SPACES or _is_unseen(text, categories) or _has_many_marks(categories):
        raise WireError(
            f"{option} must have no invisible characters, no space at its ends, and at most {MOST_MARKS} marks in a row"
        )
    return text


def _is_unseen(text: str, categories: list[str]) -> bool:
    """Return whether a text has a character that cannot be seen; a space between others can."""
    unseen = (
        (category in _UNSEEN and character not in _SPACES) or character in _FILLERS
        for character, category in zip(text, categories, strict=True)
    )
    return any(unseen) or _SELECTORS.search(text) is not None


def _has_many_marks(categories: list[str]) -> bool:
    """Return whether a text begins with a mark, or has too many on one character."""
    row = MOST_MARKS  # there is no character yet that could carry one
    for category in categories:
        row = row + 1 if category in _MARKS else 0
        if row > MOST_MARKS:
            return True
    return False


def logged_name(name: str) -> str:
    """Return a name for a line of a log: in quotes, unless it is one plain word, so that it cannot look like more."""
    return name if _PLAIN.fullmatch(name) else repr(name)


# Names that look alike


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


OFFICES = frozenset(map(skeleton, ("admin", "administrator", "moderator", "operator", "server", "system")))
"""Names that nobody has, because others would believe them, as ``skeleton`` folds them."""


SUBSTITUTE_NAME = "bot for "
"""The beginning of the name of a bot that plays for an entrant of a tournament who is away."""


def is_office(name: str) -> bool:
    """Return whether a name, or that of a bot's owner, looks like one of those that nobody has."""
    return skeleton(owner_of(name)) in OFFICES


# Bots: ``alice/akagi`` is a bot of ``alice``


SEPARATOR = "/"
"""Between the name of an owner and that of a bot. No user's name has one."""


def owner_of(player: str) -> str:
    """Return the part of a player's name before the first slash: the name itself if there is none."""
    return player.partition(SEPARATOR)[0]
