"""Deals: the wall and the dice of each kyoku in a game, and the secret from which they are made.

Every wall of a game follows from its secret, 32 random bytes in hex, by four documented steps:

- the *commitment*, SHA-256 of ``ump-commitment-1/<secret>``, is sent before the first tile and fixes the secret
  (``ump.model.commitments``);
- the *key*, SHA-256 of ``ump-game-2/<secret>/<text>/<text>/..`` with one text of each player, by seat. Players commit
  themselves to their texts, by SHA-256, before the server sends its own commitment, and reveal them afterwards: so
  neither the server nor a player can choose the walls. A player who gives no text has an empty one;
- the wall of a kyoku is shuffled by ``ump-wall-2/<key>/<bakaze>-<dealer>-<honba>-<deal>`` (``ump.rules.wall`` defines
  the shuffle; bakaze 0 is east, ``deal`` counts the deals of that round from 0), the dice are rolled by ``ump-dice-2/``
  and the same;
- the seats are drawn by ``ump-seats-2/<secret>``.

All digests are in lower-case hex. A wall depends on its round, not on how many kyoku were played before: two games of
one secret have equal walls in every round that both play.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import TypeAlias, TypeVar

from ump.model.commitments import PLAYER_TEXT, SECRET, PlayerSeed, text_commitment_of, texts_in
from ump.model.seats import Seat
from ump.model.tiles import Tile
from ump.model.value import value
from ump.rules.wall import permuted, rolled, shuffled

T = TypeVar("T")

_SEED_WITH_TEXTS = re.compile(f"{SECRET.pattern}(/({PLAYER_TEXT.pattern})?)+")
"""The form of a seed that repeats a game to whose walls players have added."""


@value
class Round:
    """The place of a kyoku in its game."""

    bakaze: int
    """0 east, 1 south, 2 west, 3 north."""
    dealer: Seat
    honba: int
    deal: int
    """The number of times that this round was dealt before."""
    number: int
    """The number of kyoku that were dealt before."""


@value
class Deal:
    """All that is random in a kyoku."""

    tiles: tuple[Tile, ...]
    """The physical tiles of the wall, in the layout of ``ump.rules.wall``."""
    dice: tuple[int, int]
    """Two dice, 1..6 each. They are only shown."""


Deals: TypeAlias = Callable[[Round], Deal]
"""A function that returns the deal of a kyoku."""


def secret_of(seed: str, game: str = "") -> str:
    """Return the secret of a game of this name that a seed decides: equal seeds repeat the game."""
    return _digest(f"ump-secret-1/{seed}/{game}")


def key_of(secret: str, texts: Sequence[str]) -> str:
    """Return the key of a game's walls; ``texts`` are those of the players, by seat."""
    return _digest("/".join(("ump-game-2", secret, *texts)))


def seed_of(secret: str, seeds: Sequence[PlayerSeed | None]) -> str:
    """Return the seed that repeats a game: its secret, and the texts that players have added to it, by seat."""
    texts = [text or "" for text in texts_in(seeds)]
    return "/".join((secret, *texts)) if any(texts) else secret


def read_seed(seed: str) -> tuple[str, tuple[PlayerSeed | None, ...]] | None:
    """Return the secret and the players' texts of a seed made by ``seed_of``; None for any other seed."""
    if SECRET.fullmatch(seed):
        return seed, ()
    if _SEED_WITH_TEXTS.fullmatch(seed) is None:
        return None
    secret, *texts = seed.split("/")
    return secret, tuple(PlayerSeed(text_commitment_of(text), text) if text else None for text in texts)


def keyed_deals(key: str, seats: int) -> Deals:
    """Return the deals of the game with this key for so many players."""
    return partial(_keyed_deal, key, seats)


def seeded_deals(seed: str, seats: int = 4) -> Deals:
    """Return the deals of a game by its seed; the same seed gives the same deals.

    The secret of a game, with the texts of its players (``seed_of``), is the most exact seed: it repeats the deals of
    that game.
    """
    secret, given = read_seed(seed) or (secret_of(seed), ())
    texts = [text or "" for text in texts_in(given)] or [""] * seats
    return keyed_deals(key_of(secret, texts), seats)


def by_lot(players: Sequence[T], secret: str) -> list[T]:
    """Return the players in the order of their seats, which the secret decides."""
    return permuted(players, f"ump-seats-2/{secret}")


def _keyed_deal(key: str, seats: int, at: Round) -> Deal:
    """Return one deal of the game with this key; no closure, so that a game can be pickled."""
    text = f"{key}/{at.bakaze}-{at.dealer}-{at.honba}-{at.deal}"
    return Deal(shuffled(f"ump-wall-2/{text}", seats), rolled(f"ump-dice-2/{text}"))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
