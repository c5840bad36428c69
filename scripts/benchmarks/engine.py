"""The engine without a server, compared with other engines if they are installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median

from scripts.benchmarks import games
from scripts.benchmarks.figures import (
    PATIENCE,
    Budget,
    Cost,
    Section,
    middle,
    milliseconds,
    per_kyoku,
    per_question,
    spread,
)
from scripts.benchmarks.games import WITH_EXTRA_ROUND, WITHOUT_EXTRA_ROUND, cost_alone
from scripts.benchmarks.replays import PlayedGame, Recording, replay
from ump.text.progress import show_progress

MAJIANG = Path(__file__).resolve().parent / "majiang_core.js"

GAME_MILLISECONDS = 12.0
"""Budget: 8 kyoku with tsumogiri players, 690 questions."""

RIICHIENV_TIMES = 3.0
"""Budget: RiichiEnv's time per kyoku divided by ours."""

TSUMOGIRI, RANDOM, EFFICIENCY = "tsumogiri", "random legal", "efficiency, replayed"

HOW_TO_INSTALL = {
    "RiichiEnv": "python -m pip install -e '.[oracle]'",
    "majiang-core": "npm install --prefix DIR @kobalab/majiang-core, then set NODE_PATH=DIR/node_modules",
}

SAMPLED_GAMES = 15
"""Games that are sampled to find out where the time goes."""

SAMPLED_TIMES = 5
"""How often each of them is played: the system takes a sample only every few milliseconds."""

Play = Callable[[int], Cost]
"""Plays the game of the run with this number."""


class MajiangCore:
    """A Node.js process that plays on majiang-core; raises FileNotFoundError if either is missing."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", str(MAJIANG)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        try:
            for kind in ("tsumogiri", "random") * 2:  # warm up the compiler of Node.js
                self.play(kind)
        except FileNotFoundError:
            self.stop()
            raise

    def play(self, kind: str) -> Cost:
        """Play one hanchan with ``tsumogiri`` or ``random`` players."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(kind, file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise FileNotFoundError("majiang-core")
        cost = json.loads(line)
        return Cost(cost["seconds"], cost["questions"], cost["kyoku"])

    def stop(self) -> None:
        """End the process by closing its standard input."""
        with suppress(BrokenPipeError):
            self._process.communicate(timeout=PATIENCE)


class RecordedGames:
    """Games of efficiency players, one for each run; each is played once and kept."""

    def __init__(self, *, with_second: bool) -> None:
        self._with_second = with_second
        self._games: dict[int, PlayedGame] = {}

    def __call__(self, run: int) -> PlayedGame:
        """Return the game of a run."""
        if run not in self._games:
            self._games[run] = Recording(f"bench/{run}", with_second=self._with_second).record()
        return self._games[run]


def ours(recorded: RecordedGames) -> dict[tuple[str, str], Play]:
    """Return the plays of our engine, by engine and players."""
    return {
        ("ump", "tsumogiri, no extra round"): lambda run: cost_alone(
            WITHOUT_EXTRA_ROUND, f"bench/{run}", games.tsumogiri
        ),
        ("ump", TSUMOGIRI): lambda run: cost_alone(WITH_EXTRA_ROUND, f"bench/{run}", games.tsumogiri),
        ("ump", RANDOM): lambda run: cost_alone(WITH_EXTRA_ROUND, f"bench/{run}", games.random_legal(run)),
        ("ump", EFFICIENCY): lambda run: replay(recorded(run)),
        ("ump", "efficiency, thinking included"): lambda run: games.cost_with_thinking(
            f"bench/{run}", len(recorded(run).moves)
        ),
    }


def theirs(recorded: RecordedGames) -> dict[tuple[str, str], Play]:
    """Return the plays of RiichiEnv, by engine and players."""
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
        costs: dict[tuple[str, str], list[Cost]] = {key: [] for key in plays}
        for run in range(runs + 1):
            show_progress(f"engines, run {run} of {runs}")
            for key, play in plays.items():
                costs[key].append(play(run))
    for key, each in costs.items():
        del each[0]
        note(section, *key, each)
    section.lines += [{"engine": name, "players": "not installed"} for name in missing]
    section.notes += [f"to install {name}: {HOW_TO_INSTALL[name]}" for name in missing]
    judge(section, costs)
    return section


def note(section: Section, engine: str, players: str, costs: list[Cost]) -> None:
    """Add the line of an engine and its players."""
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
    for players in (TSUMOGIRI, RANDOM, EFFICIENCY):
        if ("RiichiEnv", players) in costs:
            pairs = zip(costs["RiichiEnv", players], costs["ump", players], strict=True)
            times = median(per_kyoku(other) / per_kyoku(own) for other, own in pairs)
            what = f"RiichiEnv's time per kyoku over ours, {players}"
            section.budgets.append(Budget(what, times, RIICHIENV_TIMES, "times", at_least=True))


def measure_shares() -> Section:
    """Sample which parts of our engine take the time."""
    section = Section(
        "Where the engine's time goes (sampled; what a part calls counts as that part, unless it is listed itself)"
    )
    recorded = [Recording(f"bench/{number}", with_second=False).record() for number in range(SAMPLED_GAMES)]
    works: dict[str, Callable[[int], Cost]] = {
        TSUMOGIRI: lambda number: cost_alone(WITH_EXTRA_ROUND, f"bench/{number}", games.tsumogiri),
        RANDOM: lambda number: cost_alone(WITH_EXTRA_ROUND, f"bench/{number}", games.random_legal(number)),
        EFFICIENCY: lambda number: replay(recorded[number]),
    }
    for players, work in works.items():
        show_progress(f"where the time goes, {players}")
        found = games.shares(work, [*range(SAMPLED_GAMES)] * SAMPLED_TIMES)
        section.lines.append({"players": players} | {part: f"{share:.0%}" for part, share in found.items()})
    return section
