"""Players of a comparison by name, and what happens to a policy that fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from math import ceil, log10
from random import Random

from ump.arena.series import PLAYERS, create_policy
from ump.model.actions import Action
from ump.model.choices import unknown
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri

Clock = Callable[[], float]
"""A function that returns seconds."""

_CLASS = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


class ContestantError(ValueError):
    """A player that does not exist, or that cannot be created."""


def policy_factory(name: str) -> Callable[[Random], Policy]:
    """Return a function that creates a policy of this name for one seat of one game.

    The name is one of ``PLAYERS``, or ``MODULE:CLASS`` with a class whose instances have the method ``choose`` of
    ``Policy``; it is created without arguments. Raises ContestantError if there is no such player.
    """
    if name in PLAYERS:
        return lambda generator: create_policy(name, generator)
    parts = _CLASS.fullmatch(name)
    if parts is None:
        raise ContestantError(f"{unknown('player', name, PLAYERS)}, or MODULE:CLASS")
    try:
        found = getattr(import_module(parts[1]), parts[2])
    except Exception as error:  # a module of somebody else may raise anything
        raise ContestantError(f"{name}: {type(error).__name__}: {error}") from error
    if not callable(getattr(found, "choose", None)):
        raise ContestantError(f"{name}: the class has no method choose")

    def _create(_generator: Random) -> Policy:
        policy: Policy = found()
        return policy

    return _create


SHORTEST = 1e-5
"""Seconds: no class of answer times is below this one."""

CLASSES_PER_TENFOLD = 10
"""Each class of answer times ends 26 % above the one before."""

SLOWEST_CLASS = 80
"""The last class: 1,000 seconds and more."""


def class_of(seconds: float) -> int:
    """Return the number of the class of an answer time."""
    classes = CLASSES_PER_TENFOLD * log10(max(seconds, SHORTEST) / SHORTEST)
    return min(SLOWEST_CLASS, ceil(classes - 1e-9))


def end_of_class(number: int) -> float:
    """Return the upper bound of a class of answer times, in seconds."""
    return float(SHORTEST * 10 ** (number / CLASSES_PER_TENFOLD))


class AnswerCounts:
    """How a player answered in one seat of one game."""

    def __init__(self) -> None:
        self.answers = 0
        self.seconds = 0.0
        """The sum of the times of all answers."""
        self.longest = 0.0
        """The longest time of an answer, in seconds."""
        self.classes: Counter[int] = Counter()
        """How many answers there were in each class of times."""
        self.refusals = 0
        self.timeouts = 0
        """Questions whose time ran out; a policy in process has no limit."""
        self.crashes = 0
        self.first_error = ""
        """The first crash in words."""

    def add_answer(self, seconds: float) -> None:
        """Count an answer that took so many seconds."""
        self.answers += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)
        self.classes[class_of(seconds)] += 1

    def crash(self, error: str) -> None:
        """Count a crash."""
        self.crashes += 1
        self.first_error = self.first_error or error[:200]


class WatchedPolicy:
    """Plays like another policy, counts its faults, and answers in its place where it fails.

    A policy that raises an exception, or answers what is not legal, gives the answer of a server for an absent player.
    """

    def __init__(self, create: Callable[[], Policy], clock: Clock) -> None:
        self.counts = AnswerCounts()
        self._clock = clock
        self._instead = Tsumogiri()
        self._policy: Policy = self._instead
        try:
            self._policy = create()
        except Exception as error:
            self._crash(error)

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return a legal answer (see ``Policy.choose``)."""
        begun = self._clock()
        answer: Action | None = None
        try:
            answer = self._policy.choose(seen, phase, tile, offers)
        except Exception as error:
            self._crash(error)
        else:
            if offers is not None and answer not in offers:
                self.counts.refusals += 1
                answer = None
        self.counts.add_answer(self._clock() - begun)
        return self._instead.choose(seen, phase, tile, offers) if answer is None else answer

    def _crash(self, error: Exception) -> None:
        self.counts.crash(f"{type(error).__name__}: {error}")
