"""Seeds of games: a random one for each game, or all derived from the server's own."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Seeds:
    """The seeds of all games of a server.

    A server with a seed of its own repeats its games if the same players come in the same order. The seed of a game
    does not reveal the server's, so the log may show it after the game.
    """

    def __init__(self, seed: str | None) -> None:
        self._seed = seed

    def of(self, game: str) -> str:
        """Return the seed of the game of this name."""
        if self._seed is None:
            return secrets.token_hex(16)
        return hashlib.sha256(f"ump-game-1/{self._seed}/{game}".encode()).hexdigest()[:32]


def by_lot(players: Sequence[T], seed: str) -> list[T]:
    """Return the players in the order of their seats, which is shuffled with this seed."""
    seats = list(players)
    Random(f"ump-seats-1/{seed}").shuffle(seats)
    return seats
