"""Review of a recorded game: what reviewers would have done at each decision of a seat, what it cost, and why.

A reviewer is asked at every decision, and its answer is dropped: the next event is the one of the record. Only the
facts of ``Explanation`` explain a verdict. They are computed here, the same for all reviewers.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from math import exp
from typing import Any, Protocol

from ump.model import actions
from ump.model import events as ev
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import LETTERS, WIND_NAMES, Seat, wind_of
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.danger import Threat, safe_kinds, threats
from ump.players.efficiency import prospects_of_call, worth
from ump.players.evaluation import FARTHER, Candidate, Evaluation, Unit, as_face, tile_evaluation
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Policy
from ump.record.decisions import Decision, decisions, read_record
from ump.record.figures import rounded
from ump.record.html import places_of, write_html
from ump.record.journal import write_action
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.text import kyoku_word
from ump.rules.analysis import waits_of
from ump.table.view import view
from ump.text.layout import columns, hand_text, printable, shortened, tile_text
from ump.web import pieces
from ump.wire.json_text import JSON, read_object, write
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
    teller = _Teller(game, seat, reviewers)
    for decision in decisions(game, (seat,)):
        if not decision.is_free:
            continue
        teller.tell_until(decision.kyoku, decision.event)
        opinions = [reviewer.consider(decision) for reviewer in reviewers]
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
        values = _values_of(candidates)
    best, done = values.get(as_face(opinion.choice)), values.get(as_face(decision.done))
    loss: float | None = None
    if best is not None and done is not None:
        loss = max(0.0, best - done)
    verdict = _verdict(decision, opinion, known, loss, margin)
    size, kind, reason = 0, None, None
    if verdict is Agreement.DIFFERS:
        reason = _reason(decision, opinion, known, dangerous)
        size = _size(unit, loss, values, decision.done)
        kind = _kind(decision, opinion.choice, reason)
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
        reason,
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


def _values_of(candidates: Sequence[Candidate]) -> dict[actions.Action, float]:
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


SAFER = 0.02
"""Chances of dealing in that differ by less count as equal."""

_ABORTS = (actions.Ankan, actions.Kakan, actions.Daiminkan, actions.Kita, actions.KyushuKyuhai)
_WINS = (actions.Tsumo, actions.Ron)
_CALLS = (actions.Chi, actions.Pon)


def _kind(decision: Decision, choice: actions.Action, reason: Explanation | None) -> DecisionKind:
    done = decision.done
    if isinstance(choice, _WINS) or isinstance(done, _WINS):
        return DecisionKind.WIN
    if isinstance(choice, _ABORTS) or isinstance(done, _ABORTS):
        return DecisionKind.KAN
    if decision.phase is not Phase.TURN:
        return DecisionKind.CALL
    if reason is not None and reason.code in ("safer", "fold", "push"):
        return DecisionKind.FOLD
    if type(choice) is not type(done):
        return DecisionKind.RIICHI
    return DecisionKind.EFFICIENCY


def _reason(
    decision: Decision, opinion: Opinion, known: Mapping[actions.Action, Candidate], dangerous: Sequence[Threat]
) -> Explanation | None:
    """Return why the choice, or None if no fact tells."""
    choice, done = opinion.choice, decision.done
    if isinstance(choice, _WINS):
        return Explanation("win", {})
    if isinstance(done, _WINS):
        return Explanation("no_win", {})
    if isinstance(choice, _ABORTS):
        return Explanation("kan", {})
    if isinstance(done, _ABORTS):
        return Explanation("no_kan", {})
    if decision.phase is not Phase.TURN:
        return _reason_of_call(decision.seen, decision, choice, known)
    assert isinstance(choice, actions.Discard | actions.Riichi)
    assert isinstance(done, actions.Discard | actions.Riichi)
    if type(choice) is not type(done) and (choice.face == done.face or not opinion.names_tile):
        if isinstance(choice, actions.Riichi):
            return Explanation("riichi", {})
        return Explanation("dama", {})
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
        if risk[0] > risk[1]:
            code = "push"
        elif number[0] <= number[1]:
            code = "safer"
        else:
            code = "fold"
        is_safe = KIND_OF[choice.face] in safe_kinds(seen, threat.seat)
        named = {"seat": threat.seat, "riichi": seen.in_riichi[threat.seat], "risk": risk, "safe": is_safe}
        return Explanation(code, named | distance)
    if KIND_OF[choice.face] == KIND_OF[done.face]:
        return Explanation("red", {})
    if number[0] < number[1]:
        code = "back"
    elif number[0] > number[1]:
        code = "worth"
    elif tiles[0] > tiles[1]:
        code = "tiles"
    elif tiles[0] < tiles[1]:
        code = "wait"
    elif worth(seen, choice.face)[0] < worth(seen, done.face)[0]:
        code = "dora"
    else:
        code = "equal"
    return Explanation(code, distance)


def _reason_of_call(
    seen: Observation, decision: Decision, choice: actions.Action, known: Mapping[actions.Action, Candidate]
) -> Explanation | None:
    done = decision.done
    stays = known.get(actions.Pass())
    call = done
    if isinstance(choice, _CALLS):
        call = choice
    after, tile = known.get(call), decision.tile
    if stays is None or after is None or tile is None or not isinstance(call, actions.Chi | actions.Pon):
        return None
    is_nearer = (after.shanten or 0) < (stays.shanten or 0)
    if isinstance(choice, _CALLS):
        if isinstance(done, _CALLS):
            code = "other_call"
        elif is_nearer:
            code = "call"
        else:
            code = "call_yaku"
    elif prospects_of_call(seen, tile, call) is None:
        code = "no_yaku"
    elif is_nearer:
        code = "closed"
    else:
        code = "not_nearer"
    return Explanation(code, {"shanten": (after.shanten, stays.shanten)})


# A review as figures, as text, as JSON, and as a page.

WORST = 5
"""The moves that a report lists by default."""


@value
class Review:
    """The reviewed seats of one game."""

    name: str
    """The name of the record."""
    digest: str
    """The SHA-256 of its bytes, in hexadecimal; empty if there are none."""
    game: RecordedGame
    reviewers: tuple[Reviewer, ...]
    seats: Mapping[Seat, Sequence[Reviewed]]

    def _repr_html_(self) -> str:
        """Show the review in a notebook: for each seat the figures, and the worst moves by each reviewer."""
        places = places_of(self.game)
        parts = []
        for seat, reviewed in self.seats.items():
            parts.append(pieces.line(f"{_seat_words(self.game, seat)}: {len(reviewed)} free decisions"))
            head, *rows = _figure_rows(self, reviewed)
            parts.append(pieces.table(head, rows))
            for at, reviewer in enumerate(self.reviewers):
                listed = worst(reviewed, at, WORST)
                moves = [_move_cells(self, places, decision, at) for decision in listed]
                parts += [pieces.line(f"the worst moves by {reviewer.name}"), pieces.table(MOVE_HEAD, moves)]
        return pieces.piece(*parts)


MOVE_HEAD = ("move", "hand", "done", "better", "loss", "why")


def review(game: RecordedGame, seat: Seat, by: str = "expert") -> Review:
    """Return the review of a seat of a game by a built-in player, such as ``expert``.

    Raises RecordError if the record does not show the hand or breaks the rules, ValueError for an unknown player or
    seat.
    """
    if by not in POLICIES:
        raise ValueError(f"unknown player {by!a}; choose {', '.join(POLICIES)}")
    if not 0 <= seat < len(game.names):
        raise ValueError(f"no seat {seat} in a game of {len(game.names)}")
    reviewers = (PolicyReviewer(by, POLICIES[by]()),)
    return Review("", "", game, reviewers, {seat: list(review_seat(game, seat, reviewers))})


# Figures


EARLY, MIDDLE = 6, 12
"""The last turns of the first two thirds of a kyoku."""


@value
class Figures:
    """The opinion of one reviewer about one seat, counted over its free decisions."""

    verdicts: Counter[Agreement]
    losses: Mapping[Unit, float]
    sizes: Counter[int]
    """The differences that are small (1), mistakes (2) and blunders (3)."""
    kinds: Mapping[DecisionKind, Counter[Unit | None]]
    """The losses of each kind by unit; the number of differences stands at None."""
    thirds: tuple[tuple[int, int], ...]
    """For turns to ``EARLY``, to ``MIDDLE`` and later: decisions, and those in agreement."""
    threatened: tuple[int, int]
    """The same while somebody may be tenpai."""
    deal_ins: tuple[int, int]
    """The deal-ins, and those at which the reviewer would have done something else."""
    rating: float | None
    """The rating of mjai-reviewer, 0..100, from q-values; None without any."""

    @property
    def free(self) -> int:
        """The decisions, without those of which the record does not show what the seat wanted."""
        return self.verdicts.total() - self.verdicts[Agreement.UNKNOWN]

    @property
    def agreement(self) -> float | None:
        """The share of decisions that agree or are as good; None without decisions."""
        if not self.free:
            return None
        return (self.verdicts[Agreement.AGREES] + self.verdicts[Agreement.EQUAL]) / self.free


def figures_of(reviewed: Sequence[Reviewed], number: int) -> Figures:
    """Return the figures of the reviewer with this number."""
    verdicts: Counter[Agreement] = Counter()
    sizes: Counter[int] = Counter()
    losses: defaultdict[Unit, float] = defaultdict(float)
    kinds: defaultdict[DecisionKind, Counter[Unit | None]] = defaultdict(Counter)
    thirds: list[list[bool]] = [[], [], []]
    threatened: list[bool] = []
    deal_ins: list[bool] = []
    shares: list[float] = []
    for decision in reviewed:
        assessment = decision.by[number]
        if assessment is None:
            continue
        verdicts[assessment.verdict] += 1
        if assessment.verdict is Agreement.UNKNOWN:
            continue
        differs = assessment.verdict is Agreement.DIFFERS
        thirds[_third_of(decision.turn)].append(not differs)
        if decision.threats:
            threatened.append(not differs)
        if decision.dealt_in:
            deal_ins.append(differs)
        if assessment.unit is Unit.Q:
            share = _share_of_range(assessment, decision.done)
            if share is not None:
                shares.append(share)
        if differs and assessment.kind is not None:
            sizes[assessment.size] += 1
            kinds[assessment.kind][None] += 1
            if assessment.unit is not None and assessment.loss is not None:
                losses[assessment.unit] += assessment.loss
                kinds[assessment.kind][assessment.unit] += round(assessment.loss)
    rating: float | None = None
    if shares:
        rating = 100 * (sum(shares) / len(shares)) ** 2
    counted = tuple(map(_counted, thirds))
    return Figures(verdicts, losses, sizes, kinds, counted, _counted(threatened), _counted(deal_ins), rating)


def _figures_of_all(review: Review, reviewed: Sequence[Reviewed]) -> list[Figures]:
    """Return the figures of all reviewers, in their order."""
    return [figures_of(reviewed, number) for number in range(len(review.reviewers))]


def _third_of(turn: int) -> int:
    """Return the index of the third of a kyoku that a turn is in."""
    if turn <= EARLY:
        return 0
    if turn <= MIDDLE:
        return 1
    return 2


def _share_of_range(assessment: Assessment, done: actions.Action) -> float | None:
    """Return where the value of an action is between the worst and the best, 0..1; None without a value."""
    values = _values_of(assessment.candidates)
    own = values.get(as_face(done))
    if own is None:
        return None
    low, high = min(values.values()), max(values.values())
    if low == high:
        return 1.0
    return (own - low) / (high - low)


def _counted(listed: Sequence[bool]) -> tuple[int, int]:
    return len(listed), sum(listed)


def worst(reviewed: Sequence[Reviewed], number: int, most: int) -> list[Reviewed]:
    """Return the decisions with the greatest losses by this reviewer, the worst first.

    Among those of a size, the ones at which all reviewers differ come first.
    """

    def order(decision: Reviewed) -> tuple[float, ...]:
        """Return a key that sorts the worse decision first."""
        assessment = decision.by[number]
        assert assessment is not None
        weight = _weight(assessment, decision.done)
        return -assessment.size, not _all_differ(decision), -weight, decision.kyoku, decision.event

    differing: list[Reviewed] = []
    for decision in reviewed:
        assessment = decision.by[number]
        if assessment is not None and assessment.verdict is Agreement.DIFFERS:
            differing.append(decision)
    return sorted(differing, key=order)[:most]


def _all_differ(decision: Reviewed) -> bool:
    """Tell whether all reviewers that answered would have done something else."""
    for assessment in decision.by:
        if assessment is not None and assessment.verdict is not Agreement.DIFFERS:
            return False
    return True


def _weight(assessment: Assessment, done: actions.Action) -> float:
    """Return a loss on a scale that all units share: 1 is a blunder."""
    if assessment.unit is None or assessment.loss is None:
        return 0.0
    if assessment.unit in SIZES:
        return assessment.loss / SIZES[assessment.unit][-1]
    return 1 - likelihoods(assessment.unit, _values_of(assessment.candidates)).get(done, 0.0)


# Words


def action_words(action: actions.Action, *, names_tile: bool = True) -> str:
    """Return what a player does in words and tiles: ``discard 9p``, ``riichi 4s``, ``chi 4s 5s``."""
    match action:
        case actions.Discard(face):
            return f"discard {tile_text(face)}"
        case actions.Riichi() if not names_tile:
            return "riichi"
        case actions.Riichi(face):
            return f"riichi {tile_text(face)}"
        case actions.Chi(own) | actions.Pon(own):
            return f"{type(action).__name__.lower()} {' '.join(map(tile_text, own))}"
        case actions.Ankan(kind):
            return f"closed kan {tile_text(kind)}"
        case actions.Kakan(face):
            return f"added kan {tile_text(face)}"
        case _:
            return _ACTIONS[type(action)]


_ACTIONS: Mapping[type[actions.Action], str] = {
    actions.Pass: "pass",
    actions.Daiminkan: "kan",
    actions.Kita: "set north aside",
    actions.Tsumo: "tsumo",
    actions.Ron: "ron",
    actions.KyushuKyuhai: "nine terminals",
}


def shanten_words(number: int) -> str:
    """Return a distance to a win: ``tenpai``, ``2-shanten``."""
    if number > 0:
        return f"{number}-shanten"
    return "tenpai"


def _percent(share: float) -> str:
    if share < 0.01:
        return "under 1%"
    return f"{share:.0%}"


@value
class SentenceParts:
    """The parts of a sentence about one difference."""

    best: str
    done: str
    who: str
    facts: Mapping[str, Any]

    @property
    def keeps(self) -> str:
        """The distance to a win after the reviewer's choice."""
        return shanten_words(self.facts["shanten"][0])

    @property
    def leaves(self) -> str:
        """The distance to a win after what was done."""
        return shanten_words(self.facts["shanten"][1])

    @property
    def distance(self) -> str:
        """The distances to a win, compared."""
        if self.keeps == self.leaves:
            return f"both keep {self.keeps}"
        return f"{self.keeps} instead of {self.leaves}"

    @property
    def risks(self) -> str:
        """The risks, compared."""
        first, second = self.facts["risk"]
        mine = f"deals in with {_percent(first)}"
        if self.facts["safe"]:
            mine = "is safe"
        return f"{self.best} {mine} against {self.who}, {self.done} with {_percent(second)}"

    @property
    def tiles(self) -> tuple[int, int]:
        """The tiles that bring the hand nearer, after either."""
        first, second = self.facts["tiles"]
        return first, second


