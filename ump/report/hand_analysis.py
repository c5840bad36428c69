"""What a hand lacks: its shanten, the tiles that help it, and what each discard leaves."""

from __future__ import annotations

from collections.abc import Iterable

from ump.model.hand import Hand
from ump.model.tiles import COPIES, KIND_OF, KINDS, RED_OF, Face, Kind
from ump.model.value import value
from ump.rules.analysis import shanten, ukeire, waits_of
from ump.rules.ruleset import OwnCopies


@value
class Ukeire:
    """The kinds that bring a hand nearer to tenpai, or complete a tenpai one, each with the tiles left of it."""

    live: tuple[tuple[Kind, int], ...]
    """Sorted by kind. A wait with no tile left is still a wait; for other hands such kinds do not stand here."""

    @property
    def tiles(self) -> int:
        """How many tiles that nobody has seen yet help."""
        return sum(left for _, left in self.live)


@value
class DiscardAnalysis:
    """What remains after a discard."""

    face: Face
    shanten: int
    ukeire: Ukeire


@value
class HandAnalysis:
    """A hand of 3n + 1 tiles with its ukeire, or one of 3n + 2 with its discards, the best first."""

    shanten: int
    ukeire: Ukeire | None = None
    discards: tuple[DiscardAnalysis, ...] = ()


def analyse_hand(hand: Hand, seen: Iterable[Face], own_copies: OwnCopies) -> HandAnalysis:
    """Analyse a hand whose owner also sees these tiles, besides those of the hand and its melds.

    Raises ValueError when the concealed tiles are neither 3n + 1 nor 3n + 2.
    """
    left = _left(hand, seen)
    if sum(hand.kinds) % 3 == 1:
        return HandAnalysis(shanten(hand.kinds), _ukeire(hand, left, own_copies))
    discards = [_discard(hand, kind, left, own_copies) for kind in range(KINDS) if hand.kinds[kind]]
    discards.sort(key=lambda each: (each.shanten, -each.ukeire.tiles, -len(each.ukeire.live)))
    return HandAnalysis(shanten(hand.kinds), discards=tuple(discards))


def _left(hand: Hand, seen: Iterable[Face]) -> list[int]:
    """Return how many tiles of each kind are not in sight."""
    left = [COPIES - own for own in hand.kinds]
    for face in (*seen, *(face for meld in hand.melds for face in meld.faces)):
        left[KIND_OF[face]] -= 1
    return left


def _ukeire(hand: Hand, left: list[int], own_copies: OwnCopies) -> Ukeire:
    """Return what helps 3n + 1 tiles."""
    if shanten(hand.kinds) == 0:
        return Ukeire(tuple((kind, left[kind]) for kind in sorted(waits_of(hand, own_copies))))
    return Ukeire(tuple((kind, left[kind]) for kind in sorted(ukeire(hand.kinds)) if left[kind]))


def _discard(hand: Hand, kind: Kind, left: list[int], own_copies: OwnCopies) -> DiscardAnalysis:
    """Return what the discard of a tile of this kind leaves; a red five stays as long as there is a plain one."""
    face = kind if hand.faces[kind] else RED_OF[kind]
    rest = hand.copy()
    rest.remove(face)
    return DiscardAnalysis(face, shanten(rest.kinds), _ukeire(rest, left, own_copies))
