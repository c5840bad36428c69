"""Makes more drills while the server has nothing else to do: from games that built-in bots play against each other.

No game of people is used, so nobody has to be asked. It begins when the first person practises, and ends when each kind
has ``MOST_OF_KIND`` drills; later ones take the place of those that were reported.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred, inlineCallbacks, succeed
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.drills.drill_file import read_drills
from ump.net.wall_clock import wall_text
from ump.record.recorded_game import RecordError
from ump.server.drill_desk import DrillDesk
from ump.server.drill_targets import self_play_target
from ump.server.jobs import InThread, Job, JobResult, Jobs, TooManyJobs, convert_apart

PERIOD = 300.0
"""Seconds between two games. One is about two seconds of a core, at a low priority."""

BUSY = 0.5
"""Processes that run or want to, for each core, from which the computer has something else to do."""


def is_computer_busy() -> bool:
    """Return whether the computer has something else to do; where nobody knows, it has not."""
    if not hasattr(os, "getloadavg"):
        return False
    return os.getloadavg()[0] >= BUSY * (os.cpu_count() or 1)


class DrillMaker(Service):
    """Lets a game be played from time to time, and adds its drills to the pool."""

    _log = Logger()

    def __init__(
        self,
        desk: DrillDesk,
        jobs: Jobs,
        in_thread: InThread,
        clock: Any,
        chance: Random,
        is_busy: Callable[[], bool] = is_computer_busy,
    ) -> None:
        self._desk = desk
        self._jobs = jobs
        self._in_thread = in_thread
        self._clock = clock
        self._chance = chance
        self._is_busy = is_busy
        self._loop = LoopingCall(self.look)
        self._loop.clock = clock

    def startService(self) -> None:
        """Begin to look whether there is time."""
        super().startService()
        self._loop.start(PERIOD, now=False)

    def stopService(self) -> None:
        """Make nothing more."""
        super().stopService()
        if self._loop.running:
            self._loop.stop()

    def look(self) -> Deferred[None]:
        """Make drills if some are missing, and nobody waits for anything else."""
        if not self._desk.is_open or not self._jobs.is_idle or self._is_busy():
            return succeed(None)
        made: Deferred[None] = self._make()
        return made.addErrback(self._note)

    @inlineCallbacks
    def _make(self) -> Any:
        now = wall_text(self._clock)
        is_full = yield self._in_thread(self._desk.tidy, now)
        if is_full:
            return
        target = self_play_target(f"{self._chance.getrandbits(64):016x}")
        job = Job("drills", target, partial(convert_apart, b"", target), is_filed=False)
        made: JobResult = yield self._jobs.ask(job, "")
        yield self._in_thread(lambda: self._desk.add(read_drills(gzip.decompress(made.packed)), now))

    def _note(self, failure: Failure) -> None:
        """Go on later."""
        if failure.check(DatabaseError, RecordError) is not None:
            self._log.error("no drills were made: {error}", error=failure.getErrorMessage())
        elif failure.check(TooManyJobs) is None:
            self._log.failure("no drills were made", failure)
