"""A drill: a hand or a position, a question about it, and the key.

The key is what the engine computes; where it is a matter of judgement, two players have to agree by a margin
(``ump.drills.keys``). Whoever is asked gets ``Drill.question``, which does not tell it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from hashlib import sha256
from typing import Any

from ump.model.notation import MPSZ_FACES
from ump.model.value import value
from ump.wire.json_text import write

ID_LENGTH = 16

MOST_CHOICES = 40
"""More than a hand has actions."""

LEAST_RATING, MOST_RATING = 500, 2_500
"""The difficulties with which a drill may begin."""


class DrillError(ValueError):
    """Data that is no drill, or an answer that the question does not have; the message is one line."""


class DrillKind(Enum):
    """The question of a drill."""

    DISCARD = "discard"
    """Which discard leaves the most useful tiles?"""
    WAITS = "waits"
    """Which tiles complete the hand?"""
    FURITEN = "furiten"
    """Does the own river forbid a ron?"""
    POINTS = "points"
    """Which han, fu and payments has the win?"""
    SAFEST = "safest"
    """Which tile is the safest?"""
    PUSH = "push"
    """Go on with the hand, or fold?"""
    CALL = "call"
    """Call the tile, or pass?"""
    MISTAKE = "mistake"
    """Which answer would have been better, in a position of one's own game?"""


YES, NO = "yes", "no"
PUSH, FOLD = "push", "fold"
PASS = "no"
"""The word of records for a pass."""


@value
class Drill:
    """A question with its key."""

    kind: DrillKind
    shown: Mapping[str, Any]
    """The position, as JSON has it: the parts of a hand, or the events that a seat saw, in the words of mjai."""
    choices: tuple[str, ...]
    """The possible answers; none if any set of tiles is one."""
    right: tuple[str, ...]
    """Each of them is right; if any set of tiles is an answer, it is all of them together."""
    facts: Mapping[str, Any]
    """The facts that are told after the answer, as JSON has them."""
    rating: int
    """The difficulty with which it begins."""

    @property
    def id(self) -> str:
        """The name of the drill: what is asked decides it."""
        asked = write([self.kind.value, self.shown])
        return sha256(asked.encode()).hexdigest()[:ID_LENGTH]

    def question(self) -> dict[str, Any]:
        """Return all that is told before the answer."""
        return {"id": self.id, "kind": self.kind.value, "shown": self.shown, "choices": list(self.choices)}

    def is_right(self, answer: Collection[str]) -> bool:
        """Tell whether an answer is right: one of the choices, or a set of tiles; raises DrillError for others."""
        if not self.choices:
            if not set(answer) <= _TILES:
                raise DrillError("an answer names tiles, as in 3m")
            return set(answer) == set(self.right)
        (choice,) = answer if len(answer) == 1 else ("",)
        if choice not in self.choices:
            raise DrillError(f"an answer is one of: {', '.join(self.choices)}")
        return choice in self.right

    def data(self) -> dict[str, Any]:
        """Return the drill as JSON has it; ``read_drill`` reads it."""
        return {
            "kind": self.kind.value,
            "shown": self.shown,
            "choices": list(self.choices),
            "right": list(self.right),
            "facts": self.facts,
            "rating": self.rating,
        }


_TILES = frozenset(MPSZ_FACES)

_KINDS = {each.value: each for each in DrillKind}


def read_drill(data: Any) -> Drill:
    """Return the drill in data from JSON; raises DrillError."""
    if not isinstance(data, dict):
        raise DrillError("a drill is an object")
    kind = _KINDS.get(str(data.get("kind")))
    if kind is None:
        raise DrillError(f"kind is one of: {', '.join(_KINDS)}")
    rating = data.get("rating")
    if type(rating) is not int or not LEAST_RATING <= rating <= MOST_RATING:
        raise DrillError(f"rating is a number from {LEAST_RATING} to {MOST_RATING}")
    choices, right = _words(data, "choices"), _words(data, "right")
    if not right or (choices and not set(right) <= set(choices)):
        raise DrillError("right names some of the choices")
    return Drill(kind, _object(data, "shown"), choices, right, _object(data, "facts"), rating)


def _object(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    if not isinstance(found, dict):
        raise DrillError(f"{name} is an object")
    return found


def _words(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = data.get(name)
    if not isinstance(found, list) or len(found) > MOST_CHOICES:
        raise DrillError(f"{name} is a list of at most {MOST_CHOICES} words")
    if not all(isinstance(word, str) for word in found):
        raise DrillError(f"{name} is a list of words")
    return tuple(found)
