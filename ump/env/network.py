"""A small network that plays from the rows, and ``Twin``, the one of the installation, which imitates ``expert``.

It needs numpy alone. The three suits have the same weights, as the rules have the same tiles there: each suit and the
honours are summed up by numbers, the whole table by numbers of these, and what is best in a suit follows from its own
and the table's. ``worths`` is written with operations that arrays of numpy and tensors of PyTorch have in common, so a
network learns by the very function by which it plays: clients/examples/learn.py trains one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from os import PathLike
from typing import IO, Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ump.env.action_ids import ACTION_NAMES
from ump.env.array_policy import ArrayPolicy
from ump.env.rows import PLACES, ROWS
from ump.model.notation import UMP_FACES
from ump.model.tiles import EAST, KIND_OF, KINDS

Weights: TypeAlias = dict[str, NDArray[np.float32]]

SUITS, NUMBERS = 3, 9
"""Suits, and the kinds of each."""

_KIND_ROWS = [PLACES[row.name] for row in ROWS if not row.is_even]
_TABLE_ROWS = [PLACES[row.name] for row in ROWS if row.is_even]

_LARGE = 40
"""Rows are scaled by their largest number, or by this if that is larger: points and the numbers of discards."""

_SUIT_INPUTS = len(_KIND_ROWS) * NUMBERS
_HONOUR_INPUTS = len(_KIND_ROWS) * (KINDS - EAST)

_RED = NUMBERS
"""The number of a red five among the outputs of a suit."""

_SUIT_ACTIONS = (
    *((verb, number) for verb in ("discard", "riichi") for number in range(NUMBERS + 1)),
    *((verb, number) for verb in ("ankan", "kakan") for number in range(NUMBERS)),
)
_HONOUR_ACTIONS = tuple((verb, number) for verb in ("discard", "riichi", "ankan", "kakan") for number in range(7))
"""The actions with a tile: the verb, and the number of its kind in the suit or among the honours."""

_OTHER_ACTIONS = tuple(name for name in ACTION_NAMES if name.split()[-1] not in UMP_FACES)

_SUIT, _HONOURS, _TABLE = 224, 128, 192
_AGAIN = 160
"""The numbers that sum up a suit, the honours and the table, and a suit for the second time."""

LAYERS: Mapping[str, tuple[Sequence[int], int]] = {
    "suits": ((_SUIT_INPUTS,), _SUIT),
    "honours": ((_HONOUR_INPUTS,), _HONOURS),
    "table": ((_SUIT, _HONOURS, len(_TABLE_ROWS)), _TABLE),
    "suits_again": ((_SUIT, _TABLE), _AGAIN),
    "honours_again": ((_HONOURS, _TABLE), _HONOURS),
    "table_again": ((_TABLE, _AGAIN, _HONOURS), _TABLE),
    "suit_actions": ((_AGAIN, _TABLE), len(_SUIT_ACTIONS)),
    "honour_actions": ((_HONOURS, _TABLE), len(_HONOUR_ACTIONS)),
    "other_actions": ((_TABLE,), len(_OTHER_ACTIONS)),
}
"""The layers: the lengths of their inputs, each of which has a matrix, and of their output."""


def _column(name: str) -> int:
    """Return the place of an action among the outputs of the three suits, the honours and the table."""
    verb, _, tile = name.removeprefix("open ").rpartition(" ")
    suits, honours = SUITS * len(_SUIT_ACTIONS), len(_HONOUR_ACTIONS)
    if tile not in UMP_FACES:
        return suits + honours + _OTHER_ACTIONS.index(name)
    face = UMP_FACES.index(tile)
    kind = KIND_OF[face]
    if kind >= EAST:
        return suits + _HONOUR_ACTIONS.index((verb, kind - EAST))
    suit, number = divmod(kind, NUMBERS)
    return suit * len(_SUIT_ACTIONS) + _SUIT_ACTIONS.index((verb, number if face < KINDS else _RED))


_COLUMNS = [_column(name) for name in ACTION_NAMES]


def fresh_weights(seed: int) -> Weights:
    """Return the weights of a network without experience.

    A layer has a matrix for each input, ``suits_0``, and a ``suits_bias``. The names that end in ``scale`` are
    constants.
    """
    chance = np.random.default_rng(seed)
    most = np.array([min(row.most, _LARGE) for row in ROWS], np.float32)
    weights: Weights = {
        "suits_scale": np.repeat(1 / most[_KIND_ROWS], NUMBERS),
        "honours_scale": np.repeat(1 / most[_KIND_ROWS], KINDS - EAST),
        "table_scale": np.reciprocal(most[_TABLE_ROWS]),
    }
    for name, (inputs, outputs) in LAYERS.items():
        weights[f"{name}_bias"] = np.zeros(outputs, np.float32)
        deviation = (2 / sum(inputs)) ** 0.5
        for number, size in enumerate(inputs):
            weights[f"{name}_{number}"] = chance.normal(0, deviation, (size, outputs)).astype(np.float32)
    return weights


def worths(weights: Mapping[str, Any], observations: Any, join: Callable[[Sequence[Any], int], Any]) -> Any:
    """Return the worth of each action id at each table: numbers whose softmax are the chances of actions.

    ``weights`` and ``observations`` are arrays, and ``join`` is ``np.concatenate``; or tensors, and it is
    ``torch.cat``. The worths of actions that are not legal mean nothing.
    """
    return worths_of(weights, summed_up(weights, observations), join)


def worths_of(weights: Mapping[str, Any], sums: tuple[Any, Any, Any], join: Callable[[Sequence[Any], int], Any]) -> Any:
    """Return the same from what ``summed_up`` has returned."""
    suits, honours, table = sums
    outputs = (
        _suits_layer(weights, "suit_actions", suits, table).reshape(len(table), SUITS * len(_SUIT_ACTIONS)),
        _layer(weights, "honour_actions", honours, table),
        _layer(weights, "other_actions", table),
    )
    return join(outputs, 1)[:, _COLUMNS]


def summed_up(weights: Mapping[str, Any], observations: Any) -> tuple[Any, Any, Any]:
    """Return the numbers that sum up the suits, the honours, and the whole of each table."""
    tables = len(observations)
    kinds = observations[:, _KIND_ROWS]
    suits = kinds[:, :, :EAST].reshape(tables, len(_KIND_ROWS), SUITS, NUMBERS).swapaxes(1, 2)
    suits = suits.reshape(tables * SUITS, _SUIT_INPUTS)
    suits = _layer(weights, "suits", suits * weights["suits_scale"]).clip(0).reshape(tables, SUITS, _SUIT)
    honours = kinds[:, :, EAST:].reshape(tables, _HONOUR_INPUTS) * weights["honours_scale"]
    honours = _layer(weights, "honours", honours).clip(0)
    table = observations[:, _TABLE_ROWS, 0] * weights["table_scale"]
    table = _layer(weights, "table", suits.sum(1), honours, table).clip(0)
    suits = _suits_layer(weights, "suits_again", suits, table).clip(0)
    honours = _layer(weights, "honours_again", honours, table).clip(0)
    table = _layer(weights, "table_again", table, suits.sum(1), honours).clip(0)
    return suits, honours, table


def _layer(weights: Mapping[str, Any], name: str, *inputs: Any) -> Any:
    """Return the sum of the inputs times their matrices."""
    total = inputs[0] @ weights[f"{name}_0"] + weights[f"{name}_bias"]
    for number, numbers in enumerate(inputs[1:], 1):
        total = total + numbers @ weights[f"{name}_{number}"]
    return total


def _suits_layer(weights: Mapping[str, Any], name: str, suits: Any, table: Any) -> Any:
    """Return the same for each suit, from its own numbers and those of its table."""
    flat = suits.reshape(len(table) * SUITS, suits.shape[-1])  # one product is quicker than one for each table
    own = flat @ weights[f"{name}_0"]
    return (
        own.reshape(len(table), SUITS, own.shape[-1])
        + (table @ weights[f"{name}_1"] + weights[f"{name}_bias"])[:, None]
    )


class Network(ArrayPolicy):
    """Plays what the network finds best among the legal actions."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.intp]:
        """Return the best action id for each table (see ``ArrayPolicy.act``)."""
        found: NDArray[np.float32] = worths(self._weights, observations, np.concatenate)
        best: NDArray[np.intp] = np.where(masks, found, -np.inf).argmax(1)
        return best


