"""The distance of a hand from a win with a yaku: the measure by which ``Efficiency`` chooses.

``kinds`` are the 34 counts of the concealed tiles, as in ``ump.rules.analysis``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum, auto

from ump.model.tiles import DRAGONS, EAST, KIND_OF, KINDS, WINDS, YAOCHU, Face, Kind
from ump.model.value import value
from ump.players.observation import Observation
from ump.rules.analysis import shanten, ukeire

SIMPLES: frozenset[Kind] = frozenset(range(KINDS)) - YAOCHU

_LONE = range(EAST, KINDS)
"""The seven honours. They make no run, so a single one can only become a pair or triplet."""


class YakuPlan(Enum):
    """The source of a hand's yaku."""

    CLOSED = auto()
    """Riichi or menzen tsumo: any shape, no call."""
    YAKUHAI = auto()
    """A triplet of yakuhai that the hand has: any shape, any call."""
    TANYAO = auto()
    """Tanyao: all terminals and honours are useless."""


@value
class Prospect:
    """The distance of a hand of 3n + 1 tiles from a win."""

    shanten: int
    live: int
    """The number of unseen tiles that bring it nearer, each times the number of players that it can come from. One tile
    from tenpai, also times the same count for the wait that it makes. Compares hands of equal shanten only."""

    @property
    def order(self) -> tuple[int, int]:
        """A key that sorts the nearer hand first."""
        return self.shanten, -self.live


def yakuhai(seen: Observation) -> tuple[Kind, ...]:
    """Return the kinds whose triplet is a yaku for this seat."""
    return (*DRAGONS, WINDS[seen.bakaze], WINDS[seen.seat_wind])


def plan_for(seen: Observation, kinds: list[int], opened: Iterable[tuple[Face, ...]]) -> YakuPlan | None:
    """Return the plan for a hand with these open melds, or None if no yaku is in reach."""
    melds = [{KIND_OF[face] for face in meld} for meld in opened]
    if any(kinds[kind] >= 3 or {kind} in melds for kind in yakuhai(seen)):
        return YakuPlan.YAKUHAI
    if not melds:
        return YakuPlan.CLOSED
    return YakuPlan.TANYAO if all(meld <= SIMPLES for meld in melds) and _may_be_tanyao(seen, kinds) else None


def prospects(seen: Observation, kinds: list[int], plan: YakuPlan, allowed: Collection[Kind]) -> dict[Kind, Prospect]:
    """Return what each allowed discard leaves, for those that leave the lowest shanten.

    ``kinds`` are 3n + 2 tiles. If some of the allowed tiles are useless under the plan, only these are considered.
    """
    if plan is YakuPlan.TANYAO:
        useless = [kind for kind in allowed if kind in YAOCHU]
        kinds = simplified(kinds)
        if useless:  # all are equally good
            kinds[next(kind for kind in _LONE if kinds[kind])] -= 1
            return dict.fromkeys(useless, _prospect(seen, kinds, shanten(kinds), plan))
    kinds = kinds[:]
    numbers: dict[Kind, int] = {}
    for kind in allowed:
        kinds[kind] -= 1
        numbers[kind] = shanten(kinds)
        kinds[kind] += 1
    least = min(numbers.values(), default=0)
    found = {}
    for kind, number in numbers.items():
        if number == least:
            kinds[kind] -= 1
            found[kind] = _prospect(seen, kinds, least, plan)
            kinds[kind] += 1
    return found


def _prospect(seen: Observation, kinds: list[int], number: int, plan: YakuPlan) -> Prospect:
    """Return how near 3n + 1 tiles with this shanten are."""
    chances = _chances(seen, kinds, number, plan)
    if number == 1:  # farther from tenpai it takes many times as long and gains little
        return Prospect(number, sum(count * _best_wait(seen, kinds, kind, plan) for kind, count in chances.items()))
    return Prospect(number, sum(chances.values()))


def _chances(seen: Observation, kinds: list[int], number: int, plan: YakuPlan) -> dict[Kind, int]:
    """Return for each kind that brings the hand nearer the unseen tiles times the players that they can come from."""
    useful = ukeire(kinds)
    if plan is YakuPlan.TANYAO:
        useful &= SIMPLES
    seats = seen.ruleset.seats
    if number == 0:
        furiten = any(KIND_OF[discard.face] in useful for discard in seen.rivers[seen.me])
        sources = 1 if furiten else seats
        return {kind: seen.unseen(kind) * sources for kind in useful}
    called = _callable(seen, kinds, number, plan)
    chances = {}
    for kind in useful:
        if kind not in called:
            sources = 1
        elif kinds[kind] >= 2:  # for a pon: drawn, or from anybody
            sources = seats
        else:  # for a chi: drawn, or from the seat before; honours have none
            sources = 1 if kind >= EAST or not seen.ruleset.chi else 2
        chances[kind] = seen.unseen(kind) * sources
    return chances


def _best_wait(seen: Observation, kinds: list[int], drawn: Kind, plan: YakuPlan) -> int:
    """Return the chances of the best wait after this tile is drawn and another one discarded."""
    kinds = kinds[:]
    kinds[drawn] += 1
    best = 0
    for kind in range(KINDS):
        if kinds[kind] and kind != drawn:
            kinds[kind] -= 1
            if shanten(kinds) == 0:
                best = max(best, sum(_chances(seen, kinds, 0, plan).values()))
            kinds[kind] += 1
    return best


def _callable(seen: Observation, kinds: list[int], number: int, plan: YakuPlan) -> Collection[Kind]:
    """Return the kinds that the hand can call: after the call it has a yaku or can still get one."""
    if plan is YakuPlan.YAKUHAI:
        return range(KINDS)
    if plan is YakuPlan.TANYAO:
        return SIMPLES
    pairs = {kind for kind in yakuhai(seen) if kinds[kind] == 2}
    if _may_be_tanyao(seen, kinds) and shanten(simplified(kinds)) <= number:
        return SIMPLES | pairs
    return pairs


def _may_be_tanyao(seen: Observation, kinds: list[int]) -> bool:
    """Tell whether an open hand can aim at tanyao: the ruleset allows it, and few enough tiles are useless."""
    return seen.ruleset.kuitan and count_yaochu(kinds) <= len(_LONE)


def count_yaochu(kinds: list[int]) -> int:
    """Return the number of terminals and honours."""
    return sum(kinds[kind] for kind in YAOCHU)


def held_kinds(kinds: list[int]) -> list[Kind]:
    """Return the kinds of which there are tiles, in ascending order."""
    return [kind for kind, count in enumerate(kinds) if count]


def simplified(kinds: list[int]) -> list[int]:
    """Return the hand with its terminals and honours replaced by single honours: its shanten is that of the simples."""
    simple = [count if kind in SIMPLES else 0 for kind, count in enumerate(kinds)]
    for kind in _LONE[: sum(kinds) - sum(simple)]:
        simple[kind] = 1
    return simple
