"""Commitments to the walls of a game: the server's to its secret, and those of players to the texts that they add.

A commitment is a SHA-256 digest in lower-case hex. It is sent first, and fixes what is revealed later.
``ump.game.deals`` makes the walls of the secret and the texts. Games of one group have the same walls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from ump.model.value import value

SECRET = re.compile("[0-9a-f]{64}")
"""The form of a secret."""

PLAYER_TEXT = re.compile("[0-9A-Za-z_-]{22,64}")
"""The form of a player's text: room for 128 random bits in base64, so that nobody finds it by its commitment."""


@value
class PlayerSeed:
    """The text that a player adds to the walls of a game."""

    commitment: str
    """SHA-256 of the text, told before the server's commitment."""
    text: str | None
    """None as long as the player has not revealed it."""


def commitments_in(seeds: Iterable[PlayerSeed | None]) -> tuple[str | None, ...]:
    """Return the commitments of players; None for one that adds nothing."""
    return tuple(None if seed is None else seed.commitment for seed in seeds)


def texts_in(seeds: Iterable[PlayerSeed | None]) -> tuple[str | None, ...]:
    """Return the texts of players; None for one that adds nothing, or has not revealed its text."""
    return tuple(None if seed is None else seed.text for seed in seeds)


def commitment_of(secret: str) -> str:
    """Return the server's commitment to a secret."""
    return sha256(f"ump-commitment-1/{secret}".encode()).hexdigest()


def text_commitment_of(text: str) -> str:
    """Return a player's commitment to a text."""
    return sha256(text.encode()).hexdigest()


@value
class DuplicateGame:
    """The place of a game among those that play the same walls with every rotation of the seats."""

    group: str
    """The name that the games have in common; no other games of this server have it."""
    number: int
    """1 for the first game."""
    games: int
    """The number of games in the complete group."""
