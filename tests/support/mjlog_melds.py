"""Reads the number by which Tenhou's records name a meld."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import COPIES, Tile, faces_of_tiles, sort_faces

SEATS = 4
FACE = faces_of_tiles((1, 1, 1))

CHI, PON, KAKAN = 4, 8, 16
"""The bits that say which it is, the first one that is set; a kan has none of them."""


def read_meld(seat: Seat, code: int, last: Tile | None, melds: Sequence[Meld]) -> tuple[Meld, tuple[Tile, ...]]:
    """Return the meld that a seat made, and the tiles that left its hand for it.

    ``last`` is the tile that was discarded last, ``melds`` those that the seat has (an added kan keeps what the pon
    says). Raises ValueError where the called tile is not the one that was discarded.
    """
    source = (seat + (code & 3)) % SEATS
    if code & CHI:
        tiles, called = _chi_tiles(code)
        kind = MeldType.CHI
    elif code & PON:
        tiles, called = _pon_tiles(code)
        kind = MeldType.PON
    elif code & KAKAN:
        return _kakan(code, melds)
    else:
        called = code >> 8
        first = called // COPIES * COPIES
        tiles = tuple(range(first, first + COPIES))
        kind = MeldType.DAIMINKAN if code & 3 else MeldType.ANKAN
    if kind is MeldType.ANKAN:
        return Meld(kind, sort_faces(FACE[tile] for tile in tiles)), tiles
    if called != last:
        raise ValueError(f"meld {code} takes tile {called}, but {last} was discarded")
    own = tuple(tile for tile in tiles if tile != called)
    return Meld(kind, sort_faces(FACE[tile] for tile in own), FACE[called], source), own


def _chi_tiles(code: int) -> tuple[tuple[Tile, ...], Tile]:
    """Return the three tiles of a run, and which of them was called."""
    order, called = divmod(code >> 10, 3)
    kind = order // 7 * 9 + order % 7
    tiles = tuple((kind + step) * COPIES + (code >> (3 + 2 * step) & 3) for step in range(3))
    return tiles, tiles[called]


def _pon_tiles(code: int) -> tuple[tuple[Tile, ...], Tile]:
    """Return the three tiles of a triplet, and which of them was called."""
    kind, called = divmod(code >> 9, 3)
    unused = code >> 5 & 3
    tiles = tuple(kind * COPIES + copy for copy in range(COPIES) if copy != unused)
    return tiles, tiles[called]


def _kakan(code: int, melds: Sequence[Meld]) -> tuple[Meld, tuple[Tile, ...]]:
    """Return the added kan that one of these pons becomes."""
    kind = (code >> 9) // 3
    added = kind * COPIES + (code >> 5 & 3)
    pon = next(meld for meld in melds if meld.type is MeldType.PON and meld.kind == kind)
    return Meld(MeldType.KAKAN, pon.own, pon.called, pon.source, FACE[added]), (added,)