SENTENCES: Mapping[str, str] = {
    "win": "a win was passed",
    "no_win": "the hand is worth more than this win",
    "kan": "the {words.best} costs nothing",
    "no_kan": "the {words.done} gives more than it brings",
    "safer": "{words.risks}; {words.distance}",
    "fold": "{words.risks}; the hand is not worth the risk",
    "push": "the hand is worth the risk of {words.best}: {words.distance}",
    "red": "the red five is worth a han",
    "back": "{words.best} keeps {words.keeps}, {words.done} goes back to {words.leaves}",
    "worth": "{words.best} goes back to {words.keeps} for a better hand",
    "tiles": "{words.tiles[0]} tiles bring it nearer after {words.best}, {words.tiles[1]} after {words.done}",
    "wait": "fewer tiles ({words.tiles[0]}, not {words.tiles[1]}), but a better wait, or a yaku in reach",
    "dora": "as many tiles, and {words.done} is a dora",
    "equal": "as many tiles; {words.best} is the less useful tile",
    "riichi": "riichi with the same tile",
    "dama": "the hand is worth more without riichi",
    "call": "it brings the hand to {words.keeps}, with a yaku in reach",
    "call_yaku": "it brings a yaku",
    "other_call": "other tiles of the hand make the better call",
    "no_yaku": "neither yakuhai nor tanyao would be in reach after the call",
    "not_nearer": "the call keeps the hand at {words.keeps}",
    "closed": "the closed hand is worth more",
}
"""The words for the codes of reasons."""

