"""Review of a recorded game: what reviewers would have done at each decision of a seat, and what it cost.

Only facts explain a verdict (``ump.record.explanation``). They are the same for all reviewers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from math import exp

from ump.model import actions
from ump.model import events as ev
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.danger import Threat, threats
from ump.players.evaluation import FARTHER, Candidate, Evaluation, Unit, as_face, tile_evaluation
from ump.record.decisions import Decision, decisions
from ump.record.explanation import ABORTS, SAFER, WINS, Explanation, differing_threat, explanations_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.record.reviewers import TEMPERATURE, Opinion, Reviewer
from ump.rules.analysis import waits_of
from ump.table.view import view


class Agreement(Enum):
    """The relation of a reviewer's choice to what was done."""

    AGREES = "agrees"
    EQUAL = "equal"
    """Another action, but as good by all that is known."""
    DIFFERS = "differs"
    UNKNOWN = "unknown"
    """The record does not show what the seat wanted: another seat was faster."""


class DecisionKind(Enum):
    """The kind of a decision about which reviewer and player differ."""

    EFFICIENCY = "efficiency"
    FOLD = "fold"
    """Push or fold: the discards differ in danger."""
    CALL = "call"
    RIICHI = "riichi"
    KAN = "kan"
    """Kans, norths set aside, and nine terminals."""
    WIN = "win"


SIZES: Mapping[Unit, tuple[float, float, float]] = {
    Unit.POINTS: (200.0, 500.0, 1_500.0),
    Unit.TILES: (4.0, FARTHER / 2, 2 * FARTHER),
}
"""The losses from which a difference is small, a mistake, a blunder."""

LIKELIHOODS = (0.2, 0.05, 0.01)
"""The same for probabilities: those of what was done, below."""


@value
class Assessment:
    """The opinion of one reviewer about one decision."""

    choice: actions.Action
    names_tile: bool
    verdict: Agreement
    unit: Unit | None
    """None without values."""
    loss: float | None
    """The loss of the action taken, in the unit; None if that is unknown."""
    size: int
    """0 none, 1 small, 2 a mistake, 3 a blunder."""
    kind: DecisionKind | None
    """None unless the verdict is DIFFERS."""
    reasons: tuple[Explanation, ...]
    """The sentences that explain a difference; none if no fact tells."""
    candidates: tuple[Candidate, ...]
    """All candidates with the facts that are known, the best first. Their values mean nothing if ``unit`` is None."""
    against_values: bool
    """Whether the reviewer chose another action than its values say."""

    def place_of(self, action: actions.Action) -> int | None:
        """Return the rank of an action from 0."""
        wanted = as_face(action)
        for rank, candidate in enumerate(self.candidates):
            if candidate.action == wanted:
                return rank
        return None


@value
class Reviewed:
    """One free decision of a seat, with what every reviewer says."""

    kyoku: int
    """The index of the kyoku, from 0."""
    event: int
    """The events of the kyoku that came before."""
    seat: Seat
    phase: Phase
    turn: int
    """The number of the seat's discards, the next one included."""
    left: int
    hand: tuple[Face, ...]
    melds: tuple[Meld, ...]
    tile: Face | None
    shanten: int | None
    furiten: bool
    threats: tuple[tuple[Seat, bool], ...]
    """The seats that may be tenpai, and whether each is in riichi."""
    dealt_in: bool
    """Whether the discard dealt in."""
    done: actions.Action
    by: tuple[Assessment | None, ...]
    """In the order of the reviewers; None without an answer."""


def review_seat(game: RecordedGame, seat: Seat, reviewers: Sequence[Reviewer]) -> Iterator[Reviewed]:
    """Yield the free decisions of a seat with the opinions of the reviewers; raises RecordError and ReviewError."""
    for _, reviewed in review_decisions(game, seat, reviewers):
        yield reviewed


def review_decisions(
    game: RecordedGame, seat: Seat, reviewers: Sequence[Reviewer]
) -> Iterator[tuple[Decision, Reviewed]]:
    """Yield the same, each with its decision, whose observation goes on with the game."""
    teller = _Teller(game, seat, reviewers)
    for decision in decisions(game, (seat,)):
        if not decision.is_free:
            continue
        teller.tell_until(decision.kyoku, decision.event)
        opinions = [reviewer.consider(decision) for reviewer in reviewers]
        yield decision, _reviewed(decision, game.kyoku[decision.kyoku], opinions)
    teller.finish()


