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
from learn import WEIGHTS, Model, masked, weights_in
from numpy.typing import NDArray
from torch import nn

from ump.arena.play import play_games
from ump.env.batch import Batch
from ump.env.network import LAYERS, Network, summed_up, twin_weights, worths_of, write_weights

TABLES, STEPS = 128, 128  # a round has 16,384 decisions
PLACES = (90.0, 45.0, 0.0, -135.0)
UNIT = 100.0  # points that are a reward of 1
TRACE = 0.97  # how far a later surprise counts for earlier decisions
CLIP = 0.2  # how far a round may change the chance of an action
PULL = 0.2  # the weight of the distance to the start
SHARPNESS = 2.0  # chances are nearer to the best action than those of learn.py: games are nearly those of a duel
BATCH, RATE, CRITIC_RATE = 1024, 1e-4, 1e-3
DUEL = 400  # games of a point of the curve


class Start:
    """The network at the start. What it makes of a table is what the critic knows of it, too."""

    def __init__(self, model: Model) -> None:
        self._weights = deepcopy(model.weights).requires_grad_(False)
        size = LAYERS["table_again"][1]
        self.critic = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 1))

    def look(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the numbers that sum up each table, and the logarithms of the chances of all actions."""
        sums = summed_up(self._weights, observations)
        return sums[2], log_chances(worths_of(self._weights, sums, torch.cat), masks)

    def worth(self, tables: torch.Tensor) -> torch.Tensor:
        """Return what the critic expects at the end of the game, of tables that are summed up."""
        found: torch.Tensor = self.critic(tables)[:, 0]
        return found


def log_chances(worths: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the logarithms of the chances of all actions."""
    return torch.log_softmax(masked(worths, masks) * SHARPNESS, 1)


@dataclass(frozen=True)
class Decisions:
    """Decisions of all seats; each tensor has an entry for each one."""

    observations: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    chances: torch.Tensor
    """The logarithm of the chance that the action had."""
    tables: torch.Tensor
    """The numbers by which the start summed up the table."""
    start: torch.Tensor
    """The logarithms of the chances that all actions had at the start."""
    worths: torch.Tensor
    """The critic's expectation."""
    gains: torch.Tensor
    """The rewards by which it came out better than expected."""

    def some(self, which: torch.Tensor) -> Decisions:
        """Return a part of them."""
        return replace(self, **{name: tensor[which] for name, tensor in vars(self).items()})


class Course:
    """The decisions of one round in their order: a list entry for each step, with those of all tables."""

    def __init__(self, batch: Batch, model: Model, start: Start) -> None:
        self._batch, self._model, self._start = batch, model, start
        self._steps: list[tuple[torch.Tensor, ...]] = []
        """For each step the first seven fields of ``Decisions``."""
        self._seats: list[NDArray[np.int64]] = []
        self._rewards: list[NDArray[np.float32]] = []
        self._ended: list[NDArray[np.bool_]] = []

    def play(self) -> None:
        """Let all tables play a step."""
        batch = self._batch
        observations, masks = torch.from_numpy(batch.observations.copy()), torch.from_numpy(batch.masks.copy())
        with torch.no_grad():
            tables, start = self._start.look(observations, masks)
            chances = log_chances(self._model(observations), masks)
            actions = torch.multinomial(chances.exp(), 1)
            chosen = chances.gather(1, actions)[:, 0]
            worths = self._start.worth(tables)
        self._steps.append((observations, masks, actions[:, 0], chosen, tables, start, worths))
        self._seats.append(batch.seats.copy())
        batch.step(actions[:, 0].numpy())
        self._rewards.append(batch.rewards / UNIT)
        self._ended.append(batch.ended.copy())

    def decisions(self) -> Decisions:
        """Return the decisions whose seat has decided again since, or whose game is over."""
        fields = [torch.cat(steps) for steps in zip(*self._steps, strict=True)]
        gains, is_known = self._gains(fields[-1].numpy().reshape(len(self._steps), -1))
        fields.append(torch.from_numpy(gains.ravel()))
        return Decisions(*fields).some(torch.from_numpy(is_known.ravel()))

    def _gains(self, worths: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return how much better each decision came out than expected, and for which ones that is known.

        From the last step back: a seat's expectation is compared with its next one, or with its reward at the end.
        """
        tables = np.arange(len(self._batch))
        gains, is_known = np.zeros(worths.shape, np.float32), np.zeros(worths.shape, np.bool_)
        following = np.zeros_like(self._rewards[0])
        trace, is_followed = np.zeros_like(following), np.zeros(following.shape, np.bool_)
        for step in reversed(range(len(worths))):
            ended, seats = self._ended[step], self._seats[step]
            following[ended], trace[ended], is_followed[ended] = self._rewards[step][ended], 0, True
            gains[step] = following[tables, seats] - worths[step] + TRACE * trace[tables, seats]
            is_known[step] = is_followed[tables, seats]
            following[tables, seats], trace[tables, seats] = worths[step], gains[step]
            is_followed[tables, seats] = True
        return gains, is_known


class Learner:
    """The network that learns, and the start to which it is pulled."""

    def __init__(self, model: Model) -> None:
        self.model, self._start = model, Start(model)
        learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
        groups = [{"params": learning}, {"params": self._start.critic.parameters(), "lr": CRITIC_RATE}]
        self._optimizer = torch.optim.Adam(groups, RATE)
        self.distance = 0.0
        """The mean distance of the chances from those of the start, in the last round (Kullback and Leibler)."""

    def play_round(self, batch: Batch) -> None:
        """Play a round, and learn from it once."""
        course = Course(batch, self.model, self._start)
        for _ in range(STEPS):
            course.play()
        decisions = course.decisions()
        distances = []
        for which in torch.randperm(len(decisions.actions)).split(BATCH):
            distances.append(self._learn(decisions.some(which)))
        self.distance = float(np.mean(distances))

    def _learn(self, some: Decisions) -> float:
        chances = log_chances(self.model(some.observations), some.masks)
        gains = (some.gains - some.gains.mean()) / (some.gains.std() + 1e-6)
        ratio = (chances.gather(1, some.actions[:, None])[:, 0] - some.chances).exp()
        won = torch.min(ratio * gains, ratio.clip(1 - CLIP, 1 + CLIP) * gains).mean()
        distance = (chances.exp() * (chances - some.start)).sum(1).mean()
        surprise = nn.functional.mse_loss(self._start.worth(some.tables), some.worths + some.gains)
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
    weights = weights_in(WEIGHTS) if WEIGHTS.exists() else twin_weights()
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
