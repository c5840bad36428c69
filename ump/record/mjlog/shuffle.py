"""Rebuild Tenhou's walls from the seeds in its records.

There are two kinds of seed, and both lead to random numbers r. The tiles 0..135 are shuffled by exchanging place i with
place i + r[i] % (136 - i), for i from 0; r[135] and r[136], modulo 6, are the dice. With three players the 108 tiles
are shuffled in the same way, and the dice are the same two numbers. ``ump.rules.wall`` describes the order of the list.

* ``mt19937ar-sha512-n288-base64,<base64>``: one seed for the whole game. 624 little-endian 32-bit words seed a
  Mersenne Twister (MT19937, ``init_by_array``). For each kyoku 288 of its numbers, as little-endian bytes in nine
  blocks of 1,024 bits, are hashed with SHA-512; the digests are the numbers r. (Published by Tenhou; the crate
  tenhou-shuffle is tested with the published validation data.)
* ``mt19937ar,<hexadecimal>,...``: one seed for each kyoku, in records of 2009. The words seed the Mersenne Twister,
  whose numbers are r; then the upper and the lower tile of each stack in the dead wall change places. (Derived from
  records: it reproduces every deal, draw, indicator and die of the records that the tests use.)
"""

from __future__ import annotations

import binascii
import re
import struct
from base64 import b64decode
from collections.abc import Iterator, Sequence
from hashlib import sha512
from random import Random

from ump.game.deals import Deal
from ump.model.constants import DEAD_WALL
from ump.model.tiles import TILES, tiles_of
from ump.record.recorded_game import RecordError

OF_GAME = "mt19937ar-sha512-n288-base64,"
"""Prefix of the seed of a whole game."""
OF_KYOKU = "mt19937ar,"
"""Prefix of the seed of one kyoku."""

STATE = 624
"""Words in the state of the Mersenne Twister, and in the seed of a game."""

NUMBERS = 288
"""Random numbers that are hashed for one kyoku."""

BLOCK = 128
"""Bytes in one hashed block."""

WORD = 0xFFFFFFFF
"""Mask of a 32-bit word."""

_HEX = re.compile(r"[0-9A-Fa-f]{1,8}(,[0-9A-Fa-f]{1,8}){0,623}")


def mersenne_twister(key: Sequence[int]) -> Random:
    """Return the generator that ``init_by_array`` of mt19937ar.c seeds with these 32-bit words.

    ``Random(seed)`` does the same with the words of one large number, but drops leading words that are zero.
    """
    state = [19650218]
    for place in range(1, STATE):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + place) & WORD)
    steps = max(STATE, len(key))
    last = state[0]
    for step in range(steps):
        place = step % (STATE - 1) + 1
        at = step % len(key)
        state[place] = last = ((state[place] ^ (last ^ last >> 30) * 1664525) + key[at] + at) & WORD
    for step in range(steps, steps + STATE - 1):
        place = step % (STATE - 1) + 1
        state[place] = last = ((state[place] ^ (last ^ last >> 30) * 1566083941) - place) & WORD
    state[0] = 0x80000000
    generator = Random()
    generator.setstate((3, (*state, STATE), None))
    return generator


def deals_of_game(seed: str, seats: int = 4) -> Iterator[Deal]:
    """Yield the deals of a game without end; raise RecordError unless this is an ``OF_GAME`` seed."""
    try:
        key = b64decode(seed.removeprefix(OF_GAME), validate=True)
    except (binascii.Error, ValueError):
        raise RecordError("the seed is not base64") from None
    if len(key) != 4 * STATE:
        raise RecordError(f"seed: expected {4 * STATE} bytes, got {len(key)}")
    return _deals(mersenne_twister(struct.unpack(f"<{STATE}I", key)), seats)


def _deals(generator: Random, seats: int) -> Iterator[Deal]:
    """Yield the deal of each kyoku from the generator of its game."""
    while True:
        drawn = struct.pack(f"<{NUMBERS}I", *(generator.getrandbits(32) for _ in range(NUMBERS)))
        digest = b"".join(sha512(drawn[at : at + BLOCK]).digest() for at in range(0, len(drawn), BLOCK))
        yield _dealt(struct.unpack(f"<{len(digest) // 4}I", digest), seats)


def deal_of_kyoku(seed: str, seats: int = 4) -> Deal:
    """Return the deal of one kyoku; raise RecordError unless this is an ``OF_KYOKU`` seed."""
    text = seed.removeprefix(OF_KYOKU)
    if not _HEX.fullmatch(text):
        raise RecordError("the seed of the kyoku is not a list of hexadecimal words")
    generator = mersenne_twister([int(word, 16) for word in text.split(",")])
    deal = _dealt([generator.getrandbits(32) for _ in range(TILES + 1)], seats)
    stacks = [tile for place in range(0, DEAD_WALL, 2) for tile in (deal.tiles[place + 1], deal.tiles[place])]
    return Deal((*stacks, *deal.tiles[DEAD_WALL:]), deal.dice)


def _dealt(numbers: Sequence[int], seats: int) -> Deal:
    """Shuffle the tiles and roll the dice with these random numbers."""
    tiles = list(tiles_of(seats))
    for place in range(len(tiles) - 1):
        other = place + numbers[place] % (len(tiles) - place)
        tiles[place], tiles[other] = tiles[other], tiles[place]
    return Deal(tuple(tiles), (numbers[TILES - 1] % 6 + 1, numbers[TILES] % 6 + 1))
