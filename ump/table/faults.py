"""Faults: what a room makes of an answer that does not count and is not asked for again."""

from __future__ import annotations

from enum import Enum


class Faults(Enum):
    """What happens then: a closed list. Who is late, silent or gone commits no fault."""

    DEFAULT = "default"
    """The default is played, and the game goes on as if it had been the answer."""
    CHOMBO = "chombo"
    """The seat pays a mangan, and the kyoku is over: ``Game.chombo``."""
    ABORT = "abort"
    """The game is over, without a result."""
