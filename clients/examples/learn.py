"""Train a network on records to choose as their players did, and let it play.

    pip install 'ump-mahjong[rl,tables]' torch
    ump arena run efficiency defensive --games 160 --out arena --jobs 2     # or records of your own
    ump dataset arena/games/ --out data/
    python learn.py data/                                                   # writes learnt.pt
    ump compare learn:Learnt tsumogiri --games 60

All of this takes less than five minutes on two cores. ``self_play.py`` goes on from ``learnt.pt``.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pyarrow import parquet
from torch import nn

from ump.env.action_ids import ACTIONS
from ump.env.array_policy import ArrayPolicy
from ump.env.rows import ROWS, SHAPE

WEIGHTS = Path("learnt.pt")
WIDTH = 128
EPOCHS, BATCH = 4, 512
READ = 2048  # decisions at a time
HELD_OUT = 10  # every tenth game is for measuring alone

torch.set_num_threads(1)  # the layers are small, and an arena plays in several processes


class Features(nn.Module):  # type: ignore[misc]
    """The features of an observation: numbers that the last layer turns into the worth of each action."""

    def __init__(self) -> None:
        super().__init__()
        rows, kinds = SHAPE
        self.register_buffer("most", torch.tensor([row.most for row in ROWS], dtype=torch.float32)[:, None])
        self.layers = nn.Sequential(
            *(nn.Conv1d(rows, 48, 3, padding=1), nn.ReLU(), nn.Conv1d(48, 32, 3, padding=1), nn.ReLU()),
            *(nn.Flatten(), nn.Linear(32 * kinds, WIDTH), nn.ReLU()),
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(observations.float() / self.most)


def network() -> nn.Sequential:
    """Return a network without experience."""
    return nn.Sequential(Features(), nn.Linear(WIDTH, ACTIONS))


def masked(worth: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the worth of each action, nearly nothing for those that are not legal."""
    return worth.masked_fill(masks == 0, -1e9)


class Learnt(ArrayPolicy):
    """Plays what the network finds best: ``learn:Learnt`` in ``ump compare``."""

    def __init__(self, model: nn.Module | None = None) -> None:
        self._network = model or network()
        if model is None:
            self._network.load_state_dict(torch.load(WEIGHTS, weights_only=True))

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        with torch.no_grad():
            worth = self._network(torch.from_numpy(observations))
            best: NDArray[np.int64] = masked(worth, torch.from_numpy(masks)).argmax(1).numpy()
        return best


def read(folder: Path) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the observations, masks and actions of a data set, and the number of each decision's game.

    The numbers come from Arrow's buffers as they are; no Python object is made for a decision. Arrow decodes a few at a
    time, into memory that it uses again: new memory takes longer than the decoding.
    """
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    if (manifest["schema"], manifest["encoding"]) != (2, 1):
        raise SystemExit(f"{folder}: a data set of another version")
    size, at = manifest["decisions"], 0
    tensors = (
        torch.empty((size, *SHAPE), dtype=torch.uint8),
        torch.empty((size, ACTIONS), dtype=torch.int8),
        torch.empty(size, dtype=torch.int64),
        torch.empty(size, dtype=torch.int64),
    )
    all_observations, all_masks, all_actions, all_games = (tensor.numpy() for tensor in tensors)  # the same memory
    games: dict[str, int] = {}
    for shard in manifest["shards"]:
        file = parquet.ParquetFile(folder / shard["file"], read_dictionary=["game"])
        columns = ["observation", "action_mask", "action", "game"]
        for part in file.iter_batches(READ, columns=columns, use_threads=False):
            observations, masks, actions, game = part.columns
            here = slice(at, at + len(part))
            all_observations[here] = _numbers(observations, np.uint8).reshape(-1, *SHAPE)
            all_masks[here] = _numbers(masks, np.int8).reshape(-1, ACTIONS)
            all_actions[here] = actions.to_numpy()
            numbers = np.array([games.setdefault(name, len(games)) for name in game.dictionary.to_pylist()])
            all_games[here] = numbers[game.indices.to_numpy()]
            at = here.stop
    return tensors


def _numbers(column: Any, kind: type[np.generic]) -> NDArray[Any]:
    """Return the bytes of a column of equally long pieces."""
    size = column.type.byte_width
    return np.frombuffer(column.buffers()[1], kind, len(column) * size, column.offset * size)


def agreement(model: nn.Module, data: tuple[torch.Tensor, ...]) -> float:
    """Return the share of decisions in which the network chooses as the player did."""
    observations, masks, actions = data
    with torch.no_grad():
        chosen = [
            masked(model(part), mask).argmax(1)
            for part, mask in zip(observations.split(BATCH), masks.split(BATCH), strict=True)
        ]
    share: float = (torch.cat(chosen) == actions).float().mean().item()
    return share


def train(folder: Path) -> float:
    """Train on all games but those held out, save the weights, and return the agreement in these."""
    begun = time.perf_counter()
    observations, masks, actions, games = read(folder)
    print(f"{len(actions)} decisions, read in {time.perf_counter() - begun:.1f} s", flush=True)
    is_free, is_held_out = masks.sum(1) > 1, games % HELD_OUT == 0  # nothing is learnt from a forced decision
    learnt, measured = (is_free & ~is_held_out).nonzero()[:, 0], (is_free & is_held_out).nonzero()[:, 0]
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    share = 0.0
    for epoch in range(1, EPOCHS + 1):
        for some in learnt[torch.randperm(len(learnt))].split(BATCH):
            loss = nn.functional.cross_entropy(masked(model(observations[some]), masks[some]), actions[some])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        share = agreement(model, (observations[measured], masks[measured], actions[measured]))
        print(f"epoch {epoch}: agreement {share:.3f} in {len(measured)} decisions of other games", flush=True)
    torch.save(model.state_dict(), WEIGHTS)
    return share


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    train(Path(sys.argv[1]))
