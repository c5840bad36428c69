"""Improve a network by playing against itself: a policy gradient whose only rewards are the places at the end.

    pip install 'ump-mahjong[rl]' torch
    python self_play.py --hours 1
    ump compare learn:Learnt twin --games 400

It begins with learnt.npz, or with the weights of ``twin`` where there is none. All four seats are copies that learn. A
pull keeps the chances of their actions near those of the start: without it the noise of the results makes a network
forget more than it learns. Ctrl-C ends it at any time, and the next start goes on from learnt.npz.

Each line of the curve is a duel: the network, which takes what it finds best, sits alone among three copies of the
start. learnt.npz is replaced after a duel that is better than all before it.
"""

from __future__ import annotations

import os
import time
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np
import torch
from learn import WEIGHTS, Model, masked
from numpy.typing import NDArray
from torch import nn

from ump.arena.play import play_games
from ump.env.batch import Batch
from ump.env.network import LAYERS, Network, read_weights, summed_up, twin_weights, write_weights

TABLES, STEPS = 128, 128  # a round has 16,384 decisions
PLACES = (90.0, 45.0, 0.0, -135.0)
UNIT = 100.0  # points that are a reward of 1
TRACE = 0.97  # how far a later surprise counts for earlier decisions
CLIP = 0.2  # how far a round may change the chance of an action
PULL = 0.2  # the weight of the distance to the start
SHARPNESS = 2.0  # chances are nearer to the best action than those of learn.py: games are nearly those of a duel
BATCH, RATE, CRITIC_RATE = 1024, 1e-4, 5e-4
DUEL = 400  # games of a point of the curve


class Critic(nn.Module):  # type: ignore[misc]
    """What a seat may expect at the end of the game: a network of its own, which must not disturb the actor."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.weights = deepcopy(model.weights)
        self.last = nn.Linear(LAYERS["table_again"][1], 1)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        worth: torch.Tensor = self.last(summed_up(self.weights, observations)[2])[:, 0]
        return worth


def log_chances(model: Model, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the chances of all actions."""
    return torch.log_softmax(masked(model(observations), masks) * SHARPNESS, 1)


@dataclass(frozen=True)
class Decisions:
    """Decisions of all seats; each tensor has an entry for each one."""

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    chances: torch.Tensor
    """The logarithm of the chance that the action had."""
    worths: torch.Tensor
    """What the critic expected."""
    gains: torch.Tensor
    """How much better it came out than expected."""

    def some(self, which: torch.Tensor) -> Decisions:
        """Return a part of them."""
        return replace(self, **{name: tensor[which] for name, tensor in vars(self).items()})


class Course:
    """The decisions of one round in their order, by step and table."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self.observations = np.empty((STEPS, *batch.observations.shape), np.uint8)
        self.masks = np.empty((STEPS, *batch.masks.shape), np.int8)
        self.actions = np.empty((STEPS, len(batch)), np.int64)
        self.chances = np.empty((STEPS, len(batch)), np.float32)
        self.worths = np.empty((STEPS, len(batch)), np.float32)
        self._seats = np.empty((STEPS, len(batch)), np.int64)
        self._rewards = np.empty((STEPS, *batch.rewards.shape), np.float32)
        self._ended = np.empty((STEPS, len(batch)), np.bool_)

    def play(self, step: int, model: Model, critic: Critic) -> None:
        """Let all tables play a step."""
        batch = self._batch
        observations, masks = torch.from_numpy(batch.observations), torch.from_numpy(batch.masks)
        with torch.no_grad():
            chances = log_chances(model, observations, masks)
            actions = torch.multinomial(chances.exp(), 1)
            self.worths[step] = critic(observations).numpy()
        self.observations[step], self.masks[step], self._seats[step] = batch.observations, batch.masks, batch.seats
        self.actions[step], self.chances[step] = actions[:, 0].numpy(), chances.gather(1, actions)[:, 0].numpy()
        batch.step(self.actions[step])
        self._rewards[step], self._ended[step] = batch.rewards / UNIT, batch.ended

    def decisions(self) -> Decisions:
        """Return the decisions whose seat has decided again since, or whose game is over."""
        gains, is_known = self._gains()
        tensors = [torch.from_numpy(array[is_known]) for array in (self.observations, self.masks, self.actions)]
        tensors += [torch.from_numpy(array[is_known]) for array in (self.chances, self.worths, gains)]
        return Decisions(*tensors)

    def _gains(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return how much better each decision came out than expected, and for which ones that is known.

        From the last step back: a seat's expectation is compared with its next one, or with its reward at the end.
        """
        tables = np.arange(len(self._batch))
        gains, is_known = np.zeros(self.worths.shape, np.float32), np.zeros(self.worths.shape, np.bool_)
        following = np.zeros(self._rewards.shape[1:], np.float32)
        trace, is_followed = np.zeros_like(following), np.zeros(following.shape, np.bool_)
        for step in reversed(range(STEPS)):
            ended, seats = self._ended[step], self._seats[step]
            following[ended], trace[ended], is_followed[ended] = self._rewards[step][ended], 0, True
            surprise = following[tables, seats] - self.worths[step]
            gains[step] = surprise + TRACE * trace[tables, seats]
            is_known[step] = is_followed[tables, seats]
            following[tables, seats], trace[tables, seats] = self.worths[step], gains[step]
            is_followed[tables, seats] = True
        return gains, is_known


