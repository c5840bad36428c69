"""The bits of ``GO type``: number of players, kind of lobby, and the ruleset that follows from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ump.model.value import value
from ump.rules.presets import TENHOU, TENHOU3
from ump.rules.ruleset import KanDoraTime, Length, Ruleset

ONLINE = 1 << 0
NO_REDS = 1 << 1
NO_KUITAN = 1 << 2
HANCHAN = 1 << 3
SANMA = 1 << 4
CHIPS = 1 << 9
OWN_COUNTING = ~((1 << 9) - 1)
"""Bits of lobbies that count more than points: chips, a ratio, gold.

Of the lower bits, 5 and 7 name the room, and 6 is set for fast games.
"""

CHANGES: tuple[tuple[int, bool, dict[str, Any]], ...] = (
    (NO_REDS, True, {"red_fives": (0, 0, 0)}),
    (NO_KUITAN, True, {"kuitan": False}),
    (HANCHAN, False, {"length": Length.TONPU}),
    (CHIPS, True, {"kiriage": True, "open_kan_dora": KanDoraTime.AT_ONCE, "uma": (30, 10, -10, -30)}),
)
"""Each entry: a bit, the value it must have, and how the rules then differ from those of a ranked hanchan.

The rules of lobbies with chips come from the one such record in dnovikoff/tenhou; other records may use other rules.
"""


@value
class GameType:
    """The type of a game, as GO names it."""

    bits: int

    @property
    def three_players(self) -> bool:
        """Whether the game has three players."""
        return bool(self.bits & SANMA)

    @property
    def own_counting(self) -> bool:
        """Whether the lobby counts more than points, by rules that the record does not contain."""
        return bool(self.bits & OWN_COUNTING)

    def ruleset(self) -> Ruleset:
        """Return the rules of a game of this type."""
        changes: dict[str, Any] = {}
        for bit, is_set, fields in CHANGES:
            if bool(self.bits & bit) is is_set:
                changes |= fields
        if self.three_players:
            changes.pop("uma", None)  # no record shows that of lobbies with chips
        return replace(TENHOU3 if self.three_players else TENHOU, **changes)


def type_of(ruleset: Ruleset) -> GameType:
    """Return the type of a game with the length, the red fives and the open tanyao of a ruleset."""
    bits = ONLINE | (SANMA if ruleset.seats == TENHOU3.seats else 0)
    for bit, is_set, fields in CHANGES:
        applies = all(getattr(ruleset, name) == changed for name, changed in fields.items())
        if bit != CHIPS and applies is is_set:
            bits |= bit
    return GameType(bits)
