"""Calls: the runs that a tile can make, and the discards that kuikae forbids."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.melds import Meld
from ump.model.tiles import EAST, KIND_OF, KINDS, RED_OF, Face, Kind
from ump.rules.ruleset import Kuikae


def _runs_with(kind: Kind) -> tuple[tuple[Kind, Kind], ...]:
    """Return the pairs of kinds that make a run with this kind, lowest first."""
    if kind >= EAST:
        return ()
    pairs = ((kind - 2, kind - 1), (kind - 1, kind + 1), (kind + 1, kind + 2))
    first = kind - kind % 9
    return tuple(pair for pair in pairs if first <= pair[0] and pair[1] < first + 9)


RUNS_WITH: tuple[tuple[tuple[Kind, Kind], ...], ...] = tuple(_runs_with(kind) for kind in range(KINDS))
"""For each kind, the pairs of kinds that make a chi with it."""


def faces_held(faces: Sequence[int], kind: Kind) -> tuple[Face, ...]:
    """Return the held faces of a kind, the red five first; ``faces`` are the 37 counts of a hand."""
    plain = (kind,) if faces[kind] else ()
    red = RED_OF.get(kind)
    return plain if red is None or not faces[red] else (red, *plain)


def kuikae_kinds(rule: Kuikae, called: Kind, own: tuple[Kind, Kind]) -> frozenset[Kind]:
    """Return the kinds that may not be discarded after calling this kind with these two (lowest first)."""
    if rule is Kuikae.ALLOWED:
        return frozenset()
    low, high = own
    if rule is Kuikae.SAME_TILE or low == high or high - low == 2:
        return frozenset((called,))
    other_end = high + 1 if called < low else low - 1
    in_suit = 0 <= other_end < EAST and other_end // 9 == called // 9
    return frozenset((called, other_end) if in_suit else (called,))


def kuikae_after(rule: Kuikae, meld: Meld) -> frozenset[Kind]:
    """Return the kinds that may not be discarded right after this chi or pon was called."""
    assert meld.called is not None
    low, high = sorted(KIND_OF[face] for face in meld.own)
    return kuikae_kinds(rule, KIND_OF[meld.called], (low, high))
