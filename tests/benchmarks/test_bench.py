"""Scripts that measure: each once, with few games. Nothing is timed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from scripts.benchmarks import arena

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.no_cover
def test_the_arena_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has a rate of 1."""
    monkeypatch.setattr(arena, "PLAYERS", (arena.TSUMOGIRI,))
    section = arena.measure_arena(1)
    assert [line["form"] for line in section.lines] == ["engine", "game", "block", "block with records"]
    assert section.lines[0]["engine's rate"] == 1.0
    assert all(found > 0 for each in section.runs.values() for found in each)


def printed(monkeypatch: pytest.MonkeyPatch, script: str, *arguments: str) -> str:
    """Run a script in this process, and return what it prints."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    main = runpy.run_path(str(ROOT / "scripts" / script))["main"]
    return CliRunner().invoke(main, arguments, catch_exceptions=False).stdout


@pytest.mark.no_cover
def test_versions_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that plays alike gains nothing; one that does not gains or loses points."""
    words = ["tsumogiri", "tsumogiri", "efficiency", "--against", "tsumogiri", "--kyoku", "2"]
    same, other = printed(monkeypatch, "paired-kyoku", *words).splitlines()
    assert same == "tsumogiri: +0.0 ±0.0 points per kyoku; 0.0 % of 4 changed"
    assert other.startswith("efficiency: ")
    assert "±0.0" not in other
