"""Review of a recorded game: what reviewers would have done at each decision of a seat, what it cost, and why.

A reviewer is asked at every decision, and its answer is dropped: the next event is the one of the record. Only the
facts of ``Explanation`` explain a verdict. They are computed here, the same for all reviewers.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from math import exp
from typing import Any, Protocol

from ump.model import actions
from ump.model import events as ev
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat, wind_of
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.danger import Threat, safe_kinds, threats
from ump.players.efficiency import prospects_of_call, worth
from ump.players.evaluation import FARTHER, Candidate, Evaluation, Unit, as_face, tile_evaluation
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Policy
from ump.record.decisions import Decision, decisions, read_record
from ump.record.html import places_of, write_html
from ump.record.journal import write_action
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.text import kyoku_word
from ump.rules.analysis import waits_of
from ump.table.view import view
from ump.text.layout import columns, hand_text, printable, shortened, tile_text
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
        agreed = self.verdicts[Agreement.AGREES] + self.verdicts[Agreement.EQUAL]
        return agreed / self.free if self.free else None


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
    for each in reviewed:
        found = each.by[number]
        if found is None:
            continue
        verdicts[found.verdict] += 1
        if found.verdict is Agreement.UNKNOWN:
            continue
        differs = found.verdict is Agreement.DIFFERS
        thirds[(each.turn > EARLY) + (each.turn > MIDDLE)].append(not differs)
        if each.threats:
            threatened.append(not differs)
        if each.dealt_in:
            deal_ins.append(differs)
        if found.unit is Unit.Q and (share := _share_of_range(found, each.done)) is not None:
            shares.append(share)
        if differs and found.kind is not None:
            sizes[found.size] += 1
            kinds[found.kind][None] += 1
            if found.unit is not None and found.loss is not None:
                losses[found.unit] += found.loss
                kinds[found.kind][found.unit] += round(found.loss)
    counted = tuple((len(each), sum(each)) for each in thirds)
    rating = 100 * (sum(shares) / len(shares)) ** 2 if shares else None
    return Figures(verdicts, losses, sizes, kinds, counted, _counted(threatened), _counted(deal_ins), rating)


def _share_of_range(found: Assessment, done: actions.Action) -> float | None:
    """Return where the value of an action is between the worst and the best, 0..1; None without a value."""
    values = {each.action: each.value for each in found.candidates}
    own = values.get(as_face(done))
    if own is None:
        return None
    low, high = min(values.values()), max(values.values())
    return (own - low) / (high - low) if high > low else 1.0


def _counted(listed: Sequence[bool]) -> tuple[int, int]:
    return len(listed), sum(listed)


def worst(reviewed: Sequence[Reviewed], number: int, most: int) -> list[Reviewed]:
    """Return the decisions with the greatest losses by this reviewer, the worst first.

    Among those of a size, the ones at which all reviewers differ come first.
    """

    def order(each: Reviewed) -> tuple[float, ...]:
        """Return a key that sorts the worse decision first."""
        found = each.by[number]
        assert found is not None
        alone = any(other is not None and other.verdict is not Agreement.DIFFERS for other in each.by)
        return -found.size, alone, -_weight(found, each.done), each.kyoku, each.event

    differing = [each for each in reviewed if (found := each.by[number]) and found.verdict is Agreement.DIFFERS]
    return sorted(differing, key=order)[:most]


def _weight(found: Assessment, done: actions.Action) -> float:
    """Return a loss on a scale that all units share: 1 is a blunder."""
    if found.unit is None or found.loss is None:
        return 0.0
    if found.unit in SIZES:
        return found.loss / SIZES[found.unit][-1]
    values = {each.action: each.value for each in found.candidates}
    return 1 - likelihoods(found.unit, values).get(done, 0.0)


# Words


def action_words(action: actions.Action, *, names_tile: bool = True) -> str:
    """Return what a player does in words and tiles: ``discard 9p``, ``riichi 4s``, ``chi 4s 5s``."""
    match action:
        case actions.Discard(face):
            return f"discard {tile_text(face)}"
        case actions.Riichi(face):
            return f"riichi {tile_text(face)}" if names_tile else "riichi"
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

_WINDS = ("East", "South", "West", "North")


def shanten_words(number: int) -> str:
    """Return a distance to a win: ``tenpai``, ``2-shanten``."""
    return f"{number}-shanten" if number > 0 else "tenpai"


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "under 1%"


@value
class _Words:
    """The parts of a sentence about one difference."""

    best: str
    done: str
    who: str
    facts: Mapping[str, Any]

    def distance(self) -> str:
        """Say how the distances to a win compare."""
        first, second = self.facts["shanten"]
        if first == second:
            return f"both keep {shanten_words(first)}"
        return f"{shanten_words(first)} instead of {shanten_words(second)}"

    def risks(self) -> str:
        """Say how the risks compare."""
        first, second = self.facts["risk"]
        mine = "is safe" if self.facts["safe"] else f"deals in with {_percent(first)}"
        return f"{self.best} {mine} against {self.who}, {self.done} with {_percent(second)}"


SENTENCES: Mapping[str, Callable[[_Words], str]] = {
    "win": lambda _: "a win was passed",
    "no_win": lambda _: "the hand is worth more than this win",
    "kan": lambda words: f"the {words.best} costs nothing",
    "no_kan": lambda words: f"the {words.done} gives more than it brings",
    "safer": lambda words: f"{words.risks()}; {words.distance()}",
    "fold": lambda words: f"{words.risks()}; the hand is not worth the risk",
    "push": lambda words: f"the hand is worth the risk of {words.best}: {words.distance()}",
    "red": lambda _: "the red five is worth a han",
    "back": lambda words: (
        f"{words.best} keeps {shanten_words(words.facts['shanten'][0])}, {words.done} goes back to "
        f"{shanten_words(words.facts['shanten'][1])}"
    ),
    "worth": lambda words: f"{words.best} goes back to {shanten_words(words.facts['shanten'][0])} for a better hand",
    "tiles": lambda words: (
        f"{words.facts['tiles'][0]} tiles bring it nearer after {words.best}, {words.facts['tiles'][1]} after "
        f"{words.done}"
    ),
    "wait": lambda words: (
        f"fewer tiles ({words.facts['tiles'][0]}, not {words.facts['tiles'][1]}), but a better wait, or a yaku in reach"
    ),
    "dora": lambda words: f"as many tiles, and {words.done} is a dora",
    "equal": lambda words: f"as many tiles; {words.best} is the less useful tile",
    "riichi": lambda _: "riichi with the same tile",
    "dama": lambda _: "the hand is worth more without riichi",
    "call": lambda words: f"it brings the hand to {shanten_words(words.facts['shanten'][0])}, with a yaku in reach",
    "call_yaku": lambda _: "it brings a yaku",
    "other_call": lambda _: "other tiles of the hand make the better call",
    "no_yaku": lambda _: "neither yakuhai nor tanyao would be in reach after the call",
    "not_nearer": lambda words: f"the call keeps the hand at {shanten_words(words.facts['shanten'][0])}",
    "closed": lambda _: "the closed hand is worth more",
}
"""The words for the codes of reasons."""

NO_REASON = "no reason that we can name"


def reason_words(each: Reviewed, found: Assessment, dealer: Seat, seats: int) -> str:
    """Return why a reviewer differs, in words and tiles, with its own words at the end if it has any."""
    own = next((one.reason for one in found.candidates if one.action == found.choice and one.reason), "")
    reason = found.reason
    if reason is None:
        return own or NO_REASON
    who = ""
    if "seat" in reason.facts:
        wind = _WINDS[wind_of(int(str(reason.facts["seat"])), dealer, seats)]
        who = f"{wind}'s {'riichi' if reason.facts['riichi'] else 'open hand'}"
    words = _Words(_short(found.choice), _short(each.done), who, reason.facts)
    sentence = SENTENCES[reason.code](words)
    return f"{sentence} ({printable(own)})" if own else sentence


def _short(action: actions.Action) -> str:
    """Return an action as a sentence names it: a discard by its tile alone."""
    return tile_text(action.face) if isinstance(action, actions.Discard | actions.Riichi) else action_words(action)


def loss_words(unit: Unit, loss: float) -> str:
    """Return a loss with its unit: ``640 points``; tiles as shanten, ``0.1 shanten``."""
    if unit is Unit.TILES:
        return f"{loss / FARTHER:.1f} shanten"
    return f"{loss:,.0f} {unit.value}" if unit is Unit.POINTS else f"{loss:.2f} {unit.value}"


# Text


def review_lines(review: Review, most: int = WORST) -> Iterator[str]:
    """Yield for each seat the figures of all reviewers, and the worst moves by each of them."""
    places = places_of(review.game)
    for number, (seat, reviewed) in enumerate(review.seats.items()):
        if number:
            yield ""
        yield f"{_seat_words(review.game, seat)}: {len(reviewed)} free decisions"
        yield from _figure_lines(review, reviewed)
        for at, reviewer in enumerate(review.reviewers):
            listed = worst(reviewed, at, most)
            if listed:
                yield ""
                yield f"the worst moves by {printable(reviewer.name)}"
            for each in listed:
                yield from _move_lines(review, places, each, at)


def _seat_words(game: RecordedGame, seat: Seat) -> str:
    name = shortened(printable(game.names[seat]))
    return f"{name} (seat {LETTERS[seat]})" if name else f"seat {LETTERS[seat]}"


def _figure_lines(review: Review, reviewed: Sequence[Reviewed]) -> Iterator[str]:
    """Yield a table with a column for each reviewer."""
    found = [figures_of(reviewed, number) for number in range(len(review.reviewers))]
    rows: list[list[str]] = [["", *(shortened(printable(each.name), 30) for each in review.reviewers)]]
    rows.append(["agreement", *(_share(round((each.agreement or 0) * each.free), each.free) for each in found)])
    rows += [[verdict.value, *(str(each.verdicts[verdict]) for each in found)] for verdict in Agreement]
    rows.append(
        ["small, mistakes, blunders", *(" ".join(str(each.sizes[size]) for size in (1, 2, 3)) for each in found)]
    )
    for unit in Unit:
        if any(unit in each.losses for each in found):
            losses = (loss_words(unit, each.losses[unit]) if unit in each.losses else "-" for each in found)
            rows.append([f"loss in {unit.value}", *losses])
    rows += [[f"differs in {kind.value}", *(_kind_cell(each, kind) for each in found)] for kind in DecisionKind]
    for name, third in zip(("turns 1 to 6", "turns 7 to 12", "later"), range(3), strict=True):
        rows.append([name, *(_share(each.thirds[third][1], each.thirds[third][0]) for each in found)])
    rows.append(["against a threat", *(_share(each.threatened[1], each.threatened[0]) for each in found)])
    rows.append(["deal-ins avoided", *(f"{each.deal_ins[1]} of {each.deal_ins[0]}" for each in found)])
    if any(each.rating is not None for each in found):
        ratings = ("-" if each.rating is None else f"{each.rating:.0f}" for each in found)
        rows.append(["mjai-reviewer's rating", *ratings])
    yield from columns(rows, right=range(1, len(rows[0])))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _kind_cell(figures: Figures, kind: DecisionKind) -> str:
    counts = figures.kinds.get(kind)
    return "-" if counts is None else str(counts[None])


def _move_lines(review: Review, places: Sequence[Sequence[int]], each: Reviewed, number: int) -> Iterator[str]:
    """Yield a decision in two lines: the hand and what was done, then what the reviewer would do and why."""
    found = each.by[number]
    assert found is not None
    started = review.game.kyoku[each.kyoku].started
    place = f"{kyoku_word(started)}:{places[each.kyoku][each.event]}"
    tile = "" if each.tile is None else f" {'+' if each.phase.value == 'turn' else 'on'} {tile_text(each.tile)}"
    yield f"  {place}  turn {each.turn}  {hand_text(_held(each), each.melds)}{tile}: {action_words(each.done)}"
    loss = "" if found.unit is None or not found.loss else f" ({loss_words(found.unit, found.loss)})"
    better = action_words(found.choice, names_tile=found.names_tile)
    better += ", against its own values" if found.against_values else ""
    why = reason_words(each, found, started.dealer, len(review.game.names))
    yield f"    {better}{loss}: {why}"


def _held(each: Reviewed) -> tuple[int, ...]:
    """Return the concealed tiles without the drawn one."""
    held = list(each.hand)
    if each.phase.value == "turn" and each.tile in held:
        held.remove(each.tile)
    return tuple(held)


# Data


VERSION = 1
"""The version of the data."""


def review_data(review: Review, most: int | None = None) -> dict[str, Any]:
    """Return a review as data for JSON, with at most so many candidates for each decision."""
    game, places = review.game, places_of(review.game)
    return {
        "review": VERSION,
        "record": review.name,
        "sha256": review.digest,
        "rules": game.ruleset.name,
        "names": list(game.names),
        "reviewers": [{"id": each.name, **each.about()} for each in review.reviewers],
        "seats": [
            {"seat": seat, "by": [_figures_data(figures_of(reviewed, at)) for at in range(len(review.reviewers))]}
            for seat, reviewed in review.seats.items()
        ],
        "decisions": [
            _reviewed_data(each, places[each.kyoku][each.event], most)
            for reviewed in review.seats.values()
            for each in reviewed
        ],
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
    found = Review("", hashlib.sha256(data).hexdigest(), game, reviewers, {seat: [*review_seat(game, seat, reviewers)]})
    return write(review_data(found, PAGE_CANDIDATES)).encode()


def _figures_data(figures: Figures) -> dict[str, Any]:
    return {
        "free": figures.free,
        **{verdict.value: figures.verdicts[verdict] for verdict in Agreement},
        "agreement": None if figures.agreement is None else round(figures.agreement, 4),
        "loss": {unit.value: _rounded(loss) for unit, loss in figures.losses.items()},
        "sizes": [figures.sizes[size] for size in (1, 2, 3)],
        "kinds": {
            kind.value: [counts[None], {unit.value: loss for unit, loss in counts.items() if unit is not None}]
            for kind, counts in figures.kinds.items()
        },
        "thirds": [list(each) for each in figures.thirds],
        "threatened": list(figures.threatened),
        "deal_ins": list(figures.deal_ins),
        "mjai_reviewer_rating": _rounded(figures.rating),
    }


def _reviewed_data(each: Reviewed, place: int, most: int | None) -> dict[str, Any]:
    return {
        "kyoku": each.kyoku,
        "event": place,
        "seat": each.seat,
        "phase": each.phase.value,
        "turn": each.turn,
        "left": each.left,
        "hand": hand_text(each.hand, each.melds),
        "tile": None if each.tile is None else tile_text(each.tile),
        "shanten": each.shanten,
        "furiten": each.furiten,
        "threats": [[seat, "riichi" if riichi else "open"] for seat, riichi in each.threats],
        "dealt_in": each.dealt_in,
        "done": write_action(each.done),
        "by": [None if found is None else _assessment_data(each, found, most) for found in each.by],
    }


def _assessment_data(each: Reviewed, found: Assessment, most: int | None) -> dict[str, Any]:
    rank = found.place_of(each.done)
    listed = list(found.candidates[:most])
    if rank is not None and rank >= len(listed):
        listed[-1] = found.candidates[rank]
    return {
        "choice": write_action(found.choice) if found.names_tile else "richi",
        "verdict": found.verdict.value,
        "unit": None if found.unit is None else found.unit.value,
        "loss": None if found.loss is None else _rounded(found.loss),
        "size": found.size,
        "rank": None if rank is None else rank + 1,
        "of": len(found.candidates),
        "kind": None if found.kind is None else found.kind.value,
        "against_values": found.against_values,
        "reason": _reason_data(found.reason),
        "candidates": [[write_action(one.action), *_candidate_data(one, found.unit)] for one in listed],
    }


def _reason_data(reason: Explanation | None) -> dict[str, Any] | None:
    if reason is None:
        return None
    facts = {name: [*map(_rounded, fact)] if isinstance(fact, tuple) else fact for name, fact in reason.facts.items()}
    return {"code": reason.code, **facts}


def _candidate_data(one: Candidate, unit: Unit | None) -> tuple[float | None, dict[str, Any]]:
    facts = {"shanten": one.shanten, "tiles": one.tiles, "risk": one.risk, "win": one.win, "reason": one.reason}
    known = {name: _rounded(fact) for name, fact in facts.items() if fact is not None and fact != ""}
    return None if unit is None else _rounded(one.value), known


def _rounded(number: Any) -> Any:
    """Return a number with three digits after the point, without those if it is large."""
    if not isinstance(number, float):
        return number
    return round(number) if abs(number) >= 100 else round(number, 3)
