"""How reports write tiles: MPSZ, melds in brackets. The reader of typed hands takes it all back."""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.melds import Meld
from ump.model.notation import MPSZ_FACES, format_mpsz
from ump.model.tiles import DORA_OF, Face, sort_faces


def spelt_tile(face: Face) -> str:
    """Write one tile: ``0p``."""
    return MPSZ_FACES[face]


def spelt_tiles(faces: Iterable[Face]) -> str:
    """Write tiles, sorted: ``406p11z``; a dash for none."""
    return format_mpsz(sort_faces(faces)) or "-"


def spelt_dora(indicators: Iterable[Face]) -> str:
    """Write the dora that these indicators point at, in the order of the indicators."""
    return " ".join(MPSZ_FACES[DORA_OF[indicator]] for indicator in indicators)


def spelt_meld(meld: Meld) -> str:
    """Write a meld: ``<345p>``, a closed kan ``(6666z)``."""
    tiles = spelt_tiles(meld.faces)
    return f"<{tiles}>" if meld.is_open else f"({tiles})"


def spelt_hand(faces: Iterable[Face], melds: Iterable[Meld]) -> str:
    """Write a hand: the concealed tiles sorted, then the melds."""
    return spelt_tiles(faces) + "".join(map(spelt_meld, melds))
