"""Explanations of a review: facts about what a reviewer chose and what was done, from what the seat saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.model import actions
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF
from ump.model.value import value
from ump.players.danger import Threat, safe_kinds
from ump.players.efficiency import prospects_of_call, worth
from ump.players.evaluation import Candidate, as_face
from ump.players.observation import Observation
from ump.record.decisions import Decision
from ump.record.reviewers import Opinion


@value
class Explanation:
    """Why a reviewer chose otherwise; ``SENTENCES`` of the report has the words for each code."""

    code: str
    facts: Mapping[str, object]
    """Pairs are of the reviewer's choice first, then of what was done."""


SAFER = 0.02
"""Chances of dealing in that differ by less count as equal."""

ABORTS = (actions.Ankan, actions.Kakan, actions.Daiminkan, actions.Kita, actions.KyushuKyuhai)
WINS = (actions.Tsumo, actions.Ron)
_CALLS = (actions.Chi, actions.Pon)


def explanation_of(
    decision: Decision, opinion: Opinion, known: Mapping[actions.Action, Candidate], dangerous: Sequence[Threat]
) -> Explanation | None:
    """Return why the choice, or None if no fact tells."""
    choice, done = opinion.choice, decision.done
    if isinstance(choice, WINS):
        return Explanation("win", {})
    if isinstance(done, WINS):
        return Explanation("no_win", {})
    if isinstance(choice, ABORTS):
        return Explanation("kan", {})
    if isinstance(done, ABORTS):
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
