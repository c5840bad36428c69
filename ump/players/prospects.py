"""How near a hand is to a win that counts: what ``Efficiency`` goes by.

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
"""Seven kinds that make no run: one of each is of no use to a hand, save as half of a pair."""


class Plan(Enum):
    """What gives a hand its yaku."""

    CLOSED = auto()
    """Riichi, or its own draw: any shape, nothing called."""
    YAKUHAI = auto()
    """A triplet of dragons or own winds, which it has: any shape, anything called."""
    TANYAO = auto()
    """Simples only: all other tiles are useless."""


@value
class Prospect:
    """How near a hand of 3n + 1 tiles is to a win."""

    shanten: int
    live: int
    """How many unseen tiles bring it nearer, each times the players from whom it could come; one tile from tenpai also
    times the same count of the wait that it makes. More is better, among hands of one shanten."""

    @property
    def order(self) -> tuple[int, int]:
        """Sorts the nearer hand first."""
        return self.shanten, -self.live


def yakuhai(seen: Observation) -> tuple[Kind, ...]:
    """Return the kinds of which a triplet is a yaku for this seat."""
    return (*DRAGONS, WINDS[seen.bakaze], WINDS[seen.seat_wind])


def plan_for(seen: Observation, kinds: list[int], opened: Iterable[tuple[Face, ...]]) -> Plan | None:
    """Return the plan of a hand with these open melds, or None where no yaku is in sight."""
    melds = [{KIND_OF[face] for face in meld} for meld in opened]
    if any(kinds[kind] >= 3 or {kind} in melds for kind in yakuhai(seen)):
        return Plan.YAKUHAI
    if not melds:
        return Plan.CLOSED
    return Plan.TANYAO if all(meld <= SIMPLES for meld in melds) and _may_be_tanyao(seen, kinds) else None


def prospects(seen: Observation, kinds: list[int], plan: Plan, allowed: Collection[Kind]) -> dict[Kind, Prospect]:
    """Return what the sensible ones of the allowed discards leave: those that leave the least shanten.

    ``kinds`` are 3n + 2 tiles. Tiles that are useless under the plan go before any other.
    """
    if plan is Plan.TANYAO:
        useless = [kind for kind in allowed if kind in YAOCHU]
        kinds = _simplified(kinds)
        if useless:  # one is as good as another
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
    for kind in (kind for kind, number in numbers.items() if number == least):
        kinds[kind] -= 1
        found[kind] = _prospect(seen, kinds, least, plan)
        kinds[kind] += 1
    return found


def _prospect(seen: Observation, kinds: list[int], number: int, plan: Plan) -> Prospect:
    """Return how near 3n + 1 tiles of a known shanten are."""
    chances = _chances(seen, kinds, number, plan)
    if number == 1:  # farther from tenpai it takes many times as long, for little
        return Prospect(number, sum(count * _best_wait(seen, kinds, kind, plan) for kind, count in chances.items()))
    return Prospect(number, sum(chances.values()))


def _chances(seen: Observation, kinds: list[int], number: int, plan: Plan) -> dict[Kind, int]:
    """Return the kinds that bring the hand nearer: how many are unseen, each times the players it could come from."""
    wanted = ukeire(kinds)
    if plan is Plan.TANYAO:
        wanted &= SIMPLES
    seats = seen.ruleset.seats
    if number == 0:
        furiten = any(KIND_OF[discard.face] in wanted for discard in seen.rivers[seen.me])
        return {kind: seen.unseen(kind) * (1 if furiten else seats) for kind in wanted}
    called = _callable(seen, kinds, number, plan)
    chances = {}
    for kind in wanted:
        if kind not in called:
            sources = 1
        elif kinds[kind] >= 2:  # for a pon: drawn, or from anybody
            sources = seats
        else:  # for a chi: drawn, or from the seat before; honours have none
            sources = 1 if kind >= EAST else 2
        chances[kind] = seen.unseen(kind) * sources
    return chances


def _best_wait(seen: Observation, kinds: list[int], drawn: Kind, plan: Plan) -> int:
    """Return the chances to win that the hand has when this tile makes it tenpai and the best other one goes."""
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


def _callable(seen: Observation, kinds: list[int], number: int, plan: Plan) -> Collection[Kind]:
    """Return the kinds that the hand may take from a discard: with them it would have a yaku, or still have one."""
    if plan is Plan.YAKUHAI:
        return range(KINDS)
    if plan is Plan.TANYAO:
        return SIMPLES
    pairs = {kind for kind in yakuhai(seen) if kinds[kind] == 2}
    if _may_be_tanyao(seen, kinds) and shanten(_simplified(kinds)) <= number:
        return SIMPLES | pairs
    return pairs


def _may_be_tanyao(seen: Observation, kinds: list[int]) -> bool:
    """Tell whether an open hand may go for tanyao: the ruleset has it, and the useless tiles are not too many."""
    return seen.ruleset.kuitan and sum(kinds[kind] for kind in YAOCHU) <= len(_LONE)


def _simplified(kinds: list[int]) -> list[int]:
    """Return a hand in which every terminal and honour is a lone honour: so its shanten is that of the simples."""
    simple = [count if kind in SIMPLES else 0 for kind, count in enumerate(kinds)]
    for kind in _LONE[: sum(kinds) - sum(simple)]:
        simple[kind] = 1
    return simple
