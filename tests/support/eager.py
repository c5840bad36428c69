"""A player whose games are full of riichi, kans and wins, and still hold everything that is legal."""

from __future__ import annotations

from random import Random

from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Pass, Riichi, Ron, Tsumo
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, Face
from ump.players.observation import Observation
from ump.rules.analysis import shanten

FORWARD = (Ron, Tsumo, Riichi, Ankan, Kakan, Daiminkan)
"""Actions that are rarely possible and should happen often."""


class Eager:
    """Takes what is seldom possible, discards what leaves the nearest hand, and does anything legal now and then."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Choose by the hand and by chance (see ``Policy.choose``)."""
        legal, chance = offers or (Pass(),), self._chance
        forward = [action for action in legal if isinstance(action, FORWARD)]
        if forward and chance.random() < 0.9:
            return chance.choice(forward)
        discards = [action for action in legal if isinstance(action, Discard)]
        if discards and chance.random() < 0.9:
            return min(discards, key=lambda discard: self._shanten(seen, discard))
        if phase is Phase.CALL and chance.random() < 0.7:
            return Pass()
        return chance.choice(legal)

    @staticmethod
    def _shanten(seen: Observation, discard: Discard) -> int:
        kinds = seen.hand.kinds[:]
        kinds[KIND_OF[discard.face]] -= 1
        return shanten(kinds)
