"""A soak: clients of all dialects play for hours, while clients and servers are killed; then the record is checked.

The server is killed often at first, then not at all, so that its memory can be judged. Every game that began must be in
the record, to its end, as its players saw it.
"""

from __future__ import annotations

import asyncio
import gzip
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import linear_regression

from scripts.lab.processes import Usage, usage_of
from scripts.lab.server import PLAYER_PORTS, OurServer
from scripts.scenarios.visitors import DIALECTS, Account, Visitor
from ump.model.value import value
from ump.record.journal import Journal, JournalError, check_journal, read_journal, summary_of
from ump.rules.ruleset import LeftSticks
from ump.server.journals import DAMAGED, FINISHED, RUNNING
from ump.table.journal_entries import End

# When the server is killed

CALM_SHARE = 3 / 8  # the last part of the time, without kills of the server

CALM_SECONDS = 30 * 60.0
"""The least time without kills that is enough to judge memory; short soaks have half of their time."""

MEAN_SECONDS = 75.0  # the mean time between two kills

FIRST_SECONDS = 20.0
"""The least time between two kills. Some come while the server still takes players back."""


def calm_seconds(total: float) -> float:
    """Return how long the last part of a soak is, in which nobody kills the server."""
    return max(CALM_SHARE * total, min(CALM_SECONDS, total / 2))


def draw_kills(total: float, chance: Random) -> list[float]:
    """Return the instants of the kills in seconds from the beginning of a soak, in order."""
    instants: list[float] = []
    last = total - calm_seconds(total)
    instant = FIRST_SECONDS
    while (instant := instant + chance.expovariate(1 / MEAN_SECONDS)) < last:
        instants.append(instant)
    return [*instants, last]


# Its memory, by samples of what it uses, with instants since it was started

WARM_UP = 0.5
"""The first part of a life, which does not count: resident memory grows by 8 MB an hour then, less and less.

Caches fill up, and the allocator keeps what a moment with many long kyoku has needed. Python's objects do not grow in
number, but for those of the running games.
"""

HOUR = 3600.0


def settled(samples: Sequence[Usage]) -> Sequence[Usage]:
    return [each for each in samples if each.instant >= WARM_UP * samples[-1].instant]


def slope(samples: Sequence[Usage]) -> float:
    """Return the bytes an hour by which memory grows after the warm-up: the line of least squares; 0 if unknown."""
    memory = {each.instant: each.memory for each in settled(samples)}
    return linear_regression([*memory], [*memory.values()]).slope * HOUR if len(memory) > 1 else 0.0


# The verdict

MOST_GROWTH = 6e6
"""Bytes an hour by which a server may grow after its warm-up: more than twice what one without a leak does (2.6 MB).

A table of one kyoku that is not freed costs some 55 KB.
"""

JUDGED_SECONDS = 20 * 60.0  # the age from which the memory of a server is judged

STEADY_ENDS = frozenset({End.COMPLETED, End.ABANDONED})
"""The ends that games may have: completed, or abandoned because nobody came back."""


@value
class Life:
    """One process of the server, from its start to its end."""

    samples: Sequence[Usage]
    troubles: Sequence[str]  # lines of its log about faults of the server

    @property
    def seconds(self) -> float:
        return self.samples[-1].instant if self.samples else 0.0

    @property
    def growth(self) -> float:
        return slope(self.samples)


@value
class Records:
    """The contents of the folder of records after a soak."""

    ends: Counter[End]  # the finished games, by how they ended
    steps: int  # the steps of all games
    faults: list[str]


def check_records(folder: Path, seen: set[str], account: Account) -> Records:
    """Replay every game of a folder, and compare what its players were told.

    ``seen`` are the names of all games of which a step was seen in the record, without the ends of their files.
    """
    faults = [f"{path.name}: not finished" for path in sorted(folder.glob(f"*{RUNNING}"))]
    faults += [f"{path.name}: the server could not read it" for path in sorted(folder.glob(f"*{DAMAGED}"))]
    finished = sorted(folder.glob(f"*{FINISHED}"))
    names = {path.name.removesuffix(FINISHED) for path in finished}
    ends: Counter[End] = Counter()
    points_of: dict[str, tuple[int, ...]] = {}
    steps = 0
    for path in finished:
        try:
            journal = read_journal(gzip.decompress(path.read_bytes()))
            faults += [f"{path.name}: {fault}" for fault in faults_of(journal)]
            summary = summary_of(journal)
        except (JournalError, OSError) as error:
            faults.append(f"{path.name}: {error}")
            continue
        steps += len(journal.steps)
        if summary.end is not None:
            ends[summary.end] += 1
        points_of |= dict.fromkeys(journal.header.opening.players, summary.result.points)
    lost = account.begun - points_of.keys()
    faults += [f"{name}: was told of a game that is not in the record" for name in sorted(lost)]
    faults += [f"{each}: has vanished" for each in sorted(seen - names)]
    for name, points in account.ended.items():
        if points_of.get(name, points) != points:
            faults.append(f"{name}: was told {points}, recorded are {points_of[name]}")
    return Records(ends, steps, faults)


