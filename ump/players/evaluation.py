"""Values that a policy gives the legal actions of one question: a review of a recorded game shows them."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.observation import Observation


class Unit(Enum):
    """The unit of values. Values of different units are never compared or added."""

    POINTS = "points"
    """Expected points of the kyoku, against any fixed level."""
    PROBABILITY = "probability"
    """The probability with which the policy chooses the action, 0..1."""
    Q = "q"
    """A number of the policy's own."""
    TILES = "tiles"
    """The unseen tiles that bring the hand nearer; ``FARTHER`` less for each further tile that tenpai takes."""


FARTHER = 100
"""More than the tiles that can bring a hand nearer."""


@value
class Candidate:
    """A legal action, its value, and what the policy expects of it. None is a fact that the policy does not know."""

    action: Action
    value: float
    """Higher is better, in the unit of the evaluation."""
    shanten: int | None = None
    """The tiles that the hand is away from tenpai after the action."""
    tiles: int | None = None
    """The unseen tiles that bring it nearer then."""
    risk: float | None = None
    """The chance that the action deals in, 0..1."""
    win: float | None = None
    """The chance that the hand wins, 0..1."""
    reason: str = ""
    """A few words of the policy's own about the action, in English; a review shows them as they are."""


@value
class Evaluation:
    """The values of the legal actions of one question."""

    unit: Unit
    candidates: tuple[Candidate, ...]
    """In any order; one for each action that the policy considers. Equal tiles need one candidate, drawn or not."""
    margin: float = 0.0
    """Values that differ by no more count as equal."""


class EvaluatingPolicy(Protocol):
    """A policy that can say what it thinks of the actions among which it chooses."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer to a question (see ``Policy.choose``): of the values, the highest or within the margin."""
        ...

    def evaluate(
        self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
    ) -> Evaluation | None:
        """Return the values of the actions, from the arguments of ``choose``; None if it chose without values."""
        ...
