"""Figures of a review: one reviewer's opinions about a seat, counted over its decisions, and its worst decisions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ump.model import actions
from ump.model.value import value
from ump.players.evaluation import Unit, as_face
from ump.record.review import SIZES, Agreement, Assessment, DecisionKind, Reviewed, likelihoods, values_of

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


def _third_of(turn: int) -> int:
    """Return the index of the third of a kyoku that a turn is in."""
    if turn <= EARLY:
        return 0
    if turn <= MIDDLE:
        return 1
    return 2


def _share_of_range(assessment: Assessment, done: actions.Action) -> float | None:
    """Return where the value of an action is between the worst and the best, 0..1; None without a value."""
    values = values_of(assessment.candidates)
    own = values.get(as_face(done))
    if own is None:
        return None
    low, high = min(values.values()), max(values.values())
    if low == high:
        return 1.0
    return (own - low) / (high - low)


def _counted(listed: Sequence[bool]) -> tuple[int, int]:
    return len(listed), sum(listed)


@value
class KyokuScore:
    """How well a seat played one kyoku, by one reviewer that values actions in points."""

    kyoku: int
    """The index of the kyoku, from 0."""
    free: int
    """Its free decisions."""
    good: int
    """Those that agree or are as good."""
    loss: float
    """The points lost."""

    @property
    def score(self) -> float:
        """From 100, less one for each ``LOSS_OF_ONE`` points lost, but at least 0."""
        return max(0.0, BEST_SCORE - self.loss / LOSS_OF_ONE)


BEST_SCORE, LOSS_OF_ONE = 100.0, 25.0
"""The score of a kyoku without a loss, and the points that lower it by one."""


def kyoku_scores(reviewed: Sequence[Reviewed], number: int) -> tuple[KyokuScore, ...]:
    """Return the scores of the kyoku with free decisions; none if the reviewer does not count in points."""
    counted: defaultdict[int, list[Assessment]] = defaultdict(list)
    for decision in reviewed:
        assessment = decision.by[number]
        if assessment is not None and assessment.verdict is not Agreement.UNKNOWN:
            counted[decision.kyoku].append(assessment)
    if not any(each.unit is Unit.POINTS for listed in counted.values() for each in listed):
        return ()
    return tuple(_kyoku_score(kyoku, listed) for kyoku, listed in sorted(counted.items()))


def _kyoku_score(kyoku: int, listed: Sequence[Assessment]) -> KyokuScore:
    differing = [each for each in listed if each.verdict is Agreement.DIFFERS]
    loss = sum(each.loss or 0.0 for each in differing if each.unit is Unit.POINTS)
    return KyokuScore(kyoku, len(listed), len(listed) - len(differing), loss)


def game_score(scores: Sequence[KyokuScore]) -> float | None:
    """Return the mean of the scores; None without any."""
    if not scores:
        return None
    return sum(each.score for each in scores) / len(scores)


def scores_data(scores: Sequence[KyokuScore]) -> dict[str, Any]:
    """Return the score of a game and of its kyoku as data for JSON."""
    rows = []
    for each in scores:
        row = {"kyoku": each.kyoku, "free": each.free, "good": each.good}
        rows.append({**row, "loss": round(each.loss), "score": round(each.score)})
    score = game_score(scores)
    return {"score": None if score is None else round(score), "kyoku": rows}


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
    return 1 - likelihoods(assessment.unit, values_of(assessment.candidates)).get(done, 0.0)
