"""Seeds of games: random, or derived from the server's seed."""

from __future__ import annotations

from ump.net.seeds import Seeds, by_lot


def test_one_seed_for_all() -> None:
    """The seed of each game follows from the server's, which it does not reveal; no two games have the same."""
    assert Seeds("s").of("main-1") == Seeds("s").of("main-1")
    assert len({Seeds("s").of("main-1"), Seeds("s").of("main-2"), Seeds("t").of("main-1")}) == 3
    assert "secret" not in Seeds("secret").of("main-1")


def test_random_seeds() -> None:
    """Without a server's seed, each game has another seed."""
    assert len({Seeds(None).of("main-1") for _ in range(100)}) == 100


def test_shuffled_seats() -> None:
    """Each player gets one seat, and may get any; the same seed gives the same seats."""
    lots = [by_lot("abcd", str(seed)) for seed in range(200)]
    assert all(sorted(lot) == list("abcd") for lot in lots)
    assert all({lot[seat] for lot in lots} == set("abcd") for seat in range(4))
    assert by_lot("abcd", "1") == lots[1]
