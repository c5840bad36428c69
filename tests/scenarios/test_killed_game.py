"""A game whose server is killed with SIGKILL, with real processes and sockets, as in ``scripts/kill-test``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scripts.scenarios.growing_journal import difference
from scripts.scenarios.killed_game import FIRST_STEP, Kill, Occasion, play, verdict
from ump.table.journal_entries import SeatDropped

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

OPTIONS = ("--seed=killed", "--length=tonpu")

KILLS = [
    Kill(FIRST_STEP, Occasion.PLAYING, 0.0),
    Kill(FIRST_STEP, Occasion.RETURNING, 0.001),
    Kill(60, Occasion.PLAYING, 0.004),
    Kill(60, Occasion.STARTING, 0.3),
]


@pytest.mark.no_cover
def test_a_killed_game_is_the_undisturbed_one(tmp_path: Path) -> None:
    """Players of all dialects go on after each kill; the record has the same steps, and every line fits the rules."""
    folders = [tmp_path / "undisturbed", tmp_path / "killed"]
    for folder in folders:
        folder.mkdir()
    undisturbed = play(folders[0], OPTIONS, [])
    killed = play(folders[1], OPTIONS, KILLS)
    assert killed.kills == KILLS
    assert verdict(undisturbed, killed) is None
    dropped = sum(isinstance(step.entries[0], SeatDropped) for step in killed.journal.steps)
    assert dropped >= 4 * 2  # two kills while they all played
    shorter = replace(killed.journal, steps=killed.journal.steps[:-1])
    missing = difference(undisturbed.journal, shorter)
    assert missing is not None
    assert (missing.number, missing.killed) == (undisturbed.steps + 1, "")
    other_points = replace(killed, points={**killed.points, "mjai": -1})
    assert str(verdict(undisturbed, other_points)).startswith("points ")
