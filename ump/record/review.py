"""Review of a recorded game: what reviewers would have done at each decision of a seat, what it cost, and why.

A reviewer is asked at every decision, and its answer is dropped: the next event is the one of the record. Only the
facts of ``Explanation`` explain a verdict. They are computed here, the same for all reviewers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from math import exp
from typing import Protocol

from ump.model import actions
from ump.model import events as ev
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.danger import Threat, safe_kinds, threats
from ump.players.efficiency import prospects_of_call, worth
from ump.players.evaluation import FARTHER, Candidate, Evaluation, Unit, as_face, tile_evaluation
from ump.players.observation import Observation
from ump.players.policy import Policy
from ump.record.decisions import Decision, decisions
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.rules.analysis import waits_of
from ump.table.view import view
from ump.wire.json_text import JSON, read_object
from ump.wire.text import WireError

# Reviewers


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
        return {"kind": "policy"}

    def tell(self, event: ev.Event) -> None:
        """Do nothing: the decision has the observation."""

    def consider(self, decision: Decision) -> Opinion:
        """Return the choice of the policy, with its values if it offers any."""
        asked = (decision.seen, decision.phase, decision.tile, decision.legal)
        evaluate = getattr(self._policy, "evaluate", None)
        try:
            choice = self._policy.choose(*asked)
            evaluation: Evaluation | None = None if evaluate is None else evaluate(*asked)
        except Exception as error:  # a policy of somebody else may raise anything
            raise ReviewError(f"{self.name}: {type(error).__name__}: {error}") from error
        if as_face(choice) not in map(as_face, decision.legal):
            raise ReviewError(f"{self.name}: {type(choice).__name__} is not legal")
        return Opinion(choice, evaluation)


class RecordedReviewer:
    """The bot that has played, by the values that a log of mjai has beside its answers."""

    def __init__(self, name: str, game: RecordedGame, seat: Seat) -> None:
        self.name = name
        self._metas = {
            (number, each.place): each.text
            for number, kyoku in enumerate(game.kyoku)
            for each in kyoku.remarks
            if each.seat == seat and each.kind == "meta"
        }

    def about(self) -> Mapping[str, object]:
        return {"kind": "recorded", "temperature": TEMPERATURE}

    def tell(self, event: ev.Event) -> None:
        """Do nothing: the log has the values."""

    def consider(self, decision: Decision) -> Opinion | None:
        """Return the action that the bot valued most; None if the log has no values there."""
        meta = self._metas.get((decision.kyoku, decision.event))
        try:
            found = None if meta is None else meta_evaluation(read_object(meta.encode()), decision)
        except WireError:
            return None
        return None if found is None else Opinion(max(found.candidates, key=lambda each: each.value).action, found)


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
    values = [float(each) for each in listed if isinstance(each, int | float)]
    labels = [label for label in range(_LABELS) if mask >> label & 1]
    if len(values) != len(listed) or len(values) != len(labels):
        return None
    by_label = dict(zip(labels, values, strict=True))
    faces = dict.fromkeys(map(as_face, decision.legal))
    found = [(each, by_label.get(_label(each, decision.tile))) for each in faces]
    candidates = tuple(Candidate(action, number) for action, number in found if number is not None)
    return Evaluation(Unit.Q, candidates) if candidates else None


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


# Verdicts


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


@value
class Explanation:
    """Why a reviewer chose otherwise; ``SENTENCES`` of the report has the words for each code."""

    code: str
    facts: Mapping[str, object]
    """Pairs are of the reviewer's choice first, then of what was done."""


SIZES: Mapping[Unit, tuple[float, float, float]] = {
    Unit.POINTS: (200.0, 500.0, 1_500.0),
    Unit.TILES: (4.0, FARTHER / 2, 2 * FARTHER),
}
"""The losses from which a difference is small, a mistake, a blunder."""

LIKELIHOODS = (0.2, 0.05, 0.01)
"""The same for probabilities: those of what was done, below."""

