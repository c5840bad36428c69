"""The blocks of an arena in their order: ratings and statistics of all players."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from random import Random

from ump.arena.arena_setup import ArenaSetup
from ump.arena.blocks import Block
from ump.arena.ratings import ANCHOR_RATING, ELO, Choices, Rating, fit, ratings
from ump.arena.statistics import PlayerResult, PlayerStatistics, Running
from ump.model.value import value
from ump.record.player_statistics import student_95


@value
class ArenaStanding:
    """A player of an arena."""

    player: int
    """Its index in the setup."""
    rating: Rating
    result: PlayerResult
    games: int
    """Games in which the player had a seat."""


class Standings:
    """The results of an arena so far."""

    def __init__(self, setup: ArenaSetup, anchor: int) -> None:
        self.setup = setup
        self.anchor = anchor
        """The index of the player whose rating is fixed."""
        self.blocks: list[Block] = []
        self.games = 0
        self._ahead: list[Counter[tuple[int, int]]] = []
        """For each block, how often the first player of a pair was placed before the second one."""
        self._choices: list[Choices] = []
        self._total = Choices()
        self._played = [0] * len(setup.entrants)
        self._players = [PlayerStatistics(entrant.name, at, setup.points) for at, entrant in enumerate(setup.entrants)]

    def add(self, block: Block) -> None:
        """Count the next block."""
        choices = Choices()
        ahead: Counter[tuple[int, int]] = Counter()
        for game in block.games:
            choices.add_game(game.seating, game.places)
            seated = [*zip(game.places, game.seating, strict=True)]
            ahead.update((one, other) for place, one in seated for after, other in seated if place < after)
            for player in set(game.seating):
                self._played[player] += 1
        self._ahead.append(ahead)
        self._choices.append(choices)
        self._total = Choices.joined((self._total, choices))
        self.blocks.append(block)
        self.games += len(block.games)
        for statistics in self._players:
            statistics.add(block)

    def share_ahead(self, player: int, other: int) -> tuple[float, float] | None:
        """Return how often a player was placed before another one, over all seats, and half of the 95 % interval.

        The interval is that of a ratio of two sums over blocks (the delta method). None if they have not met.
        """
        pairs = [(ahead[player, other], ahead[player, other] + ahead[other, player]) for ahead in self._ahead]
        met = [(won, count) for won, count in pairs if count]
        if not met:
            return None
        total = sum(count for _, count in met)
        share = sum(won for won, _ in met) / total
        if len(met) == 1:
            return share, 1.0
        squares = sum((won - share * count) ** 2 for won, count in met)
        half = student_95(len(met) - 1) * sqrt(squares * len(met) / (len(met) - 1)) / total
        return share, min(half, 1.0)

    def leaders(self) -> list[tuple[str, float, int, Running]]:
        """Return name, rating, games and figures of all players, the best one first, without intervals: quickly."""
        names = (entrant.name for entrant in self.setup.entrants)
        running = (player.running() for player in self._players)
        listed = zip(names, self.current_ratings(), self._played, running, strict=True)
        return sorted(listed, key=lambda each: -each[1])

    def current_ratings(self) -> list[float]:
        """Return the ratings of all players, in the order of the setup, without intervals: quickly.

        They follow from the blocks alone, however often this was called before.
        """
        s = fit(self._total, len(self._played))
        return [ANCHOR_RATING + ELO * (each - s[self.anchor]) for each in s]

    def table(self) -> list[ArenaStanding]:
        """Return all players, the best rating first; the bootstrap draws the same numbers at each call."""
        rated = ratings(self._choices, len(self._players), self.anchor, Random("bootstrap/ratings"))
        standings = [
            ArenaStanding(at, rating, player.result(), self._played[at])
            for at, (rating, player) in enumerate(zip(rated, self._players, strict=True))
        ]
        return sorted(standings, key=lambda standing: -standing.rating.elo)
