"""Hand analysis: shanten, waits, tile acceptance (ukeire), tenpai discards, and kans in riichi.

``kinds`` are the 34 counts of the concealed tiles, ``Hand.kinds``. Each meld means three tiles fewer: 3n + 1 tiles
between turns, 3n + 2 with a tile to discard. Any other number raises ValueError. No function changes its arguments.

A kind is never a wait if the concealed hand holds all four copies. Whether copies in melds count too is up to
the ruleset (``OwnCopies``), so the functions that decide at the table take the whole hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from operator import ge

from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType
from ump.model.tiles import COPIES, EAST, KIND_OF, KINDS, Kind, is_honour, number_of
from ump.rules.ruleset import OwnCopies, RiichiKan
from ump.rules.shanten import shanten, shanten_and_ukeire

__all__ = [
    "ALL_KINDS",
    "acceptance",
    "is_complete",
    "kan_keeps_waits",
    "kinds_in",
    "leaves_tenpai",
    "readiness",
    "shanten",
    "tenpai_discards",
    "ukeire",
    "waits",
    "waits_of",
]

ALL_KINDS = (1 << KINDS) - 1
"""All kinds as a bit mask (bit n: kind n)."""

_NONE: frozenset[Kind] = frozenset()
_SUITS = (0, 9, 18)
"""The first kind of each suit."""
_NINE_GATES = (3, 1, 1, 1, 1, 1, 1, 1, 3)


def is_complete(kinds: list[int]) -> bool:
    """Tell whether 3n + 2 tiles are sets and a pair, seven different pairs or thirteen orphans; yaku do not matter."""
    return shanten(kinds) < 0


def waits(kinds: list[int]) -> frozenset[Kind]:
    """Return the kinds that complete 3n + 1 tiles; the empty set if the hand is not tenpai."""
    number, mask = shanten_and_ukeire(kinds)
    return _NONE if number else _kinds_of(mask)


def ukeire(kinds: list[int]) -> frozenset[Kind]:
    """Return the kinds that lower the shanten number of 3n + 1 tiles; of a tenpai hand, the waits."""
    return _kinds_of(shanten_and_ukeire(kinds)[1])


@lru_cache(1 << 9)
def _kinds_of(mask: int) -> frozenset[Kind]:
    """Return the kinds of a bit mask.

    Seven of ten masks have occurred shortly before. A set takes a kilobyte: a cache of eight times as many finds two
    in a hundred more, and makes a server grow for an hour.
    """
    return frozenset(kinds_in(mask))


def kinds_in(mask: int) -> tuple[Kind, ...]:
    """Return the kinds of a bit mask, in ascending order."""
    return (
        _kinds_of_part(0, mask & _SUIT)
        + _kinds_of_part(9, mask >> 9 & _SUIT)
        + _kinds_of_part(18, mask >> 18 & _SUIT)
        + _kinds_of_part(EAST, mask >> EAST)
    )


_SUIT = (1 << 9) - 1
"""The kinds of the first suit."""


@cache
def _kinds_of_part(first: Kind, mask: int) -> tuple[Kind, ...]:
    """Return the kinds of a suit, or the honours, of which there are at most 512; a mask has bit 0 for ``first``."""
    return tuple([first + place for place in range(9) if mask >> place & 1])


def acceptance(kinds: list[int], melds: Sequence[Meld], own_copies: OwnCopies, seats: int = 4) -> tuple[int, int]:
    """Return the shanten number of a hand between turns, and the kinds that lower it (bit n: kind n).

    Those of a tenpai hand are its waits, as ``waits_of`` has them.
    """
    number, mask = shanten_and_ukeire(kinds, seats)
    if number == 0 and melds and own_copies is OwnCopies.WITH_MELDS:
        mask &= ~_held_four_times(kinds, melds)
    return number, mask


def _held_four_times(kinds: list[int], melds: Sequence[Meld]) -> int:
    """Return the kinds of which the concealed tiles and melds have all four, as a bit mask."""
    counts = kinds[:]
    for meld in melds:
        for face in meld.faces:
            counts[KIND_OF[face]] += 1
    mask = 0
    for kind in range(KINDS):
        if counts[kind] >= COPIES:
            mask |= 1 << kind
    return mask


def readiness(hand: Hand, own_copies: OwnCopies) -> tuple[int, frozenset[Kind], int]:
    """Return the shanten number of a hand between turns, its waits, and the draws that bring it forward.

    The draws are a bit mask; bit n stands for kind n. After a draw outside the mask no discard lowers the number; after
    one inside it some discard does. A tenpai hand has all kinds: after any draw some discard leaves it tenpai, unless
    the player holds all four copies of every wait, melds included.
    """
    number, mask = shanten_and_ukeire(hand.kinds)
    if number == 0:
        return number, _without_own(_kinds_of(mask), hand.kinds, hand.melds, own_copies), ALL_KINDS
    return number, _NONE, mask


def waits_of(hand: Hand, own_copies: OwnCopies) -> frozenset[Kind]:
    """Return the waits of a hand between turns; ``own_copies`` is the ruleset's rule for kinds held four times."""
    return _waits_with(hand.kinds, hand.melds, own_copies)


