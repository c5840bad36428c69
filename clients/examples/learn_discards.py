"""Train a small network on a data set of ``ump dataset``, to choose as the players of the records did.

    pip install torch pyarrow numpy
    ump dataset ump-records/ --out data/
    python learn_discards.py data/

It needs nothing of ump but the files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from pyarrow import parquet
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

BATCH = 256


class Decisions(IterableDataset):  # type: ignore[misc]
    """The decisions of all shards as scaled rows, masks and actions; each worker reads its own shards."""

    def __init__(self, folder: Path) -> None:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        if (manifest["schema"], manifest["encoding"]) != (1, 1):
            raise SystemExit(f"{folder}: a data set of another version")
        self.shape = tuple(manifest["observation_shape"])
        self.actions = len(manifest["actions"])
        self._paths = [folder / shard["file"] for shard in manifest["shards"]]
        most = [row["most"] for row in manifest["observation_rows"]]
        self._scale = np.array(most, np.float32)[:, None]

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor, int]]:
        worker = torch.utils.data.get_worker_info()
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        for path in self._paths[first::step]:
            for batch in parquet.ParquetFile(path).iter_batches(columns=["observation", "action_mask", "action"]):
                for rows, mask, action in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    seen = np.frombuffer(rows, np.uint8).reshape(self.shape) / self._scale
                    yield torch.from_numpy(seen), torch.from_numpy(np.frombuffer(mask, np.bool_).copy()), action


def train(folder: Path) -> float:
    """Go through a data set once, and return the share of the last batches' actions that the network chose."""
    decisions = Decisions(folder)
    rows, kinds = decisions.shape
    network = nn.Sequential(
        *(nn.Conv1d(rows, 64, 3, padding=1), nn.ReLU(), nn.Conv1d(64, 64, 3, padding=1), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(64 * kinds, decisions.actions)),
    )
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    share = 0.0
    for number, (seen, mask, action) in enumerate(DataLoader(decisions, BATCH)):
        worth = network(seen).masked_fill(~mask, -1e9)
        loss = nn.functional.cross_entropy(worth, action)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        chosen = (worth.argmax(1) == action).float().mean().item()
        share = chosen if number == 0 else 0.9 * share + 0.1 * chosen
        print(f"batch {number}: loss {loss.item():.3f}, agreement {share:.3f}", flush=True)
    return share


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    train(Path(sys.argv[1]))
