"""How many blocks are played at a time."""

from __future__ import annotations

import pytest

from ump.arena.answer_counts import class_of
from ump.arena.blocks import Block, BlockGame
from ump.arena.tempo import ENOUGH, Tempo

PROGRAM, POLICY = 1, 0


def block(seconds: float, answers: int = ENOUGH, player: int = PROGRAM) -> Block:
    """Return a block in which one seat of a player answers so often, each time in so many seconds."""
    others = 1 - player
    counts: tuple[dict[str, int], ...] = ({f"answers_in_class_{class_of(seconds)}": answers}, {}, {}, {})
    return Block(0, (BlockGame((player, others, others, others), (1, 2, 3, 4), (0, 0, 0, 0), counts),), ("", ""))


@pytest.mark.parametrize(
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
