"""Phases: what a seat is asked."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """The four questions of a kyoku."""

    TURN = "turn"
    """One seat, after its draw or call: discard, riichi, kan, tsumo, nine terminals."""
    CALL = "call"
    """Some seats, on a discard: chi, pon, kan, ron or pass."""
    CHANKAN = "chankan"
    """Some seats, on an added kan (or a closed one that thirteen orphans may rob): ron or pass."""
    DECLARE = "declare"
    """One seat after the other, at an exhausted wall: tenpai or noten."""
