"""Values that a policy gives the legal actions of one question: a review of a recorded game shows them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Protocol

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, Kita, Pass, Pon, Riichi
from ump.model.constants import FULL_HAND
from ump.model.phases import Phase
from ump.model.tiles import COPIES, KIND_OF, KINDS, NORTH, Face, Kind
from ump.model.value import value
from ump.players.danger import Threat, threats
from ump.players.observation import Observation
from ump.rules.analysis import shanten, ukeire


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


# The distance to a win, whatever the policy


def tile_evaluation(seen: Observation, legal: Iterable[Action]) -> Evaluation:
    """Return how near to a win each action leaves the hand, and its risk. Wins and aborts are no candidates."""
    dangerous = threats(seen)
    found: dict[Action, Candidate] = {}
    for action in map(as_face, legal):
        kinds = None if action in found else kinds_left(seen, action)
        if kinds is None:
            continue
        number, tiles = _nearest(seen, kinds)
        risk = deal_in_risk(dangerous, KIND_OF[action.face]) if isinstance(action, Discard | Riichi) else None
        found[action] = Candidate(action, float(tiles - FARTHER * number), number, tiles, risk)
    return Evaluation(Unit.TILES, tuple(found.values()))


def as_face(action: Action) -> Action:
    """Return the action without the difference between the drawn tile and an equal one in the hand."""
    match action:
        case Discard(face):
            return Discard(face)
        case Riichi(face):
            return Riichi(face)
        case _:
            return action


def deal_in_risk(dangerous: Iterable[Threat], kind: Kind) -> float:
    """Return the chance that a discard of this kind deals in, 0..1."""
    safe = 1.0
    for threat in dangerous:
        safe *= 1 - threat.dangers[kind]
    return 1 - safe


def kinds_left(seen: Observation, action: Action) -> list[int] | None:
    """Return the counts of the concealed tiles after an action; None if it ends the kyoku, or is a declaration."""
    kinds = seen.hand.kinds[:]
    match action:
        case Discard() | Riichi() | Kakan():
            kinds[KIND_OF[action.face]] -= 1
        case Ankan(kind):
            kinds[kind] -= COPIES
        case Kita():
            kinds[NORTH] -= 1
        case Chi(own) | Pon(own):
            for face in own:
                kinds[KIND_OF[face]] -= 1
        case Daiminkan() if seen.last_tile is not None:
            kinds[KIND_OF[seen.last_tile]] -= COPIES - 1
        case Pass():
            pass
        case _:
            return None
    return kinds


def _nearest(seen: Observation, kinds: list[int]) -> tuple[int, int]:
    """Return shanten and useful unseen tiles of a hand; with a tile to discard, those after the best discard."""
    if sum(kinds) % 3 == FULL_HAND % 3:
        number = shanten(kinds)
        best = 0
        for kind in range(KINDS):
            if kinds[kind]:
                kinds[kind] -= 1
                if shanten(kinds) <= max(0, number):
                    best = max(best, _useful(seen, kinds))
                kinds[kind] += 1
        return max(0, number), best
    return shanten(kinds), _useful(seen, kinds)


def _useful(seen: Observation, kinds: list[int]) -> int:
    return sum(map(seen.unseen, ukeire(kinds)))
