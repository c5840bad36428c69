"""The parts of scripts/siege: its rooms, its figures, its verdict, and its attackers."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest

from scripts.benchmarks.processes import Usage
from scripts.sieging import attacks
from scripts.sieging.attackers import end
from scripts.sieging.attacks import ATTACKS, Attack, Target, repeat
from scripts.sieging.siege import MOST_GROWTH, Phase, Report, Round, phase_of, rooms_file
from ump.server.config import server_plan
from ump.server.options import all_options, read_command_line

pytestmark = pytest.mark.once

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "performance.md"

QUIET = Phase(100.0, (0.5, 1.0, 2.0), 0.1, 50_000_000)


def test_the_rooms_are_valid(tmp_path: Path) -> None:
    """The server reads the file of rooms. Honest clients are in the first; each program has a room of its name."""
    file = tmp_path / "rooms.toml"
    file.write_text(rooms_file(), encoding="utf-8")
    plan = server_plan(read_command_line({"config": [str(file)], "record-dir": ["none"]}, all_options()))
    assert [room.name for room in plan.rooms] == ["main", "pit", "hang", "write", "fork"]
    assert not plan.rooms[0].house
    assert [room.house[0].name for room in plan.rooms[2:]] == ["hang", "write", "fork"]


def test_figures_are_those_of_the_phase() -> None:
    """Answers and load are per second of the phase; delays are in milliseconds, in order."""
    phase = phase_of(Usage(1.0, 5, 0.0, 10.0), Usage(3.0, 7, 1.0, 14.0, 0.003), 400, [0.002, 0.001])
    assert phase == Phase(100.0, (1.0, 2.0), 0.5, 7, 0.25, 3.0)


@pytest.mark.parametrize(
    ("besieged", "lost", "is_right", "faults"),
    [
        (QUIET, 0, True, []),
        (Phase(100.0, (4.0,), 0.9, 50_000_000), 0, True, []),
        (Phase(100.0, (4.1,), 0.9, 50_000_000), 0, True, ["p99"]),
        (Phase(100.0, (1.0,), 0.9, 50_000_001 + MOST_GROWTH), 0, True, ["grown"]),
        (QUIET, 1, True, ["1 honest connections"]),
        (QUIET, 0, False, ["records"]),
    ],
)
def test_the_verdict(besieged: Phase, lost: int, is_right: bool, faults: list[str]) -> None:
    """Each promise that is broken is named."""
    report = Report((Round(QUIET, QUIET, besieged),), {}, lost, "", is_right)
    assert len(report.faults) == len(faults)
    assert all(word in fault for word, fault in zip(faults, report.faults, strict=True))


@pytest.mark.parametrize(
    ("crowded", "besieged", "waiting", "share", "is_held"),
    [
        (2.0, 2.0, 0.5, 1.0, True),
        (6.0, 10.0, 0.5, 0.5, True),
        (6.0, 10.0, 0.01, 0.5, True),
        (6.0, 10.0, 0.009, 0.5, False),
        (2.0, 10.0, 0.5, 0.0, False),
        (12.0, 10.0, 0.5, 1.0, True),
        (12.0, 4.0, 0.0, 1.0, True),
        (1.0, 1.0, 0.0, 1.0, True),
    ],
)
def test_attackers_who_take_the_cores(
    crowded: float, besieged: float, waiting: float, share: float, is_held: bool
) -> None:
    """A delay that attacks on another server cause as well is no fault of a server that waits for a core."""
    alone, other = (Phase(100.0, (delay,), 0.1, 50_000_000) for delay in (2.0, crowded))
    own = Phase(100.0, (besieged,), 0.1, 50_000_000, waiting)
    report = Report((Round(alone, other, own),), {}, 0, "", True)
    assert report.share_of_cores == share
    assert (report.faults == []) is is_held


@pytest.mark.parametrize(
    ("undisturbed", "besieged", "is_held"),
    [
        ((2.0, 2.0, 2.0), (4.0, 400.0, 4.0), True),
        ((2.0, 2.0, 2.0), (4.0, 4.1, 4.1), False),
        ((2.0, 2.0, 200.0), (4.1, 4.1, 4.1), False),
        ((1.0, 2.0, 3.0), (6.0, 2.0, 4.0), True),
    ],
)
def test_a_loud_moment_decides_nothing(
    undisturbed: tuple[float, ...], besieged: tuple[float, ...], is_held: bool
) -> None:
    """The medians of the rounds are judged, so that one round can neither excuse the server nor condemn it."""
    alone, own = ([Phase(100.0, (delay,), 0.1, 50_000_000) for delay in each] for each in (undisturbed, besieged))
    rounds = tuple(Round(one, QUIET, other) for one, other in zip(alone, own, strict=True))
    assert (Report(rounds, {}, 0, "", True).faults == []) is is_held


def test_memory_is_judged_by_its_worst_round() -> None:
    """The server may not grow from round to round."""
    grown = Phase(100.0, (1.0,), 0.1, QUIET.memory + MOST_GROWTH + 1)
    rounds = (Round(QUIET, QUIET, QUIET), Round(grown, grown, grown), Round(QUIET, QUIET, QUIET))
    assert len(Report(rounds, {}, 0, "", True).faults) == 1


def test_an_attacker_comes_back() -> None:
    """An attack whose connection fails or is closed is repeated from a new one, and leaves none open."""
    closed: list[Target] = []

    async def fail(target: Target) -> None:
        target.attempts += 1
        if target.attempts == 3:
            raise asyncio.CancelledError
        raise ConnectionResetError

    target = Target(1, 2, "127.0.2.1", "seed")
    with mock.patch.object(Target, "close", lambda self: closed.append(self)), pytest.raises(asyncio.CancelledError):
        asyncio.run(repeat(Attack(fail, 1, 0.0), target))
    assert (target.attempts, closed) == (3, [target, target])


def test_an_attack_ends_that_misses_its_cancellation() -> None:
    """Otherwise the siege would wait for ever."""

    async def stubborn() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(1_000)
        await asyncio.sleep(1_000)

    async def run() -> bool:
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        await end([task])
        return task.cancelled()

    assert asyncio.run(run())


def test_every_attack_is_on_the_page() -> None:
    """docs/performance.md describes each attack."""
    section = PAGE.read_text(encoding="utf-8").split("## Siege")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` ", section, re.M) == list(ATTACKS)
    assert all(getattr(attacks, name.replace("-", "_")) is attack.run for name, attack in ATTACKS.items())
