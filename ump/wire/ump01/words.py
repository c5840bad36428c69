"""Reads and writes the words of sentences: seats, tiles, numbers, options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ump.model.notation import NotationError, parse_ump_face, parse_ump_faces
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Face
from ump.wire.redaction import is_secret
from ump.wire.text import WireError, decode, encode, quoted

_NUMBER = re.compile(r"[0-9]{1,9}")
_OPTION = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_SHOWN = re.compile(r"((?:[1-9][mpszMPS])*)((?:<(?:[1-9][mpszMPS])+>|\((?:[1-9][mpszMPS])+\))*)")

TSUMOGIRI = "tsumogiri"


def parse_seat(word: str) -> Seat:
    """Read ``A``..``D``; raise WireError for anything else."""
    if len(word) != 1 or word not in LETTERS:
        raise WireError(f"{quoted(word)} is not a seat")
    return LETTERS.index(word)


def parse_number(word: str) -> int:
    """Read a decimal number of at most nine digits, without a sign; raise WireError for anything else."""
    if _NUMBER.fullmatch(word) is None:
        raise WireError(f"{quoted(word)} is not a number")
    return int(word)


def parse_score(word: str) -> int:
    """Read a score, which may be negative; raise WireError for anything else."""
    return -parse_number(word[1:]) if word[:1] == "-" else parse_number(word)


def parse_tile(word: str) -> Face:
    """Read one tile; raise WireError for anything else."""
    try:
        return parse_ump_face(word)
    except NotationError as error:
        raise WireError(str(error)) from error


def parse_tiles(words: Iterable[str]) -> tuple[Face, ...]:
    """Read tiles in their order, one or more to a word; raise WireError for anything else."""
    try:
        return tuple(face for word in words for face in parse_ump_faces(word))
    except NotationError as error:
        raise WireError(str(error)) from error


def parse_shown(text: str) -> tuple[tuple[Face, ...], tuple[Face, ...]]:
    """Read the tiles of ``open``: return the concealed tiles, and the tiles of all melds, each in their order.

    Raises WireError for anything else.
    """
    match = _SHOWN.fullmatch(text)
    if match is None:
        raise WireError(f"{quoted(text)} is not a list of shown tiles")
    return parse_tiles([match[1]]), parse_tiles(re.findall(r"[^<>()]+", match[2]))


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split words into arguments and decoded ``name=value`` options.

    If an option is given twice, the last value wins. Raises WireError if a value cannot be decoded.
    """
    arguments: list[str] = []
    options: dict[str, str] = {}
    for word in words:
        match = _OPTION.fullmatch(word)
        if match is None:
            arguments.append(word)
        else:
            options[match[1]] = _value(match[1], match[2])
    return arguments, options


def option_words(options: Iterable[tuple[str, str]]) -> list[str]:
    """Write options as words, encoded."""
    return [f"{name}={encode(text, is_value=True)}" for name, text in options]


def split_flag(words: Sequence[str]) -> tuple[list[str], bool]:
    """Return the words without ``tsumogiri`` at their end, and whether it was there."""
    if words and words[-1] == TSUMOGIRI:
        return list(words[:-1]), True
    return list(words), False


def _value(name: str, word: str) -> str:
    """Decode the value of an option; raise WireError, which quotes no secret, if that is not possible."""
    try:
        return decode(word)
    except WireError:
        if is_secret(name):
            raise WireError(f"{quoted(name)} is not percent-encoded UTF-8") from None
        raise
