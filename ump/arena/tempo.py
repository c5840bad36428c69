"""How many blocks with programs are played at a time: fewer if answers get slow, because they share a computer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from ump.arena.blocks import Block
from ump.arena.statistics import answer_quantile, answers_in_classes

SHARE = 0.25
"""The part of the time for a move that 99 % of the answers may take: beyond it, load decides games."""

ENOUGH = 200
"""Answers of programs from which their times are judged."""


class Tempo:
    """The number of blocks at a time. It never grows again: the load that was too much would come back."""

    def __init__(self, most: int, move: float, programs: Collection[int]) -> None:
        """Begin with ``most`` blocks; ``move``: the seconds for a move; ``programs``: the players that are programs."""
        self.blocks = most
        self._limit = SHARE * move * 1_000
        self._programs = programs
        self._counts: Counter[str] = Counter()
        """The answer times of programs in the latest blocks, as a block has them."""

    def see(self, block: Block) -> float | None:
        """Take a block that was played. If fewer are played at a time now, return the milliseconds that say why."""
        for game in block.games:
            for player, counts in zip(game.seating, game.counts, strict=True):
                if player in self._programs:
                    self._counts.update(counts)
        if sum(answers_in_classes(self._counts).values()) < ENOUGH:
            return None
        slow = answer_quantile(self._counts, 0.99)
        self._counts.clear()
        if slow is None or slow <= self._limit or self.blocks == 1:
            return None
        self.blocks = self.blocks // 2
        return slow
