"""Tokens with which players come back to their seats: 128 random bits, for one seat of one game.

Only hashes of tokens are kept. They are looked up by hash, so the time of a look-up reveals nothing about a token.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Protocol

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.connection import Connection
from ump.net.player_connection import PlayerConnection


class Returnable(Protocol):
    """A running table, as a returning player needs it."""

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Give a seat back to its player."""


@value
class KeptSeat:
    """A seat that its player can come back to."""

    table: Returnable
    seat: Seat
    name: str
    """The player's name."""


def new_token() -> str:
    """Return a new token."""
    return secrets.token_hex(16)


def hash_of(token: str) -> str:
    """Return the hash of a token, as journals keep it."""
    return hashlib.sha256(f"ump-token-1/{token}".encode()).hexdigest()


def hash_of_user(player: str) -> str:
    """Return what stands for a user's player in the place of a token's hash; it is the hash of no token."""
    return hashlib.sha256(f"ump-user-1/{player}".encode()).hexdigest()


def return_hash(connection: Connection, player: str | None) -> str | None:
    """Return the hash by which a client with this name comes back without a token, or None.

    A user who has logged in is known by the name. Others may have a secret of their own, as a cookie.
    """
    if connection.user is not None and player is not None:
        return hash_of_user(player)
    key = connection.session.return_key
    return None if key is None else hash_of(key)


class SeatTokens:
    """The seats of all running games that players can come back to, by the hashes of their tokens."""

    def __init__(self) -> None:
        self._seats: dict[str, KeptSeat] = {}

    def enter(self, token_hash: str, kept: KeptSeat) -> None:
        """Keep a seat."""
        self._seats[token_hash] = kept

    def find(self, token: str) -> KeptSeat | None:
        """Return the seat of a token, or None if there is none."""
        return self.find_hash(hash_of(token))

    def find_hash(self, token_hash: str) -> KeptSeat | None:
        """Return the seat of a token with this hash, or of what stands for it, or None if there is none."""
        return self._seats.get(token_hash)

    def revoke(self, token: str) -> None:
        """Forget a token: its owner has left for good."""
        self._seats.pop(hash_of(token), None)

    def withdraw(self, table: Returnable, seat: Seat) -> None:
        """Forget the tokens of one seat: its player may not come back."""
        self._seats = {key: each for key, each in self._seats.items() if (each.table, each.seat) != (table, seat)}

    def forget(self, table: Returnable) -> None:
        """Forget the seats of a game that is over."""
        self._seats = {key: kept for key, kept in self._seats.items() if kept.table is not table}
