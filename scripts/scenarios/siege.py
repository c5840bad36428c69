"""A siege: honest tables, in turns undisturbed and beside attackers, and what both have in common."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scripts.lab.crowd import OPTIONS, Phase, Players
from scripts.lab.figures import counted, pause
from scripts.lab.processes import ROOT, Child, free_port
from scripts.lab.server import Measured, MeasuredServer, troubles
from scripts.lab.site import ROOMS as SITE_ROOMS
from scripts.lab.site import Site, running_site
from ump.cli.command_line import show_progress

MOST_TIMES = 2.0  # the p99 of the delay beside attackers, as a multiple of that without attacks on this server
MOST_GROWTH = 128 * 1024 * 1024  # bytes by which the server may grow: the buffers that the limits allow these attackers

MOST_WAITING = 0.01
"""Share of the time without a free core that can hardly explain a p99: the control counts only from it on."""

GRANULE = 1.0  # milliseconds below which delays are not compared: the noise of the machine
CALM_SECONDS = 8  # time after an attack in which the server stops hostile programs (QUIT_SECONDS, KILL_SECONDS)

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


@dataclass(frozen=True)
class Round:
    """Three phases, one after the other."""

    undisturbed: Phase
    crowded: Phase  # while the attackers attack another server on this machine: they only take its cores
    besieged: Phase


@dataclass(frozen=True)
class Report:
    """The result of a siege."""

    rounds: tuple[Round, ...]
    attempts: dict[str, int]  # connections that each attack opened
    lost: int  # honest clients whose connection was closed
    records: str  # what ``ump verify`` says about the records of finished games
    are_records_right: bool
    troubles: Sequence[str] = ()  # lines of the log about faults of the server

    @property
    def undisturbed(self) -> float:
        """The p99 of the delay without attacks.

        It is the median of all rounds, as the three below, so that one loud moment of the machine decides nothing.
        """
        return median(played.undisturbed.p99 for played in self.rounds)

    @property
    def crowded(self) -> float:
        """The same beside attacks on another server."""
        return median(played.crowded.p99 for played in self.rounds)

    @property
    def besieged(self) -> float:
        """The same beside attacks."""
        return median(played.besieged.p99 for played in self.rounds)

    @property
    def waiting(self) -> float:
        """Share of the time in which no core was free for the besieged server: the median."""
        return median(played.besieged.waiting for played in self.rounds)

    @property
    def growth(self) -> int:
        """Bytes by which the server has grown from the first phase to its greatest."""
        return max(played.besieged.memory for played in self.rounds) - self.rounds[0].undisturbed.memory

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
        """The conditions that the server did not meet."""
        faults = [f"{name} has not attacked: no core was free" for name, count in self.attempts.items() if not count]
        if self.lost:
            faults.append(f"{self.lost} honest connections were closed")
        if self.besieged > max(MOST_TIMES * self.bearable, GRANULE):
            faults.append(f"the p99 of the delay is more than {MOST_TIMES:g} times that without attacks on this server")
        if self.growth > MOST_GROWTH:
            faults.append(f"the server has grown by more than {MOST_GROWTH >> 20} MiB")
        if not self.are_records_right:
            faults.append("records differ from the rules, or there are none")
        faults += [f"the log has: {line}" for line in self.troubles]
        return faults


@dataclass(frozen=True)
class SiegePlan:
    """The games of a siege, and the way they are played."""

    tables: int
    seconds: float  # the length of a phase
    rounds: int
    attacks: Sequence[str]
    options: Sequence[str] = ()  # further options of the servers
    is_site: bool = False  # attack a site of three servers behind HAProxy


def besiege(folder: Path, plan: SiegePlan) -> Report:
    """Play the rounds of a plan: each undisturbed, then beside attacks on another server, then beside attacks.

    The records go to a folder.
    """
    rooms = folder / "rooms.toml"
    rooms.write_text(rooms_file(), encoding="utf-8")
    played: list[Round] = []
    attempts: Counter[str] = Counter()
    with ExitStack() as stack:
        server: Measured
        if plan.is_site:
            server, attackers = _attacked_site(rooms, folder, plan, stack)
        else:
            server, attackers = _attacked(rooms, folder, plan, stack)
        _, others = _attacked(rooms, None, plan, stack)
        show_progress("the honest clients sit down")
        honest = stack.enter_context(Players("honest", server, plan.tables))
        honest.begin()
        for number in counted(plan.rounds, "round"):
            if number > 1:
                pause(CALM_SECONDS, "the server rests")
            what = f"round {number} of {plan.rounds}, "
            undisturbed, _ = honest.measure(server, plan.seconds, f"{what}undisturbed")
            with _attacking(others, Counter()):
                crowded, _ = honest.measure(server, plan.seconds, f"{what}attacks on another server")
            pause(CALM_SECONDS, f"{what}the other server rests")
            with _attacking(attackers, attempts):
                besieged, lost = honest.measure(server, plan.seconds, f"{what}besieged")
            played.append(Round(undisturbed, crowded, besieged))
    show_progress("verifying the records")
    finished = verify(folder)
    logged = troubles(line for log in folder.glob("*.log") for line in log.read_text("utf-8").splitlines())
    return Report(tuple(played), attempts, lost, _counts(finished.stdout), finished.returncode == 0, logged)


def _counts(said: str) -> str:
    """Return the lines of ``ump verify`` without those about games that had no end, as those of attackers."""
    return "\n".join(line for line in said.strip().splitlines() if not line.endswith("missing: the end of the game"))


@contextmanager
def _attacking(attackers: Child, attempts: Counter[str]) -> Iterator[None]:
    attackers.send("go")
    yield
    attempts.update(attackers.request("end"))


def _attacked(rooms: Path, folder: Path | None, plan: SiegePlan, stack: ExitStack) -> tuple[MeasuredServer, Child]:
    """Start a server and its attackers; without a folder it records nothing."""
    http = free_port()
    port = f"--http=tcp:{http}:interface=127.0.0.1"
    further = plan.options
    recorded = []
    if folder is None:
        further = [option for option in further if not option.startswith("--index")]
    else:
        recorded = [f"--record-dir={folder / 'records'}", f"--log-file={folder / 'server.log'}"]
    server = stack.enter_context(MeasuredServer("server", *OPTIONS, f"--config={rooms}", port, *recorded, *further))
    return server, _attackers(server.port, http, plan, stack)


def _attacked_site(rooms: Path, folder: Path, plan: SiegePlan, stack: ExitStack) -> tuple[Site, Child]:
    """Start a site and its attackers: those by TCP attack the server of main, those by HTTP any."""
    own = {letter: [f"--log-file={folder / letter}.log"] for letter in SITE_ROOMS}
    for letter, room in SITE_ROOMS.items():
        own[letter] += [f"--config={rooms}"] if room == "main" else [f"--room={room}", "--length=kyoku"]
    site = stack.enter_context(running_site(folder, *OPTIONS, *plan.options, own=own))
    return site, _attackers(site.player_ports[0], site.web_port, plan, stack)


def _attackers(lines: int, http: int, plan: SiegePlan, stack: ExitStack) -> Child:
    attackers = stack.enter_context(Child.of("scripts.scenarios.attacks", lines, http, *plan.attacks))
    attackers.receive()
    return attackers


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


def verify(records: Path) -> subprocess.CompletedProcess[str]:
    finished = sorted(path for path in records.rglob("*.gz"))
    command = [sys.executable, "-m", "ump", "verify", *map(str, finished)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
