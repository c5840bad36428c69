"""Secrets of games: random, or derived from the server's seed."""

from __future__ import annotations

from ump.model.commitments import SECRET
from ump.server.seeds import Seeds


def test_one_seed_for_all() -> None:
    """The secret of each game follows from the server's seed, which it does not reveal; no two games have the same."""
    assert Seeds("s").secret_of("main-1") == Seeds("s").secret_of("main-1")
    assert len({Seeds("s").secret_of("main-1"), Seeds("s").secret_of("main-2"), Seeds("t").secret_of("main-1")}) == 3
    assert SECRET.fullmatch(Seeds("seed").secret_of("main-1"))


def test_a_secret_repeats_its_game() -> None:
    """The secret that a log states is a seed too: it gives the same game, whatever its name."""
    secret = Seeds("s").secret_of("main-7")
    assert Seeds(secret).secret_of("main-1") == secret


def test_random_secrets() -> None:
    """Without a server's seed, each game has another secret."""
    assert len({Seeds(None).secret_of("main-1") for _ in range(100)}) == 100
