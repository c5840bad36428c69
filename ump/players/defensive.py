"""The policy that weighs what its hand may win against what a discard may cost, and folds when that is more."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from ump.model.actions import Action, Chi, Discard, Kita, KyushuKyuhai, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, Face, Kind
from ump.model.value import value
from ump.players.claimable import claimable, discards_of, has_any
from ump.players.danger import Threat, threats
from ump.players.efficiency import Efficiency, best_discard, kinds_after, open_melds, prospects_of_call
from ump.players.evaluation import Candidate, Evaluation, Unit, as_face, deal_in_risk
from ump.players.expectation import chance_of_win, points_of
from ump.players.observation import Observation, discarded_kinds
from ump.players.prospects import Prospect, YakuPlan, plan_for, prospects
from ump.rules.analysis import shanten, ukeire

PUSHED = 0.03
"""The chance that an ordinary discard deals into a tenpai hand."""

MOST_TURNS = 6
"""The turns for which a player who goes on has to discard dangerous tiles, at most: then somebody has won."""

SPARED = 1_000.0
"""The payments that a win saves besides: those for another player's tsumo, or for noten."""

DRAW = 500.0
"""The further value of being tenpai, for exhaustive draws."""

MARGIN = 200.0
"""Expectations that differ by less, in points, count as equal."""

FARTHEST = 3
"""The shanten from which a hand folds without counting."""


@value
class PlannedDiscard:
    """A discard, and what it is expected to bring in points."""

    expected: float
    discard: Discard
    prospect: Prospect | None
    """The prospect of the hand after the discard; None if it is too far from a win to be counted."""
    goes_on: bool
    """Whether the hand goes on after it, and does not fold."""


