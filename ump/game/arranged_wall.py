"""Walls with known tiles, for situations that somebody has thought of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ump.model.constants import DEAD_WALL
from ump.model.notation import UMP_FACES, parse_mpsz
from ump.model.seats import LETTERS, seats_from
from ump.model.tiles import FACES, Face, Tile, faces_of_tiles
from ump.rules.wall import DEAL, LAYOUTS

STEP = 11
"""Steps between faces that follow each other in the rest of a wall; it has no divisor in common with FACES."""


def build_wall(
    hands: Mapping[str, str],
    draws: str = "",
    rinshan: str = "",
    dora: str = "",
    ura: str = "",
    *,
    dealer: str = "A",
    reds: tuple[int, ...] = (1, 1, 1),
    seats: int = 4,
) -> tuple[Tile, ...]:
    """Return a wall with these hands, draws in order, replacement tiles and indicators.

    The other tiles are spread by kind, so that hands that are not given have hardly a pair. Raises ValueError if a hand
    has more than 13 tiles, or if a tile is used too often.
    """
    faces, layout = faces_of_tiles(reds), LAYOUTS[seats]
    spare = {face: [tile for tile in layout.tiles if faces[tile] == face] for face in range(len(UMP_FACES))}
    size = len(layout.tiles)
    places: dict[int, Face] = {}
    dealt = dict(zip(range(size - 1, -1, -1), _dealt_letters(dealer, seats), strict=False))
    for letter, text in hands.items():
        mine = [place for place, owner in dealt.items() if owner == letter]
        hand = parse_mpsz(text)
        if len(hand) > len(mine):
            raise ValueError(f"{letter} has {len(hand)} tiles")
        places.update(zip(mine, hand, strict=False))
    first_draw = DEAD_WALL + layout.live - 1
    places.update(zip(range(first_draw, DEAD_WALL - 1, -1), parse_mpsz(draws), strict=False))
    for slots, text in ((layout.rinshan, rinshan), (layout.indicators, dora), (layout.ura, ura)):
        places.update(zip(slots, parse_mpsz(text), strict=False))
    tiles: dict[int, Tile] = {}
    for place, face in places.items():
        if not spare[face]:
            raise ValueError(f"more copies of {UMP_FACES[face]} than there are")
        tiles[place] = spare[face].pop()
    rest = [(copy, face, tile) for face in spare for copy, tile in enumerate(spare[face])]
    # The rest of the wall should give nobody a hand: neighbouring tiles are far apart.
    rest.sort(key=lambda item: (item[0], item[1] * STEP % FACES))
    filler = iter(tile for _, _, tile in rest)
    return tuple(tiles[place] if place in tiles else next(filler) for place in range(size - 1, -1, -1))[::-1]


def _dealt_letters(dealer: str, seats: int) -> Iterator[str]:
    for count in DEAL:
        for seat in seats_from(LETTERS.index(dealer), seats):
            yield from LETTERS[seat] * count
