"""The wall: its layout, and how it is shuffled.

The layout is Tenhou's: tiles are dealt and drawn from the end of the list of 136; the first 14 are the dead wall.

==================== ============================================
place in the list    what lies there
==================== ============================================
135 .. 84            the deal: three times four tiles each from the dealer on, then one each
83 .. 14             the live wall, 70 draws
1, 0, 3, 2           the replacement tiles of the four kans
5, 7, 9, 11, 13      the dora indicator and those of the kans
4, 6, 8, 10, 12      the ura indicator under each
==================== ============================================

After a replacement draw the last live tile joins the dead wall, so that 70 tiles are drawn in all.

The shuffle is defined here, so that a text gives the same wall with every version of Python and in every language. The
SHAKE-256 stream of the UTF-8 text is cut into 32-bit big-endian numbers. To draw one of 0..n-1 without bias, numbers
from the largest multiple of n (up to 2 ** 32) on are skipped; the next one counts modulo n. The tiles 0..135 are
shuffled by Fisher and Yates' method: for ``last`` from 135 down to 1, the tile at ``last`` is swapped with that at a
random place of 0..``last``. Dice are two numbers modulo 6, plus one each. ``ump.game.deals`` says which texts the walls
and dice of a game are made from.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from hashlib import shake_256

from ump.model.constants import DEAD_WALL, LIVE_WALL
from ump.model.seats import Seat, seats_from
from ump.model.tiles import TILES, Face, Tile, faces_of_tiles, sort_faces

RINSHAN = (1, 0, 3, 2)
"""The places of the replacement tiles, in the order of their draws."""

INDICATORS = (5, 7, 9, 11, 13)
"""The places of the dora indicators: the first one, then those of the kans."""

URA = (4, 6, 8, 10, 12)
"""The places of the ura indicators, in the same order."""

DEAL = (4, 4, 4, 1)
"""How many tiles each player takes at a time in the deal."""

SHUFFLE_WORDS, DICE_WORDS = 136, 4
"""How many numbers are read from a random stream at a time; a shuffle needs 135, dice 2, rarely one more."""


def _limit(n: int) -> int:
    """Return the largest multiple of n up to 2 ** 32: below it all remainders of n are equally likely."""
    return 2**32 - 2**32 % n


_STEPS = tuple((last, _limit(last + 1)) for last in range(TILES - 1, 0, -1))
"""The steps of a shuffle: each place from the last one down, and the limit of the numbers that count there."""


class EmptyWall(Exception):
    """A draw from a wall that has no tile for it: an error of the program, never of a player."""


class Wall:
    """One shuffled wall of a four-player game, and the draws from it."""

    __slots__ = ("_faces", "left", "rinshan_drawn")

    def __init__(self, tiles: Sequence[Tile], reds: tuple[int, ...]) -> None:
        """Build the wall of these 136 tiles; ``reds`` are the numbers of red fives in m, p and s.

        Raises ValueError unless each tile occurs once.
        """
        if len(tiles) != TILES or set(tiles) != set(range(TILES)):
            raise ValueError("a wall must hold each of the 136 tiles once")
        faces = faces_of_tiles(reds)
        self._faces = [faces[tile] for tile in tiles]
        self.left = LIVE_WALL
        """Tiles that can still be drawn, replacement tiles included."""
        self.rinshan_drawn = 0
        """The number of replacement tiles drawn."""

    def hands(self, dealer: Seat, seats: int) -> tuple[tuple[Face, ...], ...]:
        """Return the 13 tiles that each seat is dealt, sorted, by seat."""
        hands: list[list[Face]] = [[] for _ in range(seats)]
        end = TILES
        for count in DEAL:
            for seat in seats_from(dealer, seats):
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
        """Draw the next replacement tile; raises EmptyWall after the fourth, or if no live tile is left."""
        if not self.left:
            raise EmptyWall("no live tile is left to refill the dead wall")
        if self.rinshan_drawn == len(RINSHAN):
            raise EmptyWall("all replacement tiles are drawn")
        self.left -= 1
        self.rinshan_drawn += 1
        return self._faces[RINSHAN[self.rinshan_drawn - 1]]

    def indicator(self, n: int) -> Face:
        """Return the first dora indicator (``n`` 0), or that of the n-th kan."""
        return self._faces[INDICATORS[n]]

    def ura(self, n: int) -> Face:
        """Return the ura indicator under ``indicator(n)``."""
        return self._faces[URA[n]]


def shuffled(text: str) -> tuple[Tile, ...]:
    """Return the tiles of a wall, shuffled by a text as defined above."""
    return tuple(permuted(TILES, text))


def permuted(size: int, text: str) -> list[int]:
    """Return the numbers 0..size-1, at most 136 of them, shuffled by a text in the same way."""
    numbers = _numbers(text, SHUFFLE_WORDS)
    places = list(range(size))
    for last, limit in _STEPS[TILES - size :]:
        drawn = next(numbers)
        while drawn >= limit:  # the same as _below, inlined: shuffling is a tenth of a game's time
            drawn = next(numbers)
        place = drawn % (last + 1)
        places[last], places[place] = places[place], places[last]
    return places


def rolled(text: str) -> tuple[int, int]:
    """Return two dice, 1..6 each, rolled by a text. They are only shown; the deal does not depend on them."""
    numbers = _numbers(text, DICE_WORDS)
    return _below(_limit(6), numbers) % 6 + 1, _below(_limit(6), numbers) % 6 + 1


def _below(limit: int, numbers: Iterator[int]) -> int:
    """Return the next number that is below the limit."""
    drawn = next(numbers)
    while drawn >= limit:
        drawn = next(numbers)
    return drawn


def _numbers(label: str, words: int) -> Iterator[int]:
    """Yield the endless SHAKE-256 stream of a text as 32-bit big-endian numbers, reading ``words`` at a time."""
    stream = shake_256(label.encode())
    read = 0
    while True:
        block = stream.digest(read + 4 * words)[read:]
        yield from struct.unpack(f">{words}I", block)
        read += 4 * words