class _Teller:
    """Tells reviewers the events of a game as one seat sees them."""

    def __init__(self, game: RecordedGame, seat: Seat, reviewers: Sequence[Reviewer]) -> None:
        self._game = game
        self._seat = seat
        self._reviewers = reviewers
        self._kyoku = 0
        self._told = 0
        self._tell(ev.GameStarted(game.names))

    def tell_until(self, kyoku: int, event: int) -> None:
        """Tell all events before this one."""
        while self._kyoku < kyoku:
            self._tell_kyoku(len(self._game.kyoku[self._kyoku].events))
            self._tell(ev.KyokuEnded())
            self._kyoku, self._told = self._kyoku + 1, 0
        self._tell_kyoku(event)

    def finish(self) -> None:
        """Tell the rest of the game."""
        last = len(self._game.kyoku) - 1
        self.tell_until(last, len(self._game.kyoku[last].events))
        self._tell(ev.KyokuEnded())
        self._tell(self._game.ended or ev.GameEnded((), (), ()))

    def _tell_kyoku(self, until: int) -> None:
        for event in self._game.kyoku[self._kyoku].events[self._told : until]:
            self._tell(event)
        self._told = max(self._told, until)

    def _tell(self, event: ev.Event) -> None:
        seen = view(event, self._seat)
        for reviewer in self._reviewers:
            reviewer.tell(seen)


def _reviewed(decision: Decision, kyoku: RecordedKyoku, opinions: Sequence[Opinion | None]) -> Reviewed:
    seen = decision.seen
    dangerous = threats(seen)
    facts = tile_evaluation(seen, decision.legal)
    distances = [candidate.shanten for candidate in facts.candidates if candidate.shanten is not None]
    waits: frozenset[int] = frozenset()
    if decision.phase is not Phase.TURN:
        waits = waits_of(seen.hand, seen.ruleset.own_copies)
    assessments: list[Assessment | None] = []
    for opinion in opinions:
        if opinion is None:
            assessments.append(None)
        else:
            assessments.append(_assessment(decision, opinion, facts, dangerous))
    return Reviewed(
        decision.kyoku,
        decision.event,
        decision.seat,
        decision.phase,
        len(seen.rivers[decision.seat]) + 1,
        seen.left,
        seen.hand.concealed,
        tuple(seen.hand.melds),
        decision.tile,
        min(distances, default=None),
        seen.is_furiten(waits),
        tuple((threat.seat, seen.in_riichi[threat.seat]) for threat in dangerous),
        _deals_in(kyoku, decision),
        decision.done,
        tuple(assessments),
    )


def _deals_in(kyoku: RecordedKyoku, decision: Decision) -> bool:
    """Tell whether somebody wins by ron on what this decision discards."""
    if not isinstance(decision.done, actions.Discard | actions.Riichi):
        return False
    for event in kyoku.events[decision.event :]:
        match event:
            case ev.HandWon(loser=loser):
                return loser == decision.seat
            case ev.TileDrawn() | ev.TileCalled() | ev.KyokuDrawn():
                return False
    return False


def is_same(one: actions.Action, other: actions.Action) -> bool:
    """Tell whether two actions are the same, wherever an equal tile comes from; a red five is another tile."""
    return as_face(one) == as_face(other)


def _assessment(decision: Decision, opinion: Opinion, facts: Evaluation, dangerous: Sequence[Threat]) -> Assessment:
    known = {candidate.action: candidate for candidate in facts.candidates}
    candidates = _with_facts(opinion.evaluation, known)
    unit: Unit | None = None
    margin, values = 0.0, dict[actions.Action, float]()
    if opinion.evaluation is not None:
        unit, margin = opinion.evaluation.unit, opinion.evaluation.margin
        values = values_of(candidates)
    best, done = values.get(as_face(opinion.choice)), values.get(as_face(decision.done))
    loss: float | None = None
    if best is not None and done is not None:
        loss = max(0.0, best - done)
    verdict = _verdict(decision, opinion, known, loss, margin)
    size, kind = 0, None
    reasons: tuple[Explanation, ...] = ()
    if verdict is Agreement.DIFFERS:
        threat = None
        if opinion.names_tile:
            threat = differing_threat(dangerous, opinion.choice, decision.done)
        reasons = explanations_of(decision, opinion, known, threat)
        size = _size(unit, loss, values, decision.done)
        kind = _kind(decision, opinion.choice, is_fold=threat is not None)
    elif loss is not None:
        loss = 0.0
    return Assessment(
        opinion.choice,
        opinion.names_tile,
        verdict,
        unit,
        loss,
        size,
        kind,
        reasons,
        candidates,
        best is not None and max(values.values()) - best > margin,
    )


