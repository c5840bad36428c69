"""Improve the network of ``learn.py`` by playing against its own copies: PPO, with the masks of the legal actions.

    pip install sb3-contrib
    python self_play.py 100                    # so many rounds; it reads learnt.pt, and keeps the best weights there
    ump compare learn:Learnt tsumogiri --games 60

Each line of the curve says how many points a kyoku the learner won against three copies of the network at the start,
while it tried things out. The first line stands for the start; learnt.pt is replaced after a line that is better than
all before it, and a line that is worse says so. A hundred rounds take four minutes on one core; all cores play. Start
it again, and the opponents are as good as the network has become.
"""

from __future__ import annotations

import os
import sys
import time
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from learn import WEIGHTS, WIDTH, Features, Learnt, network
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from ump.env.action_ids import ACTIONS
from ump.env.batch import Batch
from ump.env.rows import SHAPE

TABLES, STEPS = 64, 64  # a round has 4,096 decisions of the learner
EVERY = 20  # rounds of a point of the curve


class Tables(VecEnv):  # type: ignore[misc]
    """A batch of tables as Stable-Baselines3 expects it. Ten thousand points are a reward of 1."""

    def __init__(self, opponent: Learnt, seed: int) -> None:
        super().__init__(TABLES, spaces.Box(0, 255, SHAPE, np.uint8), spaces.Discrete(ACTIONS))
        options: dict[str, Any] = {
            "opponents": [opponent] * 3,
            "episode": "kyoku",
            "processes": min(os.cpu_count() or 1, TABLES),
        }
        self._batch = Batch(TABLES, "tenhou", **options)
        self._batch.reset(seed)
        self.earned: list[float] = []  # points of the learner in each kyoku

    def reset(self) -> Any:
        return self._batch.observations.copy()

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        batch, seats = self._batch, self._batch.seats.copy()
        batch.step(self._actions)
        rewards = batch.rewards[np.arange(TABLES), seats]
        self.earned += rewards[batch.ended].tolist()
        return batch.observations.copy(), rewards / 10_000, batch.ended.copy(), [{} for _ in range(TABLES)]

    def env_method(self, method_name: str, *_: Any, **__: Any) -> Any:
        assert method_name == "action_masks"
        return list(self._batch.masks.astype(np.bool_))

    def has_attr(self, attr_name: str) -> bool:
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> Any:
        return [None] * TABLES

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * TABLES

    def close(self) -> None:
        self._batch.close()


class Extractor(BaseFeaturesExtractor):  # type: ignore[misc]
    """The features of ``learn.py`` for Stable-Baselines3."""

    def __init__(self, space: spaces.Space[Any]) -> None:
        super().__init__(space, WIDTH)
        self.features = Features()

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.features(observations)
        return found


def improve(rounds: int) -> None:
    """Train for so many rounds, and save the weights whenever they are the best so far."""
    if not WEIGHTS.exists():
        raise SystemExit(f"{WEIGHTS} is not here; learn.py makes it")
    model = network()
    model.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    tables = Tables(Learnt(deepcopy(model)), time.time_ns() % 2**32)
    ppo = MaskablePPO(
        "MlpPolicy",
        tables,
        n_steps=STEPS,
        batch_size=512,
        n_epochs=1,
        learning_rate=5e-4,
        gamma=1.0,
        policy_kwargs={"features_extractor_class": Extractor, "net_arch": [], "share_features_extractor": False},
    )
    actor, critic = ppo.policy.pi_features_extractor.features, ppo.policy.vf_features_extractor.features
    actor.load_state_dict(model[0].state_dict())
    critic.load_state_dict(model[0].state_dict())  # its own copy: what it learns of points must not disturb the actor
    ppo.policy.action_net.load_state_dict(model[1].state_dict())
    begun = time.perf_counter()
    best, best_round = -np.inf, 0
    for before in range(0, rounds, EVERY):
        done = min(before + EVERY, rounds)
        ppo.learn((done - before) * STEPS * TABLES, reset_num_timesteps=False)
        mean = float(np.mean(tables.earned))
        half = 1.96 * float(np.std(tables.earned)) / len(tables.earned) ** 0.5
        bar = "#" * round(max(mean + 1_500, 0) / 50)
        print(f"round {done:4}, {time.perf_counter() - begun:4.0f} s: {mean:+6.0f} ± {half:.0f} {bar}", flush=True)
        tables.earned.clear()
        if mean <= best:
            print(f"  worse than round {best_round}, which stays the best", flush=True)
            continue
        best, best_round = mean, done
        if before:  # the first part is the measure of the start
            torch.save(nn.Sequential(actor, ppo.policy.action_net).state_dict(), WEIGHTS)
    print(f"{WEIGHTS} has the weights of round {best_round}" if best_round > EVERY else f"{WEIGHTS} is as it was")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        raise SystemExit(__doc__)
    improve(int(sys.argv[1]))
