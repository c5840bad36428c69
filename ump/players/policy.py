"""Policies: what chooses for a seat, and the kinds of them that a server can seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.tsumogiri import Tsumogiri


class Policy(Protocol):
    """Chooses one action at a time. What it may know is the observation; it keeps nothing of the game itself."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Answer a question of the seat that ``seen`` belongs to.

        ``tile`` is the drawn tile at a TURN (None after a chi or pon), the tile in question at a CALL or CHANKAN, None
        at a DECLARE. ``offers`` are all legal actions; None on a server that offers nothing: then the policy
        claims what, as far as the seat can know, the rules let it (``ump.players.claimable``).
        """
        ...


POLICIES: Mapping[str, Callable[[], Policy]] = {
    "tsumogiri": Tsumogiri,
    "efficiency": Efficiency,
}
"""The kinds of house player, by name."""
