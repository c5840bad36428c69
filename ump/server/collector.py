"""Settings of Python's garbage collector for servers: its looks through all objects stop all games."""

from __future__ import annotations

import gc

COLLECTIONS = (700, 5, 1_000)
"""When the garbage collector looks: through new objects when there are so many more, through those that survived each
fifth time (2 ms), and through all each thousandth time of those (120 ms at 100 tables under attack)."""


def spare_the_collector() -> None:
    """Let garbage collections be short: they stop all games.

    Loaded modules are never garbage, and a look through all takes some 50 ms. Ended games and closed connections are
    freed without the collector (``tests/server/test_garbage.py``), so a look through all that is old may be rare.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTIONS)
