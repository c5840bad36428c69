"""The server's mjai side with four light clients in lock-step, beside gimite/mjai's own server where its source is."""

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
from scripts.benchmarks.processes import Measured
from ump.report.progress import show_progress

OPTIONS = ("--rules=tenhou", "--set=extra_round=none", "--time=30+0", "--seed=bench")

SOURCE = "MJAI_RUBY"
"""The variable of the environment that names a checkout of gimite/mjai."""

MOST_RUNS = 3
"""One hanchan takes gimite's server some seconds."""

_START = 'require "mjai/mjai_command"; Mjai::MjaiCommand.execute(ARGV.shift, ARGV)'
"""Its command line, without the gem: that pins a json that does not build any more."""


class Client:
    """One connection that discards what it draws, calls nothing, and replies to every message."""

    def __init__(self, address: tuple[str, int], name: str) -> None:
        self.socket = socket.create_connection(address, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.messages = self.kyoku = 0
        self._name = name
        self._rest = b""
        self._seat = -1

    def read(self) -> bool:
        """Read what has come and reply; return whether the connection is still open."""
        with suppress(ConnectionResetError):
            data = self.socket.recv(1 << 16)
            *lines, self._rest = (self._rest + data).split(b"\n")
            replies = [json.dumps(self._hear(json.loads(line))) for line in lines]
            if replies:
                self.socket.sendall("".join(f"{reply}\n" for reply in replies).encode("ascii"))
            return bool(data)
        return False

    def _hear(self, message: dict[str, object]) -> dict[str, object]:
        self.messages += 1
        kind = message["type"]
        if kind == "hello":
            return {"type": "join", "name": self._name, "room": "default"}
        if kind == "error":
            raise SystemExit(f"bench: a server of mjai says: {message['message']}")
        if kind == "start_game":
            seat = message["id"]
            assert isinstance(seat, int)
            self._seat = seat
        self.kyoku += kind == "start_kyoku"
        if kind == "tsumo" and message["actor"] == self._seat:
            return {"type": "dahai", "actor": self._seat, "pai": message["pai"], "tsumogiri": True}
        return {"type": "none"}


def play(address: tuple[str, int]) -> tuple[int, int]:
    """Let four clients play one game; return how many messages they were told in all, and how many kyoku it had."""
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


class Gimite:
    """The server of gimite/mjai, for so many games."""

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
        """Return the CPU time that it has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def _await(self) -> None:
        """Wait until it listens."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            if _listens(self.address[1]):
                return
            time.sleep(0.1)
        self.stop()
        raise SystemExit("bench: gimite's server does not start; ruby-nokogiri and ruby-sass are needed")


def _listens(port: int) -> bool:
    """Tell whether somebody listens at a port of this machine, without connecting: that would be a player there."""
    wanted = f":{port:04X}"
    for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
        fields = line.split()
        if fields[1].endswith(wanted) and fields[3] == "0A":
            return True
    return False


def measure_mjai(runs: int) -> Section:
    """Measure both servers in turns; the first pair is to warm up."""
    runs = min(runs, MOST_RUNS)
    section = Section(f"Server, mjai in lock-step: four clients that discard what they draw, {runs} runs")
    costs: dict[str, list[Cost]] = {"ump": []}
    with ExitStack() as stack:
        ours = Measured("mjai", *OPTIONS)
        stack.callback(ours.stop)
        theirs = _gimite(runs, section, stack)
        for run in range(runs + 1):
            show_progress(f"server, mjai, run {run} of {runs}")
            begun = ours.request(None).seconds
            messages, kyoku = play(ours.address)
            costs["ump"].append(Cost(ours.request(None).seconds - begun, messages, kyoku))
            if theirs is not None:
                begun = theirs.seconds()
                messages, kyoku = play(theirs.address)
                costs.setdefault("gimite/mjai", []).append(Cost(theirs.seconds() - begun, messages, kyoku))
    _list(section, {name: each[1:] for name, each in costs.items()})
    return section


def _gimite(runs: int, section: Section, stack: ExitStack) -> Gimite | None:
    """Start gimite's server, or note why there is none."""
    source = os.environ.get(SOURCE)
    if source is None or shutil.which("ruby") is None:
        section.notes.append(f"gimite/mjai is not measured: {SOURCE} wants the folder of its source, and ruby")
        return None
    gimite = Gimite(Path(source), runs + 2)  # one game more than is played: it must not end before it is asked
    stack.callback(gimite.stop)
    return gimite


def _list(section: Section, costs: dict[str, Sequence[Cost]]) -> None:
    """Write down what the servers cost, and how they compare by kyoku."""
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
