"""A soak: clients of all dialects play for hours, while clients and servers are killed; then the record is checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from scripts.interoperation.server import BROKEN
from scripts.killing.killed_server import KilledServer
from scripts.soaking.memory import Sample, sample
from scripts.soaking.plan import draw_kills
from scripts.soaking.verdict import Life, Records, check_records, memory_faults
from scripts.soaking.visitors import DIALECTS, Account, Visitor
from ump.model.value import value
from ump.server.journal_writer import RUNNING

ROOMS = """
takeover = "efficiency"
rules = "tenhou"

[rooms.four]
length = "hanchan"

[rooms.two]
length = "tonpu"
house = ["efficiency:2"]
house_after = 2

[rooms.one]
length = "kyoku"
house = ["tsumogiri:3"]
house_after = 0
"""
"""Tables of four clients, and tables with built-in bots."""

ROOM_NAMES = ("four", "four", "four", "two", "one")
"""Where clients go; each is as likely as the others."""

OPTIONS = ("--games=0", "--time=20+20", "--grace=30")
"""Clients that stay away are replaced after 30 seconds."""

CLIENTS_PER_TABLE = 4

SAMPLE_SECONDS = 5.0
"""Time between two looks at the server and its record."""

WATCH_SECONDS = 0.2
"""Time between two looks at whether the server is dead."""

DRAIN_SECONDS = 900.0
"""Time in which the last games must end."""

START_SECONDS = 60.0
"""Time in which a server must listen after its start."""

STOP_SECONDS = 30.0
"""Time in which the last server must end after SIGTERM."""


@value
class Soaked:
    """What a soak has come to."""

    seconds: float
    lives: Sequence[Life]
    kills: int
    account: Account
    records: Records
    stuck: Sequence[str]
    """The tasks that have not ended in time, or have ended too early."""

    @property
    def faults(self) -> list[str]:
        """Everything that is wrong."""
        troubles = [f"log of the server: {line}" for life in self.lives for line in life.troubles]
        return [*self.stuck, *self.account.faults, *self.records.faults, *troubles, *memory_faults(self.lives)]


class Soak:
    """The server, its clients, and what was seen of both."""

    def __init__(
        self,
        folder: Path,
        seconds: float,
        tables: int,
        seed: str,
        note: Callable[[str], None],
        account: Account | None = None,
    ) -> None:
        """``note`` is called with a line about the state every few seconds; ``account`` is kept while clients play."""
        rooms = folder / "rooms.toml"
        rooms.write_text(ROOMS, encoding="utf-8")
        self._records = folder / "records"
        self._server = KilledServer(self._records, [*OPTIONS, f"--config={rooms}"])
        self._kills = draw_kills(seconds, Random(seed))[::-1]
        self._seconds = seconds
        self._note = note
        self._account = account or Account()
        self._visitors = [
            Visitor(DIALECTS[number % len(DIALECTS)], number, ROOM_NAMES, self._ports, self._account, seed)
            for number in range(CLIENTS_PER_TABLE * tables)
        ]
        self.killed = 0
        """How often the server was killed."""
        self._lives: list[Life] = []
        self._samples: list[Sample] = []
        self._seen: set[str] = set()
        """The names of all games of which a step was seen in the record."""
        self._stuck: list[str] = []
        self._is_up = False

    def kill_at(self, now: float) -> None:
        """Kill the server once more, at this second of the soak or as soon as it is over."""
        self._kills.append(now)

    def _ports(self) -> dict[str, int]:
        return self._server.ports if self._is_up else {}

    async def run(self, stopped: asyncio.Event) -> Soaked:
        """Play for the time of the soak, or until ``stopped`` is set; end the last games, and check the record."""
        began = time.monotonic()
        self._start()
        visits = [asyncio.create_task(visitor.run()) for visitor in self._visitors]
        try:
            while not stopped.is_set() and time.monotonic() - began < self._seconds and not self._stuck:
                await self._go_on(time.monotonic() - began)
            for visitor in self._visitors:
                visitor.is_closing = True
            end = time.monotonic() + DRAIN_SECONDS
            while time.monotonic() < end and not self._stuck and not await self._is_drained(visits):
                await self._go_on(0.0)
            await self._end(visits)
        finally:
            for visit in visits:
                visit.cancel()
            self._server.close()
        played = time.monotonic() - began
        self._note("checking the record")
        records = check_records(self._records, self._seen, self._account)
        return Soaked(played, self._lives, self.killed, self._account, records, self._stuck)

    async def _go_on(self, now: float) -> None:
        """Watch for a while; kill the server if the plan says so at this second of the soak."""
        if self._kills and now >= self._kills[-1]:
            self._kills.pop()
            self.killed += 1
            self._server.kill()
        elif self._server.is_dead:
            self._stuck.append(f"the server has ended by itself: {' '.join(self._server.lines[-1:])}")
            return
        else:
            await self._watch(now)
            return
        while not self._server.is_dead:
            await asyncio.sleep(0.01)
        self._bury()
        self._start()

    def _start(self) -> None:
        self._server.start()
        self._started = time.monotonic()
        self._is_up = True
        self._samples = []

    def _bury(self) -> None:
        """Keep what is known of a server that is dead."""
        self._is_up = False
        troubles = [line for line in self._server.lines if BROKEN.search(line)]
        self._lives.append(Life(tuple(self._samples), tuple(troubles)))

    async def _watch(self, now: float) -> None:
        """Look at the server and the record from time to time."""
        age = time.monotonic() - self._started
        if not self._samples or age - self._samples[-1].instant >= SAMPLE_SECONDS:
            seen = sample(self._server.number, age)
            if seen is not None:
                self._samples.append(seen)
                self._note(self._line(now, seen))
            self._look_at_record()
        if age > START_SECONDS and not self._server.ports:
            self._stuck.append(f"the server does not listen after {START_SECONDS:g} s")
        await asyncio.sleep(WATCH_SECONDS)

    def _look_at_record(self) -> None:
        """Note which games have begun."""
        for path in self._records.glob(f"*{RUNNING}"):
            name = path.name.removeprefix(".").removesuffix(RUNNING)
            with suppress(OSError):  # it has just been finished
                if name not in self._seen and path.read_bytes().count(b"\n") > 1:
                    self._seen.add(name)

    def _line(self, now: float, seen: Sample) -> str:
        return (
            f"{now:.0f} of {self._seconds:.0f} s: {len(self._account.begun)} seats taken, {self.killed} kills, "
            f"server {seen.memory / 1e6:.1f} MB, {seen.seconds:.1f} s of CPU time in {seen.instant:.0f} s"
        )

    async def _is_drained(self, visits: Sequence[asyncio.Task[None]]) -> bool:
        """Tell whether all clients have gone and no game runs."""
        return all(visit.done() for visit in visits) and not any(self._records.glob(f"*{RUNNING}"))

    async def _end(self, visits: Sequence[asyncio.Task[None]]) -> None:
        """Note what is still there, and stop the last server."""
        waiting = sum(not visit.done() for visit in visits)
        if waiting and not self._stuck:
            self._stuck.append(f"{waiting} clients were not done {DRAIN_SECONDS:g} s after the end")
        self._stuck += [f"a client has failed: {visit.exception()!r}" for visit in visits if _has_failed(visit)]
        await asyncio.to_thread(self._server.terminate, STOP_SECONDS)
        if not self._server.is_dead:
            self._stuck.append(f"the server has not ended {STOP_SECONDS:g} s after SIGTERM")
        self._bury()


def _has_failed(visit: asyncio.Task[None]) -> bool:
    return visit.done() and not visit.cancelled() and visit.exception() is not None
