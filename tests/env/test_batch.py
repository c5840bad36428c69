"""Many tables at once do exactly what as many single environments do."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from copy import deepcopy
from multiprocessing.process import BaseProcess
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("numpy", reason="the batch needs numpy, of the extra rl")

import numpy as np

from ump.env.action_ids import ACTION_NAMES
from ump.env.batch import Batch
from ump.env.batch_processes import BatchProcesses
from ump.env.episode import Episode, task
from ump.game.game import GameState
from ump.model.actions import Action
from ump.players.policy import Tsumogiri
from ump.rules.questions import Question

TABLES, STEPS, SEED = 3, 400, 20


def chosen(mask: Any, chance: Random) -> int:
    """Choose a legal action; take wins, and call seldom."""
    legal = [int(number) for number in np.flatnonzero(mask)]
    wins = [number for number in legal if ACTION_NAMES[number] in ("ron", "tsumo")]
    return wins[0] if wins else chance.choice(legal)


def _earned(episode: Episode, action: int) -> tuple[float, ...]:
    """Take an action, and return the rewards by seat."""
    episode.earned = None
    episode.step(action)
    return episode.earned or (0.0,) * episode.seats


@pytest.mark.parametrize(
    "options",
    [{"rules": "tenhou", "episode": "kyoku"}, {"rules": "tenhou3"}, {"episode": "kyoku", "reward": "placement"}],
)
def test_a_batch_is_as_many_episodes(options: dict[str, Any]) -> None:
    """Step for step: observations, masks, seats, rewards, ends and seeds, also over the ends of episodes."""
    batch = Batch(TABLES, **options)
    batch.reset(SEED)
    episodes = [Episode(task(**options)) for _ in range(TABLES)]
    for table, episode in enumerate(episodes):
        episode.begin(SEED + table)
    chance, ends = Random(1), 0
    for _ in range(STEPS):
        for table, episode in enumerate(episodes):
            seat = episode.seat
            assert batch.seats[table] == seat
            assert batch.observations[table].tobytes() == episode.rows(seat)
            assert batch.masks[table].tobytes() == episode.mask(seat)
            assert batch.seeds[table] == episode.seed
        actions = [chosen(mask, chance) for mask in batch.masks]
        batch.step(np.array(actions))
        for table, (episode, action) in enumerate(zip(episodes, actions, strict=True)):
            assert tuple(batch.rewards[table]) == _earned(episode, action)
            assert batch.ended[table] == episode.over
            if episode.over:
                ends += 1
                episode.begin()
    assert ends or options.get("episode") is None


def test_a_batch_is_as_many_environments() -> None:
    """The same with the environment of PettingZoo."""
    pytest.importorskip("pettingzoo", reason="the environments need the extra rl")
    from ump.env.environments import MahjongEnv

    batch, chance = Batch(2, episode="kyoku"), Random(2)
    batch.reset(5)
    environments = [MahjongEnv(episode="kyoku") for _ in range(2)]
    for table, environment in enumerate(environments):
        environment.reset(seed=5 + table)
    for _ in range(200):
        actions = [chosen(mask, chance) for mask in batch.masks]
        for table, environment in enumerate(environments):
            observed = environment.last()[0]
            assert np.array_equal(observed["observation"], batch.observations[table])
            assert np.array_equal(observed["action_mask"], batch.masks[table])
            environment.step(actions[table])
        batch.step(actions)
        for table, environment in enumerate(environments):
            assert list(environment.rewards.values()) == batch.rewards[table].tolist()
            if batch.ended[table]:
                assert all(environment.terminations.values())
                environment.reset()


def test_processes_play_the_same_games() -> None:
    """In one, two and three processes, with opponents and from positions, step for step."""
    position = Episode(task("tenhou3", episode="kyoku"))
    position.begin(4)
    starts = [position.redeal(position.seat, Random(table)) for table in range(5)]
    options: dict[str, Any] = {"rules": "tenhou3", "episode": "kyoku", "opponents": ["tsumogiri"]}
    batches = [Batch(5, processes=count, **options) for count in (1, 2, 3)]
    for begun in ((), starts):
        for batch in batches:
            batch.reset(SEED, begun)
        chance = Random(1)
        for _ in range(150):
            actions = [chosen(mask, chance) for mask in batches[0].masks]
            for batch in batches:
                batch.step(actions)
            for name in ("observations", "masks", "seats", "rewards", "ended"):
                for batch in batches[1:]:
                    assert np.array_equal(getattr(batches[0], name), getattr(batch, name))
        assert len({(batch.seeds, batch.skipped) for batch in batches}) == 1
        assert any("/" in seed for seed in batches[0].seeds)
    workers = [worker for batch in batches[1:] for worker in workers_of(batch)]
    for batch in batches:
        batch.close()
        batch.close()
    assert len(workers) == 5
    assert not any(worker.is_alive() for worker in workers)
    assert batches[1].masks.any()


def workers_of(batch: Batch) -> list[BaseProcess]:
    """Return the processes of a batch."""
    assert isinstance(batch._tables, BatchProcesses)
    return [process for process, _ in batch._tables._workers]


class Doomed(Tsumogiri):
    """Meets its fate in the process of the batch."""

    def __init__(self, fate: Callable[[Question], None], program: int) -> None:
        self.fate, self.program = fate, program

    def answer(self, question: Question) -> Action:
        """Meet its fate; it never plays in the program."""
        assert os.getpid() != self.program
        self.fate(question)
        return super().answer(question)


def fail(question: Question) -> None:
    """Raise an error."""
    raise ZeroDivisionError(f"seat {question.seat}")


def be_killed(_: Question) -> None:
    """End the process as the system does if memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def first_legal(batch: Batch, tables: slice) -> list[int]:
    """Return a legal action for each of these tables."""
    return [int(np.flatnonzero(mask)[0]) for mask in batch.masks[tables]]


