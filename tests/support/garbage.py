"""A check that what is over is freed without the garbage collector."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from twisted.logger import globalLogBeginner


@contextmanager
def no_garbage() -> Iterator[None]:
    """Check that the collector has nothing of ours to free after what is done here.

    What is older does not count: the log may let go of it meanwhile.
    """
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False)  # before, the log would keep each event
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    older = {id(each) for each in gc.get_objects()}
    try:
        yield
        gc.collect()
        new = [type(each) for each in gc.garbage if id(each) not in older]
        ours = Counter(each.__qualname__ for each in new if each.__module__.startswith("ump."))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not ours
