"""What kind of game a record is of: the bits of ``GO type``, and the ruleset that they name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ump.model.value import value
from ump.rules.presets import TENHOU
from ump.rules.ruleset import KanDoraTime, Length, Ruleset

NO_REDS = 1 << 1
NO_KUITAN = 1 << 2
HANCHAN = 1 << 3
SANMA = 1 << 4
CHIPS = 1 << 9
OWN_COUNTING = ~((1 << 9) - 1)
"""Lobbies with more than points: chips, a ratio, gold. The bits below 9 say on-line (0), room (5, 7) and speed (6)."""

CHANGES: tuple[tuple[int, bool, dict[str, Any]], ...] = (
    (NO_REDS, True, {"red_fives": (0, 0, 0)}),
    (NO_KUITAN, True, {"kuitan": False}),
    (HANCHAN, False, {"length": Length.TONPU}),
    (CHIPS, True, {"kiriage": True, "open_kan_dora": KanDoraTime.AT_ONCE, "uma": (30, 10, -10, -30)}),
)
"""Bit, whether it must be set, and how the rules then differ from those of ranked hanchan.

The rules of lobbies with chips are those that dnovikoff/tenhou's record of one shows; other records of them may not
keep to it.
"""


@value
class GameType:
    """The kind of game."""

    bits: int

    @property
    def three_players(self) -> bool:
        """Whether it is a game of three."""
        return bool(self.bits & SANMA)

    @property
    def own_counting(self) -> bool:
        """Whether something but points is counted, by rules that the record does not say."""
        return bool(self.bits & OWN_COUNTING)

    def ruleset(self) -> Ruleset:
        """Return the rules of a game of four."""
        changes: dict[str, Any] = {}
        for bit, wanted, fields in CHANGES:
            if bool(self.bits & bit) is wanted:
                changes |= fields
        return replace(TENHOU, **changes)
