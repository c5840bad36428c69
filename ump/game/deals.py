"""Deals: the wall and the dice of each kyoku."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ump.model.tiles import Tile
from ump.model.value import value
from ump.rules.wall import rolled, shuffled


@value
class Deal:
    """What chance decides before a kyoku."""

    tiles: tuple[Tile, ...]
    """The 136 physical tiles of the wall, in the layout of ``ump.rules.wall``."""
    dice: tuple[int, int]


Deals: TypeAlias = Callable[[int], Deal]
"""From the number of the kyoku in its game, from 0, to its deal."""


def seeded_deals(seed: str) -> Deals:
    """Return the deals of the game with this seed: the same seed gives the same game."""
    return partial(_seeded_deal, seed)


def _seeded_deal(seed: str, number: int) -> Deal:
    """Return one deal of the game with this seed; no closure, so that a game can be pickled."""
    return Deal(shuffled(seed, number), rolled(seed, number))