def _with_facts(evaluation: Evaluation | None, known: Mapping[actions.Action, Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates of a reviewer with the facts that it does not give, the best first."""
    if evaluation is None:
        candidates = list(known.values())
    else:
        candidates = [_completed(candidate, known.get(candidate.action)) for candidate in evaluation.candidates]
    return tuple(sorted(candidates, key=lambda candidate: -candidate.value))


def _completed(candidate: Candidate, facts: Candidate | None) -> Candidate:
    """Return a candidate with what the facts know about it and it does not."""
    if facts is None:
        return candidate
    if candidate.shanten is None:
        candidate = replace(candidate, shanten=facts.shanten)
    if candidate.tiles is None:
        candidate = replace(candidate, tiles=facts.tiles)
    if candidate.risk is None:
        candidate = replace(candidate, risk=facts.risk)
    return candidate


def values_of(candidates: Sequence[Candidate]) -> dict[actions.Action, float]:
    """Return the value of each candidate's action."""
    return {candidate.action: candidate.value for candidate in candidates}


def _verdict(
    decision: Decision,
    opinion: Opinion,
    known: Mapping[actions.Action, Candidate],
    loss: float | None,
    margin: float,
) -> Agreement:
    choice, done = opinion.choice, decision.done
    if is_same(choice, done):
        return Agreement.AGREES
    if not opinion.names_tile and isinstance(choice, actions.Riichi) and isinstance(done, actions.Riichi):
        return Agreement.AGREES
    if not decision.is_known(choice):
        return Agreement.UNKNOWN
    if type(choice) is not type(done) or (loss is not None and loss > margin):
        return Agreement.DIFFERS
    if loss is not None and margin > 0:
        return Agreement.EQUAL
    if _is_as_near(known, choice, done):
        return Agreement.EQUAL
    return Agreement.DIFFERS


def _is_as_near(known: Mapping[actions.Action, Candidate], one: actions.Action, other: actions.Action) -> bool:
    """Tell whether two actions leave the same shanten, as many tiles, and the same risk."""
    first, second = known.get(as_face(one)), known.get(as_face(other))
    if first is None or second is None:
        return False
    distance = (first.shanten, first.tiles) == (second.shanten, second.tiles)
    return distance and abs((first.risk or 0.0) - (second.risk or 0.0)) <= SAFER


def _size(unit: Unit | None, loss: float | None, values: Mapping[actions.Action, float], done: actions.Action) -> int:
    """Return how bad a loss is, 0 to 3."""
    if unit is None or loss is None:
        return 1
    if unit in SIZES:
        return sum(loss >= limit for limit in SIZES[unit])
    likelihood = likelihoods(unit, values).get(as_face(done), 0.0)
    return sum(likelihood < limit for limit in LIKELIHOODS)


def likelihoods(unit: Unit, values: Mapping[actions.Action, float]) -> dict[actions.Action, float]:
    """Return values as probabilities; q-values by a softmax."""
    if unit is Unit.PROBABILITY:
        return dict(values)
    most = max(values.values())
    weights = {action: exp((number - most) / TEMPERATURE) for action, number in values.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


# Reasons


def _kind(decision: Decision, choice: actions.Action, *, is_fold: bool) -> DecisionKind:
    done = decision.done
    if isinstance(choice, WINS) or isinstance(done, WINS):
        return DecisionKind.WIN
    if isinstance(choice, ABORTS) or isinstance(done, ABORTS):
        return DecisionKind.KAN
    if decision.phase is not Phase.TURN:
        return DecisionKind.CALL
    if is_fold:
        return DecisionKind.FOLD
    if type(choice) is not type(done):
        return DecisionKind.RIICHI
    return DecisionKind.EFFICIENCY
