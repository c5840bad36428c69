"""The player that goes straight for the nearest win: least shanten, then most tiles that lower it, never folding."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    DeclareTenpai,
    Discard,
    Kakan,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.phases import Phase
from ump.model.tiles import (
    COPIES,
    DORA_OF,
    DRAGONS,
    KIND_OF,
    KINDS,
    RED_FIVES,
    TILES,
    WINDS,
    YAOCHU,
    Face,
    Kind,
    is_honour,
    number_of,
)
from ump.model.value import value
from ump.players.claimable import claimable
from ump.players.observation import Observation
from ump.rules.analysis import shanten, ukeire
from ump.rules.calls import kuikae_kinds

HOPELESS = 4
"""Shanten from which nine terminals are thrown in: nearer than that, also to thirteen orphans, the hand is played."""

ALL: frozenset[Kind] = frozenset(range(KINDS))
SIMPLES: frozenset[Kind] = ALL - YAOCHU


@value
class Prospect:
    """How near a hand of 3n + 1 tiles is to a win."""

    shanten: int
    live: int
    """How many unseen tiles lower that; at tenpai, how many win."""

    @property
    def order(self) -> tuple[int, int]:
        """Sorts the nearer hand first."""
        return self.shanten, -self.live


class Efficiency:
    """Takes every win, declares riichi at every tenpai with a live wait, calls where that is nearer and has a yaku."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Answer by the hand alone; what the others do is only counted (see ``Policy.choose``)."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        for action in legal:
            if isinstance(action, (Tsumo, Ron)):
                return action
        if phase is Phase.TURN:
            return _turn(seen, legal)
        if phase is Phase.CALL and tile is not None:
            return _call(seen, tile, legal)
        return DeclareTenpai() if phase is Phase.DECLARE else Pass()


def _turn(seen: Observation, legal: tuple[Action, ...]) -> Action:
    """Throw in a hopeless hand, make a kan that costs nothing, else discard, in riichi where that is live."""
    for action in legal:
        if isinstance(action, KyushuKyuhai) and shanten(seen.hand.kinds) >= HOPELESS:
            return action
        if isinstance(action, (Ankan, Kakan)) and _costs_nothing(seen, action):
            return action
    discard, prospect = _best_discard(seen, [action for action in legal if isinstance(action, Discard)])
    riichi = Riichi(discard.face, discard.tsumogiri)
    return riichi if prospect.live and riichi in legal else discard


def _costs_nothing(seen: Observation, kan: Ankan | Kakan) -> bool:
    """Tell whether a kan leaves the hand as near to a win as the best discard would."""
    kinds = seen.hand.kinds[:]
    if isinstance(kan, Ankan):
        kinds[kan.kind] -= COPIES
    else:
        kinds[KIND_OF[kan.face]] -= 1
    return shanten(kinds) <= shanten(seen.hand.kinds)


def _best_discard(seen: Observation, discards: list[Discard]) -> tuple[Discard, Prospect]:
    """Return the discard that leaves the nearest hand, of equal ones the tile that is worth least."""
    plan = _plan(seen, seen.hand.kinds, [meld.faces for meld in seen.hand.melds if meld.is_open])
    prospects = _prospects(seen, seen.hand.kinds, plan or ALL, {KIND_OF[discard.face] for discard in discards})

    def order(discard: Discard) -> tuple[object, ...]:
        return prospects[KIND_OF[discard.face]].order, _worth(seen, discard.face), not discard.tsumogiri

    best = min((discard for discard in discards if KIND_OF[discard.face] in prospects), key=order)
    return best, prospects[KIND_OF[best.face]]


def _prospects(
    seen: Observation, kinds: list[int], plan: frozenset[Kind], allowed: Collection[Kind]
) -> dict[Kind, Prospect]:
    """Return what the sensible ones of the allowed discards leave: those that leave the least shanten.

    ``kinds`` are 3n + 2 tiles. A tile that the plan has no use for goes before any other.
    """
    kinds = kinds[:]
    numbers: dict[Kind, int] = {}
    for kind in [kind for kind in allowed if kind not in plan] or allowed:
        kinds[kind] -= 1
        numbers[kind] = shanten(kinds)
        kinds[kind] += 1
    least = min(numbers.values(), default=0)
    found = {}
    for kind, number in numbers.items():
        if number == least:
            kinds[kind] -= 1
            found[kind] = Prospect(number, sum(seen.unseen(wanted) for wanted in ukeire(kinds) & plan))
            kinds[kind] += 1
    return found


def _call(seen: Observation, tile: Face, legal: tuple[Action, ...]) -> Action:
    """Return the chi or pon that brings the hand nearest, if one brings it nearer and a yaku is in sight."""
    best: Action = Pass()
    nearest = Prospect(shanten(seen.hand.kinds), TILES)  # so that only less shanten is nearer
    for action in legal:
        if isinstance(action, (Chi, Pon)):
            prospect = _prospect_of_call(seen, tile, action)
            if prospect is not None and prospect.order < nearest.order:
                best, nearest = action, prospect
    return best


def _prospect_of_call(seen: Observation, tile: Face, call: Chi | Pon) -> Prospect | None:
    """Return what a call and the discard after it leave; None where no yaku is in sight."""
    hand = seen.hand
    kinds = hand.kinds[:]
    low, high = (KIND_OF[face] for face in call.own)
    kinds[low] -= 1
    kinds[high] -= 1
    plan = _plan(seen, kinds, [*(meld.faces for meld in hand.melds if meld.is_open), (*call.own, tile)])
    if sum(count for kind, count in enumerate(kinds) if kind not in plan) > 1:
        return None
    barred = kuikae_kinds(seen.ruleset.kuikae, KIND_OF[tile], (low, high))
    allowed = [kind for kind, count in enumerate(kinds) if count and kind not in barred]
    return min(_prospects(seen, kinds, plan, allowed).values(), key=lambda prospect: prospect.order, default=None)


def _plan(seen: Observation, kinds: list[int], opened: Iterable[tuple[Face, ...]]) -> frozenset[Kind]:
    """Return the kinds with which a hand can win, given its concealed tiles and its open melds.

    All while it is closed or has a triplet of yakuhai, the simples where tanyao is left to it; else none.
    """
    melds = [{KIND_OF[face] for face in meld} for meld in opened]
    if not melds:
        return ALL
    for kind in (*DRAGONS, WINDS[seen.bakaze], WINDS[seen.seat_wind]):
        if kinds[kind] >= 3 or {kind} in melds:
            return ALL
    return SIMPLES if seen.ruleset.kuitan and all(meld <= SIMPLES for meld in melds) else frozenset()


def _worth(seen: Observation, face: Face) -> tuple[int, int]:
    """Return what a tile is worth beside its shape: dora first, then from guest winds over yakuhai to the middle."""
    kind = KIND_OF[face]
    dora = (face in RED_FIVES) + sum(DORA_OF[indicator] == kind for indicator in seen.indicators)
    if is_honour(kind):
        return dora, int(kind in (*DRAGONS, WINDS[seen.bakaze], WINDS[seen.seat_wind]))
    number = number_of(kind)
    return dora, 1 + min(number, 10 - number)
