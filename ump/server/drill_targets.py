"""The targets of ``ump.server.drill_process``: the server names them without loading what makes drills."""

from __future__ import annotations

from ump.model.seats import Seat

PROCESS = "ump.server.drill_process"

MISTAKES = "mistakes"
"""The first part of the target for the mistakes of a seat."""

SELF_PLAY = "self-play"
"""The first part of the target for all drills of a game of built-in bots, which is played first."""

TARGETS = (MISTAKES, SELF_PLAY)


def mistakes_target(number: int, seat: Seat) -> str:
    """Return the target for the mistakes of a seat in a game of the record, counted from 0."""
    return f"{MISTAKES}:{number}:{seat}"


def self_play_target(seed: str) -> str:
    """Return the target for a game of built-in bots."""
    return f"{SELF_PLAY}:{seed}"
