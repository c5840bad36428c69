"""``scripts/soak``: a soak of seconds, and what it would find."""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.scenarios import soak, visitors
from scripts.scenarios.soak import Life, Soak, Soaked, check_records, one_server
from scripts.scenarios.visitors import Account
from ump.server.journals import DAMAGED, FINISHED, RUNNING

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


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

    soaking = Soak(one_server(folder), 600.0, 1, "seconds", note, account)
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
    faults = "\n".join(check_records([records], {"gone"}, account).faults)
    for fault in ("not finished", "could not read", ": line ", "gone: has vanished", "nobody: was told of a game"):
        assert fault in faults
    assert f"{told}: was told (0, 0, 0, 100000)" in faults
    nothing = check_records([tmp_path], set(), Account())
    broken = replace(soaked, lives=[Life((), ("a game breaks down",))], stuck=["it does not listen"], records=nothing)
    expected = {"no game was played to its end", "it does not listen", "log of the server: a game breaks down"}
    assert expected <= set(broken.faults)
