"""Hand analysis: complete hands, waits, tenpai discards, and kans in riichi."""

from __future__ import annotations

import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterable
from operator import ge
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mahjong.hand_calculating.divider import HandDivider
from support.kobalab_cases import read_cases
from support.rows import each_row

from ump.model.hand import Hand
from ump.model.notation import MAJIANG_FACES, parse_shoupai
from ump.model.tiles import COPIES, EAST, KIND_OF, KINDS, Kind, number_of
from ump.rules import analysis
from ump.rules.analysis import (
    ALL_KINDS,
    is_complete,
    kan_keeps_waits,
    readiness,
    tenpai_discards,
    ukeire,
    waits,
    waits_of,
)
from ump.rules.ruleset import OwnCopies, RiichiKan

CONCEALED, WITH_MELDS = OwnCopies.CONCEALED, OwnCopies.WITH_MELDS
NEVER, SAME_SHAPE, SAME_WAITS = RiichiKan.NEVER, RiichiKan.SAME_SHAPE, RiichiKan.SAME_WAITS


def read(hand: str) -> Hand:
    """Return a hand written in Majiang's notation."""
    written = parse_shoupai(hand)
    return Hand(written.faces, written.melds)


def names(kinds: Iterable[Kind]) -> str:
    """Write kinds in order: ``m1 p9``."""
    return " ".join(MAJIANG_FACES[kind] for kind in sorted(kinds))


@each_row(
    ("hand", "complete"),
    [
        ("m11122234567899", True),
        ("m22334455556788", True),
        ("m11122233344455", True),
        ("m123456789p12223", True),
        ("m123456789p12233", False),
        ("m1122p3344s5566z77", True),
        ("m1111p3344s5566z77", False),
        ("m19p19s199z1234567", True),
        ("m19p19s199z1234566", False),
        ("z11,m123-,p111=,s999+,z2222", True),
        ("m055z11,m123-,p111=,s999+", True),
        ("m123p456s789z1112z3", False),
    ],
)
def test_complete_hands(hand: str, complete: bool) -> None:
    """Four sets and a pair, seven different pairs, and thirteen orphans are complete."""
    assert is_complete(read(hand).kinds) is complete


@each_row(
    ("hand", "expected"),
    [
        ("m123p456s789z1122", "z1 z2"),
        ("m1112345678999", "m1 m2 m3 m4 m5 m6 m7 m8 m9"),
        ("m19p19s19z1234567", "m1 m9 p1 p9 s1 s9 z1 z2 z3 z4 z5 z6 z7"),
        ("m1122p3344s5566z1", "z1"),
        ("m23p456s789z22,z111=", "m1 m4"),
        ("z3,m123-,p111=,s999+,z2222", "z3"),
        ("m258p456s789z1,z222=", ""),
        ("m147p258s369z1234", ""),
    ],
)
def test_waits(hand: str, expected: str) -> None:
    """The waits are the kinds that complete the hand; there are none if it is not tenpai."""
    assert names(waits(read(hand).kinds)) == expected


@each_row(
    ("hand", "expected"),
    [("m1111p123456789", ""), ("m11113p456s789z22", "m2"), ("m1111234449999", "")],
)
def test_kind_held_four_times_is_not_a_wait(hand: str, expected: str) -> None:
    """If only a fifth copy would complete the hand, it is not tenpai."""
    assert names(waits(read(hand).kinds)) == expected


@each_row(
    ("hand", "concealed", "with_melds"),
    [
        ("m23p456s789z11,m1111", "m1 m4", "m4"),
        ("m23p456s789z11,m111=1", "m1 m4", "m4"),
        ("m23p456s789z11,m111=", "m1 m4", "m1 m4"),
        ("m44456p456s11,m4-56", "m4 m7 s1", "m7 s1"),
        ("m1p456s789z111,m111=", "m1", ""),
    ],
)
def test_copies_in_melds_count_if_the_ruleset_says_so(hand: str, concealed: str, with_melds: str) -> None:
    """``own_copies``: a kind is not a wait with four copies in the concealed hand, or in hand and melds together."""
    tiles = read(hand)
    assert names(waits_of(tiles, CONCEALED)) == concealed
    assert names(waits_of(tiles, WITH_MELDS)) == with_melds


