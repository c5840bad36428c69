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
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

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
READ = 512  # decisions that are decoded at a time
WINDOW = 32 * READ  # decisions that are shuffled together: 50 MB, some thirty games
HELD_OUT = 10  # one block of games in ten, by its name, is for measuring alone

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


def windows(folder: Path) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yield a data set, some thousand decisions at a time: observations, masks, actions, and which are held out.

    All windows have the same memory: a data set may be larger than the machine's, and new memory takes longer than the
    decoding.
    """
    arrays: tuple[NDArray[Any], ...] = (
        np.empty((WINDOW, *SHAPE), np.uint8),
        np.empty((WINDOW, ACTIONS), np.int8),
        np.empty(WINDOW, np.int64),
        np.empty(WINDOW, np.bool_),
    )
    tensors = [*map(torch.from_numpy, arrays)]  # the same memory
    filled = 0
    for columns in _columns(folder):
        size = len(columns[0])
        if filled + size > WINDOW:
            yield tuple(tensor[:filled] for tensor in tensors)
            filled = 0
        for array, column in zip(arrays, columns, strict=True):
            array[filled : filled + size] = column
        filled += size
    yield tuple(tensor[:filled] for tensor in tensors)


def _columns(folder: Path) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the same as Arrow decodes it, from its buffers: no Python object is made for a decision."""
    path = folder / "manifest.json"
    if not path.exists():
        raise SystemExit(f"{folder}: there is no data set; ump dataset makes one")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    if (manifest["schema"], manifest["encoding"]) != (2, 1):
        raise SystemExit(f"{folder}: a data set of another version")
    for shard in manifest["shards"]:
        file = parquet.ParquetFile(folder / shard["file"], read_dictionary=["game"])
        names = ["observation", "action_mask", "action", "game"]
        for part in file.iter_batches(READ, columns=names, use_threads=False):
            observations, masks, actions, games = part.columns
            held_out = [_is_held_out(name) for name in games.dictionary.to_pylist()]
            yield (
                _numbers(observations, np.uint8).reshape(-1, *SHAPE),
                _numbers(masks, np.int8).reshape(-1, ACTIONS),
                actions.to_numpy(),
                np.array(held_out)[games.indices.to_numpy()],
            )


def _is_held_out(game: str) -> bool:
    """Tell whether a game is for measuring alone, like all games of its block: they have the same walls."""
    block = game.rpartition("-")[0] or game
    return crc32(block.encode()) % HELD_OUT == 0


def _numbers(column: Any, kind: type[np.generic]) -> NDArray[Any]:
    """Return the bytes of a column of equally long pieces."""
    size = column.type.byte_width
    return np.frombuffer(column.buffers()[1], kind, len(column) * size, column.offset * size)


def agreement(model: nn.Module, folder: Path) -> tuple[float, int]:
    """Return the share of decisions in which the network chooses as the player did, of so many that are held out."""
    agreed = asked = 0
    for observations, masks, actions, held_out in windows(folder):
        for some in ((masks.sum(1) > 1) & held_out).nonzero()[:, 0].split(BATCH):
            with torch.no_grad():
                chosen = masked(model(observations[some]), masks[some]).argmax(1)
            agreed += int((chosen == actions[some]).sum())
            asked += len(some)
    return agreed / max(asked, 1), asked


def train(folder: Path) -> float:
    """Train on all games but those held out, save the weights, and return the agreement in these."""
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    share, seen = 0.0, 0
    for epoch in range(1, EPOCHS + 1):
        for observations, masks, actions, held_out in windows(folder):
            learnt = ((masks.sum(1) > 1) & ~held_out).nonzero()[:, 0]  # nothing is learnt from a forced decision
            seen += len(learnt)
            for some in learnt[torch.randperm(len(learnt))].split(BATCH) if len(learnt) else ():
                loss = nn.functional.cross_entropy(masked(model(observations[some]), masks[some]), actions[some])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if not seen:
            raise SystemExit(f"{folder}: no free decisions to learn from")
        share, asked = agreement(model, folder)
        print(f"epoch {epoch}: agreement {share:.3f} in {asked} decisions of other games", flush=True)
    torch.save(model.state_dict(), WEIGHTS)
    return share


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    train(Path(sys.argv[1]))
