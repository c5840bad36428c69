"""Arranged walls: known hands, draws and indicators, and the win of other players that ends a situation.

Seats are UMP's letters. Tiles are in MPSZ (``123m0p77z``; 0 is the red five).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ump.model.constants import DEAD_WALL
from ump.model.notation import UMP_FACES, format_mpsz, parse_mpsz
from ump.model.seats import LETTERS, seats_from
from ump.model.tiles import COPIES, KIND_OF, RED_FIVES, Face, Tile, faces_of_tiles
from ump.model.value import value
from ump.rules.wall import DEAL, LAYOUTS

PAIRS = 6
"""The pairs of a hand that waits for its seventh."""

_PAIR_ORDER = tuple(face for face in range(len(UMP_FACES)) if face not in RED_FIVES)
"""The faces of which such pairs are made, in the order in which they are tried."""


@value
class Closing:
    """The win that ends a kyoku when the client has been through its situation: one player deals in to another.

    The client holds no copy of the tile, so that it cannot delay the end.
    """

    winner: str = "C"
    loser: str = "B"
    tile: str = "4z"
    hand: str = ""
    """The 13 tiles of the winner; by default six pairs beside the tile."""


@value
class Arrangement:
    """The wall of one kyoku."""

    hands: Mapping[str, str]
    """The tiles that each seat is dealt, up to 13; the rest is filled with tiles that hardly fit together."""
    draws: str = ""
    """The first tiles of the live wall, in the order of the draws."""
    rinshan: str = ""
    """The replacement tiles of kans, in the order of their draws."""
    closing: Closing | None = None

    def wall(self, dealer: str = "A", seats: int = 4) -> tuple[Tile, ...]:
        """Return the wall; raises ValueError if a tile is used too often."""
        hands = dict(self.hands)
        closing = self.closing
        if closing is not None:
            hands[closing.loser] = hands.get(closing.loser, "") + closing.tile * 3
            hands[closing.winner] = closing.hand or (hands.get(closing.winner, "") + closing.tile + self._pairs(seats))
        return build_wall(hands, self.draws, self.rinshan, dealer=dealer, seats=seats)

    def _pairs(self, seats: int) -> str:
        """Return six pairs of tiles that no other given place of the wall has."""
        in_game = {tile // COPIES for tile in LAYOUTS[seats].tiles}
        places = (*self.hands.values(), self.draws, self.rinshan)
        used = [KIND_OF[face] for text in places for face in parse_mpsz(text)]
        assert self.closing is not None
        used += [KIND_OF[face] for face in parse_mpsz(self.closing.tile)]
        free = [face for face in _PAIR_ORDER if KIND_OF[face] in in_game and KIND_OF[face] not in used]
        return format_mpsz(face for face in free[:PAIRS] for _ in range(2))


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
    rest.sort(key=lambda item: (item[0], item[1] * 11 % 37))
    filler = iter(tile for _, _, tile in rest)
    return tuple(tiles[place] if place in tiles else next(filler) for place in range(size - 1, -1, -1))[::-1]


def _dealt_letters(dealer: str, seats: int) -> Iterator[str]:
    for count in DEAL:
        for seat in seats_from(LETTERS.index(dealer), seats):
            yield from LETTERS[seat] * count
