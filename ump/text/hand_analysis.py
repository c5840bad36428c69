"""Analysis of a hand: shanten, tile acceptance (ukeire), and the same after each discard."""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.hand import Hand
from ump.model.tiles import COPIES, KIND_OF, KINDS, RED_OF, Face, Kind, kinds_of
from ump.model.value import value
from ump.rules.analysis import shanten, ukeire, waits_of
from ump.rules.ruleset import OwnCopies


@value
class Ukeire:
    """The kinds that lower the shanten number of a hand, each with the number of tiles left of it."""

    live: tuple[tuple[Kind, int], ...]
    """Pairs of kind and number, sorted by kind. A tenpai hand keeps waits with no tile left, other hands do not."""

    @property
    def tiles(self) -> int:
        """The number of helpful tiles that are not in sight."""
        return sum(left for _, left in self.live)


@value
class DiscardAnalysis:
    """A discard, and the hand after it."""

    face: Face
    shanten: int
    ukeire: Ukeire


@value
class HandAnalysis:
    """The shanten number of a hand, and its ukeire (3n + 1 tiles) or its discards, the best first (3n + 2 tiles)."""

    shanten: int
    ukeire: Ukeire | None = None
    discards: tuple[DiscardAnalysis, ...] = ()


def analyse_hand(hand: Hand, seen: Iterable[Face], own_copies: OwnCopies, seats: int = 4) -> HandAnalysis:
    """Analyse a hand; ``seen`` are the tiles in sight besides the hand and its melds.

    The best discard has the least shanten, then the most tiles, then the most kinds. ``own_copies`` is the ruleset's
    rule for waits; kinds that no game of so many ``seats`` has never help. Raises ValueError unless the concealed tiles
    are 3n + 1 or 3n + 2.
    """
    left = _left(hand, seen, seats)
    if sum(hand.kinds) % 3 == 1:
        return HandAnalysis(shanten(hand.kinds, seats), _ukeire(hand, left, own_copies, seats))
    discards = [_discard(hand, kind, left, own_copies, seats) for kind in range(KINDS) if hand.kinds[kind]]
    discards.sort(key=lambda each: (each.shanten, -each.ukeire.tiles, -len(each.ukeire.live)))
    return HandAnalysis(shanten(hand.kinds, seats), discards=tuple(discards))


def _left(hand: Hand, seen: Iterable[Face], seats: int) -> dict[Kind, int]:
    """Return the number of tiles that are not in sight, of each kind that the game has."""
    left = {kind: COPIES - hand.kinds[kind] for kind in kinds_of(seats)}
    for face in (*seen, *(face for meld in hand.melds for face in meld.faces)):
        if KIND_OF[face] in left:  # an observation of three counts the tiles that the game does not have as seen
            left[KIND_OF[face]] -= 1
    return left


def _ukeire(hand: Hand, left: dict[Kind, int], own_copies: OwnCopies, seats: int) -> Ukeire:
    """Return the ukeire of 3n + 1 tiles."""
    number = shanten(hand.kinds, seats)
    if number == 0:
        return Ukeire(tuple((kind, left[kind]) for kind in sorted(waits_of(hand, own_copies)) if kind in left))
    helping = _helping(hand.kinds, number, seats)
    return Ukeire(tuple((kind, left[kind]) for kind in helping if left.get(kind)))


def _helping(kinds: list[int], number: int, seats: int) -> list[Kind]:
    """Return the kinds that lower the shanten ``number`` of 3n + 1 tiles."""
    if seats > 3:
        return sorted(ukeire(kinds))
    found = []
    drawn = kinds[:]
    for kind in sorted(kinds_of(seats)):
        drawn[kind] += 1
        if drawn[kind] <= COPIES and shanten(drawn, seats) < number:
            found.append(kind)
        drawn[kind] -= 1
    return found


def _discard(hand: Hand, kind: Kind, left: dict[Kind, int], own_copies: OwnCopies, seats: int) -> DiscardAnalysis:
    """Return the hand after the discard of a tile of this kind; a plain five goes before a red one."""
    face = kind if hand.faces[kind] else RED_OF[kind]
    rest = hand.copy()
    rest.remove(face)
    return DiscardAnalysis(face, shanten(rest.kinds, seats), _ukeire(rest, left, own_copies, seats))
