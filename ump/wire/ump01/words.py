"""The words that sentences are made of: seats, tiles, numbers, options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ump.model.notation import NotationError, parse_ump_faces, ump_face
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Face
from ump.wire.text import WireError, decode

_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)
_OPTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,31})=(.*)", re.ASCII)

TSUMOGIRI = "tsumogiri"


def parse_seat(word: str) -> Seat:
    """Read ``A``..``D``."""
    if len(word) != 1 or word not in LETTERS:
        raise WireError(f"{word[:20]!r} is no seat")
    return LETTERS.index(word)


def parse_number(word: str) -> int:
    """Read a decimal number of at most nine digits."""
    if _NUMBER.fullmatch(word) is None:
        raise WireError(f"{word[:20]!r} is no number")
    return int(word)


def parse_tile(word: str) -> Face:
    """Read one tile."""
    try:
        return ump_face(word)
    except NotationError as error:
        raise WireError(str(error)) from error


def parse_tiles(words: Iterable[str]) -> tuple[Face, ...]:
    """Read tiles, one a word or glued together, in the order in which they stand."""
    try:
        return tuple(face for word in words for face in parse_ump_faces(word))
    except NotationError as error:
        raise WireError(str(error)) from error


def split_options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Part arguments from ``name=value`` options, decoded; of an option given twice the last one counts."""
    arguments: list[str] = []
    options: dict[str, str] = {}
    for word in words:
        match = _OPTION.fullmatch(word)
        if match is None:
            arguments.append(word)
        else:
            options[match[1]] = decode(match[2])
    return arguments, options


def split_flag(words: Sequence[str], flag: str = TSUMOGIRI) -> tuple[list[str], bool]:
    """Part the arguments from a flag at their end."""
    if words and words[-1] == flag:
        return list(words[:-1]), True
    return list(words), False
