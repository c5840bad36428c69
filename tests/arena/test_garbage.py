"""Games leave nothing to the garbage collector, which may look rarely while an arena plays."""

from __future__ import annotations

import gc

import pytest
from support.garbage import no_garbage

from ump.arena.block_play import Match, play_planned
from ump.arena.blocks import Entrant, PlannedBlock
from ump.arena.garbage import RARE, rare_collections
from ump.rules.options import read_ruleset


@pytest.mark.no_cover
def test_games_have_no_circles() -> None:
    """All objects of a block are freed without the collector."""
    match = Match(
        (Entrant("a", "efficiency"), Entrant("b", "random")), read_ruleset("tenhou", ["length=kyoku"]), "seed"
    )
    play_planned(match, float, [PlannedBlock(0, (0, 1, 1, 1))])  # loads what is loaded late
    with no_garbage():
        play_planned(match, float, [PlannedBlock(1, (1, 0, 0, 0))])


def test_settings_return() -> None:
    """Afterwards the collector is as before, also after an error."""
    before = gc.get_threshold()
    try:
        with rare_collections():
            assert gc.get_threshold() == RARE
            assert gc.get_freeze_count() > 0
            raise KeyError
    except KeyError:
        pass
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
