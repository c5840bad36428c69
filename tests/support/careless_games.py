"""Games of one kyoku whose client answers well and badly, for tests that look at every message of a dialect."""

from __future__ import annotations

from dataclasses import replace

from support.swapped_tiles import DialectUnderTest, ObservedKyoku, RecordingPlayers

from ump.game.deals import Deal
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.rules.wall import rolled, shuffled

RULES = ("ump", "tenhou", "majsoul", "wrc")


def careless_game(dialect: DialectUnderTest, seed: int) -> list[str]:
    """Play a game of a seed, and return the messages to its client."""
    ruleset = replace(PRESETS[RULES[seed % len(RULES)]], length=Length.KYOKU)
    seat, name = seed % ruleset.seats, f"careless/{seed}"
    deal = Deal(shuffled(name), rolled(name))
    kyoku = ObservedKyoku(dialect, ruleset, deal, seat, RecordingPlayers(seat, ruleset, name), name).play()
    return [sent.message for sent in kyoku.sent]
