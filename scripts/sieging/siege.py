"""A siege: honest tables, in turns undisturbed and beside attackers, and what both have in common."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scripts.benchmarks.crowd import OPTIONS, SETTLING, SETTLING_PER_TABLE
from scripts.benchmarks.crowd_clients import SPREAD
from scripts.benchmarks.figures import quantile
from scripts.benchmarks.processes import ROOT, MeasuredProcess, Process, Usage

MOST_TIMES = 2.0
"""The p99 of the delay beside attackers, as a multiple of that without attacks on this server."""

MOST_GROWTH = 128 * 1024 * 1024
"""Bytes by which the server may grow: the buffers that the limits allow these attackers."""

MOST_WAITING = 0.01
"""Share of the time without a free core that can hardly explain a p99: the control counts only from it on."""

GRANULE = 1.0
"""Milliseconds below which delays are not compared: the noise of the machine."""

CALM_SECONDS = 8
"""Time after an attack in which the server stops hostile programs (QUIT_SECONDS, KILL_SECONDS)."""

HANG = "import time; time.sleep(3600)"
WRITE = "while True: print('x' * 1000)"
FORK = "import subprocess, time; [subprocess.Popen(['sleep', '20']) for _ in range(20)]; time.sleep(3600)"

ROOMS = """
[rooms.main]
length = "kyoku"

[rooms.pit]
length = "kyoku"
house = ["tsumogiri:3"]
house_after = 0

{programs}
"""


class Siege(Process):
    """A process of this package."""

    PACKAGE = "scripts.sieging"


@dataclass(frozen=True)
class Phase:
    """What was measured while the honest clients played."""

    answers: float
    """Answers per second."""
    delays: tuple[float, ...]
    """Delays in milliseconds, ascending."""
    load: float
    """Share of the time in which the server computed."""
    memory: int
    """Bytes of the server at the end."""
    waiting: float = 0.0
    """Share of the time in which the server was ready to compute, and no core was free."""
    turn: float = 0.0
    """Milliseconds of CPU of a turn of the reactor, the 99th percentile: what the server itself adds to a delay."""

    @property
    def p99(self) -> float:
        """The 99th percentile of the delays."""
        return quantile(self.delays, 0.99)


@dataclass(frozen=True)
class Round:
    """Three phases, one after the other."""

    undisturbed: Phase
    crowded: Phase
    """While the attackers attack another server on this machine: they only take its cores."""
    besieged: Phase


@dataclass(frozen=True)
class Report:
    """What a siege has come to."""

    rounds: tuple[Round, ...]
    attempts: dict[str, int]
    """Connections that each attack opened."""
    lost: int
    """Honest clients whose connection was closed."""
    records: str
    """What ``ump verify`` says about the records of finished games."""
    are_records_right: bool

    @property
    def undisturbed(self) -> float:
        """The p99 of the delay without attacks.

        It is the median of all rounds, as the three below, so that one loud moment of the machine decides nothing.
        """
        return median(each.undisturbed.p99 for each in self.rounds)

    @property
    def crowded(self) -> float:
        """The same beside attacks on another server."""
        return median(each.crowded.p99 for each in self.rounds)

    @property
    def besieged(self) -> float:
        """The same beside attacks."""
        return median(each.besieged.p99 for each in self.rounds)

    @property
    def waiting(self) -> float:
        """Share of the time in which no core was free for the besieged server: the median."""
        return median(each.besieged.waiting for each in self.rounds)

    @property
    def growth(self) -> int:
        """Bytes by which the server has grown from the first phase to its greatest."""
        return max(each.besieged.memory for each in self.rounds) - self.rounds[0].undisturbed.memory

    @property
    def bearable(self) -> float:
        """The p99 of the delay without attacks on this server.

        That beside attacks on another server counts only if the besieged server had to wait for a core.
        """
        return self.undisturbed if self.waiting < MOST_WAITING else max(self.undisturbed, self.crowded)

    @property
    def share_of_cores(self) -> float:
        """The share of the added p99 that comes from attackers who take the cores, from 0 to 1; 1 if none is added."""
        added = self.besieged - self.undisturbed
        if added <= 0:
            return 1.0
        return min(1.0, max(0.0, (self.crowded - self.undisturbed) / added))

    @property
    def faults(self) -> list[str]:
        """What the server did not hold."""
        faults = []
        if self.lost:
            faults.append(f"{self.lost} honest connections were closed")
        if self.besieged > max(MOST_TIMES * self.bearable, GRANULE):
            faults.append(f"the p99 of the delay is more than {MOST_TIMES:g} times that without attacks on this server")
        if self.growth > MOST_GROWTH:
            faults.append(f"the server has grown by more than {MOST_GROWTH >> 20} MiB")
        if not self.are_records_right:
            faults.append("records differ from the rules, or there are none")
        return faults


@dataclass(frozen=True)
class SiegePlan:
    """What is played, and how."""

    tables: int
    seconds: float
    """The length of a phase."""
    rounds: int
    attacks: Sequence[str]
    options: Sequence[str] = ()
    """Further options of the servers."""
    kills_workers: bool = False
    """Whether one of the server's workers is killed in the middle of each besieged phase."""


