"""The shape of hands two and three from tenpai: it tells apart the discards that are worth nearly the same.

The outlook of such a hand counts the tiles that bring it nearer, and takes what comes then as usual
(``ump.players.outlook``). The shape looks one step farther, and at two signs of what more draws bring.
"""

from __future__ import annotations

from ump.model.tiles import EAST, KINDS, Kind
from ump.players import rates
from ump.players.outlook import LiveTiles, kinds_of_mask
from ump.rules.shanten import shanten_and_ukeire, spare_kinds


def shape_gains(kinds: list[int], live: list[int], number: int, worths: dict[Kind, float]) -> dict[Kind, float]:
    """Return the points that each discard gains by its shape on the one that seems best.

    ``kinds`` are 3n + 2 tiles, ``live`` the unseen tiles of each kind, ``worths`` the points of discards that leave
    this shanten as the outlook sees it. If a hand aims at a yaku its real shanten is another one: it gains nothing.
    """
    shapes = _Shapes(live)
    best = sorted(worths, key=worths.__getitem__, reverse=True)[: rates.SHAPE_MOST]
    points: dict[Kind, float] = {}
    for kind in best:
        kinds[kind] -= 1
        if shapes.distance(kinds) == number:
            points[kind] = shapes.points(kinds, worths[kind])
        kinds[kind] += 1
    first = best[0]
    if first not in points:
        return {}
    return {kind: each - points[first] - rates.SHAPE_MARGIN for kind, each in points.items() if kind != first}


class _Shapes:
    """The shapes of the hands that the discards of one turn leave, and those that follow."""

    def __init__(self, live: list[int]) -> None:
        self._live = live
        self._tiles = LiveTiles(live)
        self._known: dict[bytes, tuple[int, int, int]] = {}

    def distance(self, kinds: list[int]) -> int:
        """Return the shanten of 3n + 1 tiles."""
        return self._of(kinds)[0]

    def points(self, kinds: list[int], worth: float) -> float:
        """Return what the shape of 3n + 1 tiles adds to their worth; only differences mean anything."""
        weights = rates.SHAPES[self.distance(kinds)]
        return (
            weights.worth * worth
            + weights.next_tiles * self._next_tiles(kinds)
            + weights.two_sided * two_sided(kinds)
            + weights.kinds * (KINDS - kinds.count(0))
        )

    def _next_tiles(self, kinds: list[int]) -> float:
        """Return how many live tiles are useful after the next useful draw and the best discard, on average."""
        _, mask, tiles = self._of(kinds)
        total = 0
        for drawn in kinds_of_mask(mask):
            if self._live[drawn]:
                kinds[drawn] += 1
                total += self._live[drawn] * self._most_tiles(kinds, drawn)
                kinds[drawn] -= 1
        return total / (tiles or 1)

    def _most_tiles(self, kinds: list[int], drawn: Kind) -> int:
        """Return the useful tiles that the best discard leaves of 3n + 2 tiles, after the draw of this one."""
        most = 0
        for kind in kinds_of_mask(spare_kinds(kinds)[1]):
            kinds[kind] -= 1
            _, mask, tiles = self._of(kinds)
            kinds[kind] += 1
            most = max(most, tiles - (mask >> drawn & 1))
        return most

    def _of(self, kinds: list[int]) -> tuple[int, int, int]:
        """Return the shanten of 3n + 1 tiles, the mask of the kinds that lower it, and their live tiles."""
        key = bytes(kinds)
        found = self._known.get(key)
        if found is None:
            number, mask = shanten_and_ukeire(kinds)
            found = self._known[key] = number, mask, self._tiles.count(mask)
        return found


def two_sided(kinds: list[int]) -> int:
    """Return how many neighbours a hand holds that two kinds make a run with: 23, 34 .. 78 of a suit."""
    number = 0
    for kind in range(EAST - 1):
        if kinds[kind] and kinds[kind + 1] and 1 <= kind % 9 <= 6:
            number += 1
    return number
