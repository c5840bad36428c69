"""A process that makes drills for the server, from a record on standard input to a file of drills on standard output.

    python -m ump.server.drill_process TARGET

``TARGET`` is one of ``ump.server.drill_targets``; a game of built-in bots needs no input. The exit status is that of
``ump.record.conversion_process``.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from ump.arena.blocks import record_of
from ump.arena.play import play_game
from ump.drills.drill_file import write_drills
from ump.drills.mistakes import mistakes_of
from ump.drills.source import drills_of
from ump.model.seats import Seat
from ump.players.policy import POLICIES
from ump.record.conversion_process import run
from ump.record.decisions import games_of
from ump.record.record_files import RecordSource
from ump.record.recorded_game import RecordedGame, RecordError
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.server.drill_targets import SELF_PLAY

PLAYER = "hard"
"""The built-in bots that play against each other."""

RULES = replace(PRESETS["tenhou"], length=Length.TONPU)
"""The rules of their games."""


def made(data: bytes, target: str) -> bytes:
    """Return a file of drills; raises RecordError."""
    kind, *rest = target.split(":")
    if kind == SELF_PLAY:
        (game,) = _games(_played(rest[0]))
        return write_drills(drills_of(game))
    number, seat = map(int, rest)
    return write_drills(mistakes_of(_chosen(_games(data), number, seat), seat))


def _games(data: bytes) -> list[RecordedGame]:
    return games_of(RecordSource("record", data))


def _chosen(games: list[RecordedGame], number: int, seat: Seat) -> RecordedGame:
    """Return a game of a record that has this seat; raises RecordError."""
    if number >= len(games):
        raise RecordError(f"no game {number}; the record has {len(games)}")
    if seat >= len(games[number].names):
        raise RecordError(f"no seat {seat}; the game has {len(games[number].names)}")
    return games[number]


def _played(seed: str) -> bytes:
    """Return the record of a game of built-in bots."""
    return record_of(play_game([POLICIES[PLAYER]() for _ in range(RULES.seats)], RULES, seed=seed))


if __name__ == "__main__":
    sys.exit(run(made, sys.argv[1]))
