"""The arena in process: its rate as a part of the engine's own."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import median

from scripts.benchmarks.engine_games import WITH_EXTRA_ROUND, Recording, cost_alone, replay, tsumogiri
from scripts.lab.figures import Budget, Section, in_turns, ratio, spread
from ump.arena.block_play import Match, play_planned, policy_factory, rare_collections
from ump.arena.blocks import ArenaPlayer, Block, PlannedBlock
from ump.arena.play import play_game
from ump.arena.watched import Clock
from ump.model.actions import Action
from ump.rules.questions import Question

SEED = "bench"
TSUMOGIRI, RANDOM, EFFICIENCY = "tsumogiri", "random", "efficiency"
PLAYERS = (TSUMOGIRI, RANDOM, EFFICIENCY)
ALONE = (0, 0, 0, 0)  # the seating of a block in which a player meets itself
PART = 0.9  # budget: the rate of an arena divided by the engine's own


def block_cost(kind: str, run: int, *, with_records: bool) -> float:
    """Play a block in which a player meets itself; return the CPU seconds per game."""
    begun = time.process_time()
    play_block(kind, run, time.perf_counter, with_records=with_records)
    return (time.process_time() - begun) / len(ALONE)


def play_block(kind: str, run: int, clock: Clock, *, with_records: bool) -> Block:
    """Play a block in which a player meets itself; the clock measures its answers."""
    match = Match((ArenaPlayer(kind, kind),), WITH_EXTRA_ROUND, SEED)
    ((block, _),) = play_planned(match, clock, [PlannedBlock(run, ALONE)], with_records=with_records)
    return block


def thinking(kind: str, run: int) -> float:
    """Return the CPU seconds per game in which the players of this block answer."""
    block = play_block(kind, run, time.thread_time, with_records=False)
    answers = (counts["answer_microseconds"] for game in block.games for counts in game.counts)
    return sum(answers) / 1e6 / len(block.games)


def seeds(run: int, game: int) -> list[str]:
    """Return the seed of each seat's chances in a game of this block, so that all forms play the same games."""
    return [f"policy/{SEED}/{run}/{game}/{seat}" for seat in range(len(ALONE))]


def engine_cost(kind: str, run: int) -> float:
    """Return the engine's CPU seconds for a game of this block, with the thinking of ``efficiency``."""
    if kind == EFFICIENCY:
        return replay(Recording(f"{SEED}/{run}", with_second=False).record()).seconds + thinking(kind, run)
    seconds = 0.0
    for game in range(len(ALONE)):
        chances = [Random(seed) for seed in seeds(run, game)]
        choose = tsumogiri if kind == TSUMOGIRI else partial(random_legal, chances)
        seconds += cost_alone(WITH_EXTRA_ROUND, f"{SEED}/{run}", choose).seconds
    return seconds / len(ALONE)


def random_legal(chances: list[Random], question: Question) -> Action:
    return chances[question.seat].choice(question.legal())


def game_cost(kind: str, run: int) -> float:
    """Return the CPU seconds of ``play_game`` for a game of this block."""
    begun = time.process_time()
    for game in range(len(ALONE)):
        policies = [policy_factory(kind)(seed) for seed in seeds(run, game)]
        play_game(policies, WITH_EXTRA_ROUND, seed=f"{SEED}/{run}")
    return (time.process_time() - begun) / len(ALONE)


def measure_arena(runs: int) -> Section:
    """Measure all forms in turns, after one turn that only warms up; the ratios are taken within each run."""
    section = Section(f"Arena in process: CPU time per hanchan, preset tenhou, {runs} runs")
    with rare_collections():  # as in ``ump compare`` and ``ump arena run``
        measure_players(section, runs)
    return section


def measure_players(section: Section, runs: int) -> None:
    for kind in PLAYERS:
        works: dict[str, Callable[[int], float]] = {
            "engine": partial(engine_cost, kind),
            "game": partial(game_cost, kind),
            "block": partial(block_cost, kind, with_records=False),
            "block with records": partial(block_cost, kind, with_records=True),
        }
        found = in_turns(works, runs, f"arena, {kind}, run")
        note(section, kind, {form: [seconds * 1e3 for seconds in costs] for form, costs in found.items()})


def note(section: Section, kind: str, found: dict[str, list[float]]) -> None:
    for form, costs in found.items():
        part = ratio(found["engine"], costs)
        section.lines.append(
            {
                "players": kind,
                "form": form,
                "ms/hanchan": median(costs),
                "least .. most": spread(costs, 1),
                "engine's rate": part,
            }
        )
        section.runs[f"{kind}, {form}"] = costs
        if form in ("game", "block"):
            section.budgets.append(Budget(f"{form}, {kind}", part, PART, "of the engine's rate", at_least=True))
