"""Drills about a position: the safest tile, push or fold, call or pass.

They are matters of judgement. Two ways to judge have to agree, and the margin has to be clear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.drills.case import MISJUDGED, MISJUDGED_CHOICE, Case, difficulty
from ump.drills.drill import FOLD, PASS, PUSH, Drill, DrillKind
from ump.drills.position import words_of
from ump.model.actions import Action, Chi, Daiminkan, Discard, Pass, Pon, Riichi
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF, Kind
from ump.players.danger import Threat, calibrated_threats, plain_threats, safe_kinds
from ump.players.evaluation import Candidate, as_face, deal_in_risk
from ump.text.layout import tile_text

FEWEST_KINDS, MOST_SAFEST = 5, 3
"""The safest tile: how many kinds there are to choose from at least, and how many may be equally safe."""

RISK_AHEAD, RISK_EQUAL = 0.015, 0.002
"""The lead in safety over the next one, and the difference up to which risks are equal."""

RIICHI_COST = 5_800.0
"""The cost of a deal-in for a learner who judges the danger of tiles, in points."""

PUSH_RISK, FOLD_RISK, PUSH_AHEAD = 0.03, 0.01, 500.0
"""Push or fold: the risk above the least from which a tile pushes, and up to which it folds; the margin in points."""

CALL_AHEAD = 400.0
"""Call or pass: the margin in points."""


def table_drills(case: Case) -> Iterator[Drill]:
    """Yield the questions about the position of a decision."""
    if case.decision.phase is Phase.CALL:
        yield from _call_or_pass(case)
    elif case.is_open_turn and case.in_riichi:
        yield from _safest_tile(case)
        yield from _push_or_fold(case)


# The safest tile


def _safest_tile(case: Case) -> Iterator[Drill]:
    """Yield the question for the safest tile against those in riichi."""
    risks = _risks(case, calibrated_threats(case.seen))
    right = [kind for kind, risk in risks.items() if risk <= min(risks.values()) + RISK_EQUAL]
    rest = [risk for kind, risk in risks.items() if kind not in right]
    if len(risks) < FEWEST_KINDS or len(right) > MOST_SAFEST or not rest:
        return
    if min(rest) - min(risks.values()) < RISK_AHEAD:
        return
    plain = _risks(case, plain_threats(case.seen))
    if min(plain, key=plain.__getitem__) not in right:
        return
    safe = frozenset.intersection(*(frozenset(safe_kinds(case.seen, seat)) for seat in case.in_riichi))
    candidates = []
    for kind in sorted(risks, key=risks.__getitem__):
        candidates.append({"tile": tile_text(kind), "risk": round(risks[kind], 3), "safe": kind in safe})
    rating = difficulty({kind: -RIICHI_COST * risk for kind, risk in risks.items()}, right, MISJUDGED)
    choices = tuple(tile_text(kind) for kind in sorted(risks))
    facts = {"candidates": candidates}
    yield Drill(DrillKind.SAFEST, case.position(), choices, tuple(map(tile_text, right)), facts, rating)


def _risks(case: Case, threats: Sequence[Threat]) -> dict[Kind, float]:
    """Return the chance of each discard to deal into the hands in riichi."""
    dangerous = [threat for threat in threats if threat.seat in case.in_riichi]
    kinds = {KIND_OF[action.face] for action in case.decision.legal if isinstance(action, Discard)}
    return {kind: deal_in_risk(dangerous, kind) for kind in kinds}


# Push or fold


def _push_or_fold(case: Case) -> Iterator[Drill]:
    """Yield the question whether to go on with the hand, or to fold."""
    listed = [each for each in case.candidates if isinstance(each.action, Discard | Riichi)]
    if not listed:
        return
    nearest = min(_shanten(case, each) for each in listed)
    least = min(_risk(each) for each in listed)
    pushing = [each for each in listed if _shanten(case, each) == nearest and _risk(each) > least + PUSH_RISK]
    folding = [each for each in listed if _risk(each) <= least + FOLD_RISK]
    if not pushing or any(_shanten(case, each) == nearest for each in folding):
        return  # the safe tile keeps the hand
    push, fold = pushing[0], folding[0]
    if abs(push.value - fold.value) < PUSH_AHEAD or listed[0] not in (push, fold):
        return
    is_push = push.value > fold.value
    other = case.second
    if not isinstance(other, Discard | Riichi) or (_risk_of(case, other) > least + PUSH_RISK) != is_push:
        return
    right = PUSH if is_push else FOLD
    shown = case.position() | {PUSH: words_of(push.action), FOLD: words_of(fold.action)}
    facts = {"candidates": [_fact(case, push, PUSH), _fact(case, fold, FOLD)]}
    rating = difficulty({PUSH: push.value, FOLD: fold.value}, (right,), MISJUDGED_CHOICE)
    yield Drill(DrillKind.PUSH, shown, (PUSH, FOLD), (right,), facts, rating)


def _shanten(case: Case, candidate: Candidate) -> int:
    return case.distances[as_face(candidate.action)].shanten or 0


def _risk(candidate: Candidate) -> float:
    return candidate.risk or 0.0


def _risk_of(case: Case, action: Discard | Riichi) -> float:
    return deal_in_risk(calibrated_threats(case.seen), KIND_OF[action.face])


def _fact(case: Case, candidate: Candidate, choice: str) -> dict[str, object]:
    """Return what is told about a choice; its value in points has no fixed zero, only differences count."""
    fact: dict[str, object] = {"choice": choice, "value": round(candidate.value), "shanten": _shanten(case, candidate)}
    if candidate.risk is not None:
        fact["risk"] = round(candidate.risk, 3)
    if candidate.win is not None:
        fact["win"] = round(candidate.win, 3)
    return fact


# Call or pass


def _call_or_pass(case: Case) -> Iterator[Drill]:
    """Yield the question whether to call the tile."""
    stays = [each for each in case.candidates if isinstance(each.action, Pass)]
    calls = [each for each in case.candidates if isinstance(each.action, Chi | Pon | Daiminkan)]
    if not stays or not calls or not any(_brings_nearer(case, each.action) for each in calls):
        return
    call, stay = calls[0], stays[0]
    if abs(call.value - stay.value) < CALL_AHEAD or isinstance(case.second, Pass) != (stay.value > call.value):
        return
    choice = words_of(call.action)
    right = choice if call.value > stay.value else PASS
    facts = {"candidates": [_fact(case, call, choice), _fact(case, stay, PASS)]}
    rating = difficulty({choice: call.value, PASS: stay.value}, (right,), MISJUDGED_CHOICE)
    yield Drill(DrillKind.CALL, case.position(), (choice, PASS), (right,), facts, rating)


def _brings_nearer(case: Case, call: Action) -> bool:
    """Tell whether the hand is nearer to tenpai after a call."""
    after, before = case.distances.get(as_face(call)), case.distances.get(Pass())
    if after is None or before is None or after.shanten is None or before.shanten is None:
        return False
    return after.shanten < before.shanten