class Defensive:
    """Plays like ``Efficiency`` until another player is a threat; then it goes on or folds by what it expects."""

    def __init__(self) -> None:
        self._attack = Efficiency()

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer, which depends only on the hand and the visible tiles (see ``Policy.choose``)."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        dangerous = () if phase is Phase.DECLARE else tuple(threats(seen))
        if not dangerous or has_any(legal, Tsumo, Ron):
            return self._attack.choose(seen, phase, tile, legal)
        if phase is Phase.TURN:
            return _turn(seen, legal, dangerous)
        if phase is Phase.CALL and tile is not None:
            return max(_calls(seen, tile, legal, dangerous), key=attrgetter("value")).action
        return Pass()

    def evaluate(
        self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
    ) -> Evaluation | None:
        """Return expected points against a threat, else what ``Efficiency`` counts (see ``EvaluatingPolicy``)."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        dangerous = tuple(threats(seen))
        if not dangerous or phase not in (Phase.TURN, Phase.CALL):
            return self._attack.evaluate(seen, phase, tile, legal)
        if phase is Phase.CALL and tile is not None:
            return Evaluation(Unit.POINTS, tuple(_calls(seen, tile, legal, dangerous)))
        best: dict[Action, Candidate] = {}
        for plan in _plans(seen, discards_of(legal), dangerous):
            candidate = _candidate(plan, dangerous)
            best[candidate.action] = candidate
        faces = {action.face for action in legal if isinstance(action, Riichi)}
        declared = [replace(best[Discard(face)], action=Riichi(face)) for face in sorted(faces)]
        return Evaluation(Unit.POINTS, (*best.values(), *declared), MARGIN)


def _turn(seen: Observation, legal: tuple[Action, ...], dangerous: tuple[Threat, ...]) -> Action:
    """Abort or set a north aside if possible; else make the best discard, with riichi if the hand goes on."""
    for action in legal:
        if isinstance(action, (KyushuKyuhai, Kita)):
            return action
    best = _best_plan(seen, discards_of(legal), dangerous)
    riichi = Riichi(best.discard.face, best.discard.tsumogiri)
    is_live = best.prospect is not None and best.prospect.live > 0
    return riichi if best.goes_on and is_live and riichi in legal else best.discard


def _best_plan(seen: Observation, discards: list[Discard], dangerous: tuple[Threat, ...]) -> PlannedDiscard:
    """Return the discard that leaves the nearest hand, among those with nearly the highest expectation."""
    plans = _plans(seen, discards, dangerous)
    most = max(each.expected for each in plans)
    near = {each.discard: each for each in plans if each.expected >= most - MARGIN}
    return near[best_discard(seen, _yaku_plan(seen), list(near))[0]]


def _plans(seen: Observation, discards: list[Discard], dangerous: tuple[Threat, ...]) -> list[PlannedDiscard]:
    """Return what each discard is expected to bring."""
    kinds, plan = seen.hand.kinds, _yaku_plan(seen)
    number = shanten(kinds)
    gains: dict[Kind, tuple[float, Prospect | None]] = {}
    for kind in discarded_kinds(discards):
        gains[kind] = _gain(seen, kinds, plan, kind, dangerous) if number < FARTHEST else (0.0, None)
    return [_plan(discard, gains[KIND_OF[discard.face]], dangerous) for discard in discards]


def _yaku_plan(seen: Observation) -> YakuPlan:
    return plan_for(seen, seen.hand.kinds, open_melds(seen)) or YakuPlan.YAKUHAI


def _candidate(plan: PlannedDiscard, dangerous: tuple[Threat, ...]) -> Candidate:
    """Return a plan as a review shows it."""
    number = None if plan.prospect is None else plan.prospect.shanten
    return Candidate(
        as_face(plan.discard), plan.expected, number, risk=deal_in_risk(dangerous, KIND_OF[plan.discard.face])
    )


def _plan(discard: Discard, gain: tuple[float, Prospect | None], dangerous: tuple[Threat, ...]) -> PlannedDiscard:
    """Return what a discard brings: the expectation of the hand after it, unless it deals in."""
    kind = KIND_OF[discard.face]
    cost = sum(threat.dangers[kind] * threat.points for threat in dangerous)
    survives = 1.0
    for threat in dangerous:
        survives *= 1 - threat.dangers[kind]
    expected, prospect = gain
    return PlannedDiscard(survives * max(0.0, expected) - cost, discard, prospect, expected > 0)


def _gain(
    seen: Observation, kinds: list[int], plan: YakuPlan, kind: Kind, dangerous: tuple[Threat, ...]
) -> tuple[float, Prospect | None]:
    """Return what going on after this discard brings more than folding, and what the discard leaves."""
    prospect = prospects(seen, kinds, plan, (kind,))[kind]
    left = kinds[:]
    left[kind] -= 1
    return _going_on(seen, left, plan, prospect, dangerous, is_closed=seen.hand.is_closed), prospect


def _going_on(
    seen: Observation,
    kinds: list[int],
    plan: YakuPlan,
    prospect: Prospect,
    dangerous: tuple[Threat, ...],
    *,
    is_closed: bool,
) -> float:
    """Return what going on with 3n + 1 tiles brings more than folding, in points."""
    if prospect.shanten >= FARTHEST:
        return 0.0
    tiles = sum(map(seen.unseen, ukeire(kinds))) if prospect.shanten else 0
    wins = chance_of_win(seen, prospect, tiles, len(dangerous))
    gain = wins * (points_of(seen, kinds, plan, is_closed=is_closed) + SPARED)
    turns = min(MOST_TURNS, seen.left / seen.ruleset.seats)
    risk = sum(threat.tenpai * threat.points for threat in dangerous) * PUSHED * turns * (1 - wins)
    return gain - risk + (DRAW if prospect.shanten == 0 else 0.0)


def _calls(seen: Observation, tile: Face, legal: tuple[Action, ...], dangerous: tuple[Threat, ...]) -> list[Candidate]:
    """Return a pass, which goes on or folds without the call, and each call with what it is expected to bring."""
    kinds = seen.hand.kinds
    plan = plan_for(seen, kinds, open_melds(seen)) or YakuPlan.CLOSED
    found = [Candidate(Pass(), max(0.0, _before_draw(seen, kinds, plan, dangerous)))]
    for action in legal:
        after = prospects_of_call(seen, tile, action) if isinstance(action, Chi | Pon) else None
        if after is None:
            continue
        assert isinstance(action, Chi | Pon)
        plan, nearest = after
        left = kinds_after(seen, action)
        expected = []
        for kind, prospect in nearest.items():
            left[kind] -= 1
            gain = _going_on(seen, left, plan, prospect, dangerous, is_closed=False)
            left[kind] += 1
            expected.append(_plan(Discard(_any_face(seen, kind)), (gain, prospect), dangerous).expected)
        found.append(Candidate(action, max(expected), min(each.shanten for each in nearest.values())))
    return found


def _before_draw(seen: Observation, kinds: list[int], plan: YakuPlan, dangerous: tuple[Threat, ...]) -> float:
    """Return what going on with the hand as it is brings more than folding."""
    number = shanten(kinds)
    if number >= FARTHEST:
        return 0.0
    live = sum(map(seen.unseen, ukeire(kinds)))
    prospect = Prospect(number, live * (seen.ruleset.seats if number == 0 else 14))
    return _going_on(seen, kinds, plan, prospect, dangerous, is_closed=seen.hand.is_closed)


def _any_face(seen: Observation, kind: Kind) -> Face:
    """Return a held face of a kind."""
    return next(face for face in seen.hand.concealed if KIND_OF[face] == kind)