def _learning(module: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in module.parameters() if parameter.requires_grad]


class Learner:
    """The network, its critic, and the start to which it is pulled."""

    def __init__(self, model: Model) -> None:
        self.model, self._critic, self._start = model, Critic(model), deepcopy(model)
        actor = {"params": _learning(model), "lr": RATE}
        self._optimizer = torch.optim.Adam([actor, {"params": _learning(self._critic), "lr": CRITIC_RATE}])
        self.distance = 0.0
        """The mean distance of the chances from those of the start, in the last round (Kullback and Leibler)."""

    def play_round(self, batch: Batch) -> None:
        """Play a round, and learn from it once."""
        course = Course(batch)
        for step in range(STEPS):
            course.play(step, self.model, self._critic)
        decisions = course.decisions()
        distances = []
        for which in torch.randperm(len(decisions.actions)).split(BATCH):
            distances.append(self._learn(decisions.some(which)))
        self.distance = float(np.mean(distances))

    def _learn(self, some: Decisions) -> float:
        chances = log_chances(self.model, some.observations, some.masks)
        with torch.no_grad():
            start = log_chances(self._start, some.observations, some.masks)
        gains = (some.gains - some.gains.mean()) / (some.gains.std() + 1e-6)
        ratio = (chances.gather(1, some.actions[:, None])[:, 0] - some.chances).exp()
        won = torch.min(ratio * gains, ratio.clip(1 - CLIP, 1 + CLIP) * gains).mean()
        distance = (chances.exp() * (chances - start)).sum(1).mean()
        surprise = nn.functional.mse_loss(self._critic(some.observations), some.worths + some.gains)
        self._optimizer.zero_grad()
        (PULL * distance - won + surprise).backward()
        self._optimizer.step()
        return float(distance.detach())


def lead(network: Network, start: Network, first: int) -> tuple[float, float]:
    """Return by how many points a game the network is ahead of the start, and half of the 95 % interval."""
    points = []
    for seat in range(4):
        players: list[Any] = [start] * 4
        players[seat] = network
        for played in play_games(players, "tenhou", seeds=range(first, first + DUEL // 4)):
            points.append(PLACES[played.result.places[seat] - 1])
    own, other = np.array(points), (sum(PLACES) - np.array(points)) / 3
    return float((own - other).mean()), 1.96 * float((own - other).std()) / len(points) ** 0.5


@click.command()
@click.option("--hours", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True)
@click.option("--points", type=click.IntRange(1), default=5, show_default=True, help="Points of the curve.")
def main(hours: float, points: int) -> None:
    """Improve learnt.npz by playing against itself."""
    weights = read_weights(WEIGHTS) if WEIGHTS.exists() else twin_weights()
    learner = Learner(Model(weights))
    seed = time.time_ns() % 2**32
    options: dict[str, Any] = {"reward": "placement", "place_points": PLACES}
    best, rounds, begun = 0.0, 0, time.perf_counter()
    with Batch(TABLES, "tenhou", processes=min(os.cpu_count() or 1, TABLES), **options) as batch:
        batch.reset(seed)
        for point in range(1, points + 1):
            while time.perf_counter() - begun < 3_600 * hours * point / points:
                learner.play_round(batch)
                rounds += 1
            found, half = lead(Network(learner.model.arrays()), Network(weights), seed + point * DUEL)
            passed = (time.perf_counter() - begun) / 60
            click.echo(
                f"{passed:4.0f} minutes, round {rounds}: ahead of the start by {found:+.1f} ± {half:.1f} points a game,"
                f" distance {learner.distance:.3f}"
            )
            if found > best:
                best = found
                write_weights(WEIGHTS, learner.model.arrays())


if __name__ == "__main__":
    main()
