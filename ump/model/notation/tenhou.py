"""Tenhou's numbers of physical tiles, 0 to 135: ``kind * 4 + copy``, the same as ``Tile``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ump.model.notation.tables import NotationError, bounded
from ump.model.tiles import TILES, Tile

_LIST = re.compile(r"[0-9]{1,3}(?:,[0-9]{1,3})*")


def parse_tenhou_tiles(text: str) -> tuple[Tile, ...]:
    """Read different tiles separated by commas, as in Tenhou's records: ``16,52,135``."""
    if text and _LIST.fullmatch(bounded(text)) is None:
        raise NotationError(text, "is not a list of Tenhou's tiles (16,52,135)")
    tiles = tuple(int(number) for number in text.split(",")) if text else ()
    if any(tile >= TILES for tile in tiles) or len(set(tiles)) < len(tiles):
        raise NotationError(text, f"must hold different numbers below {TILES}")
    return tiles


def format_tenhou_tiles(tiles: Iterable[Tile]) -> str:
    """Write tiles separated by commas."""
    return ",".join(map(str, tiles))
