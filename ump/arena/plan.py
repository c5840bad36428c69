"""The blocks that an arena plays: rounds of lineups, each planned when all blocks before it are counted.

A round follows from the setup and the blocks before it, whatever the order in which the blocks were played. So an arena
that is resumed, or played by another number of processes, plays the same blocks.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from functools import partial
from itertools import combinations, cycle, islice
from math import ceil, sqrt
from operator import attrgetter, itemgetter
from random import Random

from ump.arena.arena_setup import SWISS, ArenaSetup, lineups
from ump.arena.blocks import Block, BlockGame, Lineup, PlannedBlock
from ump.arena.ratings import ANCHOR_RATING, ELO, AnchoredRating, Choices, fit, ratings
from ump.arena.sequential import PairTests
from ump.arena.statistics import PlayerFigures, PlayerStatistics, Running
from ump.model.value import value
from ump.record.figures import student_95

# The blocks of an arena in their order: ratings and statistics of all players.


@value
class ArenaStanding:
    """A player of an arena."""

    player: int
    """Its index in the setup."""
    rating: AnchoredRating
    figures: PlayerFigures
    games: int
    """Games in which the player had a seat."""


class ArenaStandings:
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
            choices.add_game(game.seating, game.result.places)
            _count_ahead(ahead, game)
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
        wins, meetings = [], []
        for ahead in self._ahead:
            count = ahead[player, other] + ahead[other, player]
            if count:
                wins.append(ahead[player, other])
                meetings.append(count)
        if not meetings:
            return None
        total, blocks = sum(meetings), len(meetings)
        share = sum(wins) / total
        if blocks == 1:
            return share, 1.0
        squares = sum((won - share * count) ** 2 for won, count in zip(wins, meetings, strict=True))
        half = student_95(blocks - 1) * sqrt(squares * blocks / (blocks - 1)) / total
        return share, min(half, 1.0)

    def leaders(self) -> list[tuple[str, float, int, Running]]:
        """Return name, rating, games and figures of all players, the best one first, without intervals: quickly."""
        listed = []
        ratings = self.current_ratings()
        for at, entrant in enumerate(self.setup.entrants):
            listed.append((entrant.name, ratings[at], self._played[at], self._players[at].running()))
        return sorted(listed, key=itemgetter(1), reverse=True)

    def current_ratings(self) -> list[float]:
        """Return the ratings of all players, in the order of the setup, without intervals: quickly.

        They follow from the blocks alone, however often this was called before.
        """
        s = fit(self._total, len(self._played))
        return [ANCHOR_RATING + ELO * (each - s[self.anchor]) for each in s]

    def table(self) -> list[ArenaStanding]:
        """Return all players, the best rating first; the bootstrap draws the same numbers at each call."""
        rated = ratings(self._choices, len(self._players), self.anchor, Random("bootstrap/ratings"))
        standings = []
        for at, player in enumerate(self._players):
            standings.append(ArenaStanding(at, rated[at], player.figures(), self._played[at]))
        return sorted(standings, key=attrgetter("rating.elo"), reverse=True)


def _count_ahead(ahead: Counter[tuple[int, int]], game: BlockGame) -> None:
    """Count for each pair of players of a game which of them was placed before the other."""
    seated = list(zip(game.result.places, game.seating, strict=True))
    for place, player in seated:
        for other_place, other in seated:
            if place < other_place:
                ahead[player, other] += 1


FEWEST_IN_ROUND = 16
"""Blocks of a round while pairs are tested, at least: several processes have something to do."""


class ForeignBlockError(ValueError):
    """A block of a file that does not belong to the schedule."""


class OpenBlocks:
    """The blocks that are still to be played."""

    def __init__(self, setup: ArenaSetup, standings: ArenaStandings, most: int | None, tests: PairTests | None) -> None:
        """Plan at most so many blocks (None: no limit, which needs ``tests``).

        ``standings`` counts the blocks before they are added here; ``tests`` count them here, and decide how long pairs
        play unless the number of games is fixed.
        """
        self._setup = setup
        self._standings = standings
        self._most = most
        self._tests = tests
        self._round: deque[Lineup] = deque()
        self._rounds = 0
        self._number = 0
        self._tables: Counter[tuple[int, int]] = Counter()
        """The number of times that two players have met in a Swiss arena."""
        self._played: Counter[int] = Counter()

    def add(self, block: Block) -> None:
        """Count the next block; raises PlanError if it has another lineup than the planned one."""
        if not self.needs_more() or block.games[0].seating != self._round[0]:
            raise ForeignBlockError(f"block {block.number} has another lineup than the schedule")
        self._number += 1
        lineup = self._round.popleft()
        self._tables.update(combinations(sorted(set(lineup)), 2))
        self._played.update(set(lineup))
        if self._tests is not None:
            self._tests.add(block)

    def needs_more(self) -> bool:
        """Return whether the arena is not over."""
        if not self._round:
            self._round.extend(self._next_round())
            self._rounds += bool(self._round)
        return bool(self._round) and (self._most is None or self._number < self._most)

    def pending(self) -> list[PlannedBlock]:
        """Return the rest of the current round, or else the next one; empty when the arena is over."""
        if not self.needs_more():
            return []
        most = None if self._most is None else self._most - self._number
        return [PlannedBlock(number, lineup) for number, lineup in enumerate(islice(self._round, most), self._number)]

    def _next_round(self) -> Sequence[Lineup]:
        if self._tests is not None and not self._tests.is_fixed:
            return self._undecided_round(self._tests)
        if self._setup.schedule == SWISS:
            return self._swiss_round()
        left = (self._most or 0) - self._number
        return list(islice(cycle(lineups(self._setup)), max(0, left)))

    def _undecided_round(self, tests: PairTests) -> list[Lineup]:
        """Return both directions of each pair that is not decided."""
        seats = self._setup.ruleset.seats
        directions: list[Lineup] = []
        for one, other in tests.undecided:
            directions.append((one, *(other,) * (seats - 1)))
            directions.append((other, *(one,) * (seats - 1)))
        if not directions:
            return []
        return directions * ceil(FEWEST_IN_ROUND / len(directions))

    def _swiss_round(self) -> list[Lineup]:
        """Return tables of players with similar ratings, who have met each other rarely.

        If there are too many players for full tables, those who have played the most sit out. The draw decides what is
        equal, and who sits where.
        """
        setup, draw = self._setup, Random(f"swiss/{self._setup.seed}/{self._rounds}")
        players, seats = len(setup.entrants), setup.ruleset.seats
        drawn = draw.sample(range(players), players)
        idle = sorted(drawn, key=self._played.__getitem__, reverse=True)[: players % seats]
        ratings = self._standings.current_ratings()
        waiting = [player for player in drawn if player not in idle]
        waiting.sort(key=ratings.__getitem__, reverse=True)
        tables: list[Lineup] = []
        while waiting:
            table = [waiting.pop(0)]
            while len(table) < seats:
                chosen = min(waiting, key=partial(self._meetings, table))  # the first of equals
                waiting.remove(chosen)
                table.append(chosen)
            tables.append(tuple(draw.sample(table, seats)))
        return tables

    def _meetings(self, table: Sequence[int], other: int) -> int:
        return sum(self._tables[min(player, other), max(player, other)] for player in table)
