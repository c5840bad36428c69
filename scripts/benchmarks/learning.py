"""The cost of a decision in environments for learning, with observation and mask, beside others that are installed."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from random import Random
from statistics import median
from typing import Any

import numpy as np

from scripts.lab.figures import Budget, Section, in_turns, ratio, spread
from ump.env.batch import Batch
from ump.env.environments import MahjongEnv
from ump.env.episode import Episode, task

DECISIONS = 3_000  # of each run, those of all tables together
TABLES, MANY_TABLES = 64, 256

OURS, BATCH, THEIRS = "MahjongEnv", f"Batch of {TABLES}", "RiichiEnv"
BATCH_TIMES = 1.0  # budget: a single environment's time for a decision divided by that of a batch
HALVES, STEP, SEND, SEND_3 = "two halves", "step in two", "receive and send in two", "receive and send in three"
SHARES = {STEP: 80, SEND_3: 97}  # budgets: per cent of the speed of two halves that know nothing of each other
STEPS, TURNS = 50, 3  # of a batch in one turn, turns of each run
RIICHIENV_TIMES = 1.0  # budget: RiichiEnv's time for a decision divided by ours


def random_legal(seed: int) -> Callable[[Any], int]:
    """Return a choice among all legal actions of a mask, the same for all, and quick beside the environments."""
    chance = Random(seed).random

    def choose(mask: Any) -> int:
        legal = np.frombuffer(mask, np.bool_).nonzero()[0]
        return legal.item(int(chance() * legal.size))

    return choose


def pettingzoo(seed: int) -> float:
    """Return the CPU microseconds of a decision in the environment of PettingZoo."""
    choose, environment = random_legal(seed), MahjongEnv("tenhou")
    environment.reset(seed=seed)
    before = time.process_time()
    for _ in range(DECISIONS):
        observed, _, terminated, _, _ = environment.last()
        if terminated:
            environment.reset()
            observed = environment.last()[0]
        environment.step(choose(observed["action_mask"]))
    return (time.process_time() - before) / DECISIONS * 1e6


def episode(seed: int) -> float:
    """Return the CPU microseconds of a decision in an episode, which is what all our environments are made of."""
    choose, table = random_legal(seed), Episode(task("tenhou"))
    table.begin(seed)
    before = time.process_time()
    for _ in range(DECISIONS):
        if table.over:
            table.begin()
        table.rows(table.seat)
        table.step(choose(table.mask(table.seat)))
    return (time.process_time() - before) / DECISIONS * 1e6


def batched(seed: int) -> float:
    """Return the CPU microseconds of a decision at one table of a batch, chosen for all tables at once."""
    chance, batch = np.random.default_rng(seed), Batch(TABLES, "tenhou")
    batch.reset(seed)
    rounds = 2 * DECISIONS // TABLES  # about one kyoku of each table, so that deals count, too
    before = time.process_time()
    for _ in range(rounds):
        tables, legal = batch.masks.view(np.bool_).nonzero()
        counts = np.bincount(tables, minlength=TABLES)
        batch.step(legal[counts.cumsum() - 1 - (chance.random(TABLES) * counts).astype(int)])
    return (time.process_time() - before) / (rounds * TABLES) * 1e6


class Player:
    """A batch whose seats act at random, in one process or several."""

    def __init__(self, tables: int, processes: int = 1) -> None:
        self._chance, self._all = np.random.default_rng(tables), slice(0, tables)
        self.batch = Batch(tables, "tenhou", processes=processes)
        self.batch.reset(tables)
        self.play(STEPS)  # past the deals, which all tables have at once

    def _choose(self, tables: slice) -> Any:
        """Return a random legal action for each of these tables."""
        each, legal = self.batch.masks[tables].view(np.bool_).nonzero()
        counts = np.bincount(each)
        return legal[counts.cumsum() - 1 - (self._chance.random(len(counts)) * counts).astype(int)]

    def play(self, steps: int) -> None:
        """Take so many steps at all tables at once."""
        for _ in range(steps):
            self.batch.step(self._choose(self._all))

    def seconds(self) -> float:
        """Return the wall time of a few steps."""
        before = time.perf_counter()
        self.play(STEPS)
        return time.perf_counter() - before


class QuickPlayer(Player):
    """A player that chooses for the tables that are ready, while the others play."""

    def __init__(self, tables: int, processes: int) -> None:
        self._processes = processes
        self._received: list[slice] = []
        super().__init__(tables, processes)

    def play(self, steps: int) -> None:
        """Take as many steps in all, and wait for the last ones."""
        for _ in range(steps * self._processes):
            tables = self._received.pop() if self._received else self.batch.receive()
            self.batch.send(tables, self._choose(tables))
        self._received = [self.batch.receive() for _ in range(self._processes)]


def _half(connection: Connection) -> None:
    """Play half of the tables in a process of their own, whenever the program says so."""
    player = Player(MANY_TABLES // 2)
    connection.send(True)
    while connection.recv():
        player.play(STEPS)
        connection.send(True)


def two_processes(runs: int) -> dict[str, list[float]]:
    """Return how often each form is as fast as a batch in one process, by wall time.

    Two halves at once know nothing of each other: they are the most that two processes give. All take turns, a few
    steps each.
    """
    ours, theirs = Pipe()
    other = Process(target=_half, args=(theirs,), daemon=True)
    other.start()
    theirs.close()
    half, whole = Player(MANY_TABLES // 2), Player(MANY_TABLES)
    players = {STEP: Player(MANY_TABLES, 2), SEND: QuickPlayer(MANY_TABLES, 2), SEND_3: QuickPlayer(MANY_TABLES, 3)}
    ours.recv()
    times: dict[str, list[float]] = {HALVES: [], **{form: [] for form in players}}
    for _ in range(TURNS * runs):
        alone = whole.seconds()
        ours.send(True)
        before = time.perf_counter()
        half.play(STEPS)
        ours.recv()
        times[HALVES].append(alone / (time.perf_counter() - before))
        for form, player in players.items():
            times[form].append(alone / player.seconds())
    ours.send(False)
    other.join()
    for player in players.values():
        player.batch.close()
    return times


def riichienv(seed: int) -> float:
    """Return the CPU microseconds of a decision in RiichiEnv, with its smaller observation."""
    from riichienv import GameRule, RiichiEnv

    choose = random_legal(seed)
    game = RiichiEnv(game_mode="4p-red-half", rule=GameRule.default_tenhou(), skip_mjai_logging=True)
    asked = game.reset()
    decisions = 0
    before = time.process_time()
    while decisions < DECISIONS:
        if game.done():
            asked = game.reset()
        actions = {}
        for seat, seen in asked.items():
            seen.encode()
            actions[seat] = seen.find_action(choose(seen.mask()))
        decisions += len(actions)
        asked = game.step(actions)
    return (time.process_time() - before) / decisions * 1e6


def jansou(seed: int) -> float:
    """Return the CPU microseconds of a decision in jansou, which has no arrays: only actions and events."""
    from jansou.core.rules import preset
    from jansou.game.environment import Environment

    chance, decisions = Random(seed), 0
    before = time.process_time()
    while decisions < DECISIONS // 10:  # it is slow
        game = Environment(preset("tenhou"), seed=seed + decisions).play()
        request = next(game)
        try:
            while decisions < DECISIONS // 10:
                decisions += 1
                request = game.send(chance.choice(request.actions))
        except StopIteration:
            continue
    return (time.process_time() - before) / decisions * 1e6


OTHERS = {THEIRS: ("riichienv", riichienv), "jansou, no arrays": ("jansou", jansou)}
"""Other environments, with their modules."""


def measure_learning(runs: int) -> Section:
    """Measure all forms in turns; ratios are medians over the ratios of the runs."""
    section = Section(f"Environments for learning, {runs} runs of {DECISIONS} random legal decisions, whole games")
    forms = {OURS: pettingzoo, BATCH: batched, "Episode": episode}
    forms |= {name: step for name, (module, step) in OTHERS.items() if importlib.util.find_spec(module) is not None}
    figures = in_turns(forms, runs, "environments for learning, run")
    for form, found in figures.items():
        section.lines.append(
            {
                "form": form,
                "us/decision": median(found),
                "least .. most": spread(found, 1),
                "decisions/CPU-s": 1e6 / median(found),
            }
        )
    times = ratio(figures[OURS], figures[BATCH])
    section.budgets.append(
        Budget(f"{OURS}'s time for a decision over a batch's", times, BATCH_TIMES, "times", at_least=True)
    )
    speeds = two_processes(runs)
    gains = ", ".join(f"{form} {median(found):.2f}" for form, found in speeds.items())
    section.notes.append(f"{MANY_TABLES} tables, times as fast as in one process: {gains}")
    for form, least in SHARES.items():
        share = 100 * ratio(speeds[form], speeds[HALVES])
        section.budgets.append(Budget(f"speed of {form}, over two halves", share, least, "%", at_least=True))
    if THEIRS in figures:
        times = ratio(figures[THEIRS], figures[OURS])
        what = f"{THEIRS}'s time for a decision over ours ({OURS})"
        section.budgets.append(Budget(what, times, RIICHIENV_TIMES, "times", at_least=True))
    section.runs = figures
    return section
