"""A client that discards what it draws, and loses its connection or ends in the midst of a game, once.

Usage: losing.py ADDRESS (cut|exit) FOLDER. It plays on as soon as FOLDER has a file of its seat's name.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from ump.bots import run, session
from ump.bots.bot import Bot, Legal
from ump.model.actions import Action
from ump.players.observation import Observation
from ump.players.policy import Tsumogiri

DECISIONS = 3
"""The decisions before the loss."""

address, mode, folder, name = sys.argv[1:5]
links: list[Any] = []
opened = vars(session)["open_link"]


def open_link(*arguments: Any, **options: Any) -> Any:
    """Open a link, and keep it."""
    links.append(opened(*arguments, **options))
    return links[-1]


class LosingBot(Bot):
    """Discards what it draws."""

    decisions = 0

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the answer of the built-in policy, or lose the connection."""
        self.decisions += 1
        mark = Path(folder) / name
        if self.decisions > DECISIONS and not mark.exists():
            mark.touch()
            if mode == "exit":
                os._exit(7)
            links[-1].close()
        return Tsumogiri().choose(observation, legal.phase, legal.tile, tuple(legal))


if __name__ == "__main__":
    vars(session)["open_link"] = open_link
    sys.argv[1:] = [address, "--name", name]
    run(LosingBot, name=name)
