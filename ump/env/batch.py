"""Many tables at once: arrays of actions in; arrays of observations, masks and rewards out. It needs numpy alone.

Each table does exactly what a single environment does with the same seed and actions, in one process or several.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ump.env.action_ids import ACTIONS
from ump.env.batch_processes import BatchProcesses
from ump.env.batch_tables import ArrayForm, BatchArrays, BatchTables, Beginning
from ump.env.episode import OVER, Episode, refusal, task
from ump.env.extras import arrays_of
from ump.env.opponents import Opponent, Opponents
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
        opponents: Opponent | Sequence[Opponent] = (),
        episode: str = "game",
        reward: str = "points",
        place_points: Sequence[float] | None = None,
        processes: int = 1,
        extras: Sequence[str] = (),
    ) -> None:
        """Prepare ``tables`` tables; the other arguments and errors are those of ``MahjongEnv``.

        With ``opponents`` only learners are asked. They sit from seat 0 on in the first episode of table 0, and one
        seat further in each following episode, and at each following table. Several ``processes`` beside this one
        share the tables, with copies of the opponents; ``close`` ends them, as does the end of a ``with`` block or of
        the program. If one fails or is killed, all end, and ChildProcessError is raised.
        """
        if tables < 1:
            raise ValueError(f"expected at least one table, got {tables}")
        if not 1 <= processes <= tables:
            raise ValueError(f"expected 1 to {tables} processes, got {processes}")
        self._task = task(rules, episode=episode, reward=reward, place_points=place_points)
        seats = self._task.ruleset.seats
        seated = Opponents(opponents, seats)
        self._tables: BatchTables | BatchProcesses
        form = ArrayForm(seats, tuple(extras))
        names = [array.name for array in arrays_of(form.extras)]
        if processes == 1:
            arrays = BatchArrays(tables, form)
            self._tables = BatchTables(self._task, seated, arrays, form.extras)
        else:
            self._tables = played = BatchProcesses(processes, tables, self._task, seated, form)
            arrays = played.arrays
            weakref.finalize(self, played.end)
        self.observations: NDArray[np.uint8] = arrays.observations
        """The observation of the seat that has to act; docs/learning.md describes the rows."""
        self.masks: NDArray[np.int8] = arrays.masks
        """1 for each action id that is legal for it."""
        self.seats: NDArray[np.int64] = arrays.seats
        """The seat that has to act."""
        self.rewards: NDArray[np.float32] = arrays.rewards
        """The reward of each seat for the last step, and for what opponents did before and after it."""
        self.ended: NDArray[np.bool_] = arrays.ended
        """Whether the last step has ended an episode."""
        self.extras: dict[str, NDArray[Any]] = dict(zip(names, arrays.extras, strict=True))
        """The additional arrays by name, for that seat."""
        self._actions, self._skipped = arrays.actions, arrays.skipped
        self._received: list[slice] = []
        """The tables that wait for actions since ``receive``."""

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self.masks)

    def __enter__(self) -> Batch:
        """Return the batch, which the end of the block closes."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes, if there are any. The arrays stay as they are."""
        if isinstance(self._tables, BatchProcesses):
            self._tables.end()

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the walls of the current episodes; empty texts for tiles that were dealt anew."""
        return self._tables.seeds

    @property
    def skipped(self) -> int:
        """The number of episodes that ended before a learner was asked; no step belongs to them."""
        return int(self._skipped.sum())

    def reset(self, seed: int, starts: Sequence[Beginning] = ()) -> None:
        """Begin an episode at each table. Table n plays the episodes of an environment with the seed ``seed`` + n.

        ``starts`` are positions at which the first episodes begin, one for each table: copies of an ``Episode``, such
        as ``episode.redeal(...)``, whose seat that has to act is then a learner's; or what ``MahjongEnv`` begins at.
        Raises ValueError for another number of them, or if an episode is over or plays by other rules.
        """
        if starts and len(starts) != len(self):
            raise ValueError(f"expected {len(self)} starts, got {len(starts)}")
        for table, start in enumerate(starts):
            if isinstance(start, Episode) and start.over:
                raise ValueError(f"start {table}: the episode is over")
            if isinstance(start, Episode) and start.task.ruleset != self._task.ruleset:
                raise ValueError(f"start {table}: the episode has other rules, or another length")
        self._received.clear()
        self._tables.reset(seed, starts)

    def step(self, actions: Integers | Sequence[int]) -> None:
        """Take an action id for each table, that of the seat that has to act there.

        Raises ValueError, and changes nothing, if their number is not that of the tables, if one is not legal, before
        the first ``reset``, or while tables play after ``send``.
        """
        if self._tables.are_playing:
            raise ValueError("tables are playing: receive all of them before a step")
        self._take(slice(0, len(self)), actions)
        self._received.clear()
        self._tables.step()

    def receive(self) -> slice:
        """Return tables that are ready for their next actions, those of one process; wait until some are.

        ``batch.masks[tables]`` and the other arrays hold what their last step has brought. After ``reset`` and ``step``
        all tables are ready; then, those that finish first. Raises ValueError if none is ready and none is playing.
        """
        tables = self._tables.receive()
        self._received.append(tables)
        return tables

    def send(self, tables: slice, actions: Integers | Sequence[int]) -> None:
        """Take an action id for each of these tables, which were received, and do not wait until they have played.

        Raises ValueError as ``step`` does, or if the tables were not received.
        """
        if tables not in self._received:
            raise ValueError(f"{tables} was not received, or has its actions")
        self._take(tables, actions)
        self._received.remove(tables)
        self._tables.send(tables)

    def _take(self, tables: slice, actions: Integers | Sequence[int]) -> None:
        """Write the actions of tables into their array; raise ValueError unless there is a legal one for each."""
        numbers, masks = np.asarray(actions), self.masks[tables]
        if numbers.shape != (len(masks),) or numbers.dtype.kind not in "iu":
            raise ValueError(f"expected {len(masks)} integers, got {numbers.dtype} of the shape {numbers.shape}")
        in_range = numbers.min() >= 0 and numbers.max() < ACTIONS
        if not in_range or not masks[np.arange(len(masks)), numbers].all():
            self._refuse(tables.start, numbers.tolist())
        self._actions[tables] = numbers

    def _refuse(self, first: int, numbers: Sequence[int]) -> None:
        """Raise ValueError for the first illegal action of tables from ``first`` on."""
        for table, number in enumerate(numbers, first):
            mask = self.masks[table]
            if not mask.any():
                raise ValueError(OVER)
            if not (0 <= number < ACTIONS and mask[number]):
                raise ValueError(f"table {table}, {refusal(int(self.seats[table]), number, mask.tolist())}")
