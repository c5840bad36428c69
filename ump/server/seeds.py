"""The secrets of games: a random one for each game, or all derived from the server's seed."""

from __future__ import annotations

import secrets

from ump.game.deals import read_seed, secret_of
from ump.model.commitments import PlayerSeed


class Seeds:
    """Decides the secrets of all games of a server.

    A server with a seed of its own repeats its games if the same players come in the same order. The secret of a game
    does not reveal the seed, so the log may show it after the game. A secret as the server's seed repeats that game,
    with the texts that its players have added to the walls, if any.
    """

    def __init__(self, seed: str | None) -> None:
        self._seed = seed
        repeated = None if seed is None else read_seed(seed)
        self._secret = None if repeated is None else repeated[0]
        self._texts = () if repeated is None else repeated[1]

    def secret_of(self, game: str) -> str:
        """Return the secret of the game of this name."""
        if self._seed is None:
            return secrets.token_hex(32)
        return secret_of(self._seed, game) if self._secret is None else self._secret

    def texts_of(self, seats: int) -> tuple[PlayerSeed | None, ...]:
        """Return the texts of the players of the game that is repeated; empty if players may add their own."""
        return self._texts if len(self._texts) == seats else ()
