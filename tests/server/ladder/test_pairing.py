"""Pairing: every player gets a table, never two of one owner, and close ratings meet."""

from __future__ import annotations

from collections import Counter
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.server.rated_rounds import REPEATED, Costs, FreePlayer, pair
from ump.wire.names import owner_of


@given(owners=st.lists(st.integers(0, 5), max_size=24), seats=st.integers(3, 4), seed=st.integers())
def test_everybody_gets_a_table(owners: list[int], seats: int, seed: int) -> None:
    """All players sit, each once, at tables that are not too large and have no two players of one owner."""
    candidates = [FreePlayer(f"o{owner}/{number}", 1500.0 + number) for number, owner in enumerate(owners)]
    tables = pair(candidates, seats, [], Random(seed))
    assert Counter(each.name for table in tables for each in table) == Counter(each.name for each in candidates)
    for table in tables:
        assert 1 <= len(table) <= seats
        assert len({owner_of(each.name) for each in table}) == len(table)


def test_close_ratings_meet() -> None:
    """The ratings of a table are much closer than those of random tables, and last round's pairs are rare."""
    random = Random(3)
    candidates = [FreePlayer(f"p{number}", random.gauss(1500, 150)) for number in range(40)]
    recent: list[list[frozenset[str]]] = []
    spreads, repeated, pairs = [], 0, 0
    for _ in range(6):
        tables = pair(candidates, 4, recent, random)
        assert [len(table) for table in tables] == [4] * 10
        spreads += [max(each.rating for each in table) - min(each.rating for each in table) for table in tables]
        now = [frozenset(each.name for each in table) for table in tables]
        for table in now:
            for before in recent[0] if recent else ():
                common = len(table & before)
                repeated += common * (common - 1) // 2
                pairs += 6
        recent = [now, *recent]
    assert fmean(spreads) < 250  # of random tables: 309
    assert repeated / pairs < 0.02


def test_cost_of_a_meeting() -> None:
    """A pair that met in the last round costs 400 more, two rounds ago two thirds of it, later nothing."""
    one, other = FreePlayer("a", 1500.0), FreePlayer("b", 1510.0)
    met, nobody = [frozenset("ab")], [frozenset("cd")]
    costs = [Costs([*[nobody] * age, met]).of([one, other]) for age in range(4)]
    assert costs == pytest.approx([10 + REPEATED, 10 + REPEATED * 2 / 3, 10 + REPEATED / 3, 10])


@each_row(("name", "owner"), [("alice/akagi", "alice"), ("alice", "alice"), ("a/b/c", "a"), ("/x", "")])
def test_owner(name: str, owner: str) -> None:
    """The owner is the part before the first slash."""
    assert owner_of(name) == owner