def write_weights(path: str | PathLike[str], weights: Mapping[str, NDArray[Any]]) -> None:
    """Write weights as a compressed file of numbers of 16 bits."""
    stored: dict[str, Any] = {name: array.astype(np.float16) for name, array in weights.items()}
    with open(path, "wb") as file:
        np.savez_compressed(file, **stored)


def read_weights(file: str | PathLike[str] | IO[bytes]) -> Weights:
    """Read weights that ``write_weights`` has written; raise ValueError for other files and other layers."""
    expected = fresh_weights(0)
    try:
        with np.load(file, allow_pickle=False) as stored:
            weights = {name: stored[name].astype(np.float32) for name in stored.files}
    except (BadZipFile, EOFError, ValueError, AttributeError) as error:
        raise ValueError("this is no file of weights") from error
    shapes = {name: array.shape for name, array in weights.items()}
    if shapes != {name: array.shape for name, array in expected.items()}:
        raise ValueError("these are weights of other layers")
    return weights


@cache
def twin_weights() -> Weights:
    """Return the weights of ``Twin``: copy what you change."""
    with files("ump.env").joinpath("twin.npz").open("rb") as file:
        return read_weights(file)


class Twin(Network):
    """The player ``twin``: it imitates ``expert``, and answers about many tables at once in a tenth of its time."""

    def __init__(self) -> None:
        super().__init__(twin_weights())
