"""Text of errors about a word that is none of the known ones: the closest of them, and all of them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_SHOWN = 40
"""The number of characters of the input that an error repeats."""

MAX_LISTED = 20
"""The number of words that an error lists. If there are more, and one of them is close, it names that one only."""


MIN_LIKENESS = 0.7
"""The likeness of two words, as ``difflib`` measures it, from which one is proposed for the other."""


def quoted(text: str) -> str:
    """Return input in quotes, in ASCII and short enough for one line of an error."""
    return ascii(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}...")


def either(words: Iterable[str]) -> str:
    """Return a list in English: ``a``, ``a or b``, ``a, b or c``."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def closest(word: str, words: Iterable[str]) -> str | None:
    """Return the known word that looks most like a word; None if none is close. Case, ``-`` and ``_`` do not count."""
    known = {_simplified(each): each for each in words}
    found = get_close_matches(_simplified(word[:MAX_SHOWN]), known, n=1, cutoff=MIN_LIKENESS)
    return known[found[0]] if found else None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return ``" (did you mean WORD?)"`` with the closest known word; nothing for a known word, or if none is close."""
    meant = closest(word, words)
    return "" if meant in (None, word) else f" (did you mean {meant}?)"


def unknown(noun: str, word: str, words: Iterable[str]) -> str:
    """Return the error about a word that is none of the known ones: ``unknown preset 'x'; choose a, b or c``."""
    known = list(words)
    hint = did_you_mean(word, known)
    listed = "" if hint and len(known) > MAX_LISTED else f"; choose {either(known)}"
    return f"unknown {noun} {quoted(word)}{hint}{listed}"


def _simplified(word: str) -> str:
    return word.lower().replace("_", "-")