def faults_of(journal: Journal) -> list[str]:
    """Return what is wrong with a finished game: how it ended, a step that does not follow, or points from nowhere."""
    faults = [] if journal.end in STEADY_ENDS else [f"ended as {journal.end and journal.end.value}"]
    check_journal(journal)
    rules = journal.header.opening.ruleset
    total = rules.start_points * rules.seats
    for number, step in enumerate(journal.steps, 2):
        if step.start is not None:
            standing = step.start.standing
            if sum(standing.points) + rules.riichi_points * standing.kyotaku != total:
                faults.append(f"line {number}: the points are not {total} together")
    points = summary_of(journal).result.points
    if journal.end is End.COMPLETED and rules.left_sticks is LeftSticks.FIRST and sum(points) != total:
        faults.append(f"the final points are not {total} together")
    return faults


def memory_faults(lives: Sequence[Life]) -> list[str]:
    """Return what is wrong with the memory of servers that lived long enough."""
    judged = [life for life in lives if life.seconds >= JUDGED_SECONDS]
    return [
        f"a server grew by {life.growth / 1e6:.1f} MB an hour, more than {MOST_GROWTH / 1e6:.0f}"
        for life in judged
        if life.growth > MOST_GROWTH
    ]


# The soak

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

ROOM_NAMES = ("four", "four", "four", "two", "one")  # where clients go; each is as likely as the others
OPTIONS = ("--games=0", "--time=20+20", "--grace=30")  # clients that stay away are replaced after 30 seconds

CLIENTS_PER_TABLE = 4

SAMPLE_SECONDS = 5.0  # time between two looks at the server and its record
WATCH_SECONDS = 0.2  # time between two looks at whether the server is dead
DRAIN_SECONDS = 900.0  # time in which the last games must end
START_SECONDS = 60.0  # time in which a server must listen after its start
STOP_SECONDS = 30.0  # time in which the last server must end after SIGTERM


@value
class Soaked:
    """The result of a soak."""

    seconds: float
    lives: Sequence[Life]
    kills: int
    account: Account
    records: Records
    stuck: Sequence[str]  # the tasks that have not ended in time, or have ended too early

    @property
    def faults(self) -> list[str]:
        faults = [] if self.records.ends else ["no game was played to its end"]
        faults += [*self.stuck, *self.account.faults, *self.records.faults]
        faults += [f"log of the server: {line}" for life in self.lives for line in life.troubles]
        return faults + memory_faults(self.lives)


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
        self._server = OurServer([*OPTIONS, f"--config={rooms}", f"--record-dir={self._records}"], PLAYER_PORTS)
        self._kills = draw_kills(seconds, Random(seed))[::-1]
        self._seconds = seconds
        self._note = note
        self._account = account or Account()
        self._visitors = [
            Visitor(DIALECTS[number % len(DIALECTS)], number, ROOM_NAMES, self._ports, self._account, seed)
            for number in range(CLIENTS_PER_TABLE * tables)
        ]
        self.killed = 0  # how often the server was killed
        self._lives: list[Life] = []
        self._samples: list[Usage] = []
        self._seen: set[str] = set()  # the names of all games of which a step was seen in the record
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
        self._is_up = False
        self._lives.append(Life(tuple(self._samples), tuple(self._server.troubles())))

    async def _watch(self, now: float) -> None:
        age = time.monotonic() - self._started
        if not self._samples or age - self._samples[-1].instant >= SAMPLE_SECONDS:
            seen = self._sample(age)
            if seen is not None:
                self._note(self._line(now, seen))
            self._look_at_record()
        if age > START_SECONDS and not self._server.ports:
            self._stuck.append(f"the server does not listen after {START_SECONDS:g} s")
        await asyncio.sleep(WATCH_SECONDS)

    def _sample(self, age: float) -> Usage | None:
        seen = usage_of(self._server.number, age)
        if seen is not None:
            self._samples.append(seen)
        return seen

    def _look_at_record(self) -> None:
        for path in self._records.glob(f"*{RUNNING}"):
            name = path.name.removeprefix(".").removesuffix(RUNNING)
            with suppress(OSError):  # it has just been finished
                if name not in self._seen and path.read_bytes().count(b"\n") > 1:
                    self._seen.add(name)

    def _line(self, now: float, seen: Usage) -> str:
        return (
            f"{now:.0f} of {self._seconds:.0f} s: {len(self._account.begun)} seats taken, {self.killed} kills, "
            f"server {seen.memory / 1e6:.1f} MB, {seen.seconds:.1f} s of CPU time in {seen.instant:.0f} s"
        )

    async def _is_drained(self, visits: Sequence[asyncio.Task[None]]) -> bool:
        return all(visit.done() for visit in visits) and not any(self._records.glob(f"*{RUNNING}"))

    async def _end(self, visits: Sequence[asyncio.Task[None]]) -> None:
        waiting = sum(not visit.done() for visit in visits)
        if waiting and not self._stuck:
            self._stuck.append(f"{waiting} clients were not done {DRAIN_SECONDS:g} s after the end")
        self._sample(time.monotonic() - self._started)  # what is still open without games and clients
        self._stuck += [f"a client has failed: {visit.exception()!r}" for visit in visits if _has_failed(visit)]
        await asyncio.to_thread(self._server.terminate, STOP_SECONDS)
        if not self._server.is_dead:
            self._stuck.append(f"the server has not ended {STOP_SECONDS:g} s after SIGTERM")
        self._bury()


def _has_failed(visit: asyncio.Task[None]) -> bool:
    return visit.done() and not visit.cancelled() and visit.exception() is not None
