"""A policy that decides by arrays, such as a trained network: about many tables at once in an arena, one elsewhere.

It needs numpy alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ump.arena.play import OneTable, TableQuestion
from ump.env.action_ids import ACTIONS, actions_by_id
from ump.env.rows import SHAPE, SIZE, rows_of
from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.observation import Observation

Integers: TypeAlias = NDArray[np.integer[Any]]


class ArrayPolicy(ABC):
    """Plays in arenas (``choose_all``), and wherever a policy plays at one table (``choose``)."""

    @abstractmethod
    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> Integers | Sequence[int]:
        """Return a legal action id for each table.

        ``observations`` have the shape (tables, 83, 34), as docs/learning.md describes them; ``masks`` have a 1 for
        each legal action id of each table.
        """

    def choose_all(self, questions: Sequence[TableQuestion]) -> list[Action]:
        """Return the chosen action for each question. Raises ValueError if ``act`` does not return legal ids."""
        observations = np.empty((len(questions), SIZE), np.uint8)
        masks = np.zeros((len(questions), ACTIONS), np.int8)
        legal = []
        for row, question in enumerate(questions):
            observations[row] = np.frombuffer(rows_of(question.seen, question.phase, question.tile), np.uint8)
            legal.append(actions_by_id(question.offers, question.tile))
            masks[row, list(legal[row])] = 1
        numbers = self.ids(observations.reshape(-1, *SHAPE), masks)
        return [_legal(actions, number) for actions, number in zip(legal, numbers, strict=True)]

    def ids(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> list[int]:
        """Return what ``act`` does as a list. Raises ValueError if it has another length."""
        numbers = np.asarray(self.act(observations, masks))
        if numbers.shape != (len(masks),):
            raise ValueError(f"expected {len(masks)} action ids, got an array of the shape {numbers.shape}")
        found: list[int] = numbers.tolist()
        return found

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the chosen action at one table (see ``Policy.choose``)."""
        return OneTable(self).choose(seen, phase, tile, offers)


def _legal(actions: dict[int, Action], number: int) -> Action:
    action = actions.get(number)
    if action is None:
        raise ValueError(f"action {number} is not legal; legal are {sorted(actions)}")
    return action
