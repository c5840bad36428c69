"""A meeting: one game at our server with other people's bots, and what is to be said of it afterwards."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from scripts.interoperation.server import Account, Addresses, OurServer, Process, Result, wait_until


@dataclass(frozen=True)
class Client:
    """A program that connects to our server."""

    name: str
    """Under which it plays."""
    command: Callable[[Addresses], list[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    """What it needs beside our own."""
    crosses: bool = False
    """Whether it speaks UMP, where an answer may cross with another's ron, and is stale through no fault of its own."""


@dataclass(frozen=True)
class Meeting:
    """Who plays with whom, and what is expected of them."""

    name: str
    version: str
    """Of the programs that are not ours."""
    over: str
    """What they speak, and over what."""
    clients: tuple[Client, ...] = ()
    house: tuple[str, ...] = ()
    """``--house`` of the server, in order."""
    options: tuple[str, ...] = ()
    """Further options of the server."""
    faults: Mapping[str, str] = field(default_factory=dict)
    """The fault that a player must commit, by name; all others must commit none."""


class Verdict(Enum):
    """What came of a meeting."""

    PASS = "pass"
    FAIL = "FAIL"
    SKIP = "skip"


@dataclass(frozen=True)
class Outcome:
    """A meeting, or one that could not be, and what came of it."""

    name: str
    verdict: Verdict
    remark: str
    version: str = ""
    over: str = ""


LOG_SECONDS = 5.0
"""From the end of the clients until the log must say how the game ended."""

OPTIONS = ("--length", "kyoku", "--time", "10+10", "--house-after", "0.2", "--seed", "interop")
"""One kyoku, always with the same wall; what a meeting says itself comes after it and holds."""


def hold(meeting: Meeting, seconds: float) -> Outcome:
    """Play the game of a meeting, in at most so many seconds and some for the end, and judge it."""
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
                wait_until(lambda: server.result() is not None, LOG_SECONDS)
            complaints = judge(meeting, server.result(), {name: each.status for name, each in processes.items()})
            complaints += [] if meeting.faults else server.troubles()
        except (OSError, RuntimeError) as error:
            complaints = [str(error)]
        finally:
            for process in processes.values():
                process.close()
        result = server.result()
    last = [f"{name} says: {each.lines[-1]}" for name, each in processes.items() if each.status and each.lines]
    took = f"{time.monotonic() - began:.1f} s"
    verdict = Verdict.FAIL if complaints else Verdict.PASS
    remark = "; ".join([*complaints, *last] if complaints else [*_summary(meeting, result), took])
    return Outcome(meeting.name, verdict, remark, meeting.version, meeting.over)


def judge(meeting: Meeting, result: Result | None, statuses: Mapping[str, int | None]) -> list[str]:
    """Return what was wrong with a game, ``statuses`` being those of the clients."""
    if result is None:
        complaints = ["the game was not over in time"]
    elif result.end != "completed":
        complaints = [f"the game was {result.end}"]
    else:
        complaints = []
    if result is not None:
        crossing = [client.name for client in meeting.clients if client.crosses]
        for name, account in result.accounts.items():
            forgiven = ("stale",) if name in crossing else ()
            complaints += _judge_player(name, account, meeting.faults.get(name), forgiven)
        complaints += [f"{name} did not play" for name in meeting.faults if name not in result.accounts]
    for name, status in statuses.items():
        if status is None:
            complaints.append(f"{name} does not end")
        elif status:
            complaints.append(f"{name} ended with status {status}")
    return complaints


def _judge_player(name: str, account: Account, fault: str | None, forgiven: Sequence[str]) -> list[str]:
    """Return what was wrong with one player, who is to commit this fault, or none but those that are forgiven."""
    if fault is None:
        return [f"{name}: {count} {reason}" for reason, count in account.faults.items() if reason not in forgiven]
    return [] if fault in account.faults else [f"{name} should have been {fault}, and was not"]


def _is_over(process: Process) -> bool:
    return process.status is not None


def _summary(meeting: Meeting, result: Result | None) -> list[str]:
    """Return the faults that were expected, with their numbers, or that there were none."""
    if result is None or not meeting.faults:
        return ["no faults"]
    return [
        f"{name}: {count} {reason}" for name in meeting.faults for reason, count in result.accounts[name].faults.items()
    ]
