"""The engine without a server, table or protocol, compared with other engines if they are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from subprocess import DEVNULL

from scripts.benchmarks.engine_games import (
    WITH_EXTRA_ROUND,
    WITHOUT_EXTRA_ROUND,
    RecordedGames,
    cost_alone,
    cost_with_thinking,
    random_legal,
    replay,
    tsumogiri,
)
from scripts.lab.figures import Budget, Cost, Section, in_turns, interval, spread
from scripts.lab.processes import Child
from ump.cli.command_line import show_progress

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
    plays = dict(sorted(plays.items(), key=lambda item: item[0][1]))  # two engines with equal players are neighbours
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
    hanchan = [cost.milliseconds for cost in costs]
    section.lines.append(
        {
            "engine": engine,
            "players": players,
            "hanchan/CPU-s": 1e3 / median(hanchan),
            "ms/hanchan": median(hanchan),
            "least .. most": spread(hanchan, 1),
            "kyoku": median(cost.kyoku for cost in costs),
            "ms/kyoku": median(cost.per_kyoku for cost in costs),
            "questions": median(cost.questions for cost in costs),
            "us/question": median(cost.per_question for cost in costs),
        }
    )
    section.runs[f"{engine}, {players}"] = hanchan


def judge(section: Section, costs: dict[tuple[str, str], list[Cost]]) -> None:
    """Compare the results with the budgets; each run has a pair of games, one right after the other."""
    alone = median(cost.milliseconds for cost in costs["ump", "tsumogiri, no extra round"])
    section.budgets.append(Budget("game alone, 8 kyoku, tsumogiri", alone, GAME_MILLISECONDS, "ms"))
    for players, least in RIICHIENV_TIMES.items():
        if ("RiichiEnv", players) in costs:
            pairs = zip(costs["RiichiEnv", players], costs["ump", players], strict=True)
            times = [other.per_kyoku / own.per_kyoku for other, own in pairs]
            low, high = interval(times)
            what = f"RiichiEnv's time per kyoku over ours, {players} ({low:.3g} to {high:.3g} with 95 %)"
            section.budgets.append(Budget(what, median(times), least, "times", at_least=True))
            section.runs[f"RiichiEnv's time per kyoku over ours, {players}"] = times
