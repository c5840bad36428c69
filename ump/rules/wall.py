"""The wall: its layout, and how it is shuffled.

The layout is Tenhou's: the list of 136 tiles is dealt and drawn from its end, the dead wall is its first 14.

==================== ============================================
place in the list    what lies there
==================== ============================================
135 .. 84            the deal: three times four tiles each from the dealer on, then one each
83 .. 14             the live wall, 70 draws
1, 0, 3, 2           the replacement tiles of the four kans
5, 7, 9, 11, 13      the dora indicator and those of the kans
4, 6, 8, 10, 12      the ura indicator under each
==================== ============================================

A replacement draw moves the end of the live wall up by one tile, so that 70 tiles are drawn in all.

The shuffle is our own, so that a seed gives the same wall on every version of Python and in every other language.
``ump-wall-1``: the SHAKE-256 stream of the UTF-8 text ``ump-wall-1/<seed>/<number>`` is cut into 32-bit big-endian
numbers. A number below the largest multiple of n counts as itself modulo n, any other is skipped (no bias). With
these the tiles 0..135 are shuffled as Fisher and Yates did: for ``last`` from 135 down to 1, the tile at ``last``
changes places with that at a random place of 0..``last``. The dice come from a stream of their own, ``ump-dice-1/...``,
two numbers modulo 6, plus one each.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from hashlib import shake_256

from ump.model.constants import DEAD_WALL, LIVE_WALL
from ump.model.seats import Seat, seats_from
from ump.model.tiles import TILES, Face, Tile, faces_of_tiles, sort_faces

RINSHAN = (1, 0, 3, 2)
"""Where the replacement tiles lie, in the order in which they are drawn."""

INDICATORS = (5, 7, 9, 11, 13)
"""Where the dora indicators lie: the first one, then those of the kans."""

URA = (4, 6, 8, 10, 12)
"""Where the ura indicators lie, in the same order."""

DEAL = (4, 4, 4, 1)
"""How many tiles each player takes at a time."""

SHUFFLE_WORDS, DICE_WORDS = 136, 4
"""How many numbers are read from a random stream at a time; a shuffle needs 135, dice 2, and hardly ever one more."""


def _limit(n: int) -> int:
    """Return the largest multiple of n up to 2 ** 32: below it all remainders of n are equally likely."""
    return 2**32 - 2**32 % n


_STEPS = tuple((last, _limit(last + 1)) for last in range(TILES - 1, 0, -1))
"""The steps of a shuffle: each place from the last down, and the limit of the numbers that count there."""


class EmptyWall(Exception):
    """A tile was asked for that the wall does not have. The game must not ask: this is never a player's fault."""


class Wall:
    """One shuffled wall of a four-player game, and how much of it has been drawn."""

    __slots__ = ("_faces", "left", "rinshan_drawn")

    def __init__(self, tiles: Sequence[Tile], reds: tuple[int, ...]) -> None:
        """Build the wall of these 136 tiles; so many fives of m, p, s are red.

        Raises ValueError unless every tile is there once.
        """
        if len(tiles) != TILES or set(tiles) != set(range(TILES)):
            raise ValueError("a wall has each of the 136 tiles once")
        faces = faces_of_tiles(reds)
        self._faces = [faces[tile] for tile in tiles]
        self.left = LIVE_WALL
        """Tiles that can still be drawn; each replacement tile takes one off too."""
        self.rinshan_drawn = 0
        """How many replacement tiles have been drawn."""

    def hands(self, dealer: Seat, seats: int) -> tuple[tuple[Face, ...], ...]:
        """Return the 13 tiles that each seat is dealt, by seat, sorted."""
        hands: list[list[Face]] = [[] for _ in range(seats)]
        end = TILES
        for count in DEAL:
            for seat in seats_from(dealer, seats):
                hands[seat] += self._faces[end - count : end]
                end -= count
        return tuple(sort_faces(hand) for hand in hands)

    def draw(self) -> Face:
        """Take the next tile of the live wall; raises EmptyWall when it is exhausted."""
        if not self.left:
            raise EmptyWall("the live wall is exhausted")
        self.left -= 1
        return self._faces[DEAD_WALL + self.rinshan_drawn + self.left]

    def draw_rinshan(self) -> Face:
        """Take the next replacement tile; raises EmptyWall after the fourth, or when no live tile is left."""
        if not self.left:
            raise EmptyWall("no live tile is left to refill the dead wall")
        if self.rinshan_drawn == len(RINSHAN):
            raise EmptyWall("all replacement tiles are drawn")
        self.left -= 1
        self.rinshan_drawn += 1
        return self._faces[RINSHAN[self.rinshan_drawn - 1]]

    def indicator(self, n: int) -> Face:
        """Return the first dora indicator (0), or that of a kan (1..4)."""
        return self._faces[INDICATORS[n]]

    def ura(self, n: int) -> Face:
        """Return the indicator under ``indicator(n)``."""
        return self._faces[URA[n]]


def shuffled(seed: str, number: int) -> tuple[Tile, ...]:
    """Return the wall of one kyoku of a game (see ``ump-wall-1`` above); kyoku are numbered from 0."""
    numbers = _numbers(f"ump-wall-1/{seed}/{number}", SHUFFLE_WORDS)
    tiles = list(range(TILES))
    for last, limit in _STEPS:
        drawn = next(numbers)
        while drawn >= limit:  # as _below has it; written out, because this is a tenth of a game's time
            drawn = next(numbers)
        place = drawn % (last + 1)
        tiles[last], tiles[place] = tiles[place], tiles[last]
    return tuple(tiles)


def rolled(seed: str, number: int) -> tuple[int, int]:
    """Return the two dice of one kyoku, 1..6 each. They are told and shown; the deal does not depend on them."""
    numbers = _numbers(f"ump-dice-1/{seed}/{number}", DICE_WORDS)
    return _below(_limit(6), numbers) % 6 + 1, _below(_limit(6), numbers) % 6 + 1


def _below(limit: int, numbers: Iterator[int]) -> int:
    """Return the next number that is below the limit."""
    drawn = next(numbers)
    while drawn >= limit:
        drawn = next(numbers)
    return drawn


def _numbers(label: str, words: int) -> Iterator[int]:
    """Yield the endless SHAKE-256 stream of a text as 32-bit big-endian numbers, read so many at a time."""
    stream = shake_256(label.encode())
    read = 0
    while True:
        block = stream.digest(read + 4 * words)[read:]
        yield from struct.unpack(f">{words}I", block)
        read += 4 * words
