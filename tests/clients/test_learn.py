"""``clients/examples/learn.py``: it reads a data set and trains, where PyTorch is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.programs import run
from support.sample_games import GAMES

from ump.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the example needs PyTorch")
def test_it_learns_from_a_data_set(tmp_path: Path) -> None:
    """It reads the shards, and reports its agreement with the players of games that are held out."""
    arguments = [str(GAMES), "--out", str(tmp_path), "--jobs", "1"]
    assert CliRunner().invoke(main, ["dataset", *arguments]).exit_code == 0
    example = ROOT / "clients" / "examples" / "learn.py"
    done = run(str(example), str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"epoch {number}" for number in range(1, 5)]
    assert lines[-1].endswith(" decisions of other games")
    assert (tmp_path / "learnt.pt").exists()
