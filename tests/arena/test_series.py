"""Series of games between policies."""

from __future__ import annotations

import pytest

from ump.arena.series import play_series, seating
from ump.rules.ruleset import Length, Ruleset

ONE_KYOKU = Ruleset(length=Length.KYOKU)


def test_every_player_sits_in_every_seat() -> None:
    """After as many games as there are players, each player has had each seat once."""
    seatings = [seating(number, 4) for number in range(4)]
    assert seatings[:2] == [(0, 1, 2, 3), (1, 2, 3, 0)]
    assert all(sorted(column) == [0, 1, 2, 3] for column in zip(*seatings, strict=True))


def test_the_same_seed_gives_the_same_series() -> None:
    """Walls and random choices follow from the seed and the number of the game."""
    players = ("random", "tsumogiri", "random", "tsumogiri")
    first, again = (list(play_series(players, ONE_KYOKU, 2, "series")) for _ in range(2))
    assert first == again
    assert [game.number for game in first] == [0, 1]
    assert first[0].events != first[1].events
    assert next(play_series(players, ONE_KYOKU, 1, "other")).events != first[0].events


def test_a_series_needs_a_player_for_each_seat() -> None:
    """The error names both numbers."""
    with pytest.raises(ValueError, match="expected 4 players, got 1"):
        next(play_series(["tsumogiri"], ONE_KYOKU, 1, "series"))
