"""The player that answers anything it may: it brings about what sensible players never do."""

from __future__ import annotations

import random

from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.claimable import claimable
from ump.players.observation import Observation


class RandomLegal:
    """Chooses evenly among the legal actions, with the generator that it is given: the same seed, the same game."""

    def __init__(self, generator: random.Random) -> None:
        self._generator = generator

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Draw one action (see ``Policy.choose``)."""
        return self._generator.choice(claimable(seen, phase, tile) if offers is None else offers)