NO_REASON = "no reason that we can name"


def reason_words(decision: Reviewed, assessment: Assessment, dealer: Seat, seats: int) -> str:
    """Return why a reviewer differs, in words and tiles, with its own words at the end if it has any."""
    own = _own_words(assessment)
    reason = assessment.reason
    if reason is None:
        return own or NO_REASON
    who = ""
    if "seat" in reason.facts:
        wind = WIND_NAMES[wind_of(int(str(reason.facts["seat"])), dealer, seats)]
        who = f"{wind}'s open hand"
        if reason.facts["riichi"]:
            who = f"{wind}'s riichi"
    words = SentenceParts(_short(assessment.choice), _short(decision.done), who, reason.facts)
    sentence = SENTENCES[reason.code].format(words=words)
    if own:
        return f"{sentence} ({printable(own)})"
    return sentence


def _own_words(assessment: Assessment) -> str:
    """Return the reviewer's own words about its choice; empty if it has none."""
    for candidate in assessment.candidates:
        if candidate.action == assessment.choice and candidate.reason:
            return candidate.reason
    return ""


def _short(action: actions.Action) -> str:
    """Return an action as a sentence names it: a discard by its tile alone."""
    if isinstance(action, actions.Discard | actions.Riichi):
        return tile_text(action.face)
    return action_words(action)


