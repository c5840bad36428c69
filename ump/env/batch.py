"""Many tables at once: arrays of actions in; arrays of observations, masks and rewards out. It needs numpy alone.

Each table does exactly what a single environment does with the same seed and actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ump.env.action_ids import ACTIONS
from ump.env.episode import Episode, task
from ump.env.rows import SHAPE, SIZE
from ump.rules.ruleset import Ruleset

Integers: TypeAlias = NDArray[np.integer[Any]]


class Batch:
    """Tables that play episodes side by side; at each of them one seat has to act.

    The arrays have an entry for each table. ``reset`` and ``step`` write into the same arrays again and again: copy
    what you want to keep. When the episode of a table ends, its next one begins in the same step: ``ended`` says so,
    the rewards still belong to the episode that has ended, and the observation to the new one.
    """

    def __init__(
        self,
        tables: int,
        rules: Ruleset | str = "tenhou",
        *,
        episode: str = "game",
        reward: str = "points",
        place_points: Sequence[float] | None = None,
    ) -> None:
        """Prepare ``tables`` tables; the other arguments and errors are those of ``MahjongEnv``."""
        if tables < 1:
            raise ValueError(f"expected at least one table, got {tables}")
        common = task(rules, episode=episode, reward=reward, place_points=place_points)
        self._episodes = [Episode(common) for _ in range(tables)]
        self.observations: NDArray[np.uint8] = np.zeros((tables, *SHAPE), np.uint8)
        """The observation of the seat that has to act; docs/learning.md describes the rows."""
        self.masks: NDArray[np.int8] = np.zeros((tables, ACTIONS), np.int8)
        """1 for each action id that is legal for it."""
        self.seats: NDArray[np.int64] = np.zeros(tables, np.int64)
        """The seat that has to act."""
        self.rewards: NDArray[np.float32] = np.zeros((tables, common.ruleset.seats), np.float32)
        """The reward of each seat for the last step."""
        self.ended: NDArray[np.bool_] = np.zeros(tables, np.bool_)
        """Whether the last step has ended an episode."""
        self._flat = self.observations.reshape(tables, SIZE)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._episodes)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the walls of the current episodes."""
        return tuple(episode.seed for episode in self._episodes)

    def reset(self, seed: int) -> None:
        """Begin an episode at each table. Table n plays the episodes of an environment with the seed ``seed`` + n."""
        self.rewards[:] = 0
        self.ended[:] = False
        for table, episode in enumerate(self._episodes):
            episode.begin(seed + table)
            self._show(table, episode)

    def step(self, actions: Integers | Sequence[int]) -> None:
        """Take an action id for each table, that of the seat that has to act there.

        Raises ValueError, and changes nothing, if their number is not that of the tables, if one is not legal, or
        before the first ``reset``.
        """
        numbers = np.asarray(actions)
        self._check(numbers)
        self.rewards[:] = 0
        self.ended[:] = False
        for table, (episode, number) in enumerate(zip(self._episodes, numbers.tolist(), strict=True)):
            earned = episode.step(number)
            if earned is not None:
                self.rewards[table] = earned
            if episode.over:
                self.ended[table] = True
                episode.begin()
            self._show(table, episode)

    def _check(self, numbers: Integers) -> None:
        """Raise ValueError unless there is a legal action for each table."""
        if numbers.shape != (len(self),) or not np.issubdtype(numbers.dtype, np.integer):
            raise ValueError(f"expected {len(self)} integers, got {numbers.dtype} of the shape {numbers.shape}")
        for table, (episode, number) in enumerate(zip(self._episodes, numbers.tolist(), strict=True)):
            if not episode.is_legal(number):
                raise ValueError(f"table {table}, {episode.refusal(number)}")

    def _show(self, table: int, episode: Episode) -> None:
        """Write what the seat sees that has to act at a table."""
        self.seats[table] = seat = episode.seat
        self._flat[table] = np.frombuffer(episode.planes(seat), np.uint8)
        self.masks[table] = np.frombuffer(episode.mask(seat), np.int8)
