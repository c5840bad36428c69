"""A soak: clients of all dialects play for hours, while clients and servers are killed; then the record is checked.

The server is killed often at first, then not at all, so that its memory can be judged. Every game that began must be in
the record, to its end, as its players saw it.
"""

from __future__ import annotations

import asyncio
import gzip
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from statistics import linear_regression

from scripts.lab.players import UMP_0_1
from scripts.lab.processes import LOOPBACK, Usage, usage_of
from scripts.lab.server import PLAYER_PORTS, OurServer, ServerProcess
from scripts.lab.site import Site
from scripts.scenarios.visitors import DIALECTS, Account, Reader, Visitor, WebSocketStream, Writer
from ump.model.value import value
from ump.record.journal import Journal, JournalError, check_journal, read_journal, summary_of
from ump.rules.ruleset import LeftSticks
from ump.server.journals import DAMAGED, FINISHED, RUNNING
from ump.table.journal_entries import End
from ump.wire.json_text import MAX_DOCUMENT

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


def check_records(folders: Sequence[Path], seen: set[str], account: Account) -> Records:
    """Replay every game of some folders, and compare what its players were told.

    ``seen`` are the names of all games of which a step was seen in the record, without the ends of their files.
    """
    running, damaged, finished = (
        sorted(path for folder in folders for path in folder.glob(f"*{end}")) for end in (RUNNING, DAMAGED, FINISHED)
    )
    faults = [f"{path.name}: not finished" for path in running]
    faults += [f"{path.name}: the server could not read it" for path in damaged]
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