def loss_words(unit: Unit, loss: float) -> str:
    """Return a loss with its unit: ``640 points``; tiles as shanten, ``0.1 shanten``."""
    if unit is Unit.TILES:
        return f"{loss / FARTHER:.1f} shanten"
    if unit is Unit.POINTS:
        return f"{loss:,.0f} {unit.value}"
    return f"{loss:.2f} {unit.value}"


# Text


def review_lines(review: Review, most: int = WORST) -> Iterator[str]:
    """Yield for each seat the figures of all reviewers, and the worst moves by each of them."""
    places = places_of(review.game)
    for number, (seat, reviewed) in enumerate(review.seats.items()):
        if number:
            yield ""
        yield f"{_seat_words(review.game, seat)}: {len(reviewed)} free decisions"
        yield from columns(_figure_rows(review, reviewed), right=range(1, 1 + len(review.reviewers)))
        for at, reviewer in enumerate(review.reviewers):
            listed = worst(reviewed, at, most)
            if listed:
                yield ""
                yield f"the worst moves by {printable(reviewer.name)}"
            for decision in listed:
                yield from _move_lines(review, places, decision, at)


def _seat_words(game: RecordedGame, seat: Seat) -> str:
    name = shortened(printable(game.names[seat]))
    if name:
        return f"{name} (seat {LETTERS[seat]})"
    return f"seat {LETTERS[seat]}"