def step_all(batch: Batch) -> None:
    """Take a step at all tables."""
    batch.step(first_legal(batch, slice(0, len(batch))))


def step_some(batch: Batch) -> None:
    """Take a step at the tables that are ready first."""
    tables = batch.receive()
    batch.send(tables, first_legal(batch, tables))


@pytest.mark.parametrize("step", [step_all, step_some])
@pytest.mark.parametrize(
    ("fate", "message"), [(fail, "ZeroDivisionError: seat 0"), (be_killed, r"ended; exit codes: \[.*-9")]
)
def test_if_a_process_fails_all_of_them_end(
    fate: Callable[[Question], None], message: str, step: Callable[[Batch], None]
) -> None:
    """The error says why, and the batch can only be closed."""
    with Batch(2, opponents=[Doomed(fate, os.getpid())], processes=2) as batch:
        workers = workers_of(batch)
        with pytest.raises(ChildProcessError, match=message):
            batch.reset(0)
            while True:
                step(batch)
        assert not any(worker.is_alive() for worker in workers)
        with pytest.raises(ChildProcessError, match="have ended"):
            batch.reset(1)


@pytest.mark.parametrize("count", [1, 3])
def test_tables_that_are_received_in_any_order_play_the_same_games(count: int) -> None:
    """Each process takes as many steps as it can: what a table shows after its steps is what it shows in a batch."""
    tables, steps = 5, 120
    whole = Batch(tables, "tenhou3")
    whole.reset(SEED)
    seen, actions = [], []
    for _ in range(steps):
        seen.append([array.copy() for array in (whole.observations, whole.masks, whole.rewards, whole.ended)])
        actions.append(np.array([chosen(mask, Random(number)) for number, mask in enumerate(whole.masks)]))
        whole.step(actions[-1])
    taken = [0] * tables
    with Batch(tables, "tenhou3", processes=count) as batch:
        batch.reset(SEED)
        while min(taken) < steps:
            part = batch.receive()
            step = taken[part.start]
            if step == steps:
                continue
            shown: tuple[Any, ...] = (batch.observations, batch.masks, batch.rewards, batch.ended)
            for array, expected in zip(shown, seen[step], strict=True):
                assert np.array_equal(array[part], expected[part])
            batch.send(part, actions[step][part])
            taken[part] = [step + 1] * (part.stop - part.start)
        assert batch.seeds == whole.seeds
        assert batch.skipped == whole.skipped


def test_only_what_was_received_is_sent() -> None:
    """And a step waits for all: else it would take actions for what nobody has seen."""
    with Batch(4, processes=2) as batch:
        for _ in range(2):
            batch.reset(1)
            first, second = batch.receive(), batch.receive()
            assert (first, second) == (slice(0, 2), slice(2, 4))
            with pytest.raises(ValueError, match="no process is playing"):
                batch.receive()
            with pytest.raises(ValueError, match="table 2, seat 0: action 195"):
                batch.send(second, [195, 195])
            batch.send(second, first_legal(batch, second))
            for wrong in (second, slice(0, 4)):
                with pytest.raises(ValueError, match="was not received"):
                    batch.send(wrong, [0, 0])
            with pytest.raises(ValueError, match="receive all of them"):
                step_all(batch)
        assert batch.receive() == second
        step_all(batch)
        assert batch.receive() == first