class SoakedServer:
    """A server of the soak, and what was seen of it."""

    def __init__(self, server: ServerProcess, records: Path, ports: Callable[[], Mapping[str, int]]) -> None:
        self.server = server
        self.lives: list[Life] = []
        self.seen: set[str] = set()  # the names of all games of which a step was seen in the record
        self.stuck: list[str] = []
        self.records = records
        self._ports = ports
        self._samples: list[Usage] = []
        self._is_up = False

    @property
    def age(self) -> float:
        """The seconds since its start."""
        return time.monotonic() - self._started

    @property
    def last(self) -> Usage | None:
        """Its usage at the last look."""
        return self._samples[-1] if self._samples else None

    async def connect(self, option: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the port that an option opens."""
        port = self._ports().get(option) if self._is_up else None
        if port is None:
            raise ConnectionRefusedError
        return await asyncio.open_connection(LOOPBACK, port, limit=MAX_DOCUMENT)

    async def start(self) -> None:
        """Start it, if it does not run."""
        if self.server.is_dead:
            await asyncio.to_thread(self.server.start)
        self._started = time.monotonic()
        self._is_up = True
        self._samples = []

    async def kill(self) -> None:
        """Kill it, and start it again."""
        self.server.kill()
        while not self.server.is_dead:
            await asyncio.sleep(0.01)
        self._bury()
        await self.start()

    def watch(self) -> None:
        """Look at it, and at its records every few seconds."""
        if self.server.is_dead:
            self.stuck.append(f"the server has ended by itself: {' '.join(self.server.lines[-1:])}")
        if self.age > START_SECONDS and not self._ports():
            self.stuck.append(f"the server does not listen after {START_SECONDS:g} s")
        if self.last is not None and self.age - self.last.instant < SAMPLE_SECONDS:
            return
        self.sample()
        self._look_at_record()

    def sample(self) -> None:
        """Note what it uses."""
        seen = usage_of(self.server.number, self.age)
        if seen is not None:
            self._samples.append(seen)

    def _look_at_record(self) -> None:
        for path in self.records.glob(f"*{RUNNING}"):
            name = path.name.removeprefix(".").removesuffix(RUNNING)
            with suppress(OSError):  # it has just been finished
                if name not in self.seen and path.read_bytes().count(b"\n") > 1:
                    self.seen.add(name)

    async def end(self) -> None:
        """End it as an operator does."""
        self.sample()  # what is still open without games and clients
        await asyncio.to_thread(self.server.terminate, STOP_SECONDS)
        if not self.server.is_dead:
            self.stuck.append(f"the server has not ended {STOP_SECONDS:g} s after SIGTERM")
        self._bury()

    def _bury(self) -> None:
        self._is_up = False
        self.lives.append(Life(tuple(self._samples), tuple(self.server.troubles())))


def one_server(folder: Path) -> list[SoakedServer]:
    """Return the server of a soak that has one."""
    records = folder / "records"
    options = [*OPTIONS, f"--config={rooms_file(folder)}", f"--record-dir={records}"]
    server = OurServer(options, PLAYER_PORTS)
    return [SoakedServer(server, records, lambda: server.ports)]


SITE_OPENED = tuple(port for port in PLAYER_PORTS if port != "listen")
"""The ports of the servers of a site that are not behind its proxy."""


def servers_of(site: Site) -> list[SoakedServer]:
    """Return the servers of a site, which runs."""
    return [
        SoakedServer(server, site.records(name), partial(site.ports, name)) for name, server in site.servers.items()
    ]


def rooms_file(folder: Path, letter: str = "") -> Path:
    """Write the file of rooms of a server; their names begin with its letter."""
    file = folder / f"rooms{letter}.toml"
    file.write_text(ROOMS.replace("[rooms.", f"[rooms.{letter}"), encoding="utf-8")
    return file


class Soak:
    """Servers, their clients, and what was seen of both."""

    def __init__(
        self,
        servers: Sequence[SoakedServer],
        seconds: float,
        tables: int,
        seed: str,
        note: Callable[[str], None],
        account: Account | None = None,
        site: Site | None = None,
    ) -> None:
        """``note`` is called with a line about the state every few seconds; ``account`` is kept while clients play."""
        self._servers = servers
        self._chance = Random(seed)
        self._kills = draw_kills(seconds, self._chance)[::-1]
        self._seconds = seconds
        self._note = note
        self._account = account or Account()
        self._site = site
        self._visitors = [self._visitor(number, seed) for number in range(CLIENTS_PER_TABLE * tables)]
        self.killed = 0  # how often a server was killed

    def _visitor(self, number: int, seed: str) -> Visitor:
        """Return a visitor of one of the servers. On a site, every other one of UMP 0.1 comes by the page."""
        dialect, index = DIALECTS[number % len(DIALECTS)], number % len(self._servers)
        letter = "" if self._site is None else [*self._site.servers][index]
        rooms = tuple(f"{letter}{room}" for room in ROOM_NAMES)

        async def connect(room: str) -> tuple[Reader, Writer]:
            if self._site is None or dialect is not UMP_0_1 or number // len(DIALECTS) % 2:
                return await self._servers[index].connect(dialect.port)
            at = self._chance.choice([*self._site.servers])  # it passes the client on to the room's own server
            stream = await WebSocketStream.open(self._site.web_port, f"/ump?room={room}&at={at}")
            return stream, stream

        return Visitor(dialect, number, rooms, connect, self._account, seed)

    def kill_at(self, now: float) -> None:
        """Kill a server once more, at this second of the soak or as soon as it is over."""
        self._kills.append(now)

    async def run(self, stopped: asyncio.Event) -> Soaked:
        """Play for the time of the soak, or until ``stopped`` is set; end the last games, and check the record."""
        began = time.monotonic()
        for each in self._servers:
            await each.start()
        visits = [asyncio.create_task(visitor.run()) for visitor in self._visitors]
        try:
            while not stopped.is_set() and time.monotonic() - began < self._seconds and not self._stuck():
                await self._go_on(time.monotonic() - began)
            for visitor in self._visitors:
                visitor.is_closing = True
            end = time.monotonic() + DRAIN_SECONDS
            while time.monotonic() < end and not self._stuck() and not self._is_drained(visits):
                await self._go_on(0.0)
            stuck = await self._end(visits)
        finally:
            for visit in visits:
                visit.cancel()
            for each in self._servers:
                each.server.close()
        played = time.monotonic() - began
        self._note("checking the record")
        seen = set[str]().union(*(each.seen for each in self._servers))
        records = check_records([each.records for each in self._servers], seen, self._account)
        lives = [life for each in self._servers for life in each.lives]
        return Soaked(played, lives, self.killed, self._account, records, stuck)

    def _stuck(self) -> list[str]:
        return [reason for each in self._servers for reason in each.stuck]

    async def _go_on(self, now: float) -> None:
        """Watch for a while; kill a server if the plan says so at this second of the soak."""
        if self._kills and now >= self._kills[-1]:
            self._kills.pop()
            self.killed += 1
            await self._chance.choice(self._servers).kill()
        for each in self._servers:
            each.watch()
        self._note(self._line(now))
        await asyncio.sleep(WATCH_SECONDS)

    def _line(self, now: float) -> str:
        used = [each.last for each in self._servers if each.last is not None]
        seen = ", ".join(
            f"{each.memory / 1e6:.1f} MB, {each.files} files, {each.seconds:.1f} s of CPU" for each in used
        )
        seats = f"{len(self._account.begun)} seats taken"
        return f"{now:.0f} of {self._seconds:.0f} s: {seats}, {self.killed} kills, {seen}"

    def _is_drained(self, visits: Sequence[asyncio.Task[None]]) -> bool:
        is_running = any(path for each in self._servers for path in each.records.glob(f"*{RUNNING}"))
        return all(visit.done() for visit in visits) and not is_running

    async def _end(self, visits: Sequence[asyncio.Task[None]]) -> list[str]:
        """End the servers; return what is stuck."""
        waiting = sum(not visit.done() for visit in visits)
        stuck = []
        if waiting and not self._stuck():
            stuck.append(f"{waiting} clients were not done {DRAIN_SECONDS:g} s after the end")
        stuck += [f"a client has failed: {visit.exception()!r}" for visit in visits if _has_failed(visit)]
        for each in self._servers:
            await each.end()
        return stuck + self._stuck()


def _has_failed(visit: asyncio.Task[None]) -> bool:
    return visit.done() and not visit.cancelled() and visit.exception() is not None
