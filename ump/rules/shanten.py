"""Shanten numbers, and the tiles that lower them. The only module that uses ``xiangting`` and ``mahjong``.

Uses ``xiangting``, which is compiled, where it is installed, and otherwise ``mahjong``, which is some thirty times as
slow. All functions take the 34 counts of the concealed tiles, 3n + 1 or 3n + 2 of them; each meld means three tiles
fewer. Seven pairs need seven different kinds. Seven pairs and thirteen orphans count only for a hand without melds. A
kind never lowers the number if the concealed hand holds all four copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ump.model.tiles import COPIES, KINDS


def slow_shanten(kinds: list[int], seats: int = 4) -> int:
    """Return the shanten number by ``mahjong``, which knows games of four alone; raises ValueError."""
    from mahjong.shanten import Shanten

    return Shanten.calculate_shanten(kinds)


def slow_shanten_and_ukeire(kinds: list[int], seats: int = 4) -> tuple[int, int]:
    """Return the shanten number of 3n + 1 tiles and a mask of the kinds that lower it, by ``mahjong``."""
    number = slow_shanten(kinds)
    if number == 0:
        return number, _mask(_completing(kinds))
    return number, _mask(kind for kind, more in _one_more(kinds) if slow_shanten(more) < number)


def slow_spare_kinds(kinds: list[int], seats: int = 4) -> tuple[int, int]:
    """Return the shanten number of 3n + 2 tiles and a mask of the kinds whose discard keeps it, by ``mahjong``."""
    counts, number, spare = kinds[:], slow_shanten(kinds), []
    for kind in range(KINDS):
        if counts[kind]:
            counts[kind] -= 1
            if slow_shanten(counts) == number:
                spare.append(kind)
            counts[kind] += 1
    return number, _mask(spare)


def _one_more(kinds: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield each kind that a hand can draw, with the counts after the draw (always the same list, changed in place)."""
    counts = kinds[:]
    for kind in range(KINDS):
        if counts[kind] < COPIES:
            counts[kind] += 1
            yield kind, counts
            counts[kind] -= 1


def _completing(kinds: list[int]) -> list[int]:
    """Return the kinds that complete a hand of 3n + 1 tiles, except those that it holds four times."""
    from mahjong.agari import Agari

    return [kind for kind, more in _one_more(kinds) if Agari.is_agari(more)]


def _mask(kinds: Iterable[int]) -> int:
    """Return the kinds as a bit mask."""
    return sum(1 << kind for kind in kinds)


def _rows(hands: bytes) -> Iterator[list[int]]:
    """Yield the counts of each hand."""
    for at in range(0, len(hands), KINDS):
        yield list(hands[at : at + KINDS])


def slow_shantens(hands: bytes, seats: int) -> list[int]:
    """Return the shanten number of each hand, by ``mahjong``."""
    return [slow_shanten(kinds, seats) for kinds in _rows(hands)]


def slow_ukeire_masks(hands: bytes, seats: int) -> list[int]:
    """Return for each hand of 3n + 1 tiles a mask of the kinds that lower its shanten number, by ``mahjong``."""
    return [slow_shanten_and_ukeire(kinds, seats)[1] for kinds in _rows(hands)]


try:
    from xiangting import (
        PlayerCount,
        calculate_necessary_tiles,
        calculate_replacement_number,
        calculate_unnecessary_tiles,
    )
except ImportError:  # there are no wheels for some machines, such as Intel Macs
    shanten, shanten_and_ukeire, spare_kinds = slow_shanten, slow_shanten_and_ukeire, slow_spare_kinds
    shantens, ukeire_masks = slow_shantens, slow_ukeire_masks
else:
    _FOUR, _THREE = PlayerCount.FOUR, PlayerCount.THREE

    def shanten(kinds: list[int], seats: int = 4) -> int:
        """Return the shanten number: -1 complete, 0 tenpai; raises ValueError for an impossible number of tiles.

        A game of three has no 2m to 8m, so that a hand without tiles of it may be farther from tenpai.
        """
        counts: Any = bytes(kinds)
        return calculate_replacement_number(counts, _FOUR if seats > 3 else _THREE) - 1

    def shanten_and_ukeire(kinds: list[int], seats: int = 4) -> tuple[int, int]:
        """Return the shanten number of 3n + 1 tiles and a mask of the kinds that lower it (bit n: kind n).

        In a game of three, a kind that it does not have never lowers the number.
        """
        counts: Any = bytes(kinds)  # read four times as fast as a list
        number, mask = calculate_necessary_tiles(counts, _FOUR if seats > 3 else _THREE)
        return number - 1, mask

    def spare_kinds(kinds: list[int], seats: int = 4) -> tuple[int, int]:
        """Return the shanten number of 3n + 2 tiles and a mask of the kinds whose discard keeps it."""
        counts: Any = bytes(kinds)
        number, mask = calculate_unnecessary_tiles(counts, _FOUR if seats > 3 else _THREE)
        return number - 1, mask

    def shantens(hands: bytes, seats: int) -> list[int]:
        """Return the shanten number of each hand; a hand is 34 counts, a byte for each kind."""
        many: Any = hands
        players, size = _FOUR if seats > 3 else _THREE, len(hands)
        return [calculate_replacement_number(many[at : at + KINDS], players) - 1 for at in range(0, size, KINDS)]

    def ukeire_masks(hands: bytes, seats: int) -> list[int]:
        """Return for each hand of 3n + 1 tiles a mask of the kinds that lower its shanten number."""
        many: Any = hands
        players, size = _FOUR if seats > 3 else _THREE, len(hands)
        return [calculate_necessary_tiles(many[at : at + KINDS], players)[1] for at in range(0, size, KINDS)]