def test_an_error_in_the_loop_ends_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a step, an error between two steps, and a batch that nobody holds any more."""
    batch = Batch(2, processes=2)
    batch.reset(1)
    workers = workers_of(batch)
    with pytest.raises(ValueError, match="is not legal"):
        batch.step([ACTION_NAMES.index("ron")] * 2)
    assert all(worker.is_alive() for worker in workers)
    with monkeypatch.context() as patched:
        patched.setattr(BatchProcesses, "_await", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            step_all(batch)
    assert not any(worker.is_alive() for worker in workers)
    another = Batch(2, processes=2)
    workers = workers_of(another)
    del another
    assert not any(worker.is_alive() for worker in workers)
    with pytest.raises(ValueError, match="expected 1 to 2 processes, got 3"):
        Batch(2, processes=3)


def test_episodes_of_a_batch_begin_at_positions() -> None:
    """Redeals of one position are played as each of them alone; later episodes are those of the seed."""
    position = Episode(task("tenhou", episode="kyoku"))
    position.begin(4)
    chance = Random(1)
    for _ in range(30):
        position.step(chosen(position.mask(position.seat), chance))
    seat = position.seat
    starts = [position.redeal(seat, chance) for _ in range(TABLES)]
    batch = Batch(TABLES, episode="kyoku", opponents=["tsumogiri"] * 3)
    batch.reset(SEED, starts)
    assert batch.seats.tolist() == [seat] * TABLES
    for observation in batch.observations:
        assert observation.tobytes() == position.rows(seat)
    alone = Batch(TABLES, episode="kyoku")
    alone.reset(SEED, [*starts[:2], GameState((25_000,) * 4, dealer=2)])
    assert alone.seats.tolist() == [seat, seat, 2]
    mask = alone.masks[0].tolist()
    assert mask == list(position.mask(seat))
    ended = np.zeros(TABLES, np.bool_)
    while not ended.all():
        actions = [chosen(mask, chance) for mask in alone.masks]
        for table, twin in enumerate(starts[:2]):
            if not ended[table]:
                assert alone.observations[table].tobytes() == twin.rows(twin.seat)
                assert tuple(alone.rewards[table]) == (twin.earned or (0.0,) * 4)
                twin.earned = None
                twin.step(actions[table])
        alone.step(actions)
        ended |= alone.ended
    assert {seed.split("/")[0] for seed in alone.seeds} == {str(SEED + table) for table in range(TABLES)}


@pytest.mark.parametrize(
    ("rules", "count", "message"),
    [
        ("tenhou", 1, "expected 2 starts, got 1"),
        ("tenhou", 2, "start 0: the episode is over"),
        ("wrc", 2, "other rules"),
    ],
)
def test_wrong_starts_are_refused(rules: str, count: int, message: str) -> None:
    """Each table has one, which is not over and has the rules of the batch."""
    over, begun = Episode(task(episode="kyoku")), Episode(task(rules, episode="kyoku"))
    begun.begin(1)
    over.begin(1)
    while not over.over:
        over.step(chosen(over.mask(over.seat), Random(1)))
    with pytest.raises(ValueError, match=message):
        Batch(2, episode="kyoku").reset(1, [over if rules == "tenhou" else begun, begun][:count])


def test_copies_go_their_own_way() -> None:
    """A copy does what the original does, and what happens to one of them leaves the other as it is."""
    batch = Batch(2, "tenhou3", episode="kyoku")
    batch.reset(9)
    chance = Random(3)
    for _ in range(40):
        batch.step([chosen(mask, chance) for mask in batch.masks])
    before, twin = batch.observations.copy(), deepcopy(batch)
    actions = []
    for _ in range(60):
        actions.append([chosen(mask, chance) for mask in twin.masks])
        twin.step(actions[-1])
    assert np.array_equal(batch.observations, before)
    for each in actions:
        batch.step(each)
    assert np.array_equal(batch.observations, twin.observations)
    assert batch.seeds == twin.seeds


def test_wrong_actions_are_refused_together() -> None:
    """One illegal action, and no table takes a step."""
    batch = Batch(2)
    with pytest.raises(ValueError, match="call reset"):
        batch.step([0, 0])
    batch.reset(1)
    before = batch.observations.copy()
    legal = [int(np.flatnonzero(mask)[0]) for mask in batch.masks]
    for wrong in (-1, len(ACTION_NAMES), ACTION_NAMES.index("pass")):
        with pytest.raises(ValueError, match=f"table 1, seat 0: action {wrong}.* is not legal"):
            batch.step([legal[0], wrong])
    for shape in (legal[:1], [*legal, 0], [[0], [1]], [0.5, 1.0]):
        with pytest.raises(ValueError, match="expected 2 integers"):
            batch.step(np.array(shape))
    assert np.array_equal(batch.observations, before)
    assert len(batch) == 2
    with pytest.raises(ValueError, match="at least one table"):
        Batch(0)
