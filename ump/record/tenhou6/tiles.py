"""Tiles and melds in tenhou.net/6 JSON.

A tile has two digits: 11 to 19 characters, 21 to 29 circles, 31 to 39 bamboo, 41 to 47 winds and dragons, 51, 52, 53
the red fives. A meld is a text of its tiles. Its letter stands before the called tile, and the place of the letter says
from whom it was called: in front the left neighbour, then the opposite one, at the end the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ump.model.melds import Meld, MeldType
from ump.model.notation import NotationError
from ump.model.notation.tables import meld_of
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, KINDS, Face

SEATS = 4
"""The seats of this format. A game of three leaves the last one empty; a meld still names it as a neighbour."""

KITA = "f44"
"""A north that is set aside, among the discards."""

NUMBERS: tuple[int, ...] = (*((kind // 9 + 1) * 10 + kind % 9 + 1 for kind in range(KINDS)), 51, 52, 53)
"""The number of each face."""

FACES = {number: face for face, number in enumerate(NUMBERS)}
"""The face of each number."""

LETTERS = {
    MeldType.CHI: "c",
    MeldType.PON: "p",
    MeldType.DAIMINKAN: "m",
    MeldType.KAKAN: "k",
    MeldType.ANKAN: "a",
}

_MELD = re.compile(r"((?:\d\d){0,3})([cpmka])((?:\d\d){1,4})")
_TYPES = {letter: type_ for type_, letter in LETTERS.items()}


def in_order(faces: Iterable[Face]) -> list[Face]:
    """Return faces in the order of this format: red fives after the others."""
    return sorted(faces, key=lambda face: (KIND_OF[face], face))


def face_of(number: object) -> Face:
    """Return the face of a number; raise NotationError if there is none."""
    face = FACES.get(number) if type(number) is int else None
    if face is None:
        raise NotationError(str(number)[:40], "is not a tile of tenhou.net/6")
    return face


def write_meld(meld: Meld, owner: Seat) -> str:
    """Return the text of a meld."""
    own = [str(NUMBERS[face]) for face in in_order(meld.own)]
    letter = LETTERS[meld.type]
    if meld.called is None or meld.source is None:
        return "".join((*own[:-1], letter, own[-1]))
    added = "" if meld.added is None else str(NUMBERS[meld.added])
    place = (len(own), 1, 0)[(meld.source - owner) % SEATS - 1]
    return "".join((*own[:place], letter, added, str(NUMBERS[meld.called]), *own[place:]))


def read_meld(text: str, owner: Seat) -> Meld:
    """Return the meld of a text; raise NotationError if it is none."""
    match = _MELD.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a meld of tenhou.net/6")
    before, letter, after = (match[1], match[2], match[3])
    first, rest = _faces(before), _faces(after)
    type_ = _TYPES[letter]
    if type_ is MeldType.ANKAN:
        meld = meld_of(text, (*first, *rest), (), None)
    else:
        added = [rest.pop(0)] if type_ is MeldType.KAKAN else []
        if not rest:
            raise NotationError(text, "is not a meld of tenhou.net/6")
        called = rest.pop(0)
        steps = 3 if not first else 2 if len(first) == 1 and rest else 1
        meld = meld_of(text, (*first, *rest), (called, *added), (owner + steps) % SEATS)
    if meld.type is not type_ or (type_ is MeldType.CHI and first):
        raise NotationError(text, "is not a meld of tenhou.net/6")
    return meld


def _faces(digits: str) -> list[Face]:
    return [face_of(int(digits[place : place + 2])) for place in range(0, len(digits), 2)]
