"""Games of our engine without a server, table or protocol, and the recorded games that other engines replay."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any

from scripts.lab.figures import SEATS, Cost
from ump.arena.play import play_game
from ump.game.deals import seeded_deals
from ump.game.game import Game, GameState
from ump.model.actions import Action
from ump.model.events import Event, KyokuStarted
from ump.model.seats import Seat
from ump.model.tiles import Tile
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import ExtraRound, Ruleset
from ump.table.view import view

if TYPE_CHECKING:
    from support.second_engine import SecondKyoku, Steps

WITH_EXTRA_ROUND = PRESETS["tenhou"]
WITHOUT_EXTRA_ROUND = replace(WITH_EXTRA_ROUND, extra_round=ExtraRound.NONE)

NAMES = ("A", "B", "C", "D")

Choose = Callable[[Question], Action]


def tsumogiri(question: Question) -> Action:
    """Discard what is drawn, call nothing."""
    return question.default()


def random_legal(seed: int) -> Choose:
    """Return a choice among all legal actions, which the engine must list."""
    one_of = at_random(seed)
    return lambda question: one_of(question.legal())


def at_random(seed: int) -> Callable[[Sequence[Any]], Any]:
    """Return a choice by chance that is quick: with ``Random.choice`` it would be a tenth of the time of a game."""
    number = Random(seed).random
    return lambda actions: actions[int(number() * len(actions))]


def cost_alone(ruleset: Ruleset, seed: str, choose: Choose) -> Cost:
    begun = time.process_time()
    game = Game(ruleset, NAMES, seeded_deals(seed))
    game.begin()
    questions = proceeded = 0
    while not game.over:
        if game.between_kyoku:
            proceeded += 1
            game.proceed()
        else:
            seat, question = next(iter(game.questions.items()))
            questions += 1
            game.answer(seat, choose(question))
    return Cost(time.process_time() - begun, questions, proceeded - 1)


def cost_with_thinking(seed: str, questions: int) -> Cost:
    """Return the cost of one game between efficiency players, including their thinking; it has so many questions."""
    begun = time.process_time()
    played = play_game([Efficiency() for _ in range(SEATS)], WITH_EXTRA_ROUND, seed=seed)
    kyoku = sum(isinstance(event, KyokuStarted) for event in played.events)
    return Cost(time.process_time() - begun, questions, kyoku)


# Recorded games: each engine replays the same moves, without the thinking of the players


@dataclass
class PlayedKyoku:
    """One kyoku in the terms of the second engine."""

    tiles: Sequence[Tile]
    standing: GameState
    steps: list[dict[Seat, Steps]] = field(default_factory=list)
    """The answers of all asked seats, one entry for each decision."""


@dataclass
class PlayedGame:
    """One game, with its moves in order."""

    seed: str
    moves: list[tuple[Seat, Action]] = field(default_factory=list)
    kyoku: list[PlayedKyoku] = field(default_factory=list)  # empty without the second engine


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
        for event in events:
            if isinstance(event, KyokuStarted) and self._with_second:
                self._deal(event)
            for observation in self._seen:
                observation.see(view(event, observation.seat))

    def _deal(self, started: KyokuStarted) -> None:
        from support.second_engine import SecondKyoku

        standing = GameState(started.points, started.bakaze, started.dealer, started.honba, started.kyotaku)
        assert self._game.round is not None
        tiles = self._deals(self._game.round).tiles
        self.played.kyoku.append(PlayedKyoku(tiles, standing))
        self._second = SecondKyoku("tenhou", tiles, standing)


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


class RecordedGames:
    """Games of efficiency players, one for each run; each is played once and kept."""

    def __init__(self, *, with_second: bool) -> None:
        self._with_second = with_second
        self._games: dict[int, PlayedGame] = {}

    def __call__(self, run: int) -> PlayedGame:
        if run not in self._games:
            self._games[run] = Recording(f"bench/{run}", with_second=self._with_second).record()
        return self._games[run]
