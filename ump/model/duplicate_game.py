"""Games that belong together because they have the same walls."""

from __future__ import annotations

from ump.model.value import value


@value
class DuplicateGame:
    """The place of a game among those that play the same walls with every rotation of the seats."""

    group: str
    """The name that the games have in common; no other games of this server have it."""
    number: int
    """1 for the first game."""
    games: int
    """How many games the group has when it is complete."""
