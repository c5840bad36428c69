"""The wall: its layout, and how it is shuffled.

The layout is Tenhou's: tiles are dealt and drawn from the end of the list; the first 14 are the dead wall.

======================== ======================== =========================================================
four players, 136 tiles  three players, 108 tiles what lies there
======================== ======================== =========================================================
135 .. 84                107 .. 69                the deal: three times four tiles each, then one each
83 .. 14                 68 .. 14                 the live wall, 70 or 55 draws
1, 0, 3, 2               1, 0, 3, 2, 5, 4, 7, 6   the replacement tiles of the four kans, and of norths set aside
5, 7, 9, 11, 13          9, 11, 13, 15, 17        the dora indicator and those of the kans
4, 6, 8, 10, 12          8, 10, 12, 14, 16        the ura indicator under each
======================== ======================== =========================================================

After a replacement draw the last live tile joins the dead wall, so that 70 or 55 tiles are drawn in all. (Three
players' last two indicators begin as live tiles: before a third kan at least three tiles have joined the dead wall.)

The shuffle is defined here, so that a text gives the same wall with every version of Python and in every language. The
SHAKE-256 stream of the UTF-8 text is cut into 32-bit big-endian numbers. To draw one of 0..n-1 without bias, numbers
from the largest multiple of n (up to 2 ** 32) on are skipped; the next one counts modulo n. The tiles in ascending
order are shuffled by Fisher and Yates' method: for ``last`` from 135 (or 107) down to 1, the tile at ``last`` is
swapped with that at a random place of 0..``last``. Dice are two numbers modulo 6, plus one each. ``ump.game.deals``
says which texts the walls and dice of a game are made from.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from hashlib import shake_256
from typing import TypeVar

from ump.model.constants import DEAD_WALL
from ump.model.seats import Seat, seats_from
from ump.model.tiles import TILES, Face, Tile, faces_of_tiles, live_wall, sort_faces, tiles_of
from ump.model.value import value

T = TypeVar("T")

DEAL = (4, 4, 4, 1)
"""The number of tiles that each player takes at a time in the deal."""

SHUFFLE_WORDS = 136
"""The number of values first read from a random stream for a shuffle, which needs 135, rarely one more."""

DICE_WORDS = 4
"""The number of values first read for the dice, which need 2, rarely one more."""


def _limit(n: int) -> int:
    """Return the largest multiple of n up to 2 ** 32: below it all remainders of n are equally likely."""
    return 2**32 - 2**32 % n


_STEPS: tuple[tuple[int, int], ...] = tuple((last, _limit(last + 1)) for last in range(TILES - 1, 0, -1))
"""The steps of a shuffle: each place from the last one down, and the limit of the numbers that count there."""


@value
class Layout:
    """The places in the wall of a game with this number of players."""

    seats: int
    tiles: tuple[Tile, ...]
    """The tiles of the game, in ascending order."""
    rinshan: tuple[int, ...]
    """The places of the replacement tiles, in the order of their draws."""
    indicators: tuple[int, ...]
    """The places of the dora indicators: the first one, then those of the kans."""
    ura: tuple[int, ...]
    """The places of the ura indicators, in the same order."""

    @property
    def live(self) -> int:
        """The number of tiles in the live wall after the deal."""
        return live_wall(self.seats)


LAYOUTS = {
    4: Layout(4, tiles_of(4), (1, 0, 3, 2), (5, 7, 9, 11, 13), (4, 6, 8, 10, 12)),
    3: Layout(3, tiles_of(3), (1, 0, 3, 2, 5, 4, 7, 6), (9, 11, 13, 15, 17), (8, 10, 12, 14, 16)),
}
"""The layout of the wall by the number of players."""

_COMPLETE = {seats: frozenset(layout.tiles) for seats, layout in LAYOUTS.items()}
"""The tiles of a wall by the number of players."""


class EmptyWall(Exception):
    """A draw from a wall that has no tile for it: an error of the program, never of a player."""


class Wall:
    """One shuffled wall, and the draws from it."""

    __slots__ = ("_faces", "_layout", "left", "rinshan_drawn")

    def __init__(self, tiles: Sequence[Tile], reds: tuple[int, ...], seats: int = 4) -> None:
        """Build the wall of these tiles for so many players; ``reds`` are the numbers of red fives in m, p and s.

        Raises ValueError unless each tile of the game occurs once.
        """
        self._layout = LAYOUTS[seats]
        if len(tiles) != len(self._layout.tiles) or not _COMPLETE[seats].issubset(tiles):
            raise ValueError(f"a wall for {seats} players must hold each of the {len(self._layout.tiles)} tiles once")
        faces = faces_of_tiles(reds)
        self._faces = [faces[tile] for tile in tiles]
        self.left = self._layout.live
        """Tiles that can still be drawn, replacement tiles included."""
        self.rinshan_drawn = 0
        """The number of replacement tiles drawn."""

    def clone(self) -> Wall:
        """Return an independent wall with the same tiles and draws."""
        twin = Wall.__new__(Wall)
        twin._layout, twin._faces = self._layout, self._faces[:]
        twin.left, twin.rinshan_drawn = self.left, self.rinshan_drawn
        return twin

    def hands(self, dealer: Seat) -> tuple[tuple[Face, ...], ...]:
        """Return the 13 tiles that each seat is dealt, sorted, by seat."""
        hands: list[list[Face]] = [[] for _ in range(self._layout.seats)]
        end = len(self._faces)
        for count in DEAL:
            for seat in seats_from(dealer, self._layout.seats):
                hands[seat] += self._faces[end - count : end]
                end -= count
        return tuple(sort_faces(hand) for hand in hands)

    def draw(self) -> Face:
        """Draw the next tile of the live wall; raises EmptyWall if none is left."""
        if not self.left:
            raise EmptyWall("the live wall is exhausted")
        self.left -= 1
        return self._faces[DEAD_WALL + self.rinshan_drawn + self.left]

    def draw_rinshan(self) -> Face:
        """Draw the next replacement tile; raises EmptyWall after the last, or if no live tile is left."""
        if not self.left:
            raise EmptyWall("no live tile is left to refill the dead wall")
        if self.rinshan_drawn == len(self._layout.rinshan):
            raise EmptyWall("all replacement tiles are drawn")
        self.left -= 1
        self.rinshan_drawn += 1
        return self._faces[self._layout.rinshan[self.rinshan_drawn - 1]]

    def to_draw(self) -> list[Face]:
        """Return the tiles of the live wall in the order of their draws, as long as no more replacements are drawn."""
        first = DEAD_WALL + self.rinshan_drawn
        return self._faces[first : first + self.left][::-1]

    @property
    def next_rinshan(self) -> Face | None:
        """The next replacement tile; None after the last."""
        places = self._layout.rinshan
        return self._faces[places[self.rinshan_drawn]] if self.rinshan_drawn < len(places) else None

    def indicator(self, n: int) -> Face:
        """Return the first dora indicator (``n`` 0), or that of the n-th kan."""
        return self._faces[self._layout.indicators[n]]

    def ura(self, n: int) -> Face:
        """Return the ura indicator under ``indicator(n)``."""
        return self._faces[self._layout.ura[n]]


def shuffled(text: str, seats: int = 4) -> tuple[Tile, ...]:
    """Return the tiles of a wall for so many players, shuffled by a text as defined above."""
    return tuple(permuted(LAYOUTS[seats].tiles, text))


def permuted(ordered: Iterable[T], text: str) -> list[T]:
    """Return at most 136 items, shuffled by a text in the same way."""
    numbers = _numbers(text, SHUFFLE_WORDS)
    read = 0
    items = list(ordered)
    for last, limit in _STEPS[TILES - len(items) :]:
        while True:  # no generator: shuffling is a tenth of a game's time
            if read == len(numbers):
                numbers = _numbers(text, 2 * read)
            drawn = numbers[read]
            read += 1
            if drawn < limit:
                break
        place = drawn % (last + 1)
        items[last], items[place] = items[place], items[last]
    return items


def rolled(text: str) -> tuple[int, int]:
    """Return two dice, 1..6 each, rolled by a text. They are only shown; the deal does not depend on them."""
    words, found = DICE_WORDS, list[int]()
    while len(found) < 2:
        found = [number for number in _numbers(text, words) if number < _limit(6)]
        words *= 2
    return found[0] % 6 + 1, found[1] % 6 + 1


def _numbers(text: str, words: int) -> tuple[int, ...]:
    """Return the beginning of the SHAKE-256 stream of a text, as so many 32-bit big-endian numbers."""
    return struct.unpack(f">{words}I", shake_256(text.encode()).digest(4 * words))
