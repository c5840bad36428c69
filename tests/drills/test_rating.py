"""Ratings of learners and drills."""

from __future__ import annotations

import random

import pytest

from ump.drills.rating import LEAST_DEVIATION, NEWCOMER, DrillRating, after_games, rated


def test_the_example_of_the_paper() -> None:
    """The numbers of Glickman's own example."""
    games = [(DrillRating(1_400, 30), 1.0), (DrillRating(1_550, 100), 0.0), (DrillRating(1_700, 300), 0.0)]
    found = after_games(DrillRating(1_500, 200), games)
    assert found.rating == pytest.approx(1_464.06, abs=0.01)
    assert found.deviation == pytest.approx(151.52, abs=0.01)
    assert found.volatility == pytest.approx(0.05999, abs=0.00001)


def test_a_learner_finds_its_strength() -> None:
    """A learner of 1800 who begins at 1500 is there after some hundred answers, and drills hardly move."""
    chance = random.Random(1)
    learner = NEWCOMER
    for _ in range(150):
        drill = DrillRating(learner.rating - 150, 150)
        is_right = chance.random() < 1 / (1 + 10 ** ((drill.rating - 1_800) / 400))
        learner, after = rated(learner, drill, is_right=is_right)
        assert (after.rating < drill.rating) == is_right and after.deviation <= drill.deviation
    assert learner.rating == pytest.approx(1_800, abs=120)
    assert LEAST_DEVIATION <= learner.deviation < 80


def test_extremes_stay_numbers() -> None:
    """Thousands of equal answers do not end in an error."""
    learner = NEWCOMER
    for _ in range(3_000):
        learner, _ = rated(learner, DrillRating(500, 150), is_right=False)
    assert -3_000 < learner.rating < 500
