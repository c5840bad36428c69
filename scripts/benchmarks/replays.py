"""Games of efficiency players that are recorded first; then each engine replays the same moves on the same walls.

So the measured time does not contain the players' thinking, which costs the same on every engine.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scripts.benchmarks.figures import SEATS, Cost
from scripts.benchmarks.games import NAMES, WITH_EXTRA_ROUND
from ump.game.deals import seeded_deals
from ump.game.game import Game, Standing
from ump.model.actions import Action
from ump.model.events import Event, KyokuStarted
from ump.model.seats import Seat
from ump.model.tiles import Tile
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.table.view import view

if TYPE_CHECKING:
    from support.second_engine import SecondKyoku, Steps

RULES = "tenhou"


@dataclass
class PlayedKyoku:
    """One kyoku in the terms of the second engine."""

    tiles: Sequence[Tile]
    standing: Standing
    steps: list[dict[Seat, Steps]] = field(default_factory=list)
    """The answers of all asked seats, one entry for each decision."""


@dataclass
class PlayedGame:
    """One game, with its moves in order."""

    seed: str
    moves: list[tuple[Seat, Action]] = field(default_factory=list)
    kyoku: list[PlayedKyoku] = field(default_factory=list)
    """Empty without the second engine."""


class Recording:
    """Plays one game, and records it for our engine and, if required, for the second one."""

    def __init__(self, seed: str, *, with_second: bool) -> None:
        self.played = PlayedGame(seed)
        self._deals = seeded_deals(seed)
        self._game = Game(WITH_EXTRA_ROUND, NAMES, self._deals)
        self._seen = [Observation(seat, WITH_EXTRA_ROUND) for seat in range(SEATS)]
        self._with_second = with_second
        self._second: SecondKyoku | None = None

    def record(self) -> PlayedGame:
        """Play the game to its end and return it."""
        policy = Efficiency()
        self._observe(self._game.begin())
        while not self._game.over:
            if self._game.between_kyoku:
                self._observe(self._game.proceed())
                continue
            questions = dict(self._game.questions)
            answers = {
                seat: policy.choose(self._seen[seat], question.phase, question.tile, question.legal())
                for seat, question in questions.items()
            }
            if self._second is not None:
                offers = self._second.offers()
                steps = {seat: offers[seat][action] for seat, action in answers.items()}
                self.played.kyoku[-1].steps.append(steps)
                self._second.answer(steps)
            for seat, action in answers.items():
                if self._game.questions.get(seat) is questions[seat]:
                    self.played.moves.append((seat, action))
                    self._observe(self._game.answer(seat, action))
        return self.played

    def _observe(self, events: Sequence[Event]) -> None:
        """Show the events to all players."""
        for event in events:
            if isinstance(event, KyokuStarted) and self._with_second:
                self._deal(event)
            for observation in self._seen:
                observation.see(view(event, observation.seat))

    def _deal(self, started: KyokuStarted) -> None:
        """Start the same kyoku on the second engine."""
        from support.second_engine import SecondKyoku

        standing = Standing(started.points, started.bakaze, started.dealer, started.honba, started.kyotaku)
        assert self._game.round is not None
        tiles = self._deals(self._game.round).tiles
        self.played.kyoku.append(PlayedKyoku(tiles, standing))
        self._second = SecondKyoku(RULES, tiles, standing)


def replay(played: PlayedGame) -> Cost:
    """Replay the moves on our engine and return the cost."""
    begun = time.process_time()
    game = Game(WITH_EXTRA_ROUND, NAMES, seeded_deals(played.seed))
    game.begin()
    proceeded = 0
    moves = iter(played.moves)
    while not game.over:
        if game.between_kyoku:
            proceeded += 1
            game.proceed()
        else:
            seat, action = next(moves)
            game.answer(seat, action)
    return Cost(time.process_time() - begun, len(played.moves), proceeded - 1)
