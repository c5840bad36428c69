"""``learn.py`` of the examples reads a data set and trains, where PyTorch is installed; ``imitate.py`` writes one."""

from __future__ import annotations

import importlib.util
import json
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
    assert (tmp_path / "learnt.npz").exists()


def test_a_teacher_labels_the_games_of_others(tmp_path: Path) -> None:
    """The data set has what the teacher would do, also where another player decides."""
    pytest.importorskip("pyarrow", reason="data sets need the extra tables")
    example = ROOT / "clients" / "examples" / "imitate.py"
    done = run(str(example), "data", "efficiency", "--games", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "data" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["games"] == 1
    assert manifest["decisions"] > 200
    assert done.stdout.splitlines()[-1] == f"data: {manifest['decisions']} decisions"
    again = run(str(example), "data", cwd=tmp_path)
    assert again.stderr.endswith("--force replaces the data set\n")
