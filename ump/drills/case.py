"""A decision of a recorded game, and what two judges think of it."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from functools import cached_property
from math import log10
from typing import Any, TypeAlias, TypeVar

from ump.drills.drill import LEAST_RATING, MOST_RATING
from ump.drills.position import position_of
from ump.model import actions
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.players.defensive import Defensive
from ump.players.evaluation import Candidate, tile_evaluation
from ump.players.expert import Expert
from ump.players.observation import Observation
from ump.record.decisions import Decision
from ump.record.recorded_game import RecordedGame

Shown: TypeAlias = dict[str, Any]

Choice = TypeVar("Choice")

MISJUDGED, MISJUDGED_CHOICE = 140.0, 500.0
"""The standard deviation of a learner's error in points: among many discards, and between two ways to go on."""

_TIMES = 200
"""The number of tries of such a learner at a drill."""

_EXPERT, _SECOND = Expert(), Defensive()


class Case:
    """A decision. Each judge is asked once, and only if a question needs it."""

    def __init__(self, game: RecordedGame, decision: Decision) -> None:
        self.game = game
        self.decision = decision
        self.seen: Observation = decision.seen

    @property
    def _asked(self) -> tuple[Observation, Phase, Face | None, tuple[actions.Action, ...]]:
        """The arguments of a policy."""
        return self.seen, self.decision.phase, self.decision.tile, self.decision.legal

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """The actions by the values of ``expert``, the best first; none where it chooses without values."""
        found = _EXPERT.evaluate(*self._asked)
        return () if found is None else tuple(sorted(found.candidates, key=lambda each: -each.value))

    @cached_property
    def second(self) -> actions.Action:
        """The choice of the second judge."""
        return _SECOND.choose(*self._asked)

    @cached_property
    def distances(self) -> Mapping[actions.Action, Candidate]:
        """The shanten that each action leaves."""
        return {each.action: each for each in tile_evaluation(self.seen, self.decision.legal).candidates}

    @cached_property
    def in_riichi(self) -> tuple[Seat, ...]:
        """The other seats in riichi."""
        return tuple(seat for seat, declared in enumerate(self.seen.in_riichi) if declared and seat != self.seen.me)

    @property
    def is_open_turn(self) -> bool:
        """Whether any tile may be discarded."""
        return self.decision.phase is Phase.TURN and not self.seen.in_riichi[self.seen.me]

    def position(self) -> Shown:
        """Return the table as the seat sees it."""
        return position_of(self.game, self.decision.kyoku, self.decision.event, self.decision.seat)


def difficulty(values: Mapping[Choice, float], right: Collection[Choice], deviation: float) -> int:
    """Return the rating at which a drill begins: a learner of 1500 who is right half of the time makes it 1500.

    ``values`` are those of the choices in points, ``deviation`` is that of the learner's normal error.
    """
    chance = random.Random(repr(sorted(values.values())))
    hits = 0
    for _ in range(_TIMES):
        seems = {choice: worth + chance.gauss(0.0, deviation) for choice, worth in values.items()}
        hits += max(seems, key=seems.__getitem__) in right
    share = (hits + 1) / (_TIMES + 2)
    return bounded(1_500 + 400 * log10((1 - share) / share))


def bounded(rating: float) -> int:
    """Return a rating within the bounds of drills."""
    return round(min(max(rating, LEAST_RATING), MOST_RATING))
