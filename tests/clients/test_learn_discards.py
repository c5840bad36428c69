"""``clients/examples/learn_discards.py``: it reads a data set and trains, where PyTorch is installed."""

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
    """It goes through the shards once, and reports its agreement with the players for each batch."""
    arguments = [str(GAMES / "tenhou-efficiency-1.mjlog.gz"), "--out", str(tmp_path), "--jobs", "1"]
    assert CliRunner().invoke(main, ["dataset", *arguments]).exit_code == 0
    example = ROOT / "clients" / "examples" / "learn_discards.py"
    done = run(str(example), str(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("batch 0: loss ")
    assert len(lines) > 1
