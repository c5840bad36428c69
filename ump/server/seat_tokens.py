"""Tokens with which players come back to their seats: 128 random bits, for one seat of one game.

On a site of several servers each begins with the letter of its server.

Only hashes of tokens are kept. They are looked up by hash, so the time of a look-up reveals nothing about a token.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import defaultdict
from collections.abc import Mapping
from typing import Protocol, TypeVar

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.connection import Connection
from ump.server.player_connection import PlayerConnection
from ump.wire.names import owner_of
from ump.wire.session import GUEST

K = TypeVar("K")

TOKEN_LENGTH = 33
"""The length of a token that begins with the letter of a server."""


class Returnable(Protocol):
    """A running table, as a returning player needs it."""

    @property
    def name(self) -> str:
        """The name of the game."""

    @property
    def players(self) -> Mapping[Seat, PlayerConnection]:
        """The players that are connected."""

    def come_back(self, seat: Seat, player: PlayerConnection) -> None:
        """Give a seat back to its player."""

    def leave(self, seat: Seat) -> None:
        """Let default actions play the seat of a player who has left."""


@value
class KeptSeat:
    """A seat that its player can come back to."""

    table: Returnable
    seat: Seat
    name: str
    """The player's name."""
    host: str = ""
    """The host from which the player has come; "" if that is not known, or has no limit."""

    @property
    def player(self) -> PlayerConnection | None:
        """The player's connection, if it has one."""
        return self.table.players.get(self.seat)

    @property
    def is_left(self) -> bool:
        """Whether the player has no connection."""
        return self.seat not in self.table.players


def hash_of(token: str) -> str:
    """Return the hash of a token, as journals keep it."""
    return hashlib.sha256(f"ump-token-1/{token}".encode()).hexdigest()


def hashes_of_user(player: str) -> tuple[str, str]:
    """Return the hashes for the two games that a user, or a bot of a user, may play at a time."""
    first = hashlib.sha256(f"ump-user-1/{player}".encode()).hexdigest()
    return first, _second(first)


def hashes_of_guest(key: str) -> tuple[str, str]:
    """Return the hashes for the two games that the browser with this secret may play at a time."""
    first = hashlib.sha256(f"ump-guest-1/{key}".encode()).hexdigest()
    return first, _second(first)


def _second(first: str) -> str:
    return hashlib.sha256(f"ump-second-1/{first}".encode()).hexdigest()


def return_hashes(connection: Connection, player: str | None) -> tuple[str, ...]:
    """Return the hashes by which a client with this name comes back without a token, one for each game at a time.

    A user who has logged in is known by the name, a guest by the secret of the browser. Others may have a secret of
    their own, as a cookie, for one game at a time.
    """
    if connection.user is not None and player is not None:
        return hashes_of_user(player)
    key = connection.session.return_key
    if key is None:
        return ()
    return hashes_of_guest(key.removeprefix(GUEST)) if key.startswith(GUEST) else (hash_of(key),)


class SeatTokens:
    """The seats of all running games that players can come back to, by the hashes of their tokens."""

    def __init__(self, most_left: int | None = None, letter: str = "") -> None:
        """Let a host leave ``most_left`` seats without a connection (None: any number) before it is too much.

        ``letter`` is that of the server in its site.
        """
        self.letter = letter
        self._most_left = most_left
        self._seats: dict[str, KeptSeat] = {}
        self._of_table: defaultdict[Returnable, set[str]] = defaultdict(set)
        """The hashes of each table's seats."""
        self._of_host: defaultdict[str, set[str]] = defaultdict(set)
        """The hashes of each host's seats."""

    def new_token(self) -> str:
        """Return a new token."""
        return self.letter.upper() + secrets.token_hex(16)

    def enter(self, token_hash: str, kept: KeptSeat) -> None:
        """Keep a seat."""
        self._remove(token_hash)
        self._seats[token_hash] = kept
        self._of_table[kept.table].add(token_hash)
        self._of_host[kept.host].add(token_hash)

    def find(self, token: str) -> KeptSeat | None:
        """Return the seat of a token, or None if there is none."""
        return self.find_hash(hash_of(token))

    def find_hash(self, token_hash: str) -> KeptSeat | None:
        """Return the seat of a token with this hash, or of what stands for it, or None if there is none."""
        return self._seats.get(token_hash)

    def are_many_left_by(self, host: str) -> bool:
        """Return whether players of a host have left so many seats that it may begin no further games."""
        if self._most_left is None or not host:
            return False
        return sum(self._seats[key].is_left for key in self._of_host.get(host, ())) >= self._most_left

    def left(self, table: Returnable) -> list[KeptSeat]:
        """Return the seats whose players have no connection to a game, and may come back to it."""
        seats = [self._seats[key] for key in self._of_table.get(table, ())]
        return [kept for kept in seats if kept.is_left]

    def is_playing(self, user: str) -> bool:
        """Return whether a user, or a bot of the user, has a seat."""
        return any(owner_of(kept.name) == user for kept in self._seats.values())

    def revoke(self, token: str) -> None:
        """Forget a token: its owner has left for good."""
        self._remove(hash_of(token))

    def withdraw(self, table: Returnable, seat: Seat) -> None:
        """Forget the tokens of one seat: its player may not come back."""
        for key in [key for key in self._of_table.get(table, ()) if self._seats[key].seat == seat]:
            self._remove(key)

    def forget(self, table: Returnable) -> None:
        """Forget the seats of a game that is over."""
        for key in list(self._of_table.get(table, ())):
            self._remove(key)

    def _remove(self, key: str) -> None:
        kept = self._seats.pop(key, None)
        if kept is not None:
            _discard(self._of_table, kept.table, key)
            _discard(self._of_host, kept.host, key)


def _discard(keys_of: dict[K, set[str]], owner: K, key: str) -> None:
    """Take a key away from its owner, and forget an owner without keys."""
    keys_of[owner].remove(key)
    if not keys_of[owner]:
        del keys_of[owner]
