"""MPSZ, the common notation of tools and books: numbers, then their suit; 0 is a red five: ``123m406p77z``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from ump.model.notation.tables import NUMBERED, NotationError, bounded, looked_up, readings
from ump.model.tiles import Face

MPSZ_FACES: tuple[str, ...] = (*(f"{number}{suit}" for suit, number in NUMBERED), "0m", "0p", "0s")
"""How MPSZ writes a single tile of each face: the index is the face."""

_READ = readings(MPSZ_FACES)
_GROUPS = re.compile(r"(?:[0-9]+[mpsz])*")
_GROUP = re.compile(r"([0-9]+)([mpsz])")


def parse_mpsz(text: str) -> tuple[Face, ...]:
    """Read tiles in the order written; a suit may occur twice (``123m5p1m``)."""
    if _GROUPS.fullmatch(bounded(text)) is None:
        raise NotationError(text, "is not in the notation 123m406p77z")
    groups = _GROUP.findall(text)
    return tuple(looked_up(_READ, number + suit, "tile") for numbers, suit in groups for number in numbers)


def format_mpsz(faces: Iterable[Face]) -> str:
    """Write tiles in the order given; adjacent tiles of a suit share its letter."""
    groups = groupby((MPSZ_FACES[face] for face in faces), key=lambda tile: tile[1])
    return "".join("".join(tile[0] for tile in tiles) + suit for suit, tiles in groups)