def _figure_rows(review: Review, reviewed: Sequence[Reviewed]) -> list[tuple[str, ...]]:
    """Return a table with a column for each reviewer."""
    listed = _figures_of_all(review, reviewed)
    units: list[Unit] = []
    for unit in Unit:
        if any(unit in figures.losses for figures in listed):
            units.append(unit)
    is_rated = any(figures.rating is not None for figures in listed)
    cells = [_figure_names(units, is_rated=is_rated)]
    for reviewer, figures in zip(review.reviewers, listed, strict=True):
        cells.append([shortened(printable(reviewer.name), 30), *_figure_cells(figures, units, is_rated=is_rated)])
    return list(zip(*cells, strict=True))


def _figure_names(units: Sequence[Unit], *, is_rated: bool) -> list[str]:
    """Return the first column."""
    names = ["", "agreement", *(verdict.value for verdict in Agreement), "small, mistakes, blunders"]
    names += [f"loss in {unit.value}" for unit in units]
    names += [f"differs in {kind.value}" for kind in DecisionKind]
    names += ["turns 1 to 6", "turns 7 to 12", "later", "against a threat", "deal-ins avoided"]
    if is_rated:
        names.append("mjai-reviewer's rating")
    return names


def _figure_cells(figures: Figures, units: Sequence[Unit], *, is_rated: bool) -> Iterator[str]:
    """Yield the column of a reviewer below its name."""
    yield _share(round((figures.agreement or 0) * figures.free), figures.free)
    for verdict in Agreement:
        yield str(figures.verdicts[verdict])
    yield f"{figures.sizes[1]} {figures.sizes[2]} {figures.sizes[3]}"
    for unit in units:
        yield _loss_cell(figures, unit)
    for kind in DecisionKind:
        yield _kind_cell(figures, kind)
    for free, agreed in (*figures.thirds, figures.threatened):
        yield _share(agreed, free)
    dealt_in, avoided = figures.deal_ins
    yield f"{avoided} of {dealt_in}"
    if is_rated:
        yield _rating_cell(figures.rating)


