"""The phases of a kyoku: the kinds of question that a seat can be asked."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """The four kinds of question in a kyoku."""

    TURN = "turn"
    """One seat, after its draw or call: discard, riichi, kan, tsumo, nine terminals."""
    CALL = "call"
    """Some seats, about a discard: chi, pon, kan, ron or pass."""
    CHANKAN = "chankan"
    """Some seats, about an added kan, or a closed one that thirteen orphans may rob: ron or pass."""
    DECLARE = "declare"
    """One seat after the other, at exhaustive draw: tenpai or noten."""
