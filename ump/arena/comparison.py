"""What a comparison of two players has found so far: the sequential test, and statistics with intervals by blocks."""

from __future__ import annotations

from ump.arena.blocks import Block, Setup
from ump.arena.sequential import Hypotheses, SequentialTest
from ump.arena.statistics import PlayerResult, PlayerStatistics


class Comparison:
    """The blocks of a comparison in their order."""

    def __init__(self, setup: Setup, hypotheses: Hypotheses) -> None:
        self.setup = setup
        self.test = SequentialTest(hypotheses)
        self.advantages: list[float] = []
        """x of each block."""
        self.ratios: list[float] = []
        """The log-likelihood ratio after each block."""
        self.anytime: list[tuple[float, float | None]] = []
        """The mean of x after each block, and half of its anytime interval."""
        self.games = 0
        self._players = tuple(PlayerStatistics(name, at, setup.points) for at, name in enumerate(setup.players))

    def add(self, block: Block) -> None:
        """Count the next block."""
        self.advantages.append(block.advantage(self.setup.points))
        self.test.add(self.advantages[-1])
        self.ratios.append(self.test.ratio)
        self.anytime.append((self.test.mean, self.test.anytime_interval()))
        self.games += len(block.games)
        for player in self._players:
            player.add(block)

    def one_way(self, challenger: int) -> float | None:
        """Return the mean x of the blocks in which this player is the challenger; None without such blocks."""
        listed = self.advantages[challenger::2]
        return sum(listed) / len(listed) if listed else None

    def players(self) -> tuple[PlayerResult, PlayerResult]:
        """Return the statistics of both players; the bootstrap draws the same numbers at each call."""
        first, second = (player.result() for player in self._players)
        return first, second
