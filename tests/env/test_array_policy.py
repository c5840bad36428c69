"""A policy that decides by arrays: the same answers at one table and at many, and errors in words."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="the policy needs numpy, of the extra rl")

import numpy as np
from numpy.typing import NDArray

from ump.arena.play import play_game, play_games
from ump.env.action_ids import ACTIONS
from ump.env.array_policy import ArrayPolicy, Integers
from ump.env.rows import SHAPE


class Highest(ArrayPolicy):
    """Takes the legal action with the highest number."""

    def __init__(self) -> None:
        self.tables: list[int] = []

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> Integers:
        """Return the numbers."""
        assert observations.shape == (len(masks), *SHAPE)
        self.tables.append(len(masks))
        found: Integers = ACTIONS - 1 - masks[:, ::-1].argmax(1)
        return found


def test_many_tables_and_one() -> None:
    """The games are equal."""
    policy = Highest()
    games = play_games([policy] * 4, "tenhou", seeds=range(4))
    assert max(policy.tables) == 4
    alone = Highest()
    assert [play_game([alone] * 4, "tenhou", seed=seed) for seed in range(4)] == games
    assert set(alone.tables) == {1}


class Fixed(ArrayPolicy):
    """Returns the actions that a test has chosen."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> list[int]:
        """Return it."""
        return self._numbers


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([], "expected 1 action ids, got an array of the shape (0,)"),
        ([0, 0], "of the shape (2,)"),
        ([ACTIONS], f"action {ACTIONS} is not legal; legal are ["),
    ],
)
def test_wrong_numbers(numbers: list[int], message: str) -> None:
    """They are refused, so that a mistake in a network is seen."""
    with pytest.raises(ValueError, match="action") as caught:
        play_game([Fixed(numbers)] * 4, "tenhou", seed=1)
    assert message in str(caught.value)
