"""Deals: the wall and the dice of each kyoku in a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ump.model.tiles import Tile
from ump.model.value import value
from ump.rules.wall import rolled, shuffled


@value
class Deal:
    """All that is random in a kyoku."""

    tiles: tuple[Tile, ...]
    """The 136 physical tiles of the wall, in the layout of ``ump.rules.wall``."""
    dice: tuple[int, int]
    """Two dice, 1..6 each. They are only shown."""


Deals: TypeAlias = Callable[[int], Deal]
"""A function that returns the deal of a kyoku; kyoku are numbered from 0 in each game."""


def seeded_deals(seed: str) -> Deals:
    """Return the deals of a game by its seed: the same seed gives the same deals (``ump.rules.wall``)."""
    return partial(_seeded_deal, seed)


def _seeded_deal(seed: str, number: int) -> Deal:
    """Return one deal of the game with this seed; no closure, so that a game can be pickled."""
    return Deal(shuffled(seed, number), rolled(seed, number))
