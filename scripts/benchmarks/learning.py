"""The cost of a step of the environments for learning: PettingZoo's, one table at a time, and batches of tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import numpy as np

from scripts.lab.figures import Section, in_turns, ratio, spread
from ump.env.aec import MahjongEnv
from ump.env.batch import Batch

TABLES = (1, 16, 64)
STEPS = 3_000  # steps of each run, those of all tables together

EPISODE = "kyoku"
SINGLE = "MahjongEnv"


def single(seed: int) -> float:
    """Return the CPU microseconds of a step of the environment of PettingZoo; the highest legal action is taken."""
    environment = MahjongEnv(episode=EPISODE)
    environment.reset(seed=seed)
    before = time.process_time()
    for _ in range(STEPS):
        observed, _, terminated, _, _ = environment.last()
        if terminated:
            environment.reset()
            observed = environment.last()[0]
        environment.step(int(np.flatnonzero(observed["action_mask"])[-1]))
    return (time.process_time() - before) / STEPS * 1e6


def batched(tables: int, seed: int) -> float:
    """Return the CPU microseconds of a step of one table in a batch; the highest legal action is taken."""
    batch = Batch(tables, episode=EPISODE)
    batch.reset(seed)
    last = batch.masks.shape[1] - 1
    rounds = STEPS // tables
    before = time.process_time()
    for _ in range(rounds):
        batch.step(last - batch.masks[:, ::-1].argmax(1))
    return (time.process_time() - before) / (rounds * tables) * 1e6


def measure_learning(runs: int) -> Section:
    """Measure all forms in turns; the ratio is the median over the ratios of the runs."""
    section = Section(f"Environments for learning, {runs} runs of {STEPS} steps, one kyoku per episode")
    forms: dict[str, Callable[[int], float]] = {SINGLE: single}
    for tables in TABLES:
        forms[f"Batch of {tables}"] = lambda seed, tables=tables: batched(tables, seed)  # type: ignore[misc]
    figures = in_turns(forms, runs, "environments for learning, run", warms_up=False)
    for form, found in figures.items():
        section.lines.append(
            {
                "form": form,
                "us/step": median(found),
                "least .. most": spread(found, 0),
                "steps/CPU-s": 1e6 / median(found),
                "times as fast": ratio(figures[SINGLE], found),
            }
        )
    section.runs = figures
    return section
