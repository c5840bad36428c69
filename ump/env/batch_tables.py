"""The tables of a batch, or those of them that one process plays, and the arrays into which they write."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ump.env.action_ids import ACTIONS
from ump.env.episode import Episode, Start, Task
from ump.env.extras import arrays_of
from ump.env.opponents import Opponents
from ump.env.rows import QUESTIONS, SHAPE, SIZE, rows_in_blocks, show_offer
from ump.game.game import GameState
from ump.model.phases import Phase
from ump.model.tiles import KINDS
from ump.model.value import value

Beginning: TypeAlias = Episode | Start | GameState
"""A position at which an episode begins."""

_ABOUT_TILES = (Phase.CALL, Phase.CHANKAN)
_NUMBER_OF = {kind: number for number, kind in enumerate(QUESTIONS)}

_ALIGNED = 64
"""Arrays begin at multiples of so many bytes."""


@value
class ArrayForm:
    """The form of the arrays."""

    seats: int
    extras: tuple[str, ...]
    """The groups of additional arrays."""


class BatchArrays:
    """The arrays of a batch, with an entry for each table."""

    def __init__(self, tables: int, form: ArrayForm, memory: memoryview | None = None) -> None:
        """Make arrays in this memory of ``size_of`` bytes, or in new one."""
        size = self.size_of(tables, form)
        whole = np.zeros(size, np.uint8) if memory is None else np.frombuffer(memory, np.uint8, size)
        arrays: list[NDArray[Any]] = []
        for start, shape, kind in _layout(tables, form):
            end = start + prod(shape) * kind.itemsize
            arrays.append(whole[start:end].view(kind).reshape(shape))
        self._set(arrays)

    def _set(self, arrays: Sequence[NDArray[Any]]) -> None:
        self._arrays = arrays
        self.observations, self.masks, self.seats, self.rewards, self.ended, self.actions, self.skipped = arrays[:7]
        self.extras = arrays[7:]

    @staticmethod
    def size_of(tables: int, form: ArrayForm) -> int:
        """Return the number of bytes of the arrays."""
        start, shape, kind = _layout(tables, form)[-1]
        return start + prod(shape) * kind.itemsize

    def part(self, first: int, last: int) -> BatchArrays:
        """Return the same arrays for the tables from ``first`` to the one before ``last``."""
        twin = BatchArrays.__new__(BatchArrays)
        twin._set([array[first:last] for array in self._arrays])
        return twin


def _layout(tables: int, form: ArrayForm) -> list[tuple[int, tuple[int, ...], np.dtype[Any]]]:
    """Return the first byte, the shape and the type of each array."""
    kinds: list[tuple[tuple[int, ...], str]] = [
        (SHAPE, "uint8"),
        ((ACTIONS,), "int8"),
        ((), "int64"),
        ((form.seats,), "float32"),
        ((), "bool"),
        ((), "int64"),
        ((), "int64"),
        *((array.shape, array.type) for array in arrays_of(form.extras)),
    ]
    found = []
    start = 0
    for shape, name in kinds:
        kind = np.dtype(name)
        found.append((start, (tables, *shape), kind))
        size = tables * prod(shape) * kind.itemsize
        start += -(-size // _ALIGNED) * _ALIGNED
    return found


class BatchTables:
    """Tables that play episodes side by side, and write what the seats see into arrays."""

    are_playing = False

    def __init__(
        self, task: Task, opponents: Opponents, arrays: BatchArrays, extras: tuple[str, ...], first: int = 0
    ) -> None:
        """Prepare a table for each entry of the arrays; ``first`` is the number of the first one in the batch."""
        seats, tables = task.ruleset.seats, len(arrays.masks)
        self._task = task
        self._opponents = opponents
        self._arrays = arrays
        self._extras = extras
        self._number = first
        self._episodes = [Episode(task) for _ in range(tables)]
        self._blocks = [block for episode in self._episodes for block in episode.blocks]
        """The rows of all seats at all tables."""
        self._rows = np.array([[rows_in_blocks(seat, seats, kind) for kind in QUESTIONS] for seat in range(seats)])
        """The rows of an observation among those of a table, by seat and class of question."""
        self._first = np.arange(tables)[:, None] * (sum(map(len, self._episodes[0].blocks)) // KINDS)
        """The first row of each table."""
        self._begun = [0] * tables
        """The number of episodes that each table has begun since ``reset``."""
        self._order = range(tables)
        """The order of the tables in a step, forwards and backwards in turns: what was used last is still cached."""

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds of the walls of the current episodes."""
        return tuple(episode.seed for episode in self._episodes)

    def reset(self, seed: int, starts: Sequence[Beginning]) -> None:
        """Begin an episode at each table, at its start if there are any; see ``Batch.reset``."""
        self._arrays.rewards[:] = 0
        self._arrays.ended[:] = False
        self._begun = [0] * len(self._episodes)
        self._begin(range(len(self._episodes)), seed + self._number, starts)
        self._show()

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
            self._arrays.skipped[list(tables)] += 1

    def _begin_at(self, table: int, seed: int | None, start: Beginning | None) -> None:
        """Begin an episode of one table."""
        episode = self._episodes[table]
        first = (self._number + table + self._begun[table]) % episode.seats
        if isinstance(start, Episode):
            episode = self._episodes[table] = start.clone(seed)
            episode.task, episode.earned = self._task, None
            first = episode.seat
        else:
            episode.begin(seed, start)
        self._opponents.sit_down(episode, first)
        self._begun[table] += 1

    def receive(self) -> slice:
        """Return all tables: they are always ready."""
        return slice(0, len(self._episodes))

    def send(self, _: slice) -> None:
        """Take the actions at all tables."""
        self.step()

    def step(self) -> None:
        """Take the action at each table that stands in the arrays, all of which are legal."""
        arrays = self._arrays
        chosen: list[Any] = arrays.actions.tolist()
        arrays.rewards[:] = 0
        arrays.ended[:] = False
        if self._opponents.are_there:
            for episode, number in zip(self._episodes, chosen, strict=True):
                episode.step(number)
            self._opponents.play(self._episodes)
            chosen = [None] * len(chosen)
        ended = []
        self._order = self._order[::-1]
        for table in self._order:
            episode, number = self._episodes[table], chosen[table]
            if number is not None:
                episode.step(number)
            if episode.earned is not None:
                arrays.rewards[table] = episode.earned
                episode.earned = None
            if episode.question is None:
                ended.append(table)
        if ended:
            arrays.ended[ended] = True
            self._begin(ended)
        self._show()

    def _show(self) -> None:
        """Write what the seats see and may do that have to act, for all tables at once."""
        arrays = self._arrays
        questions: list[Any] = [episode.question for episode in self._episodes]
        arrays.seats[:] = [question.seat for question in questions]
        rows = self._rows[arrays.seats, [_NUMBER_OF[type(question)] for question in questions]] + self._first
        memory = np.frombuffer(b"".join(self._blocks), np.uint8).reshape(-1, KINDS)
        np.take(memory, rows, axis=0, out=arrays.observations, mode="clip")  # other modes copy the array first
        observations = arrays.observations.data.cast("B")
        for table, question in enumerate(questions):
            if question.phase in _ABOUT_TILES:
                show_offer(observations[table * SIZE :], question)
        masks = b"".join(
            [episode.mask(question.seat) for episode, question in zip(self._episodes, questions, strict=True)]
        )
        arrays.masks[:] = np.frombuffer(masks, np.int8).reshape(arrays.masks.shape)
        if self._extras:
            self._show_extras()

    def _show_extras(self) -> None:
        """Write the additional arrays."""
        for table, episode in enumerate(self._episodes):
            for array, numbers in zip(self._arrays.extras, episode.extras(episode.seat, self._extras), strict=True):
                array[table] = np.frombuffer(numbers, array.dtype).reshape(array.shape[1:])
