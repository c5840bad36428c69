"""The policy that takes the shortest way to a win: lowest shanten, then most live tiles. It never folds."""

from __future__ import annotations

from operator import attrgetter

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.phases import Phase
from ump.model.tiles import COPIES, KIND_OF, NORTH, RED_FIVES, YAOCHU, Face, Kind, is_honour, number_of
from ump.players.claimable import claimable, discards_of
from ump.players.evaluation import Evaluation, tile_evaluation
from ump.players.observation import Observation, discarded_kinds
from ump.players.prospects import Prospect, YakuPlan, held_kinds, plan_for, prospects, yakuhai
from ump.rules.analysis import shanten

HOPELESS = 4
"""The shanten from which the policy aborts with nine terminals; it plays a nearer hand, thirteen orphans included."""


ORPHANS = 10
"""The different terminals and honours in hand from which the policy keeps a single north for thirteen orphans."""


class Efficiency:
    """Takes every win, declares riichi at every tenpai with a live wait, calls if that brings it nearer with a yaku."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer, which depends only on the hand and the visible tiles (see ``Policy.choose``)."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        for action in legal:
            if isinstance(action, (Tsumo, Ron)):
                return action
        if phase is Phase.TURN:
            return _turn(seen, legal)
        if phase is Phase.CALL and tile is not None:
            return _call(seen, tile, legal)
        if phase is Phase.DECLARE:
            return DeclareTenpai() if DeclareTenpai() in legal else DeclareNoten()
        return Pass()

    def evaluate(
        self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
    ) -> Evaluation | None:
        """Return the tiles that each action leaves (see ``EvaluatingPolicy``); the choice also weighs the waits."""
        return tile_evaluation(seen, claimable(seen, phase, tile) if offers is None else offers)


def _turn(seen: Observation, legal: tuple[Action, ...]) -> Action:
    """Abort a hopeless hand, or declare a kita or kan that costs nothing; else discard, in riichi if a wait is live."""
    # An open hand without a yaku has no plan (another policy may have called): then any shape will do.
    plan = plan_for(seen, seen.hand.kinds, open_melds(seen)) or YakuPlan.YAKUHAI
    for action in legal:
        if isinstance(action, KyushuKyuhai) and shanten(seen.hand.kinds) >= HOPELESS:
            return action
        if isinstance(action, Kita) and not aims_at_orphans(seen):
            return action
        if isinstance(action, (Ankan, Kakan)) and _costs_nothing(seen, plan, action):
            return action
    discard, prospect = best_discard(seen, plan, discards_of(legal))
    riichi = Riichi(discard.face, discard.tsumogiri)
    return riichi if prospect.live and riichi in legal else discard


def aims_at_orphans(seen: Observation) -> bool:
    """Tell whether the hand is so near to thirteen orphans that its only north is worth more than a dora."""
    kinds = seen.hand.kinds
    held = sum(kinds[kind] > 0 for kind in YAOCHU)
    return kinds[NORTH] == 1 and seen.hand.is_closed and held >= ORPHANS


def _costs_nothing(seen: Observation, plan: YakuPlan, kan: Ankan | Kakan) -> bool:
    """Tell whether a kan leaves the hand as near to a win as the best discard would, with its yaku still possible."""
    kinds = seen.hand.kinds[:]
    kind, count = (kan.kind, COPIES) if isinstance(kan, Ankan) else (KIND_OF[kan.face], 1)
    kinds[kind] -= count
    if plan is YakuPlan.TANYAO and kind in YAOCHU:
        return False
    return shanten(kinds) <= shanten(seen.hand.kinds)


def best_discard(seen: Observation, plan: YakuPlan, discards: list[Discard]) -> tuple[Discard, Prospect]:
    """Return the discard that leaves the nearest hand, and what it leaves; among equal ones the least useful tile."""
    found = prospects(seen, seen.hand.kinds, plan, discarded_kinds(discards))

    def order(discard: Discard) -> tuple[tuple[int, int], tuple[int, int], bool]:
        """Return a key that sorts the better discard first."""
        return found[KIND_OF[discard.face]].order, worth(seen, discard.face), not discard.tsumogiri

    best = min((discard for discard in discards if KIND_OF[discard.face] in found), key=order)
    return best, found[KIND_OF[best.face]]


def _call(seen: Observation, tile: Face, legal: tuple[Action, ...]) -> Action:
    """Return the call that brings the hand nearest, or a pass. A pon of yakuhai may also keep the distance."""
    number = shanten(seen.hand.kinds)
    best: Action = Pass()
    nearest: Prospect | None = None
    for action in legal:
        if not isinstance(action, (Chi, Pon)):
            continue
        gains_yaku = seen.hand.is_closed and isinstance(action, Pon) and KIND_OF[tile] in yakuhai(seen)
        after = prospects_of_call(seen, tile, action)
        if after is None:
            continue
        prospect = min(after[1].values(), key=attrgetter("order"))
        if prospect.shanten > (number if gains_yaku else number - 1):
            continue
        if nearest is None or prospect.order < nearest.order:
            best, nearest = action, prospect
    return best


def prospects_of_call(seen: Observation, tile: Face, call: Chi | Pon) -> tuple[YakuPlan, dict[Kind, Prospect]] | None:
    """Return the plan after a call, and what each good discard after it leaves; None if no yaku would be in reach."""
    kinds = kinds_after(seen, call)
    plan = plan_for(seen, kinds, [*open_melds(seen), (*call.own, tile)])
    if plan is None:
        return None
    # Kuikae is ignored: calling a tile and discarding an equal one never brings the hand nearer.
    return plan, prospects(seen, kinds, plan, held_kinds(kinds))


def kinds_after(seen: Observation, call: Chi | Pon) -> list[int]:
    """Return the counts of the concealed tiles after a call, before its discard."""
    kinds = seen.hand.kinds[:]
    for face in call.own:
        kinds[KIND_OF[face]] -= 1
    return kinds


def open_melds(seen: Observation) -> list[tuple[Face, ...]]:
    """Return the tiles of each open meld of the seat."""
    return [meld.faces for meld in seen.hand.melds if meld.is_open]


def worth(seen: Observation, face: Face) -> tuple[int, int]:
    """Return a key that sorts the less useful tile first: no dora, then guest winds, yakuhai, 1 and 9, up to 5."""
    kind = KIND_OF[face]
    dora = seen.dora.count(kind)
    if face in RED_FIVES:
        dora += 1
    if is_honour(kind):
        return dora, 1 if kind in yakuhai(seen) else 0
    number = number_of(kind)
    return dora, 1 + min(number, 10 - number)
