"""Train a network on records to choose as their players did, and let it play.

    pip install 'ump-mahjong[rl,tables]' torch
    ump arena run efficiency defensive --games 160 --out arena --jobs 2     # or records of your own
    ump dataset arena/games/ --out data/
    python learn.py data/                                                   # writes learnt.npz
    ump compare learn:Learnt tsumogiri --games 60

All of this takes less than five minutes on two cores. It begins with the weights of ``twin``, the network of the
installation. ``self_play.py`` goes on from ``learnt.npz``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import click
import numpy as np
import torch
from numpy.typing import NDArray
from pyarrow import parquet
from torch import nn

from ump.env.action_ids import ACTIONS
from ump.env.network import Network, Weights, fresh_weights, read_weights, twin_weights, worths, write_weights
from ump.env.rows import SHAPE

WEIGHTS = Path("learnt.npz")
EPOCHS, BATCH, RATE = 4, 512, 1e-3
READ = 512  # decisions that are decoded at a time
WINDOW = 64 * READ  # decisions that are shuffled together: 100 MB, some fifty games
HELD_OUT = 10  # one block of games in ten, by its name, is for measuring alone

torch.set_num_threads(1)  # the layers are small, and an arena plays in several processes


class Model(nn.Module):  # type: ignore[misc]
    """The network of ``ump.env.network`` with weights that learn."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.weights = nn.ParameterDict()
        for name, array in weights.items():
            tensor = torch.from_numpy(array.copy())
            self.weights[name] = nn.Parameter(tensor, requires_grad=not name.endswith("scale"))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = worths(self.weights, observations, torch.cat)
        return found

    def arrays(self) -> Weights:
        """Return the weights as numpy has them, for a ``Network``."""
        return {name: tensor.detach().numpy().copy() for name, tensor in self.weights.items()}


def masked(worth: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
    """Return the worth of each action, nearly nothing for those that are not legal."""
    return worth.masked_fill(masks == 0, -1e9)


class Learnt(Network):
    """Plays what the network finds best: ``learn:Learnt`` in ``ump compare``."""

    def __init__(self) -> None:
        super().__init__(read_weights(WEIGHTS))


def windows(folders: Sequence[Path]) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yield data sets, some thousand decisions at a time: observations, masks, actions, and which are held out.

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
    for folder in folders:
        for columns in _columns(folder):
            size = len(columns[0])
            if filled + size > WINDOW:
                yield tuple(tensor[:filled] for tensor in tensors)
                filled = 0
            for array, column in zip(arrays, columns, strict=True):
                array[filled : filled + size] = column
            filled += size
    yield tuple(tensor[:filled] for tensor in tensors)


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    if not path.exists():
        raise click.ClickException(f"{folder}: there is no data set; ump dataset makes one")
    manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if (manifest["schema"], manifest["encoding"]) != (2, 1):
        raise click.ClickException(f"{folder}: a data set of another version")
    return manifest


def _columns(folder: Path) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield the same as Arrow decodes it, from its buffers: no Python object is made for a decision."""
    for shard in _manifest(folder)["shards"]:
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


def agreement(model: nn.Module, folders: Sequence[Path]) -> tuple[float, int]:
    """Return the share of decisions in which the network chooses as the player did, of so many that are held out."""
    agreed = asked = 0
    for observations, masks, actions, held_out in windows(folders):
        for some in ((masks.sum(1) > 1) & held_out).nonzero()[:, 0].split(BATCH):
            with torch.no_grad():
                chosen = masked(model(observations[some]), masks[some]).argmax(1)
            agreed += int((chosen == actions[some]).sum())
            asked += len(some)
    return agreed / max(asked, 1), asked


def learn(model: Model, folders: Sequence[Path], epochs: int) -> None:
    """Train on all games but those held out, with smaller and smaller steps, and save the weights after each epoch."""
    optimizer = torch.optim.Adam(model.parameters(), RATE)
    most = epochs * sum(_manifest(folder)["decisions"] for folder in folders)
    seen = 0
    for epoch in range(1, epochs + 1):
        for observations, masks, actions, held_out in windows(folders):
            learnt = ((masks.sum(1) > 1) & ~held_out).nonzero()[:, 0]  # nothing is learnt from a forced decision
            for group in optimizer.param_groups:
                group["lr"] = RATE * max(0.01, 1 - seen / most)
            seen += len(actions)
            for some in learnt[torch.randperm(len(learnt))].split(BATCH) if len(learnt) else ():
                loss = nn.functional.cross_entropy(masked(model(observations[some]), masks[some]), actions[some])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        share, asked = agreement(model, folders)
        click.echo(f"epoch {epoch}: agreement {share:.3f} in {asked} decisions of other games")
        write_weights(WEIGHTS, model.arrays())


def weights_in(path: Path) -> Weights:
    """Return the weights in a file, or end the program with the reason."""
    try:
        return read_weights(path)
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path}: {error}") from None


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False))
@click.option("--epochs", type=click.IntRange(1), default=EPOCHS, show_default=True)
@click.option("--start", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Weights to begin with.")
@click.option("--fresh", is_flag=True, help="Begin without experience.")
def main(folders: tuple[Path, ...], epochs: int, start: Path | None, *, fresh: bool) -> None:
    """Train a network on data sets of 'ump dataset', and write learnt.npz. It begins with the weights of twin."""
    weights = fresh_weights(1) if fresh else twin_weights()
    model = Model(weights if start is None else weights_in(start))
    if not any(bool((masks.sum(1) > 1).any()) for _, masks, _, _ in windows(folders)):
        raise click.ClickException(f"{folders[0]}: no free decisions to learn from")
    learn(model, folders, epochs)


if __name__ == "__main__":
    main()
