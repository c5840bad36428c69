"""The players of ``spectators``: each table is in a room of its own, so that spectators can choose it.

    python -m scripts.benchmarks.watched_clients PORT TABLES

The process is that of ``crowd_clients`` apart from the rooms.
"""

from __future__ import annotations

import os
import sys

from scripts.benchmarks.crowd_clients import POLITENESS, Crowd
from scripts.benchmarks.figures import SEATS
from scripts.benchmarks.processes import raise_descriptors


class Watched(Crowd):
    """Four clients for each room."""

    def hello_of(self, number: int) -> str:
        """Return the name of a client, and its room."""
        return f"c{number} _room=r{number // SEATS}"


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    Watched(int(sys.argv[1]), int(sys.argv[2]), 0).run()
