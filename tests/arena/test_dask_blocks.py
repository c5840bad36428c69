"""Arenas on a Dask cluster: the same blocks as in this process, and errors in words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ump.arena import dask_blocks
from ump.cli.main import main
from ump.net.bot_commands import BotCommand
from ump.server.program_arena import ChildProgram

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
PIPES = f"mjai:{sys.executable} {ROOT / 'tests/support/bots/batch.py'} {{seat}} crash 18"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Return the address of a scheduler with two workers, in threads of this process."""
    distributed = pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'ump-mahjong[dask]'")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address="127.0.0.1:0",
        protocol="tcp",
        host="127.0.0.1",
    ) as cluster:
        yield cluster.scheduler_address


def run(*arguments: str) -> Result:
    """Run the command with short games."""
    options = ("--set", "length=kyoku", "--jobs", "1", "--json", "tsumogiri", "random", "--player", "again=tsumogiri")
    return CliRunner().invoke(main, ["arena", "run", *options, *arguments])


def players(result: Result) -> list[dict[str, Any]]:
    """Return the players of a report without the times of answers."""
    assert result.exit_code == 0, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)["players"]
    return [{key: each for key, each in player.items() if "milliseconds" not in key} for player in found]


def results(result: Result) -> list[dict[str, Any]]:
    """Return the players without what depends on the order of simultaneous answers."""
    return [{**player, "answers": 0, "crashes": 0, "first_error": ""} for player in players(result)]


@pytest.mark.no_cover
def test_a_cluster_plays_the_same_blocks(scheduler: str, tmp_path: Path) -> None:
    """Also when the arena began without it, and in rounds."""
    here = players(run("--games", "8"))
    assert players(run("--games", "8", "--dask", scheduler)) == here
    players(run("--games", "4", "--out", str(tmp_path)))
    assert players(run("--games", "8", "--out", str(tmp_path), "--resume", "--dask", scheduler)) == here
    rounds = ("--until-decided", "--games", "24")
    assert players(run(*rounds, "--dask", scheduler)) == players(run(*rounds))


@pytest.mark.long
def test_the_workers_start_programs(scheduler: str, tmp_path: Path) -> None:
    """Programs play the same games on a cluster, also when the arena began without it, and with their faults."""
    program = ("--player", f"x={PIPES}", "--games", "8")
    here = results(run(*program, "--out", str(tmp_path / "here")))
    found = run(*program, "--dask", scheduler, "--out", str(tmp_path / "there"))
    assert results(found) == here
    crashes = {player["name"]: player["crashes"] for player in players(found)}
    assert crashes["x"] > 0 == crashes["random"]
    logs = [sorted((tmp_path / folder / "games").iterdir()) for folder in ("here", "there")]
    assert [path.read_bytes() for path in logs[0]] == [path.read_bytes() for path in logs[1]]
    begun = tmp_path / "there" / "blocks.jsonl"
    begun.write_text("".join(begun.read_text().splitlines(keepends=True)[:2]))
    assert results(run(*program, "--dask", scheduler, "--out", str(tmp_path / "there"), "--resume")) == here


def test_a_program_that_a_worker_does_not_have(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arena ends with a message."""
    missing = "mjai:ump-no-such-program"
    monkeypatch.setattr(
        "ump.cli.block_run.read_programs", lambda _: {missing: ChildProgram(BotCommand("mjai", ("x",)))}
    )
    result = run("--player", f"x={missing}", "--dask", scheduler)
    assert "a worker could not play a block: CommandError: 'ump-no-such-program': there is no program" in result.stderr


def test_policies_reach_the_workers(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module of one file is sent; for a package that a worker does not have, the error names its folder."""
    (tmp_path / "sent_bot.py").write_text("from ump import Tsumogiri as Bot\n")
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "__init__.py").write_text("from ump import Tsumogiri as Bot\n")
    monkeypatch.syspath_prepend(tmp_path)
    players(run("--games", "8", "--player", "sent_bot:Bot", "--dask", scheduler))
    with pytest.importorskip("distributed").Client(scheduler, set_as_default=False) as client:
        folders = client.run(lambda dask_worker: dask_worker.local_directory)
    assert all((Path(folder) / "sent_bot.py").exists() for folder in folders.values())
    monkeypatch.setattr(dask_blocks, "_import_problem", lambda name: "ModuleNotFoundError")
    refused = run("--games", "8", "--player", "bots:Bot", "--dask", scheduler)
    assert f"cannot import bots; install it there, or start the workers with PYTHONPATH={tmp_path}," in refused.stderr


def test_a_block_that_fails(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error on a worker ends the arena with a message, and the cluster stays."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no such module there")

    with monkeypatch.context() as patched:
        patched.setattr("ump.arena.block_play.play_side_by_side", fail)
        result = run("--games", "8", "--dask", scheduler)
    assert (result.exit_code, "could not play a block: RuntimeError: no such module" in result.stderr) == (1, True)
    players(run("--games", "8", "--dask", scheduler))


def test_errors(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version, no scheduler, no package, and bots that somebody starts here are refused in words."""
    program = run("--player", "x=wait:mjai=0", "--dask", scheduler)
    assert "wait:mjai=0 waits for bots on this computer" in program.stderr
    versions = iter(("2", "2", "1"))
    monkeypatch.setattr(dask_blocks, "version", lambda _: next(versions))
    assert "has ump 2, not 1; results would differ" in run("--dask", scheduler).stderr
    monkeypatch.setattr(dask_blocks, "CONNECT_SECONDS", 0.2)
    nobody = run("--dask", "127.0.0.1:1")
    assert (nobody.exit_code, nobody.stderr.startswith("Error: --dask 127.0.0.1:1: ")) == (2, True)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'ump-mahjong[dask]'" in run("--dask", scheduler).stderr
