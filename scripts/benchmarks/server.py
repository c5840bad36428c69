"""The server with four light clients over loopback, compared with a floor that only writes the same lines."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median

from scripts.benchmarks.figures import (
    PATIENCE,
    SEATS,
    Budget,
    Cost,
    Section,
    middle,
    milliseconds,
    per_question,
    spread,
)
from scripts.benchmarks.measured_server import Step
from scripts.benchmarks.processes import MeasuredProcess
from ump.text.progress import show_progress

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=30+0", "--seed=bench")
"""With these options, a hanchan without wins has 8 kyoku."""

FLOOR_TIMES = 2.0
"""Budget: the CPU time of the server divided by that of the floor."""


class Client:
    """A connection that discards what it draws, calls nothing, and keeps all received lines."""

    def __init__(self, address: tuple[str, int], name: str) -> None:
        self.socket = socket.create_connection(address, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines: list[str] = []
        self._rest = b""
        self._seat = ""
        self._drawn = ""
        self._answers: dict[str, Callable[[], str]] = {
            "hello": lambda: f"hello name={name}",
            "ready?": lambda: "ok",
            "naku?": lambda: "no",
            "tenpai?": lambda: "no",
            "sutehai?": lambda: f"sute {self._drawn} tsumogiri",
            "bye": lambda: "bye",
        }

    def read(self) -> bool:
        """Answer all received questions; return whether the connection is still open."""
        data = self.socket.recv(1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        answers = [answer for line in lines if (answer := self._answer_to(line.decode("ascii")))]
        if answers:
            self.socket.sendall("".join(answers).encode("ascii"))
        return bool(data)

    def _answer_to(self, line: str) -> str:
        """Keep a line; return its answer with the end of the line, or nothing if it is not a question."""
        self.lines.append(line)
        number, command, *words = line.split(" ")
        if command == "error":
            raise SystemExit(f"bench: error from the server: {line}")
        if command == "gamestart":
            self._seat = words[0]
        elif command == "tsumo" and words[0] == self._seat:
            self._drawn = words[2]
        answer = self._answers.get(command)
        return f"{number} {answer()}\r\n" if answer else ""


def play_over_tcp(address: tuple[str, int]) -> list[list[str]]:
    """Let four clients play one game; return the lines that each of them received."""
    clients = [Client(address, f"bench{number}") for number in range(SEATS)]
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
    """Return whether a line needs an answer; all other lines go to all four clients."""
    command = line.split(" ", 2)[1]
    return command.endswith("?") or command in ("hello", "bye")


def steps_of(transcript: Sequence[Sequence[str]]) -> list[Step]:
    """Split the lines of four connections into steps for the floor.

    Lines that go to all connections order the questions: those after equally many such lines were asked together.
    """
    asked: dict[tuple[int, int], list[str]] = {}
    lines_to_all = [[line for line in lines if not is_question(line)] for lines in transcript]
    for connection, lines in enumerate(transcript):
        shared = again = 0
        for line in lines:
            if is_question(line):
                asked.setdefault((shared, again), [""] * SEATS)[connection] = line
                again += 1
            else:
                shared, again = shared + 1, 0
    steps: list[Step] = []
    sent = 0
    for (shared, _), questions in sorted(asked.items()):
        texts = [
            "".join(f"{line}\r\n" for line in (*lines_to_all[connection][sent:shared], question) if line)
            for connection, question in enumerate(questions)
        ]
        steps.append((texts, SEATS - questions.count("")))
        sent = shared
    return steps


def measure_pair(server: MeasuredProcess, floor: MeasuredProcess) -> tuple[Cost, Cost, int]:
    """Play one game on the server, then let the floor write its lines again.

    Return the cost of the server, the cost of the floor, and the number of lines in both directions.
    """
    begun = server.request().seconds
    transcript = play_over_tcp(server.address)
    spent = server.request().seconds - begun
    steps = steps_of(transcript)
    begun = floor.request(steps).seconds
    again = play_over_tcp(floor.address)
    bare = floor.request().seconds - begun
    if again != transcript:
        raise SystemExit("bench: the floor wrote other lines than the server")
    answers = sum(awaited for _, awaited in steps)
    kyoku = sum(line.split(" ")[1] == "kyokustart" for line in transcript[0])
    sentences = answers + sum(map(len, transcript))
    return Cost(spent, answers, kyoku), Cost(bare, answers, kyoku), sentences


def measure_server(runs: int) -> Section:
    """Measure server and floor in turns; the first pair only warms up."""
    pairs: list[tuple[Cost, Cost]] = []
    sentences = 0
    with ExitStack() as stack:
        server = MeasuredProcess("server", *OPTIONS)
        stack.callback(server.stop)
        floor = MeasuredProcess("floor")
        stack.callback(floor.stop)
        for run in range(runs + 1):
            show_progress(f"server beside the floor, run {run} of {runs}")
            ours, bare, sentences = measure_pair(server, floor)
            pairs.append((ours, bare))
    del pairs[0]
    costs = {
        "server": [ours for ours, _ in pairs],
        "floor: the same lines, no server": [bare for _, bare in pairs],
    }
    ratios = [ours.seconds / bare.seconds for ours, bare in pairs]
    section = Section(f"Server: four clients on loopback that discard what they draw, {runs} runs")
    for name, each in costs.items():
        section.lines.append(
            {
                "CPU time": name,
                "ms/hanchan": middle(each, milliseconds),
                "least .. most": spread([*map(milliseconds, each)], 0),
                "us/answer": middle(each, per_question),
                "answers": middle(each, lambda cost: cost.questions),
                "kyoku": middle(each, lambda cost: cost.kyoku),
                "hanchan/s": 1e3 / middle(each, milliseconds),
                "sentences/CPU-s": sentences / middle(each, lambda cost: cost.seconds),
            }
        )
        section.runs[name] = [*map(milliseconds, each)]
    section.lines.append(
        {"CPU time": "server / floor, times", "ms/hanchan": median(ratios), "least .. most": spread(ratios, 2)}
    )
    section.runs["server / floor"] = ratios
    section.notes.append(f"start-up until the server listens: {server.start_seconds:.2f} s")
    section.budgets.append(Budget("server beside the floor", median(ratios), FLOOR_TIMES, "times"))
    return section