TEMPERATURE = 0.1
"""Turns q-values into probabilities, as mjai-reviewer does by default."""


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
    reason: Explanation | None
    candidates: tuple[Candidate, ...]
    """All candidates with the facts that are known, the best first. Their values mean nothing if ``unit`` is None."""
    against_values: bool
    """Whether the reviewer chose another action than its values say."""

    def place_of(self, action: actions.Action) -> int | None:
        """Return the rank of an action from 0."""
        faces = [each.action for each in self.candidates]
        return faces.index(as_face(action)) if as_face(action) in faces else None


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
    teller = _Teller(game, seat, reviewers)
    for decision in decisions(game, (seat,)):
        if not decision.is_free:
            continue
        teller.tell_until(decision.kyoku, decision.event)
        opinions = [each.consider(decision) for each in reviewers]
        yield _reviewed(decision, game.kyoku[decision.kyoku], opinions)
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
        for each in self._reviewers:
            each.tell(seen)


def _reviewed(decision: Decision, kyoku: RecordedKyoku, opinions: Sequence[Opinion | None]) -> Reviewed:
    seen = decision.seen
    dangerous = threats(seen)
    facts = tile_evaluation(seen, decision.legal)
    number = min((each.shanten for each in facts.candidates if each.shanten is not None), default=None)
    waits = waits_of(seen.hand, seen.ruleset.own_copies) if decision.phase is not Phase.TURN else frozenset()
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
        number,
        seen.is_furiten(waits),
        tuple((each.seat, seen.in_riichi[each.seat]) for each in dangerous),
        _deals_in(kyoku, decision),
        decision.done,
        tuple(None if each is None else _assessment(decision, each, facts, dangerous) for each in opinions),
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
    known = {each.action: each for each in facts.candidates}
    candidates = _with_facts(opinion.evaluation, known)
    unit = None if opinion.evaluation is None else opinion.evaluation.unit
    margin = 0.0 if opinion.evaluation is None else opinion.evaluation.margin
    values = {each.action: each.value for each in candidates} if unit is not None else {}
    best, done = values.get(as_face(opinion.choice)), values.get(as_face(decision.done))
    loss = None if best is None or done is None else max(0.0, best - done)
    verdict = _verdict(decision, opinion, known, loss, margin)
    differs = verdict is Agreement.DIFFERS
    reason = _reason(decision, opinion, known, dangerous) if differs else None
    return Assessment(
        opinion.choice,
        opinion.names_tile,
        verdict,
        unit,
        loss if differs or loss is None else 0.0,
        _size(unit, loss, values, decision.done) if differs else 0,
        _kind(decision, opinion.choice, reason) if differs else None,
        reason,
        candidates,
        best is not None and max(values.values()) - best > margin,
    )