def _share(part: int, whole: int) -> str:
    if not whole:
        return "-"
    return f"{part / whole:.0%}"


def _loss_cell(figures: Figures, unit: Unit) -> str:
    if unit not in figures.losses:
        return "-"
    return loss_words(unit, figures.losses[unit])


def _kind_cell(figures: Figures, kind: DecisionKind) -> str:
    counts = figures.kinds.get(kind)
    if counts is None:
        return "-"
    return str(counts[None])


def _rating_cell(rating: float | None) -> str:
    if rating is None:
        return "-"
    return f"{rating:.0f}"


def _move_lines(review: Review, places: Sequence[Sequence[int]], decision: Reviewed, number: int) -> Iterator[str]:
    """Yield a decision in two lines: the hand and what was done, then what the reviewer would do and why."""
    move, _, done, better, loss, why = _move_cells(review, places, decision, number)
    yield f"  {move}  turn {decision.turn}  {_position_words(decision)}: {done}"
    if loss:
        better += f" ({loss})"
    yield f"    {better}: {why}"


def _move_cells(
    review: Review, places: Sequence[Sequence[int]], decision: Reviewed, number: int
) -> tuple[str, str, str, str, str, str]:
    """Return what ``MOVE_HEAD`` names: the place of a decision, its hand, and what the reviewer says."""
    assessment = decision.by[number]
    assert assessment is not None
    started = review.game.kyoku[decision.kyoku].started
    place = f"{kyoku_word(started)}:{places[decision.kyoku][decision.event]}"
    better = action_words(assessment.choice, names_tile=assessment.names_tile)
    if assessment.against_values:
        better += ", against its own values"
    loss = ""
    if assessment.unit is not None and assessment.loss:
        loss = loss_words(assessment.unit, assessment.loss)
    why = reason_words(decision, assessment, started.dealer, len(review.game.names))
    shown = pieces.hand(_held(decision), decision.melds, decision.tile)
    return place, shown, action_words(decision.done), better, loss, why


def _position_words(decision: Reviewed) -> str:
    """Return the hand, and the tile that was drawn or is in question."""
    hand, tile = hand_text(_held(decision), decision.melds), decision.tile
    if tile is None:
        return hand
    if decision.phase is Phase.TURN:
        return f"{hand} + {tile_text(tile)}"
    return f"{hand} on {tile_text(tile)}"


def _held(decision: Reviewed) -> tuple[int, ...]:
    """Return the concealed tiles without the drawn one."""
    held = list(decision.hand)
    if decision.phase is Phase.TURN and decision.tile in held:
        held.remove(decision.tile)
    return tuple(held)


# Data


VERSION = 1
"""The version of the data."""


def review_data(review: Review, most: int | None = None) -> dict[str, Any]:
    """Return a review as data for JSON, with at most so many candidates for each decision."""
    game, places = review.game, places_of(review.game)
    decisions_data: list[dict[str, Any]] = []
    for reviewed in review.seats.values():
        for decision in reviewed:
            decisions_data.append(_reviewed_data(decision, places[decision.kyoku][decision.event], most))
    return {
        "review": VERSION,
        "record": review.name,
        "sha256": review.digest,
        "rules": game.ruleset.name,
        "names": list(game.names),
        "reviewers": [{"id": reviewer.name, **reviewer.about()} for reviewer in review.reviewers],
        "seats": [_seat_data(review, seat) for seat in review.seats],
        "decisions": decisions_data,
    }


PAGE_CANDIDATES = 6
"""The candidates of a decision on a page; the done action is one of them."""


def review_page(review: Review) -> str:
    """Return the page that replays the game, with the review in it; raise RecordError as ``write_html`` does."""
    return write_html(review.game, review_data(review, PAGE_CANDIDATES)).decode()


def review_by_policy(data: bytes, seat: Seat, kind: str) -> bytes:
    """Return the review of a seat by a built-in policy, in JSON for the page; raise RecordError if there is none."""
    game = read_record(data)
    if seat >= len(game.names):
        raise RecordError(f"no seat {LETTERS[seat]} in a game of {len(game.names)}")
    reviewers = (PolicyReviewer(kind, POLICIES[kind]()),)
    reviewed = list(review_seat(game, seat, reviewers))
    review = Review("", hashlib.sha256(data).hexdigest(), game, reviewers, {seat: reviewed})
    return write(review_data(review, PAGE_CANDIDATES)).encode()


