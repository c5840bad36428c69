"""The measurement of the environments for learning: its forms play, and its table is whole. Nothing is timed."""

from __future__ import annotations

import pytest

pytest.importorskip("pettingzoo", reason="the environments need the extra rl")

from scripts.benchmarks import learning


def test_every_form_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each form takes its steps over the ends of episodes."""
    monkeypatch.setattr(learning, "STEPS", 128)
    section = learning.measure_learning(1)
    assert [line["form"] for line in section.lines] == ["MahjongEnv", "Batch of 1", "Batch of 16", "Batch of 64"]
    assert section.lines[0]["times as fast"] == 1.0
    assert all(found > 0 for each in section.runs.values() for found in each)
