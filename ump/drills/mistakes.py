"""Drills from one's own mistakes: the positions of a game at which another action would have brought much more."""

from __future__ import annotations

from ump.drills.case import MISJUDGED_CHOICE, difficulty
from ump.drills.drill import Drill, DrillKind
from ump.drills.position import position_of, words_of
from ump.model.seats import LETTERS, Seat
from ump.players.defensive import Defensive
from ump.players.evaluation import Candidate, Unit
from ump.players.expert import Expert
from ump.record.decisions import Decision, decisions
from ump.record.html import places_of
from ump.record.recorded_game import RecordedGame
from ump.record.review import SIZES, Agreement, Reviewed, is_same, review_seat
from ump.record.reviewers import PolicyReviewer

MOST_MISTAKES = 3
"""The mistakes of a game that become drills; of one kyoku, the greatest alone."""

AS_GOOD = 200.0
"""The points that an action may be worth less than the best one, and still be right."""

LEAST_LOSS = SIZES[Unit.POINTS][1]
"""The loss in points from which a decision is a mistake."""


def mistakes_of(game: RecordedGame, seat: Seat) -> list[Drill]:
    """Return the mistakes of a seat on which two reviewers agree, the greatest loss first.

    It takes about a second. Raises RecordError for a record that hides hands.
    """
    reviewers = [PolicyReviewer("expert", Expert()), PolicyReviewer("defensive", Defensive())]
    greatest: dict[int, Reviewed] = {}
    for reviewed in review_seat(game, seat, reviewers):
        if not _is_mistake(reviewed):
            continue
        before = greatest.get(reviewed.kyoku)
        if before is None or _loss(reviewed) > _loss(before):
            greatest[reviewed.kyoku] = reviewed
    chosen = sorted(greatest.values(), key=_loss, reverse=True)[:MOST_MISTAKES]
    asked = {(each.kyoku, each.event): each for each in decisions(game, (seat,)) if _is_among(each, chosen)}
    places = places_of(game)
    return [_drill(game, each, asked[each.kyoku, each.event], places[each.kyoku][each.event]) for each in chosen]


def _is_mistake(reviewed: Reviewed) -> bool:
    first, second = reviewed.by
    if first is None or second is None or _loss(reviewed) < LEAST_LOSS:
        return False
    do_differ = first.verdict is second.verdict is Agreement.DIFFERS
    return do_differ and is_same(first.choice, second.choice)


def _loss(reviewed: Reviewed) -> float:
    first = reviewed.by[0]
    return 0.0 if first is None or first.loss is None else first.loss


def _is_among(decision: Decision, chosen: list[Reviewed]) -> bool:
    return any((each.kyoku, each.event) == (decision.kyoku, decision.event) for each in chosen)


def _drill(game: RecordedGame, reviewed: Reviewed, decision: Decision, place: int) -> Drill:
    """Return the drill of a mistake: any legal action is an answer. ``place`` is that of the page of replays."""
    first = reviewed.by[0]
    assert first is not None
    values = {words_of(each.action): each.value for each in first.candidates}
    right = [words for words, worth in values.items() if worth >= max(values.values()) - AS_GOOD]
    choices = tuple(dict.fromkeys(map(words_of, decision.legal)))
    facts = {
        "candidates": [_fact(each) for each in first.candidates],
        "done": words_of(decision.done),
        "loss": round(_loss(reviewed)),
        "at": {"k": reviewed.kyoku, "n": place, "seat": LETTERS[reviewed.seat]},
    }
    shown = position_of(game, reviewed.kyoku, reviewed.event, reviewed.seat)
    rating = difficulty(values, right, MISJUDGED_CHOICE)
    return Drill(DrillKind.MISTAKE, shown, choices, tuple(right), facts, rating)


def _fact(candidate: Candidate) -> dict[str, object]:
    fact: dict[str, object] = {"choice": words_of(candidate.action), "value": round(candidate.value)}
    for name in ("shanten", "tiles"):
        fact[name] = getattr(candidate, name)
    for name in ("risk", "win"):
        share = getattr(candidate, name)
        fact[name] = None if share is None else round(share, 3)
    return fact
