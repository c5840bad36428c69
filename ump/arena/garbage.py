"""Python's garbage collector in arenas: it would look through the events of all open games again and again.

Games have no circles, so what a collection could free belongs to policies.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARE = (20_000, 10, 100)
"""When the collector looks: after so many new objects, and through older ones each 10th and 1,000th time."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look rarely, and never through what is loaded now. Forked processes inherit that."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
