"""The server with four light clients over loopback, compared with a floor that only writes the same lines.

The server is measured by UMP 0.1 and by mjai in lock-step, with journals and without, and when it starts on a folder of
running games.
"""

from __future__ import annotations

import selectors
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from scripts.lab.figures import (
    SEATS,
    Budget,
    Cost,
    Section,
    counted,
    in_turns,
    ratio,
    spread,
)
from scripts.lab.light_players import LightPlayer, MjaiPlayer, UmpPlayer
from scripts.lab.processes import LOOPBACK, PATIENCE, Step
from scripts.lab.server import MeasuredServer
from ump.cli.command_line import show_progress
from ump.game.deals import secret_of
from ump.players.efficiency import Efficiency
from ump.record.journal import JournalHeader, JournalPlayer, JournalStep, PlayerKind, write_header, write_step
from ump.rules.presets import PRESETS
from ump.server.journals import RUNNING, Sync, began_at
from ump.table.clock import TimeControl
from ump.table.messages import Begin, Tick
from ump.table.opening import Opening, TableSettings
from ump.table.receivers import BuiltinBot, SeatedBot
from ump.table.table_host import TableHost

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=30+0", "--seed=bench")
"""With these options, a hanchan without wins has 8 kyoku."""

FLOOR_TIMES = 2.0  # budget: the CPU time of the server divided by that of the floor

FLOOR = "floor: the same lines, no server"

Lines = list[list[str]]  # the lines that each of four clients received


