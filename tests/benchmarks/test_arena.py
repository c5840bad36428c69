"""The measurement of the arena: its forms play, and its tables are whole. Nothing is timed."""

from __future__ import annotations

import pytest

from scripts.benchmarks import arena

pytestmark = pytest.mark.once


@pytest.mark.no_cover
def test_every_form_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has a rate of 1, and budgets are for what has no records."""
    monkeypatch.setattr(arena, "PLAYERS", (arena.TSUMOGIRI, arena.EFFICIENCY))
    section = arena.measure_arena(1)
    forms = ["engine", "game", "block", "block with records"]
    assert [line["form"] for line in section.lines] == forms * 2
    assert section.lines[0]["engine's rate"] == 1.0
    assert all(found > 0 for each in section.runs.values() for found in each)
    assert len(section.budgets) == 4


@pytest.mark.no_cover
def test_processes_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process has its own rate."""
    monkeypatch.setattr(arena, "BLOCKS", 2)
    section = arena.measure_processes(1)
    assert [line["processes"] for line in section.lines] == [1, 2]
    assert section.lines[0]["of N times one"] == 1.0
