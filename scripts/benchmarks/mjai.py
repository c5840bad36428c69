"""The server's mjai port with four light clients, compared with a floor that only writes the same lines.

gimite/mjai's own server takes part if its source is available.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median

from scripts.benchmarks.figures import LOOPBACK, PATIENCE, SEATS, Cost, Section, middle, per_kyoku, spread
from scripts.benchmarks.measured_server import Step
from scripts.benchmarks.processes import MeasuredProcess
from ump.text.progress import show_progress

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=30+0", "--seed=bench")

SOURCE = "MJAI_RUBY"
"""The environment variable with the path of a checkout of gimite/mjai."""

MOST_RUNS = 7
"""Limit of runs: one hanchan takes some seconds on gimite's server."""

OURS, FLOOR, GIMITE = "ump", "floor: the same lines, no server", "gimite/mjai"

_START = 'require "mjai/mjai_command"; Mjai::MjaiCommand.execute(ARGV.shift, ARGV)'
"""Its command line without the gem, which pins a version of json that no longer builds."""


class Client:
    """A connection that discards what it draws, calls nothing, and replies to every message."""

    def __init__(self, address: tuple[str, int], name: str) -> None:
        self.socket = socket.create_connection(address, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines: list[str] = []
        self._name = name
        self._rest = b""
        self._seat = -1

    def read(self) -> bool:
        """Reply to all received messages; return whether the connection is still open."""
        with suppress(ConnectionResetError):
            data = self.socket.recv(1 << 16)
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.lines += [line.decode("ascii") for line in lines]
            replies = [json.dumps(self._reply(json.loads(line))) for line in lines]
            if replies:
                self.socket.sendall("".join(f"{reply}\n" for reply in replies).encode("ascii"))
            return bool(data)
        return False

    def _reply(self, message: dict[str, object]) -> dict[str, object]:
        """Return the reply to a message."""
        kind = message["type"]
        if kind == "hello":
            return {"type": "join", "name": self._name, "room": "default"}
        if kind == "error":
            raise SystemExit(f"bench: error from an mjai server: {message['message']}")
        if kind == "start_game":
            seat = message["id"]
            assert isinstance(seat, int)
            self._seat = seat
        if kind == "tsumo" and message["actor"] == self._seat:
            return {"type": "dahai", "actor": self._seat, "pai": message["pai"], "tsumogiri": True}
        return {"type": "none"}


def play(address: tuple[str, int]) -> list[list[str]]:
    """Let four clients play one game; return the lines that each of them received."""
    clients = [Client(address, f"bench{number}") for number in range(SEATS)]
    with selectors.DefaultSelector() as selector, ExitStack() as stack:
        for client in clients:
            stack.callback(client.socket.close)
            selector.register(client.socket, selectors.EVENT_READ, client)
        while selector.get_map():
            ready = selector.select(PATIENCE)
            if not ready:
                raise SystemExit(f"bench: no message for {PATIENCE:g} s")
            for key, _ in ready:
                if not key.data.read():
                    selector.unregister(key.fileobj)
    return [client.lines for client in clients]


def steps_of(transcript: Sequence[Sequence[str]]) -> list[Step]:
    """Return the steps for a floor that writes these lines: one line to each client, then its reply."""
    return [([f"{line}\n" for line in lines], SEATS) for lines in zip(*transcript, strict=True)]


def cost_of(seconds: float, transcript: Sequence[Sequence[str]]) -> Cost:
    """Return the cost of a game, of which these lines were sent."""
    kyoku = sum('"type":"start_kyoku"' in line for line in transcript[0])
    return Cost(seconds, sum(map(len, transcript)), kyoku)


class GimiteServer:
    """The server of gimite/mjai; it ends after ``games`` games."""

    def __init__(self, source: Path, games: int) -> None:
        with socket.create_server((LOOPBACK, 0)) as free:
            self.address: tuple[str, int] = (LOOPBACK, free.getsockname()[1])
        self._folder = tempfile.TemporaryDirectory(prefix="ump-bench-")
        ruby = ["ruby", "-W0", "-I", str(source / "lib"), "-e", _START, "mjai", "server"]
        listen = [f"--host={LOOPBACK}", f"--port={self.address[1]}", "--room=default"]
        self._process = subprocess.Popen(
            [*ruby, *listen, "--game_type=tonnan", f"--games={games}", f"--log_dir={self._folder.name}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._await()

    def seconds(self) -> float:
        """Return its CPU time so far, in seconds."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def _await(self) -> None:
        """Wait until the server listens."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            if _listens(self.address[1]):
                return
            time.sleep(0.1)
        self.stop()
        raise SystemExit("bench: gimite's server does not start; it needs ruby-nokogiri and ruby-sass")


def _listens(port: int) -> bool:
    """Return whether a port of this machine is open, without connecting: a connection would become a player."""
    ending = f":{port:04X}"
    for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(ending) and fields[3] == "0A":
            return True
    return False


def measure_mjai(runs: int) -> Section:
    """Measure the servers and the floor in turns; the first round only warms up."""
    runs = min(runs, MOST_RUNS)
    section = Section(f"Server, mjai in lock-step: four clients that discard what they draw, {runs} runs")
    costs: dict[str, list[Cost]] = {OURS: [], FLOOR: []}
    with ExitStack() as stack:
        ours, floor = MeasuredProcess("mjai", *OPTIONS), MeasuredProcess("floor")
        stack.callback(ours.stop)
        stack.callback(floor.stop)
        theirs = _gimite(runs, section, stack)
        for run in range(runs + 1):
            show_progress(f"server, mjai, run {run} of {runs}")
            begun = ours.request().seconds
            transcript = play(ours.address)
            costs[OURS].append(cost_of(ours.request().seconds - begun, transcript))
            begun = floor.request(steps_of(transcript)).seconds
            if play(floor.address) != transcript:
                raise SystemExit("bench: the floor wrote other lines than the server")
            costs[FLOOR].append(cost_of(floor.request().seconds - begun, transcript))
            if theirs is not None:
                begun = theirs.seconds()
                transcript = play(theirs.address)
                costs.setdefault(GIMITE, []).append(cost_of(theirs.seconds() - begun, transcript))
    _list(section, {name: each[1:] for name, each in costs.items()})
    return section


def _gimite(runs: int, section: Section, stack: ExitStack) -> GimiteServer | None:
    """Start gimite's server, or add a note why it is not measured."""
    source = os.environ.get(SOURCE)
    if source is None or shutil.which("ruby") is None:
        section.notes.append(f"gimite/mjai is not measured: set {SOURCE} to the folder of its source, and install ruby")
        return None
    gimite = GimiteServer(
        Path(source), runs + 2
    )  # one more game than is played, so that the server still runs when its CPU time is read
    stack.callback(gimite.stop)
    return gimite


def _list(section: Section, costs: dict[str, Sequence[Cost]]) -> None:
    """Add the costs, and their ratios to our server's within each run."""
    for name, each in costs.items():
        section.lines.append(
            {
                "server": name,
                "ms/kyoku": middle(each, per_kyoku),
                "least .. most": spread([*map(per_kyoku, each)], 1),
                "kyoku": middle(each, lambda cost: cost.kyoku),
                "messages": middle(each, lambda cost: cost.questions),
                "messages/CPU-s": median(cost.questions / cost.seconds for cost in each),
            }
        )
        section.runs[f"mjai: {name}"] = [*map(per_kyoku, each)]
        if name != OURS:
            ratios = [per_kyoku(other) / per_kyoku(ours) for ours, other in zip(costs[OURS], each, strict=True)]
            section.notes.append(f"per kyoku, {name} takes {median(ratios):.2f} times as long ({spread(ratios, 2)})")
