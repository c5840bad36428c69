"""The player that discards what it draws: the measure of everybody else, and company for who tries something out."""

from __future__ import annotations

from ump.model.actions import Action, DeclareTenpai, Discard, Pass
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.observation import Observation


class Tsumogiri:
    """Discards the drawn tile, passes on everything, and never wins."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Answer as a server would for a player who is away (see ``Policy.choose``)."""
        if phase is Phase.TURN:
            return Discard(seen.hand.concealed[-1]) if tile is None else Discard(tile, tsumogiri=True)
        return DeclareTenpai() if phase is Phase.DECLARE else Pass()
