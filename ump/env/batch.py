"""Many tables at once: arrays of actions in; arrays of observations, masks and rewards out. It needs numpy alone.

Each table does exactly what a single environment does with the same seed and actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ump.env.action_ids import ACTIONS
from ump.env.episode import Episode, Start, task
from ump.env.opponents import Opponent, Opponents
from ump.env.rows import QUESTIONS, SHAPE, SIZE, rows_in_blocks, show_offer
from ump.game.game import GameState
from ump.model.phases import Phase
from ump.model.tiles import KINDS
from ump.rules.ruleset import Ruleset

Integers: TypeAlias = NDArray[np.integer[Any]]

Beginning: TypeAlias = Episode | Start | GameState
"""A position at which an episode begins."""

_ABOUT_TILES = (Phase.CALL, Phase.CHANKAN)
_NUMBER_OF = {kind: number for number, kind in enumerate(QUESTIONS)}


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
        opponents: Opponent | Sequence[Opponent] = (),
        episode: str = "game",
        reward: str = "points",
        place_points: Sequence[float] | None = None,
    ) -> None:
        """Prepare ``tables`` tables; the other arguments and errors are those of ``MahjongEnv``.

        With ``opponents`` only learners are asked. They sit from seat 0 on in the first episode of table 0, and one
        seat further in each following episode, and at each following table.
        """
        if tables < 1:
            raise ValueError(f"expected at least one table, got {tables}")
        self._task = task(rules, episode=episode, reward=reward, place_points=place_points)
        seats = self._task.ruleset.seats
        self._opponents = Opponents(opponents, seats)
        self._episodes = [Episode(self._task) for _ in range(tables)]
        self._blocks = [block for episode in self._episodes for block in episode.blocks]
        """The rows of all seats at all tables."""
        self._rows = np.array([[rows_in_blocks(seat, seats, kind) for kind in QUESTIONS] for seat in range(seats)])
        """The rows of an observation among those of a table, by seat and class of question."""
        self._first = np.arange(tables)[:, None] * (sum(map(len, self._episodes[0].blocks)) // KINDS)
        """The first row of each table."""
        self._begun = [0] * tables
        """The number of episodes that each table has begun since ``reset``."""
        self.observations: NDArray[np.uint8] = np.zeros((tables, *SHAPE), np.uint8)
        """The observation of the seat that has to act; docs/learning.md describes the rows."""
        self.masks: NDArray[np.int8] = np.zeros((tables, ACTIONS), np.int8)
        """1 for each action id that is legal for it."""
        self.seats: NDArray[np.int64] = np.zeros(tables, np.int64)
        """The seat that has to act."""
        self.rewards: NDArray[np.float32] = np.zeros((tables, seats), np.float32)
        """The reward of each seat for the last step, and for what opponents did before and after it."""
        self.ended: NDArray[np.bool_] = np.zeros(tables, np.bool_)
        """Whether the last step has ended an episode."""
        self._places = np.arange(tables)
        self._order = range(tables)
        """The order of the tables in a step, forwards and backwards in turns: what was used last is still cached."""
        self.skipped = 0
        """The number of episodes that ended before a learner was asked; no step belongs to them."""

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._episodes)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the walls of the current episodes."""
        return tuple(episode.seed for episode in self._episodes)

    def reset(self, seed: int, starts: Sequence[Beginning] = ()) -> None:
        """Begin an episode at each table. Table n plays the episodes of an environment with the seed ``seed`` + n.

        ``starts`` are positions at which the first episodes begin, one for each table: copies of an ``Episode``, such
        as ``episode.redeal(...)``, whose seat that has to act is then a learner's; or what ``MahjongEnv`` begins at.
        Raises ValueError for another number of them, or if an episode is over or plays by other rules.
        """
        self._check(starts)
        self.rewards[:] = 0
        self.ended[:] = False
        self._begun = [0] * len(self)
        self._begin(range(len(self)), seed, starts)
        self._show()

    def _check(self, starts: Sequence[Beginning]) -> None:
        """Raise ValueError unless there is no start, or one for each table that can be played there."""
        if starts and len(starts) != len(self):
            raise ValueError(f"expected {len(self)} starts, got {len(starts)}")
        for table, start in enumerate(starts):
            if isinstance(start, Episode) and start.over:
                raise ValueError(f"start {table}: the episode is over")
            if isinstance(start, Episode) and start.task.ruleset != self._task.ruleset:
                raise ValueError(f"start {table}: the episode has other rules, or another length")

    def _begin(self, tables: Sequence[int], seed: int | None = None, starts: Sequence[Beginning] = ()) -> None:
        """Begin the next episode at these tables, and further ones until learners are asked."""
        while tables:
            for table in tables:
                start = starts[table] if starts else None
                self._begin_at(table, None if seed is None else seed + table, start)
            if starts:
                self._blocks = [block for episode in self._episodes for block in episode.blocks]
            self._opponents.play([self._episodes[table] for table in tables])
            tables, seed, starts = [table for table in tables if self._episodes[table].over], None, ()
            self.skipped += len(tables)

    def _begin_at(self, table: int, seed: int | None, start: Beginning | None) -> None:
        """Begin an episode of one table."""
        episode = self._episodes[table]
        first = (table + self._begun[table]) % episode.seats
        if isinstance(start, Episode):
            episode = self._episodes[table] = start.clone(seed)
            episode.task, episode.earned = self._task, None
            first = episode.seat
        else:
            episode.begin(seed, start)
        episode.opponents = self._opponents.seated(first)
        self._begun[table] += 1

    def step(self, actions: Integers | Sequence[int]) -> None:
        """Take an action id for each table, that of the seat that has to act there.

        Raises ValueError, and changes nothing, if their number is not that of the tables, if one is not legal, or
        before the first ``reset``.
        """
        chosen: list[Any] = self._checked(np.asarray(actions))
        self.rewards[:] = 0
        self.ended[:] = False
        if self._opponents.are_there:
            for episode, number in zip(self._episodes, chosen, strict=True):
                episode.step(number)
            self._opponents.play(self._episodes)
            chosen = [None] * len(self)
        ended = []
        self._order = self._order[::-1]
        for table in self._order:
            episode, number = self._episodes[table], chosen[table]
            if number is not None:
                episode.step(number)
            if episode.earned is not None:
                self.rewards[table] = episode.earned
                episode.earned = None
            if episode.question is None:
                ended.append(table)
        if ended:
            self.ended[ended] = True
            self._begin(ended)
        self._show()

    def _checked(self, numbers: Integers) -> list[int]:
        """Return the actions as a list; raise ValueError unless there is a legal one for each table."""
        if numbers.shape != (len(self),) or numbers.dtype.kind not in "iu":
            raise ValueError(f"expected {len(self)} integers, got {numbers.dtype} of the shape {numbers.shape}")
        chosen: list[int] = numbers.tolist()
        if min(chosen) < 0 or max(chosen) >= ACTIONS or not self.masks[self._places, numbers].all():
            legal = (0 <= number < ACTIONS and mask[number] for number, mask in zip(chosen, self.masks, strict=True))
            table = next(table for table, is_legal in enumerate(legal) if not is_legal)
            raise ValueError(f"table {table}, {self._episodes[table].refusal(chosen[table])}")
        return chosen

    def _show(self) -> None:
        """Write what the seats see and may do that have to act, for all tables at once."""
        questions: list[Any] = [episode.question for episode in self._episodes]
        self.seats[:] = [question.seat for question in questions]
        rows = self._rows[self.seats, [_NUMBER_OF[type(question)] for question in questions]] + self._first
        memory = np.frombuffer(b"".join(self._blocks), np.uint8).reshape(-1, KINDS)
        np.take(memory, rows, axis=0, out=self.observations, mode="clip")  # other modes copy the array first
        observations = self.observations.data.cast("B")
        for table, question in enumerate(questions):
            if question.phase in _ABOUT_TILES:
                show_offer(observations[table * SIZE :], question)
        masks = b"".join(
            [episode.mask(question.seat) for episode, question in zip(self._episodes, questions, strict=True)]
        )
        self.masks[:] = np.frombuffer(masks, np.int8).reshape(self.masks.shape)
