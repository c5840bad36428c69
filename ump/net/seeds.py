"""The secrets of games: a random one for each game, or all derived from the server's seed."""

from __future__ import annotations

import secrets

from ump.game.deals import SECRET, secret_of


class Seeds:
    """Decides the secrets of all games of a server.

    A server with a seed of its own repeats its games if the same players come in the same order. The secret of a game
    does not reveal the seed, so the log may show it after the game. A secret as the server's seed repeats that game.
    """

    def __init__(self, seed: str | None) -> None:
        self._seed = seed

    def secret_of(self, game: str) -> str:
        """Return the secret of the game of this name."""
        if self._seed is None:
            return secrets.token_hex(32)
        return self._seed if SECRET.fullmatch(self._seed) else secret_of(self._seed, game)
