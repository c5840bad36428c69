"""Many tables at once do exactly what as many single environments do."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest

pytest.importorskip("numpy", reason="the batch needs numpy, of the extra rl")

import numpy as np

from ump.env.action_ids import ACTION_NAMES
from ump.env.batch import Batch
from ump.env.episode import Episode, task

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
