"""Games on our engine alone, without table, protocol or network."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from signal import ITIMER_PROF, SIGPROF, setitimer, signal
from types import FrameType

from scripts.benchmarks.figures import SEATS, Cost
from ump.arena.play import play_game
from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action
from ump.model.events import KyokuStarted
from ump.players.efficiency import Efficiency
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import ExtraRound, Ruleset

WITH_EXTRA_ROUND = PRESETS["tenhou"]
WITHOUT_EXTRA_ROUND = replace(WITH_EXTRA_ROUND, extra_round=ExtraRound.NONE)

NAMES = ("A", "B", "C", "D")

SAMPLE_SECONDS = 0.001
"""CPU time between two samples."""

PARTS = {
    "ump/rules/analysis.py": "analysis",
    "ump/rules/shanten.py": "analysis",
    "ump/rules/score.py": "scores",
    "ump/rules/payments.py": "scores",
    "ump/rules/wall.py": "walls",
    "ump/rules/turn_question.py": "legality",
    "ump/rules/call_question.py": "legality",
    "ump/rules/questions.py": "legality",
    "ump/rules/calls.py": "legality",
}
"""The part that a module's time counts as, including everything that it calls in modules that are not listed."""

EVENTS, REST = "events", "the game itself"
SHARES = ("legality", "analysis", EVENTS, "scores", "walls", REST)

Choose = Callable[[Question], Action]


def tsumogiri(question: Question) -> Action:
    """Discard what is drawn, call nothing."""
    return question.default()


def random_legal(seed: int) -> Choose:
    """Return a choice among all legal actions, which the engine must list."""
    chance = Random(seed)
    return lambda question: chance.choice(question.legal())


def cost_alone(ruleset: Ruleset, seed: str, choose: Choose) -> Cost:
    """Play one game and return its cost."""
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


def part_of(frame: FrameType | None) -> str:
    """Return the part that a sample belongs to: search from the innermost frame outwards."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__init__" and code.co_filename == "<string>":  # the generated constructor of a value class
            if type(frame.f_locals.get("self")).__module__ == "ump.model.events":
                return EVENTS
        else:
            part = PARTS.get("/".join(code.co_filename.split("/")[-3:]))
            if part is not None:
                return part
        frame = frame.f_back
    return REST


def shares(work: Callable[[int], object], numbers: Iterable[int]) -> dict[str, float]:
    """Run ``work`` with these numbers, take samples, and return the share of CPU time (0..1) of each of SHARES."""
    seen: Counter[str] = Counter()
    before = signal(SIGPROF, lambda number, frame: seen.update((part_of(frame),)))
    setitimer(ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)
    try:
        for number in numbers:
            work(number)
    finally:
        setitimer(ITIMER_PROF, 0)
        signal(SIGPROF, before)
    return {part: seen[part] / max(seen.total(), 1) for part in SHARES}