def _seat_data(review: Review, seat: Seat) -> dict[str, Any]:
    figures = _figures_of_all(review, review.seats[seat])
    return {"seat": seat, "by": list(map(_figures_data, figures))}


def _figures_data(figures: Figures) -> dict[str, Any]:
    return {
        "free": figures.free,
        **{verdict.value: figures.verdicts[verdict] for verdict in Agreement},
        "agreement": rounded(figures.agreement),
        "loss": {unit.value: _rounded(loss) for unit, loss in figures.losses.items()},
        "sizes": [figures.sizes[size] for size in (1, 2, 3)],
        "kinds": {kind.value: _kind_data(counts) for kind, counts in figures.kinds.items()},
        "thirds": list(map(list, figures.thirds)),
        "threatened": list(figures.threatened),
        "deal_ins": list(figures.deal_ins),
        "mjai_reviewer_rating": _rounded(figures.rating),
    }


def _kind_data(counts: Counter[Unit | None]) -> list[Any]:
    """Return the number of differences of a kind, and their losses by unit."""
    losses = {unit.value: loss for unit, loss in counts.items() if unit is not None}
    return [counts[None], losses]


def _reviewed_data(decision: Reviewed, place: int, most: int | None) -> dict[str, Any]:
    tile: str | None = None
    if decision.tile is not None:
        tile = tile_text(decision.tile)
    return {
        "kyoku": decision.kyoku,
        "event": place,
        "seat": decision.seat,
        "phase": decision.phase.value,
        "turn": decision.turn,
        "left": decision.left,
        "hand": hand_text(decision.hand, decision.melds),
        "tile": tile,
        "shanten": decision.shanten,
        "furiten": decision.furiten,
        "threats": [_threat_data(seat, in_riichi=in_riichi) for seat, in_riichi in decision.threats],
        "dealt_in": decision.dealt_in,
        "done": write_action(decision.done),
        "by": [_assessment_data(decision, assessment, most) for assessment in decision.by],
    }


def _threat_data(seat: Seat, *, in_riichi: bool) -> list[Any]:
    if in_riichi:
        return [seat, "riichi"]
    return [seat, "open"]


def _assessment_data(decision: Reviewed, assessment: Assessment | None, most: int | None) -> dict[str, Any] | None:
    if assessment is None:
        return None
    listed = list(assessment.candidates[:most])
    place, rank = assessment.place_of(decision.done), None
    if place is not None:
        rank = place + 1
        if place >= len(listed):
            listed[-1] = assessment.candidates[place]
    choice = "richi"
    if assessment.names_tile:
        choice = write_action(assessment.choice)
    return {
        "choice": choice,
        "verdict": assessment.verdict.value,
        "unit": _value_of(assessment.unit),
        "loss": _rounded(assessment.loss),
        "size": assessment.size,
        "rank": rank,
        "of": len(assessment.candidates),
        "kind": _value_of(assessment.kind),
        "against_values": assessment.against_values,
        "reason": _reason_data(assessment.reason),
        "candidates": [_candidate_data(candidate, assessment.unit) for candidate in listed],
    }


def _value_of(member: Unit | DecisionKind | None) -> str | None:
    if member is None:
        return None
    return str(member.value)


def _reason_data(reason: Explanation | None) -> dict[str, Any] | None:
    if reason is None:
        return None
    data: dict[str, Any] = {"code": reason.code}
    for name, fact in reason.facts.items():
        if isinstance(fact, tuple):
            data[name] = list(map(_rounded, fact))
        else:
            data[name] = fact
    return data


def _candidate_data(candidate: Candidate, unit: Unit | None) -> list[Any]:
    """Return an action, its value, and the facts that are known."""
    number: float | None = None
    if unit is not None:
        number = _rounded(candidate.value)
    known: dict[str, Any] = {}
    for name in ("shanten", "tiles", "risk", "win", "reason"):
        fact = getattr(candidate, name)
        if fact is not None and fact != "":
            known[name] = _rounded(fact)
    return [write_action(candidate.action), number, known]


def _rounded(number: Any) -> Any:
    """Return a number with three digits after the point, without those if it is large."""
    if not isinstance(number, float):
        return number
    if abs(number) >= 100:
        return round(number)
    return round(number, 3)