def _waits_with(kinds: list[int], melds: list[Meld], own_copies: OwnCopies) -> frozenset[Kind]:
    """Return the waits of concealed tiles with these melds."""
    return _without_own(waits(kinds), kinds, melds, own_copies)


def _without_own(found: frozenset[Kind], kinds: list[int], melds: list[Meld], own_copies: OwnCopies) -> frozenset[Kind]:
    """Return the waits except the kinds that the player has four times, as the ruleset counts them."""
    if found and melds and own_copies is OwnCopies.WITH_MELDS:
        held = _held_four_times(kinds, melds)
        return frozenset(kind for kind in found if not held >> kind & 1)
    return found


def leaves_tenpai(hand: Hand, discard: Kind, own_copies: OwnCopies) -> bool:
    """Tell whether the discard of a held kind leaves a hand of 3n + 2 tiles tenpai."""
    kinds = hand.kinds[:]
    kinds[discard] -= 1
    return bool(_waits_with(kinds, hand.melds, own_copies))


def tenpai_discards(hand: Hand, own_copies: OwnCopies) -> dict[Kind, frozenset[Kind]]:
    """Return the kinds whose discard leaves a hand of 3n + 2 tiles tenpai, each with the waits after it."""
    kinds = hand.kinds[:]
    if shanten(kinds) > 0:
        return {}
    found = {}
    for kind in range(KINDS):
        if kinds[kind]:
            kinds[kind] -= 1
            if left := _waits_with(kinds, hand.melds, own_copies):
                found[kind] = left
            kinds[kind] += 1
    return found


def kan_keeps_waits(hand: Hand, drawn: Kind, rule: RiichiKan, own_copies: OwnCopies) -> bool:
    """Tell whether a player in riichi may make a closed kan of the tile just drawn; ``hand`` holds all its four copies.

    The waits before the draw and after the kan must be the same. ``SAME_SHAPE`` also requires that the three tiles in
    the hand are a triplet in every reading of the hand, with every wait (M.LEAGUE, WRC). Nine gates are a reading of
    their own, which a kan would destroy (as in kobalab/majiang-core).
    """
    if rule is RiichiKan.NEVER or hand.kinds[drawn] != COPIES:
        return False
    before, after = hand.kinds[:], hand.kinds[:]
    before[drawn] -= 1
    after[drawn] = 0
    found = _waits_with(before, hand.melds, own_copies)
    if found != _waits_with(after, [*hand.melds, _ankan(drawn)], own_copies):
        return False
    return rule is RiichiKan.SAME_WAITS or not any(_reads_without(before, drawn, wait) for wait in found)


def _ankan(kind: Kind) -> Meld:
    """Return a closed kan as a meld, without red fives: they do not matter to waits."""
    return Meld(MeldType.ANKAN, (kind,) * COPIES)


def _reads_without(kinds: list[int], triplet: Kind, wait: Kind) -> bool:
    """Tell whether the hand, completed with a wait, has a reading without a triplet of this kind."""
    counts = kinds[:]
    counts[wait] += 1
    return _is_nine_gates(counts) or _reads(counts, triplet, has_pair=False)


def _is_nine_gates(counts: list[int]) -> bool:
    """Tell whether a complete hand is 1112345678999 of a suit and one more tile of it."""
    suits = (counts[first : first + 9] for first in _SUITS)
    return any(all(map(ge, suit, _NINE_GATES)) for suit in suits)


def _reads(counts: list[int], barred: Kind, *, has_pair: bool) -> bool:
    """Tell whether the tiles are sets, and a pair unless ``has_pair``, without a triplet of the barred kind."""
    low = next((kind for kind in range(KINDS) if counts[kind]), None)
    if low is None:
        return has_pair
    for block, is_pair in _blocks(counts, low):
        if (is_pair and has_pair) or block == (barred, barred, barred):
            continue
        for kind in block:
            counts[kind] -= 1
        found = _reads(counts, barred, has_pair=has_pair or is_pair)
        for kind in block:
            counts[kind] += 1
        if found:
            return True
    return False


def _blocks(counts: list[int], low: Kind) -> list[tuple[tuple[Kind, ...], bool]]:
    """Return the pair, triplet and run that the lowest tile of a hand can be part of, and whether each is the pair."""
    blocks: list[tuple[tuple[Kind, ...], bool]] = []
    if counts[low] >= 2:
        blocks.append(((low, low), True))
    if counts[low] >= 3:
        blocks.append(((low, low, low), False))
    if not is_honour(low) and number_of(low) <= 7 and counts[low + 1] and counts[low + 2]:
        blocks.append(((low, low + 1, low + 2), False))
    return blocks