@each_row(
    ("hand", "own_copies", "expected"),
    [
        ("m123p456s789z1122z7", CONCEALED, {"z7": "z1 z2"}),
        ("m123p456s78z11222z7", CONCEALED, {"z7": "s6 s9"}),
        ("m1122p3344s5566z12", CONCEALED, {"z1": "z2", "z2": "z1"}),
        ("m147p258s369z12345", CONCEALED, {}),
        ("m44456p456s11z7,m4-56", CONCEALED, {"z7": "m4 m7 s1"}),
        ("m44456p456s11z7,m4-56", WITH_MELDS, {"z7": "m7 s1"}),
        ("m1p456s789z1117,m111=", CONCEALED, {"m1": "z7", "z7": "m1"}),
        ("m1p456s789z1117,m111=", WITH_MELDS, {"m1": "z7"}),
    ],
)
def test_tenpai_discards(hand: str, own_copies: OwnCopies, expected: dict[str, str]) -> None:
    """Each discard that leaves a tenpai hand, with the waits after it."""
    found = tenpai_discards(read(hand), own_copies)
    assert {MAJIANG_FACES[kind]: names(left) for kind, left in found.items()} == expected


def test_complete_hand_has_tenpai_discards() -> None:
    """A complete hand can play on: without any tile of a set, it waits to complete that set again."""
    found = tenpai_discards(read("m123p456s789z11222"), CONCEALED)
    assert len(found) == 11
    assert names(found[0]) == "m1 m4"
    assert names(found[28]) == "z1 z2"


@st.composite
def complete(draw: st.DrawFn, span: int) -> list[int]:
    """Draw the counts of four sets and a pair among the first kinds."""
    pairs = [(low, low) for low in range(span)]
    runs = [(low, low + 1, low + 2) for low in range(min(span, EAST)) if number_of(low) <= 7]
    sets = [*runs, *((low, low, low) for low in range(span))]
    blocks = [draw(st.sampled_from(pairs)), *draw(st.lists(st.sampled_from(sets), min_size=4, max_size=4))]
    counts = Counter(kind for block in blocks for kind in block)
    assume(max(counts.values()) <= COPIES)
    return [counts[kind] for kind in range(KINDS)]


@st.composite
def nearly_complete(draw: st.DrawFn, size: int) -> list[int]:
    """Draw the counts of sets and a pair with some tiles exchanged, 13 or 14 of them."""
    span = draw(st.sampled_from([9, 18, KINDS]))
    kinds = draw(complete(span))
    for _ in range(draw(st.integers(0, 2))):
        kinds[draw(st.sampled_from([kind for kind in range(KINDS) if kinds[kind]]))] -= 1
        kinds[draw(st.sampled_from([kind for kind in range(span) if kinds[kind] < COPIES]))] += 1
    if size == 13:
        kinds[draw(st.sampled_from([kind for kind in range(KINDS) if kinds[kind]]))] -= 1
    return kinds


def more(kinds: list[int], kind: Kind, by: int = 1) -> list[int]:
    """Return the counts with one tile more, or with ``by`` -1 one less."""
    return [count + by * (kind == at) for at, count in enumerate(kinds)]


@given(nearly_complete(13))
def test_waits_are_the_tiles_that_complete_the_hand(kinds: list[int]) -> None:
    """A kind that completes the hand is a wait, unless the hand holds all four copies."""
    before = kinds[:]
    expected = {kind for kind in range(KINDS) if kinds[kind] < COPIES and is_complete(more(kinds, kind))}
    assert waits(kinds) == expected
    assert not expected or ukeire(kinds) == expected
    assert kinds == before


@given(nearly_complete(13))
def test_tenpai_draws_are_those_that_can_leave_a_tenpai_hand(kinds: list[int]) -> None:
    """After these draws some discard leaves a wait; after any other draw no discard does."""
    hand = Hand(kind for kind in range(KINDS) for _ in range(kinds[kind]))
    number, found, draws = readiness(hand, CONCEALED)
    mask = draws if number < 2 else 0
    assert found == waits_of(hand, CONCEALED)
    for drawn in range(KINDS):
        if kinds[drawn] < COPIES:
            hand.add(drawn)
            assert bool(tenpai_discards(hand, CONCEALED)) == bool(mask >> drawn & 1)
            hand.remove(drawn)


def test_tenpai_draws_with_all_copies_of_the_wait_in_melds() -> None:
    """The hand has no wait, but any draw may change that."""
    hand = read("m1p456s789z111,m111=")
    assert names(readiness(hand, CONCEALED)[1]) == "m1"
    assert readiness(hand, WITH_MELDS) == (0, frozenset(), ALL_KINDS)


