"""Three-digit ids, meld strings and serialised walls of the design notes for the game 雀实.

An id is suit (1 m, 2 p, 3 s, 4 z), number, copy: 152 is the third five of m. The *last* copies of a five are the
red ones (153 with one red five), but the first ones in Tenhou's numbers; this module translates between the two.

A meld string is the suit, the own tiles, ``-`` and the tiles picked up, ``_`` and the target, which is the source of
the first of these: ``m13-2`` (a run, always from the left neighbour), ``p50-5_2``, ``s55-05_3`` (an added kan: the
called tile, then the added one), ``m550-5_1``, ``z7777`` (a closed kan). The notes use two meanings of the target:

* relative, as in their table of melds: 1 the right neighbour, 2 the opposite player, 3 the left neighbour. This is
  the default here. (The table's column for open kans counts the other way round; here all melds count alike.)
  ``_0`` would be the owner, and is refused.
* absolute: the seat. The notes' longer examples (``m11-1_2 + p22-2_1 + s33-3_0``) fit only this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from ump.model.melds import Meld, MeldType
from ump.model.notation.majiang import MAJIANG_FACES
from ump.model.notation.mpsz import MPSZ_FACES, parse_mpsz
from ump.model.notation.tables import NotationError, bounded, looked_up, meld_of, readings
from ump.model.seats import Seat
from ump.model.tiles import COPIES, FIVES, KINDS, ORDER, RED_FIVES, TILES, Face, Tile, faces_of_tiles, number_of

ONE_EACH = (1, 1, 1)
"""One red five in each suit: m, p, s."""

_READ = readings(MAJIANG_FACES)
_LIST = re.compile(r"\[[0-9]{3}(?:, ?[0-9]{3})*\]|\[\]")
_MELD = re.compile(r"([mpsz])([0-9]{2,4})(?:-([0-9]{1,2}))?(?:_([0-9]))?")


@cache
def _ids(reds: tuple[int, ...]) -> tuple[int, ...]:
    """Return the id of each of the 136 tiles; copies of a five are rotated, so that the last ones are red."""
    shift = dict(zip(FIVES, reds, strict=True))
    hundreds = [(kind // 9 + 1) * 100 + number_of(kind) * 10 for kind in range(KINDS)]
    return tuple(
        hundreds[tile // COPIES] + (tile % COPIES - shift.get(tile // COPIES, 0)) % COPIES for tile in range(TILES)
    )


def parse_id_tiles(text: str, reds: tuple[int, ...] = ONE_EACH) -> tuple[Tile, ...]:
    """Read a list of different ids, ``[152, 153, 150]``; ``reds`` are the numbers of red fives in m, p and s."""
    if _LIST.fullmatch(bounded(text)) is None:
        raise NotationError(text, "is not a list of three-digit ids ([152, 153, 150])")
    table = {number: tile for tile, number in enumerate(_ids(reds))}
    numbers = [int(number) for number in re.findall("[0-9]+", text)]
    if len(set(numbers)) < len(numbers) or not table.keys() >= set(numbers):
        raise NotationError(text, "must hold different ids of tiles (110 to 193, 2.., 3.., 410 to 473)")
    return tuple(table[number] for number in numbers)


def format_id_tiles(tiles: Iterable[Tile], reds: tuple[int, ...] = ONE_EACH) -> str:
    """Write a list of ids."""
    table = _ids(reds)
    return str([table[tile] for tile in tiles])


def parse_serialised(text: str, reds: tuple[int, ...] = ONE_EACH) -> tuple[Tile, ...]:
    """Read a serialised wall or hand, ``5m0m5m5m``: equal tiles become their copies in order of id.

    The notation does not tell equal tiles apart, but it keeps the positions of the red fives.
    """
    faces = parse_mpsz(text)
    free = _copies_by_face(reds)
    tiles = []
    for face in faces:
        if not free[face]:
            raise NotationError(text, f"has more tiles {MPSZ_FACES[face]} than exist")
        tiles.append(free[face].pop(0))
    if format_serialised(tiles, reds) != text:
        raise NotationError(text, "must give the suit after each tile (5m0m5m5m)")
    return tuple(tiles)


def format_serialised(tiles: Iterable[Tile], reds: tuple[int, ...] = ONE_EACH) -> str:
    """Write a wall or a hand in the order given, each tile with number and suit, red fives as 0."""
    faces = faces_of_tiles(reds)
    return "".join(MPSZ_FACES[faces[tile]] for tile in tiles)


def _copies_by_face(reds: tuple[int, ...]) -> dict[Face, list[Tile]]:
    """Return the tiles of each face, in order of id."""
    ids = _ids(reds)
    copies: dict[Face, list[Tile]] = {face: [] for face in (*range(KINDS), *RED_FIVES)}
    for tile in sorted(range(TILES), key=ids.__getitem__):
        copies[faces_of_tiles(reds)[tile]].append(tile)
    return copies


def parse_id_meld(text: str, owner: Seat, seats: int = 4, *, absolute: bool = False) -> Meld:
    """Read a meld string of this owner; with ``absolute``, targets are seats and not steps to the right."""
    match = _MELD.fullmatch(text)
    if match is None:
        raise NotationError(text, "is not a meld string (m13-2, p50-5_2, s55-05_3, m550-5_1, z7777)")
    suit, own, picked, target = match[1], match[2], match[3] or "", match[4]
    own_faces, picked_faces = ([looked_up(_READ, suit + digit, "tile") for digit in part] for part in (own, picked))
    meld = meld_of(text, own_faces, picked_faces, (owner - 1) % seats)
    if (target is None) != (meld.type in (MeldType.CHI, MeldType.ANKAN)):
        raise NotationError(text, "must name a target for a pon or open kan, and none for a run or closed kan")
    if target is None:
        return meld
    source = int(target) if absolute else owner + int(target)
    if int(target) >= seats or source % seats == owner:
        raise NotationError(text, "names a target that is not another player")
    return Meld(meld.type, meld.own, meld.called, source % seats, meld.added)


def format_id_meld(meld: Meld, owner: Seat, seats: int = 4, *, absolute: bool = False) -> str:
    """Write a meld string of this owner, plain fives before red ones among the own tiles."""
    suit = MAJIANG_FACES[meld.own[0]][0]
    by_number = meld.type is MeldType.CHI
    text = suit + _digits(sorted(meld.own, key=ORDER.__getitem__, reverse=not by_number))
    picked = [face for face in (meld.called, meld.added) if face is not None]
    if picked:
        text += "-" + _digits(picked)
    if meld.source is not None and not by_number:
        text += f"_{meld.source if absolute else (meld.source - owner) % seats}"
    return text


def _digits(faces: Iterable[Face]) -> str:
    """Write the digits of tiles, 0 for a red five."""
    return "".join(MAJIANG_FACES[face][1] for face in faces)
