"""Plackett-Luce ratings against cases that are known exactly, and against simulated games of known strengths."""

from __future__ import annotations

from math import exp, log
from random import Random

import pytest

from ump.arena.ratings import ANCHOR_RATING, ELO, Choices, fit, ratings


def ranked_game(strengths: list[float], seating: tuple[int, ...], generator: Random) -> tuple[int, ...]:
    """Return the places of a game that the model plays: who of those left comes next is drawn by strength."""
    left, places = list(range(len(seating))), [0] * len(seating)
    for place in range(1, len(seating) + 1):
        (seat,) = generator.choices(left, [exp(strengths[seating[each]] / ELO) for each in left])
        left.remove(seat)
        places[seat] = place
    return tuple(places)


def simulated(strengths: list[float], blocks: int, seatings: list[tuple[int, ...]]) -> list[Choices]:
    """Return blocks of one game for each seating."""
    generator, found = Random("ratings"), []
    for _ in range(blocks):
        block = Choices()
        for seating in seatings:
            block.add_game(seating, ranked_game(strengths, seating, generator))
        found.append(block)
    return found


@pytest.mark.parametrize(
    "seatings",
    [
        [(0, 1, 2, 3), (1, 2, 3, 0), (2, 3, 0, 1), (3, 0, 1, 2)],
        [(0, 1, 1, 1), (1, 2, 2, 2), (2, 3, 3, 3), (3, 0, 0, 0)],
        [(0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1)],
    ],
    ids=["all four", "among copies", "three seats"],
)
def test_the_fit_finds_simulated_strengths(seatings: list[tuple[int, ...]]) -> None:
    """The true differences to the anchor are within the error of 2,400 games, and the intervals are of that size."""
    true = [0.0, 52.0, -70.0, 17.0]
    found = ratings(simulated(true, 600, seatings), 4, 0, Random(1), resamples=30)
    assert (found[0].elo, found[0].half_width) == (ANCHOR_RATING, 0)
    for rating, strength in zip(found[1:], true[1:], strict=True):
        assert rating.half_width is not None
        assert 4 < rating.half_width < 25
        assert abs(rating.elo - ANCHOR_RATING - strength) < 1.5 * rating.half_width


def test_two_players_have_the_odds_of_their_games() -> None:
    """With 300 wins of 400, s differs by ln 3, but for half a game of the prior on either side."""
    choices = Choices()
    for number in range(400):
        choices.add_game((0, 1), (1, 2) if number < 300 else (2, 1))
    s = fit(choices, 2)
    assert s[0] - s[1] == pytest.approx(log(300.5 / 100.5), abs=1e-4)
    assert s[0] + s[1] == pytest.approx(0)


def test_nothing_decides_between_equal_results() -> None:
    """Games among copies of one player say nothing, and shared places are equal for those who share them."""
    choices = Choices()
    choices.add_game((0, 0, 0, 0), (1, 2, 3, 4))
    assert not choices.groups
    choices.add_game((0, 1, 2, 3), (1, 1, 3, 3))
    s = fit(choices, 4)
    assert s[0] == pytest.approx(s[1])
    assert s[2] == pytest.approx(s[3])
    assert s[0] > s[2]
    assert fit(Choices(), 1) == [0]


def test_ratings_stay_finite() -> None:
    """A player that won everything has a high rating, by the prior; one block has no interval."""
    choices = Choices()
    for _ in range(100):
        choices.add_game((0, 1, 1, 1), (1, 2, 3, 4))
    always, never = ratings([choices], 2, 1, Random(1))
    assert 600 < always.elo - ANCHOR_RATING < 1_500
    assert (never.elo, never.half_width) == (ANCHOR_RATING, None)
