"""Reviewers: built-in policies and the values in a log, asked at each decision of a recorded game.

A reviewer's answer is dropped: the next event is the one of the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ump.model import actions
from ump.model import events as ev
from ump.model.installation import installed_version
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.evaluation import Candidate, Evaluation, Unit, as_face
from ump.players.policy import POLICIES, Policy
from ump.record.decisions import Decision
from ump.record.recorded_game import RecordedGame
from ump.wire.json_text import JSON, read_object
from ump.wire.text import WireError

TEMPERATURE = 0.1
"""Turns q-values into probabilities, as mjai-reviewer does by default."""


class ReviewError(Exception):
    """A reviewer that failed; the message is one line."""


@value
class Opinion:
    """The answer of a reviewer to one question."""

    choice: actions.Action
    evaluation: Evaluation | None = None
    names_tile: bool = True
    """Whether a riichi names its tile: a bot that speaks mjai names it only after a riichi that was declared."""


class Reviewer(Protocol):
    """Follows a game as one seat sees it, and says what it would do."""

    name: str

    def about(self) -> Mapping[str, object]:
        """Return what it is, for JSON: its ``kind``, and what else is known."""

    def tell(self, event: ev.Event) -> None:
        """Take note of an event, as the seat saw it."""

    def consider(self, decision: Decision) -> Opinion | None:
        """Return the answer to a question; None if there is none. Raises ReviewError."""


class PolicyReviewer:
    """A policy as a reviewer."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self._policy = policy

    def about(self) -> Mapping[str, object]:
        """Return that it is a policy; of a built-in one the version, for another version may choose otherwise."""
        if self.name not in POLICIES:
            return {"kind": "policy"}
        return {"kind": "policy", "version": installed_version()}

    def tell(self, event: ev.Event) -> None:
        """Do nothing: the decision has the observation."""

    def consider(self, decision: Decision) -> Opinion:
        """Return the choice of the policy, with its values if it offers any."""
        asked = (decision.seen, decision.phase, decision.tile, decision.legal)
        evaluate = getattr(self._policy, "evaluate", None)
        try:
            choice = self._policy.choose(*asked)
            evaluation: Evaluation | None = None
            if evaluate is not None:
                evaluation = evaluate(*asked)
        except Exception as error:  # a policy of somebody else may raise anything
            raise ReviewError(f"{self.name}: {type(error).__name__}: {error}") from error
        if as_face(choice) not in map(as_face, decision.legal):
            raise ReviewError(f"{self.name}: {type(choice).__name__} is not legal")
        return Opinion(choice, evaluation)


class RecordedReviewer:
    """The bot that has played, by the values that a log of mjai has beside its answers."""

    def __init__(self, name: str, game: RecordedGame, seat: Seat) -> None:
        self.name = name
        self._metas: dict[tuple[int, int], str] = {}
        for number, kyoku in enumerate(game.kyoku):
            for remark in kyoku.remarks:
                if remark.seat == seat and remark.kind == "meta":
                    self._metas[number, remark.place] = remark.text

    def about(self) -> Mapping[str, object]:
        return {"kind": "recorded", "temperature": TEMPERATURE}

    def tell(self, event: ev.Event) -> None:
        """Do nothing: the log has the values."""

    def consider(self, decision: Decision) -> Opinion | None:
        """Return the action that the bot valued most; None if the log has no values there."""
        meta = self._metas.get((decision.kyoku, decision.event))
        if meta is None:
            return None
        try:
            evaluation = meta_evaluation(read_object(meta.encode()), decision)
        except WireError:
            return None
        if evaluation is None:
            return None
        best = max(evaluation.candidates, key=lambda candidate: candidate.value)
        return Opinion(best.action, evaluation)


# Values, as Mortal writes them in the meta of its answers

_RIICHI, _CHI, _PON, _KAN, _HORA, _RYUKYOKU, _NONE, _LABELS = 37, 38, 41, 42, 43, 44, 45, 46
"""The labels of Mortal's actions after those of the tiles, which are our faces."""


def meta_evaluation(meta: JSON, decision: Decision) -> Evaluation | None:
    """Return the q-values of the legal actions in a bot's ``meta``; None without any, or for others than its mask."""
    if not isinstance(meta, dict):
        return None
    mask, listed = meta.get("mask_bits"), meta.get("q_values")
    if type(mask) is not int or not 0 < mask < 1 << _LABELS or not isinstance(listed, list):
        return None
    values = [float(number) for number in listed if isinstance(number, int | float)]
    labels = [label for label in range(_LABELS) if mask >> label & 1]
    if len(values) != len(listed) or len(values) != len(labels):
        return None
    by_label = dict(zip(labels, values, strict=True))
    candidates: list[Candidate] = []
    for action in dict.fromkeys(map(as_face, decision.legal)):
        q_value = by_label.get(_label(action, decision.tile))
        if q_value is not None:
            candidates.append(Candidate(action, q_value))
    if not candidates:
        return None
    return Evaluation(Unit.Q, tuple(candidates))


def _label(action: actions.Action, tile: Face | None) -> int:
    """Return Mortal's label of an action."""
    match action:
        case actions.Discard(face):
            return face
        case actions.Chi(own) if tile is not None:
            return _CHI + sum(KIND_OF[face] < KIND_OF[tile] for face in own)
        case actions.Riichi():
            return _RIICHI
        case actions.Pon():
            return _PON
        case actions.Daiminkan() | actions.Ankan() | actions.Kakan():
            return _KAN
        case actions.Tsumo() | actions.Ron():
            return _HORA
        case actions.KyushuKyuhai():
            return _RYUKYOKU
        case actions.Pass():
            return _NONE
        case _:
            return _LABELS
