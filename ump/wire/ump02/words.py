"""The words that only 0.2 has: seats of two characters, hidden tiles, tiles that are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ump.model.constants import FULL_HAND
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Face
from ump.wire.text import WireError, quoted
from ump.wire.ump01.words import parse_tile

SEATS: tuple[str, ...] = tuple(f"{letter}0" for letter in LETTERS)
"""How each seat is written: the index is the seat."""

HIDDEN = "xx"
"""A tile that is not shown."""

RICHI = "richi"

_SHOWN = re.compile(r"(?:[1-9][mpszMPS])+|<(?:[1-9][mpszMPS])+>|\((?:[1-9][mpszMPS])+\)|\[(?:[1-9][mpszMPS])+\]")


def parse_seat(word: str) -> Seat:
    """Read ``A0``..``D0``."""
    if word not in SEATS:
        raise WireError(f"{quoted(word)} is no seat")
    return SEATS.index(word)


def parse_seen(word: str) -> Face | None:
    """Read one tile, or None where it is hidden."""
    return None if word == HIDDEN else parse_tile(word)


def parse_all_seen(text: str) -> tuple[Face | None, ...]:
    """Read glued tiles, each of which may be hidden, in the order in which they stand."""
    if not text or len(text) > 2 * FULL_HAND:
        raise WireError(f"{quoted(text)} are no tiles of a hand")
    return tuple(parse_seen(text[at : at + 2]) for at in range(0, len(text), 2))


def seen_text(faces: Iterable[Face | None]) -> str:
    """Write glued tiles, hidden where they are None."""
    return "".join(HIDDEN if face is None else UMP_FACES[face] for face in faces)


def check_shown(text: str) -> str:
    """Return what ``open`` shows: concealed tiles, or a meld in its brackets; raises WireError if it is neither."""
    if len(text) > 2 * FULL_HAND or _SHOWN.fullmatch(text) is None:
        raise WireError(f"{quoted(text)} are no tiles that could be shown")
    return text