def _with_facts(evaluation: Evaluation | None, known: Mapping[actions.Action, Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates of a reviewer with the facts that it does not give, the best first."""
    listed = known.values() if evaluation is None else evaluation.candidates
    merged = []
    for each in listed:
        fact = known.get(each.action)
        if fact is not None and evaluation is not None:
            each = replace(
                each,
                shanten=fact.shanten if each.shanten is None else each.shanten,
                tiles=fact.tiles if each.tiles is None else each.tiles,
                risk=fact.risk if each.risk is None else each.risk,
            )
        merged.append(each)
    return tuple(sorted(merged, key=lambda each: -each.value))


def _verdict(
    decision: Decision,
    opinion: Opinion,
    known: Mapping[actions.Action, Candidate],
    loss: float | None,
    margin: float,
) -> Agreement:
    choice, done = opinion.choice, decision.done
    if is_same(choice, done) or (
        not opinion.names_tile and isinstance(choice, actions.Riichi) and isinstance(done, actions.Riichi)
    ):
        return Agreement.AGREES
    if not decision.is_known(choice):
        return Agreement.UNKNOWN
    if type(choice) is not type(done) or (loss is not None and loss > margin):
        return Agreement.DIFFERS
    is_close = loss is not None and margin > 0
    return Agreement.EQUAL if is_close or _is_as_near(known, choice, done) else Agreement.DIFFERS


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


SAFER = 0.02
"""Chances of dealing in that differ by less count as equal."""

_ABORTS = (actions.Ankan, actions.Kakan, actions.Daiminkan, actions.Kita, actions.KyushuKyuhai)
_WINS = (actions.Tsumo, actions.Ron)
_CALLS = (actions.Chi, actions.Pon)


def _kind(decision: Decision, choice: actions.Action, reason: Explanation | None) -> DecisionKind:
    both = (choice, decision.done)
    if any(isinstance(each, _WINS) for each in both):
        return DecisionKind.WIN
    if any(isinstance(each, _ABORTS) for each in both):
        return DecisionKind.KAN
    if decision.phase is not Phase.TURN:
        return DecisionKind.CALL
    if reason is not None and reason.code in ("safer", "fold", "push"):
        return DecisionKind.FOLD
    if type(choice) is not type(decision.done):
        return DecisionKind.RIICHI
    return DecisionKind.EFFICIENCY


def _reason(
    decision: Decision, opinion: Opinion, known: Mapping[actions.Action, Candidate], dangerous: Sequence[Threat]
) -> Explanation | None:
    """Return why the choice, or None if no fact tells."""
    choice, done = opinion.choice, decision.done
    if any(isinstance(each, _WINS) for each in (choice, done)):
        return Explanation("win" if isinstance(choice, _WINS) else "no_win", {})
    if any(isinstance(each, _ABORTS) for each in (choice, done)):
        return Explanation("kan" if isinstance(choice, _ABORTS) else "no_kan", {})
    if decision.phase is not Phase.TURN:
        return _reason_of_call(decision.seen, decision, choice, known)
    assert isinstance(choice, actions.Discard | actions.Riichi)
    assert isinstance(done, actions.Discard | actions.Riichi)
    if type(choice) is not type(done) and (choice.face == done.face or not opinion.names_tile):
        return Explanation("riichi" if isinstance(choice, actions.Riichi) else "dama", {})
    return _reason_of_discard(decision.seen, choice, done, known, dangerous)


def _reason_of_discard(
    seen: Observation,
    choice: actions.Discard | actions.Riichi,
    done: actions.Discard | actions.Riichi,
    known: Mapping[actions.Action, Candidate],
    dangerous: Sequence[Threat],
) -> Explanation | None:
    best, other = known[as_face(choice)], known[as_face(done)]
    number = (best.shanten or 0, other.shanten or 0)
    tiles = (best.tiles or 0, other.tiles or 0)
    distance: dict[str, object] = {"shanten": number, "tiles": tiles}
    for threat in dangerous:
        risk = threat.dangers[KIND_OF[choice.face]], threat.dangers[KIND_OF[done.face]]
        if abs(risk[0] - risk[1]) <= SAFER:
            continue
        code = "push" if risk[0] > risk[1] else "safer" if number[0] <= number[1] else "fold"
        is_safe = KIND_OF[choice.face] in safe_kinds(seen, threat.seat)
        named = {"seat": threat.seat, "riichi": seen.in_riichi[threat.seat], "risk": risk, "safe": is_safe}
        return Explanation(code, named | distance)
    if KIND_OF[choice.face] == KIND_OF[done.face]:
        return Explanation("red", {})
    if number[0] != number[1]:
        return Explanation("back" if number[0] < number[1] else "worth", distance)
    if tiles[0] != tiles[1]:
        return Explanation("tiles" if tiles[0] > tiles[1] else "wait", distance)
    return Explanation("dora" if worth(seen, choice.face)[0] < worth(seen, done.face)[0] else "equal", distance)


def _reason_of_call(
    seen: Observation, decision: Decision, choice: actions.Action, known: Mapping[actions.Action, Candidate]
) -> Explanation | None:
    done = decision.done
    stays = known.get(actions.Pass())
    call = choice if isinstance(choice, _CALLS) else done
    after, tile = known.get(call), decision.tile
    if stays is None or after is None or tile is None or not isinstance(call, actions.Chi | actions.Pon):
        return None
    facts: dict[str, object] = {"shanten": (after.shanten, stays.shanten)}
    if isinstance(choice, _CALLS):
        if isinstance(done, _CALLS):
            return Explanation("other_call", facts)
        return Explanation("call" if (after.shanten or 0) < (stays.shanten or 0) else "call_yaku", facts)
    if prospects_of_call(seen, tile, call) is None:
        return Explanation("no_yaku", facts)
    return Explanation("not_nearer" if (after.shanten or 0) >= (stays.shanten or 0) else "closed", facts)
