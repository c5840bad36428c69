"""Scripts that measure: each once, with few games. Nothing is timed."""

from __future__ import annotations

import pytest

from scripts.benchmarks import arena

pytestmark = pytest.mark.once


@pytest.mark.no_cover
def test_the_arena_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has a rate of 1."""
    monkeypatch.setattr(arena, "PLAYERS", (arena.TSUMOGIRI,))
    section = arena.measure_arena(1)
    assert [line["form"] for line in section.lines] == ["engine", "game", "block", "block with records"]
    assert section.lines[0]["engine's rate"] == 1.0
    assert all(found > 0 for each in section.runs.values() for found in each)