@pytest.mark.no_cover
@given(nearly_complete(14))
def test_tenpai_discards_are_all_that_leave_a_wait(kinds: list[int]) -> None:
    """Every other discard leaves a hand without a wait."""
    hand = Hand(kind for kind in range(KINDS) for _ in range(kinds[kind]))
    expected = {kind: waits(more(kinds, kind, -1)) for kind in range(KINDS) if kinds[kind]}
    assert tenpai_discards(hand, CONCEALED) == {kind: left for kind, left in expected.items() if left}
    assert hand.kinds == kinds


@each_row(
    ("hand", "same_waits", "same_shape"),
    [
        ("m1112p456s789z111z1", True, True),
        ("m23p567s33345666s3", True, False),
        ("m333444555p12z11m3", True, False),
        ("m33344455p123z22m3", False, False),
        ("m23s77789s7,s5550,z6666", False, False),
        ("m11123p456s789z11m1", False, False),
        ("s1113445678999s1", True, False),
    ],
)
def test_kan_in_riichi(hand: str, same_waits: bool, same_shape: bool) -> None:
    """The waits must stay; ``same-shape`` also requires a triplet in every reading of the hand."""
    drawn = parse_shoupai(hand).drawn
    assert drawn is not None
    tiles = read(hand)
    assert kan_keeps_waits(tiles, KIND_OF[drawn], SAME_WAITS, CONCEALED) is same_waits
    assert kan_keeps_waits(tiles, KIND_OF[drawn], SAME_SHAPE, CONCEALED) is same_shape
    assert not kan_keeps_waits(tiles, KIND_OF[drawn], NEVER, CONCEALED)


def test_kan_needs_all_four_copies_in_the_hand() -> None:
    """Three copies do not make a closed kan."""
    assert not kan_keeps_waits(read("m1112p456s789z1112"), KIND_OF[27], SAME_WAITS, CONCEALED)


@pytest.mark.no_cover
@given(complete(9), st.data())
def test_same_shape_means_a_triplet_in_every_reading(kinds: list[int], data: st.DataObject) -> None:
    """Compared with another program's readings of hands in one suit, few of which have only one reading."""
    triplets = [kind for kind in range(9) if kinds[kind] == 3]
    assume(triplets)
    drawn = data.draw(st.sampled_from(triplets))
    before = more(kinds, data.draw(st.sampled_from([kind for kind in range(9) if kinds[kind] and kind != drawn])), -1)
    found = waits(before)
    readings = [reading for wait in found for reading in HandDivider.divide_hand(more(before, wait))]
    gates = (3, 1, 1, 1, 1, 1, 1, 1, 3)  # a separate reading, which the other program does not have
    nine_gates = any(all(map(ge, more(before, wait), gates)) for wait in found)
    hand = Hand(kind for kind in range(KINDS) for _ in range(more(before, drawn)[kind]))
    keeps = kan_keeps_waits(hand, drawn, SAME_WAITS, CONCEALED)
    always = all([drawn] * 3 in reading for reading in readings)
    if not nine_gates:
        assert kan_keeps_waits(hand, drawn, SAME_SHAPE, CONCEALED) == (keeps and always)


def test_waits_as_recorded_from_kobalab(data: Path) -> None:
    """The hands of its unit tests. There too, a kind is not a wait if the concealed hand holds it four times."""
    compared = 0
    for case in read_cases(data / "kobalab" / "unit-recorded" / "Util.tingpai.json.gz"):
        hand = case["args"][0]["shoupai"]
        # one hand has a tile to discard, one was counted only as seven pairs
        if case["out"] is not None and hand != "m11155p2278s66z17":
            assert names(waits(read(hand).kinds)).split() == sorted(case["out"]), case
            compared += 1
    assert compared == 283


@pytest.mark.interpreted
def test_what_is_kept_is_small() -> None:
    """The sets of kinds that are kept fill a few megabytes at most, however many hands there have been."""
    for mask in range(1 << 14):
        analysis._kinds_of(mask << 20)
    kept = analysis._kinds_of.cache_info().currsize * sys.getsizeof(frozenset(range(20)))
    assert kept < 10_000_000


@pytest.mark.interpreted
def test_remembered_sets_take_little_memory() -> None:
    """A set of kinds takes up to two kilobytes, however many hands a server sees."""
    chance = Random("masks")
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10_000):
            mask = chance.getrandbits(KINDS)
            assert sum(1 << kind for kind in analysis._kinds_of(mask)) == mask
        assert tracemalloc.get_traced_memory()[0] - before < 2_000_000
    finally:
        tracemalloc.stop()
