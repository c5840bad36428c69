"""mjai: ``5m``, red ``5mr``, honours ``E S W N P F C`` (white is P, green F, red C). Melds are JSON there."""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.notation.tables import NUMBERED, bounded, looked_up, readings
from ump.model.tiles import EAST, Face

MJAI_FACES: tuple[str, ...] = (
    *(f"{number}{suit}" for suit, number in NUMBERED[:EAST]),
    *"ESWNPFC",
    "5mr",
    "5pr",
    "5sr",
)
"""How mjai writes each face: the index is the face."""

_READ = readings(MJAI_FACES)


def parse_mjai_face(text: str) -> Face:
    """Read one tile; the opposite is ``MJAI_FACES[face]``."""
    return looked_up(_READ, text, "tile in mjai's notation (1m to 9m, p, s, E S W N P F C, red 5mr 5pr 5sr)")


def parse_mjai_faces(text: str) -> tuple[Face, ...]:
    """Read tiles separated by single spaces."""
    return tuple(parse_mjai_face(word) for word in bounded(text).split(" ")) if text else ()


def format_mjai_faces(faces: Iterable[Face]) -> str:
    """Write tiles in the order given, separated by spaces."""
    return " ".join(MJAI_FACES[face] for face in faces)
