"""The owner of a player, from its name: ``alice/akagi`` is a bot of ``alice``."""

from __future__ import annotations

SEPARATOR = "/"
"""Between the name of an owner and that of a bot. No user's name has one."""


def owner_of(player: str) -> str:
    """Return the part of a player's name before the first slash: the name itself if there is none."""
    return player.partition(SEPARATOR)[0]
