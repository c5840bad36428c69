"""A process that makes drills for the server, from a record on standard input to a file of drills on standard output.

    python -m ump.server.drill_process TARGET

``TARGET`` is ``DRILLS``, or of ``mistakes_target`` or ``self_play_target``; the last one reads nothing. The exit status
is that of ``ump.record.conversion_process``. The server imports this module for its targets alone.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from ump.model.seats import Seat
from ump.record.conversion_process import run
from ump.record.recorded_game import RecordError

DRILLS = "drills"
"""The target for all that a game gives."""

MISTAKES = "mistakes"
"""The first part of the target for the mistakes of a seat."""

SELF_PLAY = "self-play"
"""The first part of the target for all that a game of built-in bots gives, which is played first."""

TARGETS = (DRILLS, MISTAKES, SELF_PLAY)

PLAYER, RULES = "hard", "tenhou"
"""The built-in bots of that game, and its rules."""


def mistakes_target(number: int, seat: Seat) -> str:
    """Return the target for the mistakes of a seat in a game of the record, counted from 0."""
    return f"{MISTAKES}:{number}:{seat}"


def self_play_target(seed: str) -> str:
    """Return the target for a game of built-in bots."""
    return f"{SELF_PLAY}:{seed}"


def made(data: bytes, target: str) -> bytes:
    """Return a file of drills; raises RecordError."""
    from ump.drills.drill_file import write_drills
    from ump.drills.mistakes import mistakes_of
    from ump.drills.source import drills_of
    from ump.record.decisions import games_of
    from ump.record.record_files import RecordSource

    kind, *numbers = target.split(":")
    games = games_of(RecordSource("record", _played(numbers[0]) if kind == SELF_PLAY else data))
    if kind != MISTAKES:
        return write_drills(drills_of(games[0]))
    number, seat = map(int, numbers)
    if number >= len(games):
        raise RecordError(f"no game {number}; the record has {len(games)}")
    if seat >= len(games[number].names):
        raise RecordError(f"no seat {seat}; the game has {len(games[number].names)}")
    return write_drills(mistakes_of(games[number], seat))


def _played(seed: str) -> bytes:
    """Return the record of a game of built-in bots."""
    from ump.arena.blocks import record_of
    from ump.arena.play import play_game
    from ump.players.policy import POLICIES
    from ump.rules.presets import PRESETS
    from ump.rules.ruleset import Length

    rules = replace(PRESETS[RULES], length=Length.TONPU)
    return record_of(play_game([POLICIES[PLAYER]() for _ in range(rules.seats)], rules, seed=seed))


if __name__ == "__main__":
    sys.exit(run(made, sys.argv[1]))
