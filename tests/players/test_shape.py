"""The shape of hands far from tenpai: what a discard gains by it on the one that seems best."""

from __future__ import annotations

import pytest

from ump.model.hand import Hand
from ump.model.notation import parse_mpsz
from ump.model.tiles import COPIES, KIND_OF, KINDS
from ump.players import rates
from ump.players.shape import shape_gains, two_sided
from ump.rules.analysis import shanten, ukeire

HAND = "123m4478p3367s123z"
"""Two from tenpai: the honours help nothing."""


def gains(worths: dict[str, float], hand: str = HAND, number: int = 2) -> dict[str, float]:
    """Return the gains of discards of a hand, by their names."""
    kinds = Hand(parse_mpsz(hand)).kinds
    before = kinds[:]
    names = {KIND_OF[parse_mpsz(name)[0]]: name for name in worths}
    live = [COPIES - count for count in kinds]
    found = shape_gains(kinds, live, number, {kind: worths[name] for kind, name in names.items()})
    assert kinds == before
    return {names[kind]: gain for kind, gain in found.items()}


def test_equal_shapes() -> None:
    """One of two equal shapes gains a share of what it is behind, less the margin."""
    behind = -20 * rates.SHAPES[2].worth - rates.SHAPE_MARGIN
    assert gains({"2z": 0.0, "3z": 0.0, "1z": -20.0}) == pytest.approx({"3z": -rates.SHAPE_MARGIN, "1z": behind})


def test_discards_that_leave_another_distance() -> None:
    """They gain nothing, and nothing gains on them."""
    assert gains({"2z": 0.0, "4p": 0.0}) == {}
    assert gains({"4p": 5.0, "2z": 0.0, "3z": 0.0}) == {}


def test_tiles_after_the_next_draw() -> None:
    """They are counted after each useful draw and the discard that leaves most, by what is unseen then."""
    kinds = Hand(parse_mpsz("1114m3677p255579s")).kinds
    weights, shapes = rates.SHAPES[2], []
    for kind in (KIND_OF[parse_mpsz(name)[0]] for name in ("6p", "2s")):
        left = kinds[:]
        left[kind] -= 1
        shape = weights.two_sided * two_sided(left) + weights.kinds * sum(map(bool, left))
        shapes.append(weights.next_tiles * next_tiles(left, [COPIES - count for count in kinds]) + shape)
    gained = gains({"6p": 0.0, "2s": 0.0}, "1114m3677p255579s")["2s"]
    assert gained == pytest.approx(shapes[1] - shapes[0] - rates.SHAPE_MARGIN)


def next_tiles(kinds: list[int], live: list[int]) -> float:
    """Return the mean of the most useful tiles after each useful draw, the slow way."""
    total = weight = 0
    for drawn in ukeire(kinds):
        after, unseen = kinds[:], live[:]
        after[drawn] += 1
        unseen[drawn] -= 1
        most = 0
        for kind in filter(after.__getitem__, range(KINDS)):
            after[kind] -= 1
            if shanten(after) < shanten(kinds):
                most = max(most, sum(map(unseen.__getitem__, ukeire(after))))
            after[kind] += 1
        total += live[drawn] * most
        weight += live[drawn]
    return total / weight


def test_two_sided_pairs() -> None:
    """Neighbours count that wait on two sides, also within runs; 12, 89 and honours do not."""
    assert two_sided(Hand(parse_mpsz("12m234p6789s12z")).kinds) == 2 + 2
