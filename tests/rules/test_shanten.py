"""Shanten: two libraries, compared with each other and with kobalab/majiang-core's tables."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.kobalab_cases import read_cases
from support.rows import each_row

from ump.model.hand import Hand
from ump.model.notation import parse_majiang_face, parse_mpsz, parse_shoupai
from ump.model.tiles import COPIES, KINDS
from ump.rules import shanten as module
from ump.rules.shanten import (
    shanten,
    shanten_and_ukeire,
    slow_shanten,
    slow_shanten_and_ukeire,
    slow_spare_kinds,
    spare_kinds,
)

Counter = Callable[[list[int]], int]

BOTH = pytest.mark.parametrize("count", [shanten, slow_shanten], ids=["xiangting", "mahjong"])

EVERY_FIFTH = 5
"""The slow library is compared on every fifth case of a table."""


def kinds_of(hand: str) -> list[int]:
    """Return the counts of tiles written like 123m456p77z."""
    return Hand(parse_mpsz(hand)).kinds


@st.composite
def hands(draw: st.DrawFn, sizes: tuple[int, ...]) -> list[int]:
    """Draw the counts of a hand, often of few kinds, so that it has four copies of some."""
    size = draw(st.sampled_from(sizes))
    among = draw(st.lists(st.integers(0, KINDS - 1), unique=True, min_size=-(-size // COPIES), max_size=KINDS))
    pool = draw(st.permutations([kind for kind in among for _ in range(COPIES)]))
    kinds = [0] * KINDS
    for kind in pool[:size]:
        kinds[kind] += 1
    return kinds


@BOTH
@each_row(
    ("hand", "number"),
    [
        ("123m456p789s11222z", -1),
        ("123m456p789s1122z", 0),
        ("19m19p19s1234567z", 0),
        ("119m19p19s1234567z", -1),
        ("19m19p199s111234z", 2),
        ("1122m3344p5566s1z", 0),
        ("1122m3344p5566s11z", -1),
        ("1111m1122p3344s5z", 2),
        ("1z", 0),
        ("11z", -1),
        ("1133m", 0),
        ("1111m", 1),
        ("1111m123456789p", 1),
        ("147m258p369s1234z", 6),
    ],
)
def test_shanten_of_every_form(count: Counter, hand: str, number: int) -> None:
    """Sets and a pair, seven different pairs, thirteen orphans. Melds are implied; a fifth copy never counts."""
    assert count(kinds_of(hand)) == number


@each_row("count", [shanten, slow_shanten, shanten_and_ukeire, slow_shanten_and_ukeire])
@pytest.mark.parametrize("hand", ["123m", "123456789m123456p", ""])
def test_impossible_number_of_tiles(count: Callable[[list[int]], object], hand: str) -> None:
    """3n tiles, or more than a hand can have, raise ValueError."""
    with pytest.raises(ValueError):
        count(kinds_of(hand))


@given(hands((1, 2, 4, 5, 7, 8, 10, 11, 13, 14)))
def test_libraries_agree_on_shanten(kinds: list[int]) -> None:
    """Both libraries give the same numbers, also for hands with four copies of a kind."""
    assert slow_shanten(kinds) == shanten(kinds)


@given(hands((1, 4, 7, 10, 13)))
def test_libraries_agree_on_ukeire(kinds: list[int]) -> None:
    """Both return the same tiles that lower the shanten number."""
    before = kinds[:]
    assert slow_shanten_and_ukeire(kinds) == shanten_and_ukeire(kinds)
    assert kinds == before


@given(hands((2, 5, 8, 11, 14)))
def test_libraries_agree_on_spare_kinds(kinds: list[int]) -> None:
    """Both return the same tiles whose discard keeps the shanten number."""
    before = kinds[:]
    assert slow_spare_kinds(kinds) == spare_kinds(kinds)
    assert kinds == before


@pytest.mark.interpreted
def test_slow_functions_replace_a_missing_xiangting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module can be imported if xiangting is not installed."""
    monkeypatch.setitem(sys.modules, "xiangting", None)
    alone = _import_again()
    assert alone.shanten is alone.slow_shanten
    assert alone.shanten_and_ukeire is alone.slow_shanten_and_ukeire
    assert alone.spare_kinds is alone.slow_spare_kinds


def _import_again() -> ModuleType:
    """Return a second copy of the module."""
    spec = importlib.util.spec_from_file_location("shanten_alone", str(module.__file__))
    assert spec is not None and spec.loader is not None
    alone = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(alone)
    return alone


@each_row("table", [1, 2, 3, 4])
def test_shanten_as_in_kobalabs_tables(data: Path, table: int) -> None:
    """The lowest number of the three forms agrees for 2,500 hands of each table."""
    for number, case in enumerate(read_cases(data / "kobalab" / f"xiangting_{table}.json.gz")):
        kinds = Hand(map(parse_majiang_face, case["q"])).kinds
        assert shanten(kinds) == min(case["x"]), case
        if number % EVERY_FIFTH == 0:
            assert slow_shanten(kinds) == min(case["x"]), case


def test_shanten_as_recorded_from_kobalab(data: Path) -> None:
    """The hands of its unit tests agree, except hands with missing tiles, which it counts differently."""
    compared = 0
    for case in read_cases(data / "kobalab" / "unit-recorded" / "Util.xiangting.json.gz"):
        hand = parse_shoupai(case["args"][0]["shoupai"])
        if len(hand.faces) + 3 * len(hand.melds) >= 13:
            assert shanten(Hand(hand.faces).kinds) == case["out"], case
            compared += 1
    assert compared == 2_663
