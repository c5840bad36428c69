"""Blocks leave nothing to the garbage collector, and fewer are played at a time if programs get slow."""

from __future__ import annotations

import gc

import pytest
from support.garbage import no_garbage
from support.rows import each_row

from ump.arena.block_play import ENOUGH, RARE, Match, Tempo, play_planned, rare_collections
from ump.arena.blocks import ArenaPlayer, Block, BlockGame, PlannedBlock
from ump.arena.watched import class_of
from ump.model.game_result import GameResult
from ump.rules.options import read_ruleset


@pytest.mark.no_cover
def test_games_have_no_circles() -> None:
    """All objects of a block are freed without the collector."""
    match = Match(
        (ArenaPlayer("a", "efficiency"), ArenaPlayer("b", "random")), read_ruleset("tenhou", ["length=kyoku"]), "seed"
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


PROGRAM, POLICY = 1, 0


def block(seconds: float, answers: int = ENOUGH, player: int = PROGRAM) -> Block:
    """Return a block in which one seat of a player answers so often, each time in so many seconds."""
    others = 1 - player
    counts: tuple[dict[str, int], ...] = ({f"answers_in_class_{class_of(seconds)}": answers}, {}, {}, {})
    return Block(
        0, (BlockGame((player, others, others, others), GameResult((0, 0, 0, 0), (1, 2, 3, 4)), counts),), ("", "")
    )


@each_row(
    ("seen", "blocks"),
    [
        ([block(1.0)], 5),
        ([block(3.0)], 2),
        ([block(3.0), block(3.0), block(3.0)], 1),
        ([block(3.0), block(1.0)], 2),
        ([block(3.0, answers=ENOUGH - 1)], 5),
        ([block(3.0, answers=ENOUGH // 2)] * 2, 2),
        ([block(3.0, player=POLICY)], 5),
        ([block(1.0, answers=50 * ENOUGH), block(3.0, answers=ENOUGH)], 2),
    ],
)
def test_slow_programs_get_fewer_tables(seen: list[Block], blocks: int) -> None:
    """Beyond a quarter of the time for a move, here 2.5 seconds; policies, and few answers, do not count."""
    tempo = Tempo(5, 10.0, {PROGRAM})
    said = [tempo.see(each) for each in seen]
    assert tempo.blocks == blocks
    assert any(said) == (blocks < 5)
    assert all(3_000 <= each <= 4_000 for each in said if each is not None)
