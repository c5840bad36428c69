"""Chance: fresh for each game, or all of it from one seed."""

from __future__ import annotations

from ump.net.seeds import Seeds, by_lot


def test_one_seed_for_all() -> None:
    """The same seed gives each game the same chance again, another game other chance, and does not show itself."""
    assert Seeds("s").of("main-1") == Seeds("s").of("main-1")
    assert len({Seeds("s").of("main-1"), Seeds("s").of("main-2"), Seeds("t").of("main-1")}) == 3
    assert "secret" not in Seeds("secret").of("main-1")


def test_fresh_chance() -> None:
    """Without a seed no two games are alike."""
    assert len({Seeds(None).of("main-1") for _ in range(100)}) == 100


def test_seats_by_lot() -> None:
    """Everybody gets one seat, and each seat may be anybody's; the lot of a seed is always the same."""
    lots = [by_lot("abcd", str(seed)) for seed in range(200)]
    assert all(sorted(lot) == list("abcd") for lot in lots)
    assert all({lot[seat] for lot in lots} == set("abcd") for seat in range(4))
    assert by_lot("abcd", "1") == lots[1]
