"""The cost of journals: the server with them beside the server without, and the start on a folder of running games."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median

from scripts.benchmarks.figures import SEATS, Budget, Cost, Section, middle, milliseconds, spread
from scripts.benchmarks.processes import MeasuredProcess
from scripts.benchmarks.server import OPTIONS, play_over_tcp
from ump.game.deals import secret_of
from ump.players.efficiency import Efficiency
from ump.record.journal.header import JournalHeader, JournalPlayer, PlayerKind, write_header
from ump.record.journal.journal_lines import JournalStep, write_step
from ump.rules.presets import PRESETS
from ump.server.journal_folder import began_at
from ump.server.journal_writer import RUNNING, Sync
from ump.table.builtin_bots import BuiltinBot
from ump.table.clock import TimeControl
from ump.table.inputs import Begin, Tick
from ump.table.opening import Opening
from ump.table.receivers import SeatedBot
from ump.table.table_host import TableHost
from ump.text.progress import show_progress

WITHOUT = "none"
"""The server that records nothing."""

JOURNAL_TIMES = 1.15
"""Budget: the CPU time of the server with journals under ``--sync kyoku``, divided by that without."""

TABLES, RESUME_SECONDS = 1_000, 5.0
"""Budget: the CPU time for the start on a folder with so many running games."""

PLAYED = 40
"""The different games that are played for that folder; each is cut at many places."""

CLIENTS = (0, 1)
"""The seats of clients in these games; the others are built-in bots, which have to observe the kyoku again."""


def measure_journals(runs: int) -> Section:
    """Measure the server without journals and with them, in turns; the first game of each only warms up."""
    costs: dict[str, list[Cost]] = {name: [] for name in (WITHOUT, *(sync.value for sync in Sync))}
    with ExitStack() as stack:
        servers: dict[str, MeasuredProcess] = {}
        for name in costs:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            recorded = () if name == WITHOUT else (f"--record-dir={folder}", f"--sync={name}")
            servers[name] = MeasuredProcess("server", *OPTIONS, *recorded)
            stack.callback(servers[name].stop)
        for run in range(runs + 1):
            for name, server in servers.items():
                show_progress(f"server, journal {name}, run {run} of {runs}")
                costs[name].append(game_cost(server))
    section = Section(f"Journals: the game of the section above, {runs} runs")
    for name, each in costs.items():
        note(section, name, each[1:], costs[WITHOUT][1:])
    ratio = median(section.runs[f"{Sync.KYOKU.value} / {WITHOUT}"])
    section.budgets.append(Budget("server with journals beside the server without", ratio, JOURNAL_TIMES, "times"))
    return section


def game_cost(server: MeasuredProcess) -> Cost:
    """Play one game on a server; return its cost, that of compressing and indexing the last journal included."""
    begun = server.request().seconds
    lines = play_over_tcp(server.address)[0]
    kyoku = sum(line.split(" ")[1] == "kyokustart" for line in lines)
    return Cost(server.request().seconds - begun, sum(map(len, lines)), kyoku)


def note(section: Section, name: str, costs: list[Cost], without: list[Cost]) -> None:
    """Add the line for one kind of journal, and its ratio to the server without in each run."""
    ratios = [one.seconds / other.seconds for one, other in zip(costs, without, strict=True)]
    section.lines.append(
        {
            "journal": name,
            "ms/hanchan": middle(costs, milliseconds),
            "least .. most": spread([*map(milliseconds, costs)], 0),
            "times": median(ratios),
            "times, least .. most": spread(ratios, 2),
        }
    )
    section.runs[f"{name} / {WITHOUT}"] = ratios


def measure_resume(runs: int) -> Section:
    """Start the server on a folder of running games, and on an empty one, in turns."""
    section = Section(f"Resume: the start of the server with {TABLES} running games, {runs} runs")
    spent: list[float] = []
    waited: list[float] = []
    for run in range(runs):
        with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
            show_progress(f"resume, run {run + 1} of {runs}: writing the journals")
            size = write_running_games(Path(full), TABLES)
            show_progress(f"resume, run {run + 1} of {runs}: starting the server")
            seconds, wall = zip(*(start(folder) for folder in (empty, full)), strict=True)
            spent.append(seconds[1] - seconds[0])
            waited.append(wall[1] - wall[0])
    section.lines.append(
        {
            "games": TABLES,
            "journals, MB": size / 1e6,
            "CPU s": median(spent),
            "least .. most": spread(spent, 2),
            "seconds": median(waited),
        }
    )
    section.runs["CPU s"] = spent
    section.budgets.append(Budget(f"resume of {TABLES} tables", median(spent), RESUME_SECONDS, "s of CPU time"))
    return section


def start(folder: str) -> tuple[float, float]:
    """Return the CPU time and the seconds that a server needs until it answers."""
    server = MeasuredProcess("server", *OPTIONS, f"--record-dir={folder}")
    try:
        return server.at_start.seconds, server.start_seconds
    finally:
        server.stop()


def write_running_games(folder: Path, count: int) -> int:
    """Write the journals of so many games that are not over, and return their size in bytes.

    The games are played by efficiency players, and cut at random places.
    """
    random = Random("bench")
    games = [played_lines(number) for number in range(PLAYED)]
    size = 0
    for number in range(count):
        opening, lines = games[number % PLAYED]
        kept = lines[: random.randrange(1, len(lines))]
        name = f"main-{number + 1}"
        data = "".join(f"{line}\n" for line in (header(opening, name, number), *kept)).encode("ascii")
        (folder / f"{name}{RUNNING}").write_bytes(data)
        size += len(data)
    return size


def played_lines(number: int) -> tuple[Opening, list[str]]:
    """Play a hanchan; return its settings and the lines of its journal after the first."""
    opening = Opening(
        name=f"bench-{number}",
        ruleset=PRESETS["tenhou"],
        players=tuple(f"player-{seat}" for seat in range(SEATS)),
        secret=secret_of("bench", str(number)),
        times=TimeControl.parse("300+0"),
        clients=CLIENTS,
        retries=(0,) * SEATS,
        grace=600.0,
    )
    bots = [SeatedBot(BuiltinBot(Efficiency(), seat, opening.ruleset), seat) for seat in range(SEATS)]
    host = TableHost(opening.table(), bots)
    lines: list[str] = []
    now = 0
    while host.table.end is None:
        before = host.table.kyoku_start
        step = host.step(Tick() if lines else Begin(), now)
        after = host.table.kyoku_start
        lines.append(write_step(JournalStep(now, step.entries, None if after is before else after)))
        host.deliver(step, now, now / 1e3)
        now += 1
    return opening, lines


def header(opening: Opening, name: str, number: int) -> str:
    """Return the first line of a game of this name."""
    client = PlayerKind.CLIENT
    players = tuple(
        JournalPlayer(client, "UMP 0.1", f"{number * SEATS + seat:064x}")
        if seat in CLIENTS
        else JournalPlayer(PlayerKind.BOT, "efficiency")
        for seat in range(SEATS)
    )
    return write_header(JournalHeader(replace(opening, name=name), "main", began_at(0.0), "ump", players))
