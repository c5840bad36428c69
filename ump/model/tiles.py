"""Tiles as small integers, and the tables that relate them.

A tile has three numbers, plain integers so that inner loops stay fast:

* ``Tile``, 0..135: one physical tile, ``kind * 4 + copy`` (Tenhou's numbering). Walls consist of these.
* ``Kind``, 0..33: 1m..9m, 1p..9p, 1s..9s, then east south west north white green red.
* ``Face``, 0..36: what a player sees: the 34 kinds, and 34, 35, 36 for the red fives of m, p, s.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

from ump.model.constants import DEAD_WALL, DEALT_TILES

Tile: TypeAlias = int
Kind: TypeAlias = int
Face: TypeAlias = int

TILES = 136
"""The number of physical tiles in a game of four, and of all numbers of tiles."""
KINDS = 34
"""The number of kinds."""
FACES = 37
"""The number of faces: the kinds and the red fives."""
COPIES = 4
"""Tiles of each kind."""

RED_FIVES: tuple[Face, ...] = (34, 35, 36)
"""The red five of m, p and s."""

FIVES: tuple[Kind, ...] = (4, 13, 22)
"""The kinds that have a red five, in the order of RED_FIVES."""

EAST = 27
SOUTH = 28
WEST = 29
NORTH = 30
WHITE = 31
GREEN = 32
RED = 33
WINDS: tuple[Kind, ...] = (EAST, SOUTH, WEST, NORTH)
DRAGONS: tuple[Kind, ...] = (WHITE, GREEN, RED)

KIND_OF: tuple[Kind, ...] = (*range(KINDS), *FIVES)
"""The kind of each face; a red five is of the kind of plain fives."""

RED_OF: dict[Kind, Face] = dict(zip(FIVES, RED_FIVES, strict=True))
"""The red five of each kind that has one."""

FACES_OF: tuple[tuple[Face, ...], ...] = tuple(
    (RED_OF[kind], kind) if kind in RED_OF else (kind,) for kind in range(KINDS)
)
"""The faces of each kind, a red five first."""

ORDER: tuple[int, ...] = (*range(0, 2 * KINDS, 2), *(2 * kind - 1 for kind in FIVES))
"""A key that sorts each face as in a hand: m, p, s, z, by number, a red five before plain fives."""

IN_ORDER: tuple[Face, ...] = tuple(sorted(range(FACES), key=ORDER.__getitem__))
"""All faces in the order of a sorted hand."""

PLACE_BIT: tuple[int, ...] = tuple(1 << IN_ORDER.index(face) for face in range(FACES))
"""The bit of each face in a mask of places in IN_ORDER: ten bits for each suit, then the honours."""

YAOCHU: frozenset[Kind] = frozenset((0, 8, 9, 17, 18, 26, *range(27, KINDS)))
"""The thirteen terminals and honours."""


def is_honour(kind: Kind) -> bool:
    """Tell whether a kind is a wind or a dragon."""
    return kind >= EAST


def number_of(kind: Kind) -> int:
    """Return the number of a suited tile, 1..9; of an honour, its position from east on, 1..7."""
    return kind % 9 + 1


def sort_faces(faces: Iterable[Face]) -> tuple[Face, ...]:
    """Return the faces in the order of a sorted hand."""
    found = sorted(faces)
    if found and found[-1] >= KINDS:
        found.sort(key=ORDER.__getitem__)
    return tuple(found)


@cache
def faces_of_tiles(reds: tuple[int, ...]) -> tuple[Face, ...]:
    """Return the face of each of the 136 tiles; ``reds`` are the numbers of red fives in m, p and s.

    The first copies of a five are the red ones, as in Tenhou's numbering (16, 52 and 88 for one each).
    """
    faces = [tile // COPIES for tile in range(TILES)]
    for kind, count in zip(FIVES, reds, strict=True):
        faces[kind * COPIES : kind * COPIES + count] = [RED_OF[kind]] * count
    return tuple(faces)


@cache
def tiles_of(seats: int) -> tuple[Tile, ...]:
    """Return the tiles of a game with so many players, in ascending order: three play without 2m to 8m."""
    return tuple(tile for tile in range(TILES) if seats != 3 or tile // COPIES not in range(1, 8))


@cache
def kinds_of(seats: int) -> tuple[Kind, ...]:
    """Return the kinds of tiles in a game with so many players, in ascending order."""
    return tuple(sorted({tile // COPIES for tile in tiles_of(seats)}))


@cache
def live_wall(seats: int) -> int:
    """Return the number of tiles in the live wall after the deal to so many players: 70, or 55 to three."""
    return len(tiles_of(seats)) - seats * DEALT_TILES - DEAD_WALL


def _next_kind(kind: Kind) -> Kind:
    """Return the kind that follows in its cycle: the numbers of a suit, the winds, or the dragons."""
    for circle in (*(range(first, first + 9) for first in (0, 9, 18)), WINDS, DRAGONS):
        if kind in circle:
            return circle[(circle.index(kind) + 1) % len(circle)]
    raise ValueError(f"no kind {kind}")


DORA_OF: tuple[Kind, ...] = tuple(_next_kind(KIND_OF[face]) for face in range(FACES))
"""The kind that is dora when this face is the indicator, in a game of four."""


@cache
def dora_of(seats: int) -> tuple[Kind, ...]:
    """Return the kind that each face makes dora as indicator. In a game of three, 1m and 9m point at each other."""
    return DORA_OF if seats != 3 else (_next_kind(7), *DORA_OF[1:])


def pointed_at(indicators: Iterable[Face], seats: int) -> list[Kind]:
    """Return the kind that each indicator makes dora in a game of so many players; two of them may be equal."""
    dora = dora_of(seats)
    return [dora[indicator] for indicator in indicators]
