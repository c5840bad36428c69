"""A meeting: one game at our server with other people's bots, and its verdict."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from scripts.lab.processes import Process, wait_until
from scripts.lab.server import Addresses, OurServer, PlayerResult, Result


@dataclass(frozen=True)
class Client:
    """A program that connects to our server."""

    name: str  # the name to play under
    command: Callable[[Addresses], list[str]]
    environment: Mapping[str, str] = field(default_factory=dict)  # additional environment variables
    crosses: bool = False
    """Whether it speaks UMP: there an answer can cross with another player's ron, and be stale without a fault."""


@dataclass(frozen=True)
class Meeting:
    """The players of a game, and their expected faults."""

    name: str
    version: str  # the version of the other programs
    over: str  # protocol and transport
    clients: tuple[Client, ...] = ()
    house: tuple[str, ...] = ()  # values of the server's option --house, in order
    options: tuple[str, ...] = ()  # further options of the server
    faults: Mapping[str, str] = field(default_factory=dict)
    """The fault that a player must commit, by the player's name; all other players must commit none."""
    log_seconds: float = 5.0  # from the end of the clients until the log must contain the end of the game


class Verdict(Enum):
    """The result of a meeting."""

    PASS = "pass"
    FAIL = "FAIL"
    SKIP = "skip"


@dataclass(frozen=True)
class Outcome:
    """The verdict on a meeting, with a remark."""

    name: str
    verdict: Verdict
    remark: str
    version: str = ""
    over: str = ""
    output: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """After a failure: the last lines of each client that failed, by name; if none did, those of the server."""


TAIL = 15  # lines of a program's output that are shown after a failure

OPTIONS = ("--room", "main", "--length", "kyoku", "--time", "10+10", "--house-after", "0.2", "--seed", "interop")
"""One kyoku, always with the same wall; the options of a meeting follow these and override them."""


def hold(meeting: Meeting, seconds: float) -> Outcome:
    """Play the game of a meeting, within ``seconds`` and some more for the end, and return its outcome."""
    began = time.monotonic()
    house = [word for each in meeting.house for word in ("--house", each)]
    processes: dict[str, Process] = {}
    with tempfile.TemporaryDirectory() as folder, OurServer([*OPTIONS, *house, *meeting.options]) as server:
        try:
            addresses = server.addresses()
            for client in meeting.clients:
                environment = {**os.environ, **client.environment}
                processes[client.name] = Process(client.command(addresses), Path(folder), environment)
            if wait_until(lambda: all(map(_is_over, processes.values())), seconds):
                wait_until(lambda: server.result() is not None, meeting.log_seconds)
            complaints = judge(meeting, server.result(), {name: each.status for name, each in processes.items()})
            complaints += [] if meeting.faults else server.troubles()
        except (OSError, RuntimeError) as error:
            complaints = [str(error)]
        finally:
            for process in processes.values():
                process.close()
            log = server.lines
        result = server.result()
    last = [f"{name} says: {each.lines[-1]}" for name, each in processes.items() if each.status and each.lines]
    took = f"{time.monotonic() - began:.1f} s"
    if not complaints:
        remark = "; ".join([*_summary(meeting, result), took])
        return Outcome(meeting.name, Verdict.PASS, remark, meeting.version, meeting.over)
    failed = {name: each.lines for name, each in processes.items() if each.status}
    output = {name: lines[-TAIL:] for name, lines in (failed or {"the server": log}).items()}
    return Outcome(meeting.name, Verdict.FAIL, "; ".join([*complaints, *last]), meeting.version, meeting.over, output)


def judge(meeting: Meeting, result: Result | None, statuses: Mapping[str, int | None]) -> list[str]:
    """Return all faults of a game; ``statuses`` are the exit statuses of the clients, None if still running."""
    if result is None:
        complaints = ["the game did not end in time"]
    elif result.end != "completed":
        complaints = [f"the game was {result.end}"]
    else:
        complaints = []
    if result is not None:
        crossing = [client.name for client in meeting.clients if client.crosses]
        for name, player in result.players.items():
            forgiven = ("stale",) if name in crossing else ()
            complaints += _judge_player(name, player, meeting.faults.get(name), forgiven)
        complaints += [f"{name} did not play" for name in meeting.faults if name not in result.players]
    for name, status in statuses.items():
        if status is None:
            complaints.append(f"{name} is still running")
        elif status:
            complaints.append(f"{name} ended with status {status}")
    return complaints


def _judge_player(name: str, player: PlayerResult, fault: str | None, forgiven: Sequence[str]) -> list[str]:
    """Return the faults of one player except forgiven ones; or, if it should commit ``fault``, whether it did not."""
    if fault is None:
        return [f"{name}: {count} {reason}" for reason, count in player.faults.items() if reason not in forgiven]
    return [] if fault in player.faults else [f"{name} did not commit the expected fault {fault}"]


def _is_over(process: Process) -> bool:
    return process.status is not None


def _summary(meeting: Meeting, result: Result | None) -> list[str]:
    if result is None or not meeting.faults:
        return ["no faults"]
    return [
        f"{name}: {count} {reason}" for name in meeting.faults for reason, count in result.players[name].faults.items()
    ]
