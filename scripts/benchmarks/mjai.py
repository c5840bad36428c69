"""The server's mjai port with four light clients, compared with gimite/mjai's own server if its source is available."""

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

from scripts.benchmarks.figures import LOOPBACK, PATIENCE, SEATS, Cost, Section, middle, milliseconds, spread
from scripts.benchmarks.processes import MeasuredProcess
from ump.report.progress import show_progress

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=30+0", "--seed=bench")

SOURCE = "MJAI_RUBY"
"""The environment variable with the path of a checkout of gimite/mjai."""

MOST_RUNS = 3
"""Limit of runs: one hanchan takes some seconds on gimite's server."""

_START = 'require "mjai/mjai_command"; Mjai::MjaiCommand.execute(ARGV.shift, ARGV)'
"""Its command line without the gem, which pins a version of json that no longer builds."""


class Client:
    """A connection that discards what it draws, calls nothing, and replies to every message."""

    def __init__(self, address: tuple[str, int], name: str) -> None:
        self.socket = socket.create_connection(address, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.messages = self.kyoku = 0
        self._name = name
        self._rest = b""
        self._seat = -1

    def read(self) -> bool:
        """Reply to all received messages; return whether the connection is still open."""
        with suppress(ConnectionResetError):
            data = self.socket.recv(1 << 16)
            *lines, self._rest = (self._rest + data).split(b"\n")
            replies = [json.dumps(self._reply(json.loads(line))) for line in lines]
            if replies:
                self.socket.sendall("".join(f"{reply}\n" for reply in replies).encode("ascii"))
            return bool(data)
        return False

    def _reply(self, message: dict[str, object]) -> dict[str, object]:
        """Return the reply to a message."""
        self.messages += 1
        kind = message["type"]
        if kind == "hello":
            return {"type": "join", "name": self._name, "room": "default"}
        if kind == "error":
            raise SystemExit(f"bench: error from an mjai server: {message['message']}")
        if kind == "start_game":
            seat = message["id"]
            assert isinstance(seat, int)
            self._seat = seat
        if kind == "start_kyoku":
            self.kyoku += 1
        if kind == "tsumo" and message["actor"] == self._seat:
            return {"type": "dahai", "actor": self._seat, "pai": message["pai"], "tsumogiri": True}
        return {"type": "none"}


def play(address: tuple[str, int]) -> tuple[int, int]:
    """Let four clients play one game; return the number of messages to all of them, and the number of kyoku."""
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
    return sum(client.messages for client in clients), clients[0].kyoku


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
    """Measure both servers in turns; the first pair only warms up."""
    runs = min(runs, MOST_RUNS)
    section = Section(f"Server, mjai in lock-step: four clients that discard what they draw, {runs} runs")
    costs: dict[str, list[Cost]] = {"ump": []}
    with ExitStack() as stack:
        ours = MeasuredProcess("mjai", *OPTIONS)
        stack.callback(ours.stop)
        theirs = _gimite(runs, section, stack)
        for run in range(runs + 1):
            show_progress(f"server, mjai, run {run} of {runs}")
            begun = ours.request().seconds
            messages, kyoku = play(ours.address)
            costs["ump"].append(Cost(ours.request().seconds - begun, messages, kyoku))
            if theirs is not None:
                begun = theirs.seconds()
                messages, kyoku = play(theirs.address)
                costs.setdefault("gimite/mjai", []).append(Cost(theirs.seconds() - begun, messages, kyoku))
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
    """Add the costs of the servers, and their ratio per kyoku."""
    for name, each in costs.items():
        per_kyoku = [milliseconds(cost) / cost.kyoku for cost in each]
        section.lines.append(
            {
                "server": name,
                "ms/kyoku": median(per_kyoku),
                "least .. most": spread(per_kyoku, 1),
                "kyoku": middle(each, lambda cost: cost.kyoku),
                "messages": middle(each, lambda cost: cost.questions),
                "messages/CPU-s": median(cost.questions / cost.seconds for cost in each),
            }
        )
        section.runs[f"mjai: {name}"] = per_kyoku
    if len(costs) > 1:
        ours, theirs = (line["ms/kyoku"] for line in section.lines)
        section.notes.append(
            f"per kyoku, gimite's server takes {float(str(theirs)) / float(str(ours)):.0f} times as long"
        )
