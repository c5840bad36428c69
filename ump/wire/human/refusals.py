"""Why an action is not possible, in words."""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.claims import Reason

SENTENCES: Mapping[Reason, str] = {
    Reason.UNREADABLE: "I cannot read that.",
    Reason.AMBIGUOUS: "There is more than one way to do that.",
    Reason.NOT_ASKED: "That is not possible now.",
    Reason.NOT_HELD: "You do not have the tiles for that.",
    Reason.KUIKAE: "After this call you may not discard that tile (kuikae).",
    Reason.IN_RIICHI: "You are in riichi: only the drawn tile can be discarded, and nothing called.",
    Reason.NOT_TENPAI: "Riichi is not possible: that would not leave the hand tenpai.",
    Reason.NOT_CLOSED: "Riichi needs a closed hand, and yours has a call.",
    Reason.TOO_FEW_POINTS: "You have too few points for riichi.",
    Reason.TOO_FEW_TILES: "Too few tiles are left in the wall for that.",
    Reason.NOT_COMPLETE: "The hand is not complete with this tile.",
    Reason.NO_YAKU: "The hand is complete, but it has no yaku.",
    Reason.FURITEN: "You are furiten: ron is not possible.",
    Reason.NOT_NEXT: "Only the next player may call chi.",
    Reason.NOT_FIRST: "That is possible only on the first draw, before any call.",
    Reason.TOO_FEW_KINDS: "You have fewer than nine different terminals and honours.",
    Reason.TOO_MANY_KANS: "No further kan or call is possible: four kans were made.",
    Reason.WAIT_CHANGES: "In riichi this kan would change your hand, so it is not allowed.",
    Reason.NO_DISCARD: "After this call you could not discard any tile (kuikae).",
    Reason.NOT_IN_RULESET: "The rules of this room do not have that.",
}
"""A sentence for each reason."""
