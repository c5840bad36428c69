#!/usr/bin/env python3
"""A bot that takes the shortest way to a win, built on ``ump.bots``; it speaks every protocol of the server.

. .venv/bin/activate                                            # an environment in which ump is installed
python3 clients/efficiency.py localhost:19000 --name me --games 3
python3 clients/efficiency.py mjsonp://localhost:11600/default
python3 clients/efficiency.py ws://localhost:8080/ump
"""

from __future__ import annotations

import sys

try:
    from ump.bots import run
    from ump.bots.bot import Bot, Legal
except ImportError as error:
    sys.exit(f"{error}: install ump first, or type '. .venv/bin/activate' in a checkout where scripts/serve has run")

from ump.model.actions import Action
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation


class EfficiencyBot(Bot):
    """Takes the shortest way to a win: lowest shanten, then most live tiles."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the choice of the built-in bot of the same name."""
        return Efficiency().choose(observation, legal.phase, legal.tile, tuple(legal))


if __name__ == "__main__":
    run(EfficiencyBot, name="efficiency")
