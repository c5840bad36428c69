"""The engine without a server, table or protocol, compared with other engines if they are installed."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from statistics import median
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from scripts.lab.figures import (
    SEATS,
    Budget,
    Cost,
    Section,
    in_turns,
    middle,
    milliseconds,
    per_kyoku,
    per_question,
    spread,
)
from scripts.lab.processes import Child
from ump.arena.play import play_game
from ump.cli.command_line import show_progress
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


# All engines

MAJIANG = Path(__file__).resolve().parent / "majiang_core.js"

GAME_MILLISECONDS = 12.0  # budget: 8 kyoku with tsumogiri players, 690 questions

TSUMOGIRI, RANDOM, EFFICIENCY = "tsumogiri", "random legal", "efficiency, replayed"

RIICHIENV_TIMES = {TSUMOGIRI: 5.0, RANDOM: 2.0, EFFICIENCY: 3.0}
"""Budgets in plain Python: RiichiEnv's time per kyoku divided by ours."""

HOW_TO_INSTALL = {
    "RiichiEnv": "python -m pip install -e '.[oracle]'",
    "majiang-core": "npm install --prefix DIR @kobalab/majiang-core, then set NODE_PATH=DIR/node_modules",
}

Play = Callable[[int], Cost]  # plays the game of the run with this number


class MajiangCore:
    """A Node.js process that plays on majiang-core; raises FileNotFoundError if either is missing."""

    def __init__(self) -> None:
        self._process = Child(["node", str(MAJIANG)], errors=DEVNULL)
        try:
            for kind in ("tsumogiri", "random") * 2:  # warm up the compiler of Node.js
                self.play(kind)
        except FileNotFoundError:
            self.stop()
            raise

    def play(self, kind: str) -> Cost:
        try:
            cost = self._process.request(kind)
        except SystemExit:
            raise FileNotFoundError("majiang-core") from None
        return Cost(cost["seconds"], cost["questions"], cost["kyoku"])

    def stop(self) -> None:
        self._process.stop()


class RecordedGames:
    """Games of efficiency players, one for each run; each is played once and kept."""

    def __init__(self, *, with_second: bool) -> None:
        self._with_second = with_second
        self._games: dict[int, PlayedGame] = {}

    def __call__(self, run: int) -> PlayedGame:
        if run not in self._games:
            self._games[run] = Recording(f"bench/{run}", with_second=self._with_second).record()
        return self._games[run]


def ours(recorded: RecordedGames) -> dict[tuple[str, str], Play]:
    return {
        ("ump", "tsumogiri, no extra round"): lambda run: cost_alone(WITHOUT_EXTRA_ROUND, f"bench/{run}", tsumogiri),
        ("ump", TSUMOGIRI): lambda run: cost_alone(WITH_EXTRA_ROUND, f"bench/{run}", tsumogiri),
        ("ump", RANDOM): lambda run: cost_alone(WITH_EXTRA_ROUND, f"bench/{run}", random_legal(run)),
        ("ump", EFFICIENCY): lambda run: replay(recorded(run)),
        ("ump", "efficiency, thinking included"): lambda run: cost_with_thinking(
            f"bench/{run}", len(recorded(run).moves)
        ),
    }


def theirs(recorded: RecordedGames) -> dict[tuple[str, str], Play]:
    from scripts.benchmarks import riichienv_games

    return {
        ("RiichiEnv", TSUMOGIRI): riichienv_games.cost_of_tsumogiri,
        ("RiichiEnv", RANDOM): riichienv_games.cost_of_random_legal,
        ("RiichiEnv", EFFICIENCY): lambda run: riichienv_games.replay(recorded(run)),
    }


def measure_engines(runs: int) -> Section:
    """Measure all engines with all kinds of players, in turns; the first turn only warms up."""
    has_riichienv = importlib.util.find_spec("riichienv") is not None
    recorded = RecordedGames(with_second=has_riichienv)
    plays = ours(recorded) | (theirs(recorded) if has_riichienv else {})
    missing = [] if has_riichienv else ["RiichiEnv"]
    section = Section(f"Engines: full hanchan, preset tenhou, {runs} runs")
    with ExitStack() as stack:
        show_progress("starting Node.js")
        try:
            majiang = MajiangCore()
        except FileNotFoundError:
            missing.append("majiang-core")
        else:
            stack.callback(majiang.stop)
            plays["majiang-core", TSUMOGIRI] = lambda run: majiang.play("tsumogiri")
            plays["majiang-core", RANDOM] = lambda run: majiang.play("random")
        costs = in_turns(plays, runs, "engines, run")
    for key, each in costs.items():
        note(section, *key, each)
    section.lines += [{"engine": name, "players": "not installed"} for name in missing]
    section.notes += [f"to install {name}: {HOW_TO_INSTALL[name]}" for name in missing]
    judge(section, costs)
    return section


def note(section: Section, engine: str, players: str, costs: list[Cost]) -> None:
    section.lines.append(
        {
            "engine": engine,
            "players": players,
            "hanchan/CPU-s": 1e3 / middle(costs, milliseconds),
            "ms/hanchan": middle(costs, milliseconds),
            "least .. most": spread([*map(milliseconds, costs)], 1),
            "kyoku": middle(costs, lambda cost: cost.kyoku),
            "ms/kyoku": middle(costs, per_kyoku),
            "questions": middle(costs, lambda cost: cost.questions),
            "us/question": middle(costs, per_question),
        }
    )
    section.runs[f"{engine}, {players}"] = [*map(milliseconds, costs)]


def judge(section: Section, costs: dict[tuple[str, str], list[Cost]]) -> None:
    """Compare the results with the budgets; the ratios are per run."""
    alone = middle(costs["ump", "tsumogiri, no extra round"], milliseconds)
    section.budgets.append(Budget("game alone, 8 kyoku, tsumogiri", alone, GAME_MILLISECONDS, "ms"))
    for players, least in RIICHIENV_TIMES.items():
        if ("RiichiEnv", players) in costs:
            pairs = zip(costs["RiichiEnv", players], costs["ump", players], strict=True)
            times = median(per_kyoku(other) / per_kyoku(own) for other, own in pairs)
            what = f"RiichiEnv's time per kyoku over ours, {players}"
            section.budgets.append(Budget(what, times, least, "times", at_least=True))