class Client:
    """The connection of a light player, which keeps all lines that it receives."""

    def __init__(self, port: int, player: LightPlayer) -> None:
        self.socket = socket.create_connection((LOOPBACK, port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines: list[str] = []
        self._player = player
        self._rest = b""

    def read(self) -> bool:
        """Answer all received questions; return whether the connection is still open."""
        with suppress(ConnectionResetError):
            data = self.socket.recv(1 << 16)
            *lines, self._rest = (self._rest + data).split(self._player.END)
            self.lines += [line.decode("ascii") for line in lines]
            answers = [answer for answer in map(self._player.answer, lines) if answer]
            self.socket.sendall(b"".join(answer + self._player.END for answer in answers))
            return bool(data)
        return False


def play(kind: type[LightPlayer], port: int) -> Lines:
    """Let four players play one game; return the lines that each of them received."""
    clients = [Client(port, kind(f"bench{number}")) for number in range(SEATS)]
    with selectors.DefaultSelector() as selector, ExitStack() as stack:
        for client in clients:
            stack.callback(client.socket.close)
            selector.register(client.socket, selectors.EVENT_READ, client)
        while selector.get_map():
            ready = selector.select(PATIENCE)
            if not ready:
                raise SystemExit(f"bench: no line for {PATIENCE:g} s; the last were {[c.lines[-1:] for c in clients]}")
            for key, _ in ready:
                if not key.data.read():
                    selector.unregister(key.fileobj)
    return [client.lines for client in clients]


def is_question(line: str) -> bool:
    """Return whether a line of UMP needs an answer; all other lines go to all four clients."""
    command = line.split(" ", 2)[1]
    return command.endswith("?") or command in ("hello", "bye")


def ump_steps(transcript: Lines) -> list[Step]:
    """Split the lines of four connections into steps for the floor.

    Lines that go to all connections order the questions: those after equally many such lines were asked together.
    """
    asked: dict[tuple[int, int], list[str]] = {}
    lines_to_all: Lines = []
    for connection, lines in enumerate(transcript):
        shared: list[str] = []
        again = 0  # questions since the last line to all
        for line in lines:
            if is_question(line):
                asked.setdefault((len(shared), again), [""] * SEATS)[connection] = line
                again += 1
            else:
                shared.append(line)
                again = 0
        lines_to_all.append(shared)
    steps: list[Step] = []
    sent = 0
    for (until, _), questions in sorted(asked.items()):
        texts = []
        for question, shared in zip(questions, lines_to_all, strict=True):
            lines = [*shared[sent:until], question]
            texts.append("".join(f"{line}\r\n" for line in lines if line))
        steps.append((texts, SEATS - questions.count("")))
        sent = until
    return steps


def mjai_steps(transcript: Lines) -> list[Step]:
    """Return the steps for a floor that writes these lines: one line to each client, then its reply."""
    return [([f"{line}\n" for line in lines], SEATS) for lines in zip(*transcript, strict=True)]


def measured_game(
    server: MeasuredServer, kind: type[LightPlayer], steps: Sequence[Step] | None = None
) -> tuple[float, Lines]:
    """Play one game; return the CPU seconds of the server, and the lines."""
    begun = server.usage(steps).seconds
    transcript = play(kind, server.port)
    return server.usage().seconds - begun, transcript


def measured_pair(
    server: MeasuredServer, floor: MeasuredServer, kind: type[LightPlayer], steps_of: Callable[[Lines], list[Step]]
) -> tuple[float, float, Lines]:
    """Play one game on the server, then let the floor write its lines again; return the CPU seconds of both."""
    spent, transcript = measured_game(server, kind)
    bare, again = measured_game(floor, kind, steps_of(transcript))
    if again != transcript:
        raise SystemExit("bench: the floor wrote other lines than the server")
    return spent, bare, transcript


def beside_floor(
    role: str,
    kind: type[LightPlayer],
    steps_of: Callable[[Lines], list[Step]],
    cost: Callable[[float, Lines], Cost],
    runs: int,
) -> tuple[dict[str, list[Cost]], float]:
    """Measure a server and the floor in turns; the first pair only warms up.

    Return the costs of both, and the seconds until the server listened.
    """
    costs: dict[str, list[Cost]] = {"server": [], FLOOR: []}
    with MeasuredServer(role, *OPTIONS) as server, MeasuredServer("floor") as floor:
        for run in counted(runs, f"{role} beside the floor, run", first=0):
            spent, bare, transcript = measured_pair(server, floor, kind, steps_of)
            if run:
                costs["server"].append(cost(spent, transcript))
                costs[FLOOR].append(cost(bare, transcript))
    return costs, server.start_seconds


def compare(section: Section, column: str, figures: dict[str, list[float]]) -> float:
    """Add how many times as long as the floor the server takes, in this column; return the median."""
    ratios = [ours / bare for ours, bare in zip(figures["server"], figures[FLOOR], strict=True)]
    times: float = median(ratios)
    section.lines.append({"CPU time": "server / floor, times", column: times, "least .. most": spread(ratios, 2)})
    section.runs |= {**figures, "server / floor": ratios}
    return times


def ump_cost(seconds: float, transcript: Lines) -> Cost:
    kyoku = sum(line.split(" ")[1] == "kyokustart" for line in transcript[0])
    return Cost(seconds, sum(is_question(line) for lines in transcript for line in lines), kyoku)


def measure_server(runs: int) -> Section:
    section = Section(f"Server: four clients on loopback that discard what they draw, {runs} runs")
    costs, start_seconds = beside_floor("server", UmpPlayer, ump_steps, ump_cost, runs)
    hanchan: dict[str, list[float]] = {}
    for name, runs_of in costs.items():
        hanchan[name] = [cost.milliseconds for cost in runs_of]
        section.lines.append(
            {
                "CPU time": name,
                "ms/hanchan": median(hanchan[name]),
                "least .. most": spread(hanchan[name], 0),
                "us/answer": median(cost.per_question for cost in runs_of),
                "answers": median(cost.questions for cost in runs_of),
                "kyoku": median(cost.kyoku for cost in runs_of),
                "hanchan/s": 1e3 / median(hanchan[name]),
            }
        )
    section.notes.append(f"start-up until the server listens: {start_seconds:.2f} s")
    times = compare(section, "ms/hanchan", hanchan)
    section.budgets.append(Budget("server beside the floor", times, FLOOR_TIMES, "times"))
    return section


# mjai


def mjai_cost(seconds: float, transcript: Lines) -> Cost:
    """Return the cost of a game, of which these lines were sent."""
    kyoku = sum('"type":"start_kyoku"' in line for line in transcript[0])
    return Cost(seconds, sum(map(len, transcript)), kyoku)


def measure_mjai(runs: int) -> Section:
    section = Section(f"Server, mjai in lock-step: four clients that discard what they draw, {runs} runs")
    costs, _ = beside_floor("mjai", MjaiPlayer, mjai_steps, mjai_cost, runs)
    kyoku: dict[str, list[float]] = {}
    for name, runs_of in costs.items():
        kyoku[name] = [cost.per_kyoku for cost in runs_of]
        section.lines.append(
            {
                "CPU time": name,
                "ms/kyoku": median(kyoku[name]),
                "least .. most": spread(kyoku[name], 1),
                "kyoku": median(cost.kyoku for cost in runs_of),
                "messages": median(cost.questions for cost in runs_of),
                "messages/CPU-s": median(cost.questions / cost.seconds for cost in runs_of),
            }
        )
    compare(section, "ms/kyoku", kyoku)
    return section


# Journals

WITHOUT = "none"  # the server that records nothing
JOURNAL_TIMES = 1.15  # budget: the CPU time of the server with journals under ``--sync kyoku``, divided by that without
TABLES, RESUME_SECONDS = 1_000, 5.0  # budget: the CPU time for the start on a folder with so many running games
PLAYED = 40  # the different games that are played for that folder; each is cut at many places

CLIENTS = (0, 1)
"""The seats of clients in these games; the others are built-in bots, which have to observe the kyoku again."""


def journalled_game(server: MeasuredServer, run: int) -> float:
    """Play a game; return the CPU milliseconds of the server, with compressing and indexing the last journal."""
    return measured_game(server, UmpPlayer)[0] * 1e3


def measure_journals(runs: int) -> Section:
    """Measure the server without journals and with them, in turns."""
    with ExitStack() as stack:
        servers: dict[str, MeasuredServer] = {}
        for name in (WITHOUT, *(sync.value for sync in Sync)):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            recorded = () if name == WITHOUT else (f"--record-dir={folder}", f"--sync={name}")
            servers[name] = stack.enter_context(MeasuredServer("server", *OPTIONS, *recorded))
        works = {name: partial(journalled_game, server) for name, server in servers.items()}
        costs = in_turns(works, runs, "server with journals, run")
    section = Section(f"Journals: the game of the section above, {runs} runs")
    for name, spent in costs.items():
        ratios = [ours / bare for ours, bare in zip(spent, costs[WITHOUT], strict=True)]
        section.runs[f"{name} / {WITHOUT}"] = ratios
        section.lines.append(
            {
                "journal": name,
                "ms/hanchan": median(spent),
                "least .. most": spread(spent, 0),
                "times": median(ratios),
                "times, least .. most": spread(ratios, 2),
            }
        )
    times = ratio(costs[Sync.KYOKU.value], costs[WITHOUT])
    section.budgets.append(Budget("server with journals beside the server without", times, JOURNAL_TIMES, "times"))
    return section


def measure_resume(runs: int) -> Section:
    """Start the server on a folder of running games, and on an empty one, in turns."""
    section = Section(f"Resume: the start of the server with {TABLES} running games, {runs} runs")
    spent: list[float] = []
    waited: list[float] = []
    for run in counted(runs, "resume, run"):
        with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
            size = write_running_games(Path(full), TABLES)
            show_progress(f"resume, run {run} of {runs}: starting the server")
            bare_seconds, bare_wall = start(empty)
            seconds, wall = start(full)
            spent.append(seconds - bare_seconds)
            waited.append(wall - bare_wall)
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
    server = MeasuredServer("server", *OPTIONS, f"--record-dir={folder}")
    server.stop()
    return server.at_start.seconds, server.start_seconds


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
        settings=TableSettings(grace=600.0, refusals=0),
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
    players = tuple(
        JournalPlayer(PlayerKind.CLIENT, "UMP 0.1", f"{number * SEATS + seat:064x}")
        if seat in CLIENTS
        else JournalPlayer(PlayerKind.BOT, "efficiency")
        for seat in range(SEATS)
    )
    return write_header(JournalHeader(replace(opening, name=name), "main", began_at(0.0), "ump", players))
