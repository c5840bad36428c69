"""Policies: the protocol, the two simplest ones, and those that a server has as built-in bots."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from ump.model.actions import Action, Chi, DeclareNoten, DeclareTenpai, Discard, Pass, Pon
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.claimable import claimable
from ump.players.defensive import Defensive
from ump.players.efficiency import Efficiency
from ump.players.evaluation import EvaluatingPolicy
from ump.players.expert import Expert, Personality
from ump.players.observation import Observation
from ump.rules.questions import Question


class Policy(Protocol):
    """Chooses the actions of a seat. It knows only the observation, and keeps no state of the game itself."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer to a question to the seat of ``seen``.

        ``tile`` is the drawn tile at a TURN (None after a chi or pon), the tile that can be called or won on at a CALL
        or CHANKAN, and None at a DECLARE. ``offers`` are all legal actions, or None on a server that does not list
        them. Then the policy chooses among those that the seat can know to be legal (``ump.players.claimable``).
        """
        ...


class QuestionPolicy(Policy, Protocol):
    """A policy that can also decide from the question alone. Games in process then prepare nothing else for it."""

    def answer(self, question: Question) -> Action:
        """Return what ``choose`` would return."""
        ...


def answer_method(policy: Policy) -> Callable[[Question], Action] | None:
    """Return the method ``answer`` of a QuestionPolicy, None for others.

    A class that overrides ``choose`` alone decides otherwise than the ``answer`` that it inherits.
    """
    for each in type(policy).__mro__:
        if "answer" in vars(each):
            answer: Callable[[Question], Action] | None = getattr(policy, "answer", None)
            return answer
        if "choose" in vars(each):
            return None
    return None


class Tsumogiri:
    """Discards the drawn tile, passes on everything and never wins: the baseline for other policies."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer that a server gives for an absent player (see ``Policy.choose``)."""
        if phase is Phase.TURN:
            if tile is not None:
                return Discard(tile, tsumogiri=True)
            return offers[-1] if offers else Discard(seen.hand.concealed[-1])
        if phase is not Phase.DECLARE:
            return Pass()
        return DeclareTenpai() if offers is None or DeclareTenpai() in offers else DeclareNoten()

    def answer(self, question: Question) -> Action:
        """Return the answer that a server gives for an absent player (see ``QuestionPolicy.answer``)."""
        return question.default()


class RandomLegal:
    """Chooses evenly among the legal actions: for tests, it reaches positions that sensible policies never reach."""

    def __init__(self, generator: random.Random) -> None:
        """Draw every choice from the generator: the same seed gives the same game."""
        self._generator = generator

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return one of the legal actions (see ``Policy.choose``)."""
        return self._generator.choice(claimable(seen, phase, tile) if offers is None else offers)

    def answer(self, question: Question) -> Action:
        """Return one of the legal actions (see ``QuestionPolicy.answer``)."""
        return self._generator.choice(question.legal())


class Fallible:
    """Plays like another policy, but misjudges discards and overlooks some calls, as people do.

    What it sees alone decides its mistakes: the same position leads to the same one.
    """

    def __init__(self, policy: EvaluatingPolicy, deviation: float, overlooks: float) -> None:
        """Let it add normal errors with this deviation to the values of discards, and overlook this share of calls."""
        self._policy = policy
        self._deviation = deviation
        self._overlooks = overlooks

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the policy's choice, or the discard that seems best, or a pass for a call that it overlooks."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        chosen = self._policy.choose(seen, phase, tile, legal)
        if not isinstance(chosen, (Discard, Chi, Pon)):
            return chosen
        generator = random.Random(f"{seen.bakaze} {seen.dealer} {seen.honba} {seen.left} {seen.me} {seen.hand.faces}")
        if isinstance(chosen, (Chi, Pon)):
            return Pass() if generator.random() < self._overlooks else chosen
        values = self._policy.evaluate(seen, phase, tile, legal)
        best, most = chosen, float("-inf")
        for candidate in () if values is None else values.candidates:
            action = candidate.action
            if isinstance(action, Discard):
                seems = candidate.value + generator.gauss(0.0, self._deviation)
                drawn = Discard(action.face, tsumogiri=True)
                if seems > most:
                    best, most = drawn if drawn in legal else action, seems
        return best


def _fallible(style: Personality, deviation: float, overlooks: float) -> Policy:
    """Return a level below ``expert``. It counts no shapes: what they tell apart is less than its errors."""
    return Fallible(Expert(replace(style, shapes=0.0)), deviation, overlooks)


LEVELS: Mapping[str, Callable[[], Policy]] = {
    "beginner": partial(_fallible, Personality(reads=False, caution=0.0), 200.0, 0.4),
    "easy": partial(_fallible, Personality(reads=False, caution=0.5), 170.0, 0.3),
    "medium": partial(_fallible, Personality(reads=False), 105.0, 0.2),
    "hard": partial(_fallible, Personality(), 85.0, 0.1),
    "expert": Expert,
}
"""The levels of built-in bots, the weakest first. docs/players.md has their distances."""

PERSONALITIES: Mapping[str, Personality] = {
    "expert": Personality(),
    "expert-aggressive": Personality(caution=0.6),
    "expert-defensive": Personality(caution=1.6),
    "expert-calling": Personality(call_bonus=500.0),
}
"""The personalities of experts, by the names of these bots. Their numbers are constants that a tuning may vary."""

POLICIES: Mapping[str, Callable[[], Policy]] = {
    "tsumogiri": Tsumogiri,
    "efficiency": Efficiency,
    "defensive": Defensive,
    **LEVELS,
    **{name: partial(Expert, style) for name, style in PERSONALITIES.items()},
}
"""The policies of built-in bots, by name."""
