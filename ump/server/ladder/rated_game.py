"""A rated game: who has played, in which places, and when."""

from __future__ import annotations

from ump.model.value import value
from ump.server.ladder.conduct import Conduct


@value
class Player:
    """A player of the ladder. All built-in bots of one kind are one player."""

    name: str
    """The name of a client, or the policy of a built-in bot."""
    is_builtin: bool = False


@value
class RatedGame:
    """The result of a game in a rated room."""

    file: str
    """The id of its record."""
    began: float
    """Seconds since 1970."""
    players: tuple[Player, ...]
    """By seat; a built-in bot may have several seats."""
    places: tuple[int, ...]
    """By seat, 1 is the best; players that share a place are not compared."""
    points: tuple[int, ...] = ()
    """The final points by seat, for the pages."""
    conduct: Conduct | None = None
    """What the players paid each other, and their faults; None if the record has not been played again yet."""


def places_after_leaving(is_client: tuple[bool, ...]) -> tuple[int, ...]:
    """Return the places of a game that all clients have left: built-in bots share the first, clients the last.

    So a player that leaves a lost game beside built-in bots loses as much as by the worst result.
    """
    return tuple(len(is_client) if each else 1 for each in is_client)
