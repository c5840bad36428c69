"""Policies whose games contain rare situations.

``EagerPolicy`` takes rare actions. ``RareHandPolicy`` aims at yakuman, four kans, nagashi mangan and pao, on walls
that help (``helpful_deals``).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ump.game.deals import Deal, Deals
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, KyushuKyuhai, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.constants import DEAD_WALL
from ump.model.phases import Phase
from ump.model.tiles import COPIES, KIND_OF, KINDS, YAOCHU, Face, Kind, is_honour
from ump.players.observation import Observation
from ump.rules.analysis import shanten
from ump.rules.wall import DEAL, rolled, shuffled

ODDS_OF_WIN = 0.6
"""The chances to take a win: a player that passes cheap ones wins dearly later, and is furiten meanwhile."""

ODDS_OF_CALL = 0.9
ODDS_OF_THROWING = 0.2
"""The chance that a player aims only at nagashi mangan."""

ODDS_OF_HELP = 0.6
"""The chance that a tile of the wall fits the goal of the player who draws it."""

SEATS = 4
GREENS = frozenset((19, 20, 21, 23, 25, 32))
ORPHANS = "orphans"
"""The goal that forbids calls and kyushu kyuhai."""

GOALS: Mapping[str, frozenset[Kind]] = {
    "honours": frozenset(kind for kind in range(KINDS) if is_honour(kind)),
    ORPHANS: YAOCHU,
    "greens": GREENS,
    "characters": frozenset(range(9)),
    "low": frozenset(kind for kind in range(27) if kind % 9 < 3),
}
"""The kinds of tiles that each goal collects."""


FORWARD = (Ron, Tsumo, Riichi, Ankan, Kakan, Daiminkan)
"""Actions that are rarely possible and should happen often."""


class EagerPolicy:
    """A policy that takes rare actions, discards for the lowest shanten, and sometimes acts at random.

    Its games have many riichi, kans and wins, and contain every legal action.
    """

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Choose by the hand and by chance (see ``Policy.choose``)."""
        legal, chance = offers or (Pass(),), self._chance
        forward = [action for action in legal if isinstance(action, FORWARD)]
        if forward and chance.random() < 0.9:
            return chance.choice(forward)
        discards = [action for action in legal if isinstance(action, Discard)]
        if discards and chance.random() < 0.9:
            return min(discards, key=lambda discard: self._shanten(seen, discard))
        if phase is Phase.CALL and chance.random() < 0.7:
            return Pass()
        return chance.choice(legal)

    @staticmethod
    def _shanten(seen: Observation, discard: Discard) -> int:
        kinds = seen.hand.kinds[:]
        kinds[KIND_OF[discard.face]] -= 1
        return shanten(kinds)


class RareHandPolicy:
    """A policy that keeps the tiles of its nearest goal, and calls every pon and kan of them."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._throws = chance.random() < ODDS_OF_THROWING

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Choose an action by the goal; take a win by chance (see ``Policy.choose``)."""
        legal, chance = offers or (Pass(),), self._chance
        wins = [action for action in legal if isinstance(action, (Ron, Tsumo))]
        if wins and chance.random() < ODDS_OF_WIN:
            return wins[0]
        goal = _goal(seen)
        calls = [action for action in legal if not self._throws and _wants(action, tile, goal)]
        if calls and chance.random() < ODDS_OF_CALL:
            return chance.choice(calls)
        discards = [action for action in legal if isinstance(action, Discard)]
        if discards:
            return min(discards, key=lambda discard: self._use(seen, KIND_OF[discard.face], goal))
        return legal[0] if phase is Phase.TURN else Pass()

    def _use(self, seen: Observation, kind: Kind, goal: str) -> tuple[bool, int, int]:
        """Return the use of a tile; the least useful one is discarded."""
        count = seen.hand.kinds[kind]
        if self._throws:
            return kind not in YAOCHU, 0, -count
        kinds = seen.hand.kinds[:]
        kinds[kind] -= 1
        return kind in GOALS[goal], -count if goal == ORPHANS else count, -shanten(kinds)


def _goal(seen: Observation) -> str:
    """Return the goal whose tiles are most overrepresented in the hand."""

    def excess(goal: str) -> float:
        kept = GOALS[goal]
        laid = (KIND_OF[face] for meld in seen.hand.melds for face in meld.faces)
        held = sum(seen.hand.kinds[kind] for kind in kept) + sum(kind in kept for kind in laid)
        return held - sum(seen.hand.kinds) * len(kept) / KINDS

    return max(GOALS, key=excess)


def _wants(action: Action, tile: Face | None, goal: str) -> bool:
    """Return whether an action serves the goal."""
    if isinstance(action, Riichi):
        return True
    if goal == ORPHANS:
        return False
    if isinstance(action, Ankan):
        return action.kind in GOALS[goal]
    if isinstance(action, Kakan):
        return KIND_OF[action.face] in GOALS[goal]
    if isinstance(action, (Pon, Daiminkan)):
        return tile is not None and KIND_OF[tile] in GOALS[goal]
    return isinstance(action, KyushuKyuhai)


def helpful_deals(seed: str, seats: int = 4) -> Deals:
    """Return deals in which each player draws many tiles of one goal, as long as nobody calls."""
    return lambda at: Deal(_helpful(seed, at.number, seats), rolled(f"ump-dice-1/{seed}/{at.number}"))


def _helpful(seed: str, number: int, seats: int) -> tuple[int, ...]:
    """Reorder a shuffled wall: each draw is the next tile or, by chance, the next tile of the player's goal."""
    chance = Random(f"{seed}/{number}")
    goals = [GOALS[chance.choice(list(GOALS))] for _ in range(seats)]
    tiles = list(shuffled(f"ump-wall-1/{seed}/{number}", seats))
    turns = [seat for count in DEAL for seat in range(seats) for _ in range(count)]
    turns += [draw % seats for draw in range(len(tiles) - DEAD_WALL - len(turns))]
    dealt: list[int] = []
    for seat in turns:
        helped = chance.random() < ODDS_OF_HELP
        kept = (place for place, tile in enumerate(tiles) if tile // COPIES in goals[seat])
        dealt.append(tiles.pop(next(kept, 0) if helped else 0))
    return (*tiles, *reversed(dealt))
