"""Where chance comes from: a seed for each game, fresh or all from one."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Seeds:
    """The seeds of all games of a server.

    With a seed of its own the server repeats itself, as far as the same people come in the same order. That seed
    cannot be read back from those of the games, so that a finished game may show its own.
    """

    def __init__(self, seed: str | None) -> None:
        self._seed = seed

    def of(self, game: str) -> str:
        """Return the seed of the game of this name."""
        if self._seed is None:
            return secrets.token_hex(16)
        return hashlib.sha256(f"ump-game-1/{self._seed}/{game}".encode()).hexdigest()[:32]


def by_lot(players: Sequence[T], seed: str) -> list[T]:
    """Return the players by seat, drawn by lot."""
    seats = list(players)
    Random(f"ump-seats-1/{seed}").shuffle(seats)
    return seats
