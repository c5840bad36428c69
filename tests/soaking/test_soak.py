"""The parts of scripts/soak: its plan, its measure of memory, its verdict, and a soak of seconds."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scripts.soaking import soak, visitors
from scripts.soaking.memory import Sample, settled, slope
from scripts.soaking.plan import FIRST_SECONDS, calm_seconds, draw_kills
from scripts.soaking.soak import Soak, Soaked
from scripts.soaking.verdict import JUDGED_SECONDS, MOST_GROWTH, Life, check_records, memory_faults
from scripts.soaking.visitors import Account
from ump.server.journal_writer import DAMAGED, RUNNING
from ump.server.overview import FINISHED

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


def test_the_last_part_is_calm() -> None:
    """Kills follow from the seed; the last one begins the part in which the memory is judged."""
    total = 7_200.0
    kills = draw_kills(total, Random(1))
    assert kills == sorted(draw_kills(total, Random(1)))
    assert kills[0] > FIRST_SECONDS
    assert kills[-1] == total - calm_seconds(total) == 4_500.0
    assert len(kills) > 20
    assert [calm_seconds(minutes * 60) / 60 for minutes in (10, 62, 80, 480)] == [5, 30, 30, 180]


def _samples(growth: float) -> list[Sample]:
    """Return samples of a server that grows by so many bytes an hour after it has loaded everything."""
    return [Sample(at, round(8e7 + growth * at / 3600) if at > 60 else 6_000_000, 0.0) for at in range(0, 3_600, 60)]


def test_growth_is_that_after_the_warm_up() -> None:
    """What the server loads when it starts is no growth."""
    assert slope(_samples(1e6)) == pytest.approx(1e6, rel=1e-3)
    assert settled(_samples(0.0))[0].instant == 720
    assert slope([]) == slope([Sample(1.0, 5, 0.0)]) == 0.0


def test_only_long_lives_are_judged() -> None:
    """A server that grew too much is a fault, if it lived long enough to tell."""
    leaking = Life(_samples(MOST_GROWTH * 1.1), ())
    assert leaking.seconds > JUDGED_SECONDS
    short = Life(leaking.samples[:10], ())
    assert memory_faults([short, Life(_samples(MOST_GROWTH * 0.9), ()), Life((), ())]) == []
    assert memory_faults([short, leaking]) == ["a server grew by 6.6 MB an hour, more than 6"]


async def _soaked(folder: Path) -> Soaked:
    """Let clients play; kill the server once a game has begun, and stop when a game has ended after that."""
    stopped = asyncio.Event()
    account = Account()

    def note(text: str) -> None:
        if not account.begun:
            return
        if not soaking.killed:
            soaking.kill_at(0.0)
        elif account.ended:
            stopped.set()

    soaking = Soak(folder, 600.0, 1, "seconds", note, account)
    return await soaking.run(stopped)


@pytest.mark.no_cover
def test_a_soak_of_seconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games go on after a kill, and end; each loss and each difference from what clients saw is found."""
    monkeypatch.setattr(visitors, "THINKING", (0.0, 0.01))
    monkeypatch.setattr(visitors, "RETURNS", 1.0)
    for constant in ("LIFE_SECONDS", "AWAY_SECONDS", "RETRY_SECONDS"):
        monkeypatch.setattr(visitors, constant, 0.3)
    monkeypatch.setattr(soak, "ROOM_NAMES", ("one",))
    monkeypatch.setattr(soak, "SAMPLE_SECONDS", 0.2)
    monkeypatch.setattr(soak, "draw_kills", lambda seconds, chance: [])
    soaked = asyncio.run(_soaked(tmp_path))
    assert soaked.faults == []
    assert (soaked.kills, len(soaked.lives)) == (1, 2)
    assert soaked.account.begun >= soaked.account.ended.keys() != set()
    assert all(life.samples[-1].memory for life in soaked.lives)

    records, account = tmp_path / "records", soaked.account
    files = sorted(records.glob(f"*{FINISHED}"))
    assert len(files) == soaked.records.ends.total()
    account.begun.add("nobody")
    told = next(iter(account.ended))
    account.ended[told] = (0, 0, 0, 100_000)
    (records / f".running{RUNNING}").touch()
    (records / f"damaged{DAMAGED}").touch()
    longest = max(files, key=lambda path: path.stat().st_size)
    text = gzip.decompress(longest.read_bytes()).split(b"\n")
    (records / f"gap{FINISHED}").write_bytes(gzip.compress(b"\n".join([*text[:10], *text[20:]])))
    faults = "\n".join(check_records(records, {"gone"}, account).faults)
    for fault in ("not finished", "could not read", ": line ", "gone: has vanished", "nobody: was told of a game"):
        assert fault in faults
    assert f"{told}: was told (0, 0, 0, 100000)" in faults
    broken = replace(soaked, lives=[Life((), ("a game breaks down",))], stuck=["it does not listen"])
    assert {"it does not listen", "log of the server: a game breaks down"} <= set(broken.faults)
