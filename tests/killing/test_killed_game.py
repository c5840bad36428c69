"""A game whose server is killed with SIGKILL, with real processes and sockets, as in ``scripts/kill-test``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scripts.killing.game import KillTestError, play, verdict
from scripts.killing.growing_journal import difference
from scripts.killing.kills import FIRST_STEP, Kill, Occasion, draw_kills
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
@pytest.mark.parametrize("players", [4, 3])
def test_a_killed_game_is_the_undisturbed_one(tmp_path: Path, players: int) -> None:
    """Players of all dialects go on after each kill; the record has the same steps, and every line fits the rules."""
    folders = [tmp_path / "undisturbed", tmp_path / "killed"]
    for folder in folders:
        folder.mkdir()
    undisturbed = play(folders[0], OPTIONS, [], players=players)
    killed = play(folders[1], OPTIONS, KILLS, players=players)
    assert killed.kills == KILLS
    assert verdict(undisturbed, killed) is None
    dropped = sum(isinstance(step.entries[0], SeatDropped) for step in killed.journal.steps)
    assert dropped >= players * 2  # two kills while they all played
    shorter = replace(killed.journal, steps=killed.journal.steps[:-1])
    missing = difference(undisturbed.journal, shorter)
    assert missing is not None
    assert (missing.number, missing.killed) == (undisturbed.steps + 1, "")
    other_points = replace(killed, points={**killed.points, "mjai": -1})
    assert str(verdict(undisturbed, other_points)).startswith("points ")


def test_a_server_that_does_not_start(tmp_path: Path) -> None:
    """A death that nobody caused is an error, with the end of the server's log."""
    with pytest.raises(KillTestError, match=r"after 0 kills: the server was not killed, but: .*\n.*\n.*--length"):
        play(tmp_path, ["--length=forever"], [])


def test_moments() -> None:
    """Kills follow from the seed; the first one finds a running game, and each is in its place."""
    kills = draw_kills(50, 400, Random(1))
    assert kills == draw_kills(50, 400, Random(1))
    assert kills[0].occasion is Occasion.PLAYING
    assert [kill.step for kill in kills] == sorted(kill.step for kill in kills)
    assert all(FIRST_STEP <= kill.step < 400 for kill in kills)
    assert {kill.occasion for kill in kills} == {*Occasion}