def besiege(folder: Path, plan: SiegePlan, note: Callable[[str], None]) -> Report:
    """Play the rounds of a plan: each undisturbed, then beside attacks on another server, then beside attacks.

    The records go to a folder.
    """
    seconds, rounds = plan.seconds, plan.rounds
    rooms = folder / "rooms.toml"
    rooms.write_text(rooms_file(), encoding="utf-8")
    records = folder / "records"
    played: list[Round] = []
    attempts: Counter[str] = Counter()
    with ExitStack() as stack:
        server, attackers = _attacked(rooms, records, plan, stack)
        _, others = _attacked(rooms, None, plan, stack)
        note("the honest clients sit down")
        honest = Siege("honest", str(server.address[1]), str(plan.tables))
        stack.callback(honest.stop)
        honest.receive()
        honest.send("go")
        time.sleep(SPREAD + SETTLING + SETTLING_PER_TABLE * plan.tables)
        for number in range(rounds):
            if number:
                note("the server rests")
                time.sleep(CALM_SECONDS)
            what = f"round {number + 1} of {rounds}, {{}}"
            undisturbed, _ = play(server, honest, seconds, note, what.format("undisturbed"))
            with _attacking(others, Counter()):
                crowded, _ = play(server, honest, seconds, note, what.format("attacks on another server"))
            time.sleep(CALM_SECONDS)
            with _attacking(attackers, attempts):
                meanwhile = server.kill_worker if plan.kills_workers else lambda: None
                besieged, lost = play(server, honest, seconds, note, what.format("besieged"), meanwhile)
            played.append(Round(undisturbed, crowded, besieged))
    note("verifying the records")
    finished = verify(records)
    return Report(tuple(played), attempts, lost, finished.stdout.strip(), finished.returncode == 0)


@contextmanager
def _attacking(attackers: Siege, attempts: Counter[str]) -> Iterator[None]:
    """Let attackers attack, and count the connections that they open."""
    attackers.send("go")
    yield
    attackers.send("end")
    opened = attackers.receive()
    assert isinstance(opened, dict)
    attempts.update(opened)


def _attacked(rooms: Path, records: Path | None, plan: SiegePlan, stack: ExitStack) -> tuple[MeasuredProcess, Siege]:
    """Start a server, and attackers who are ready to attack it."""
    http = free_port()
    options = [each for each in OPTIONS if not each.startswith("--seed")]
    port = f"--http=tcp:{http}:interface=127.0.0.1"
    records_option = f"--record-dir={records or 'none'}"
    further = [each for each in plan.options if records is not None or not each.startswith("--index")]
    server = MeasuredProcess("server", *options, f"--config={rooms}", port, records_option, *further)
    stack.callback(server.stop)
    attackers = Siege("attackers", str(server.address[1]), str(http), *plan.attacks)
    stack.callback(attackers.stop)
    attackers.receive()
    return server, attackers


def play(
    server: MeasuredProcess,
    honest: Process,
    seconds: float,
    note: Callable[[str], None],
    what: str,
    meanwhile: Callable[[], object] = lambda: None,
) -> tuple[Phase, int]:
    """Let the honest clients play, and call ``meanwhile`` in the middle.

    Return what was measured, and how many clients have lost their connections.
    """
    honest.send("mark")
    honest.receive()
    before = server.request()
    for second in range(round(seconds)):
        note(f"{what}: {second} of {seconds:g} s")
        if second == round(seconds) // 2:
            meanwhile()
        time.sleep(1)
    honest.send("mark")
    counted = honest.receive()
    after = server.request()
    assert isinstance(counted, dict)
    return phase_of(before, after, counted["questions"], counted["delays"]), counted["lost"]


def phase_of(before: Usage, after: Usage, questions: int, delays: Sequence[float]) -> Phase:
    """Return the figures of a phase from what was counted in it; ``delays`` are seconds."""
    lasted = after.instant - before.instant
    in_order = tuple(sorted(delay * 1e3 for delay in delays))
    busy, waiting = (after.seconds - before.seconds) / lasted, (after.waited - before.waited) / lasted
    return Phase(questions / lasted, in_order, busy, after.memory, waiting, after.turn * 1e3)


def rooms_file() -> str:
    """Return the file of rooms: one for honest clients, one for attackers, and those with hostile programs."""
    python = shlex.quote(sys.executable)
    programs = {"hang": HANG, "write": WRITE, "fork": FORK}
    tables = [
        f"[rooms.{name}]\nlength = 'kyoku'\nhouse_after = 0\n"
        f"house = ['''mjai:{name}={python} -c {shlex.quote(code)}''', 'tsumogiri:2']\n"
        for name, code in programs.items()
    ]
    return ROOMS.format(programs="\n".join(tables))


def free_port() -> int:
    """Return a free port of 127.0.0.1."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def verify(records: Path) -> subprocess.CompletedProcess[str]:
    """Verify the records of the finished games."""
    finished = sorted(path for path in records.rglob("*.gz"))
    command = [sys.executable, "-m", "ump", "verify", *map(str, finished)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
