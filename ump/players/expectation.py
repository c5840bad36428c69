"""The value of a hand: how likely it wins, how much it wins, and what it costs to go on.

All figures are rough averages of ordinary games, in points. They decide between going on and folding, and only
differences of thousands of points matter for that.
"""

from __future__ import annotations

from functools import lru_cache

from ump.model.constants import STICK_POINTS
from ump.model.tiles import KIND_OF, KINDS, RED_FIVES, YAOCHU
from ump.players.danger import dora_in
from ump.players.observation import Observation
from ump.players.prospects import Prospect, YakuPlan, count_yaochu, yakuhai

CLOSED_POINTS = (1_000.0, 1_600.0, 3_000.0, 5_600.0, 7_900.0, 8_500.0, 12_000.0, 13_000.0, 16_000.0)
"""The average win of a closed hand of 0, 1, 2.. han, by ron and tsumo; the last one stands for all above."""

OPEN_POINTS = (1_000.0, 1_300.0, 2_300.0, 4_200.0, 7_700.0, 8_000.0, 12_000.0, 12_000.0, 16_000.0)
DEALER = 1.5
RIICHI_EXTRAS = 0.8
"""The han that riichi brings on average besides its own: ippatsu, ura dora, menzen tsumo, pinfu."""

WIN_SHARE = 0.4
"""The chance that a tile which a tenpai hand waits for is drawn or discarded when a tile like it could be: the others
hold some of them back."""

OTHERS_WIN = 0.02
"""The chance that somebody else ends the kyoku in one turn, without a threat."""

THREAT_WINS = 0.07
"""The amount by which each threat raises that chance."""

USUAL_LIVE = (20.0, 14.0, 18.0, 24.0)
"""The tiles that a hand at shanten 0, 1, 2, 3 usually waits for; those of a tenpai hand count four times, as in
``Prospect``."""

MOST_SHANTEN = len(USUAL_LIVE) - 1


def points_of(seen: Observation, kinds: list[int], plan: YakuPlan, *, is_closed: bool) -> float:
    """Return what a hand of these concealed tiles and the seat's melds wins on average, if it wins."""
    han = _dora(seen, kinds)
    triplets = sum(kinds[kind] >= 3 for kind in yakuhai(seen))
    triplets += sum(meld.kind in yakuhai(seen) for meld in seen.hand.melds)
    han += triplets + (1 if plan is YakuPlan.TANYAO or _is_simple(seen, kinds) else 0)
    if is_closed:
        exact = han + 1 + RIICHI_EXTRAS
        table = CLOSED_POINTS
    else:
        exact = float(max(han, 1))
        table = OPEN_POINTS
    lower = min(int(exact), len(table) - 1)
    upper = min(lower + 1, len(table) - 1)
    points = table[lower] + (exact - int(exact)) * (table[upper] - table[lower])
    honba = 100 * (seen.ruleset.seats - 1) * seen.honba
    return points * (DEALER if seen.me == seen.dealer else 1.0) + honba + STICK_POINTS * seen.kyotaku


def _is_simple(seen: Observation, kinds: list[int]) -> bool:
    """Tell whether a hand of these concealed tiles has no terminals and honours."""
    for meld in seen.hand.melds:
        for face in meld.faces:
            if KIND_OF[face] in YAOCHU:
                return False
    return count_yaochu(kinds) == 0


def _dora(seen: Observation, kinds: list[int]) -> int:
    """Return the dora in the hand: by indicators, red fives, and norths set aside."""
    hand = seen.hand
    counted = sum(kinds[kind] for kind in seen.dora)
    reds = sum(hand.faces[face] for face in RED_FIVES if kinds[KIND_OF[face]])
    return counted + reds + dora_in(seen, hand.melds) + seen.norths[seen.me]


def chance_of_win(seen: Observation, prospect: Prospect, tiles: int, threats: int) -> float:
    """Return how likely a hand wins that goes on to the end, 0..1.

    ``tiles`` is the number of unseen tiles that bring a hand before tenpai nearer; ``threats`` that of dangerous
    players.
    """
    unseen = max(1, sum(map(seen.unseen, range(KINDS))))
    turns = seen.left // seen.ruleset.seats
    if prospect.shanten > MOST_SHANTEN:
        return 0.0
    if prospect.shanten == 0:
        return _wins(0, turns, round(100 * prospect.live / unseen), 0, threats)
    wait = USUAL_LIVE[0] if prospect.shanten > 1 or not tiles else prospect.live / tiles
    return _wins(prospect.shanten, turns, round(100 * wait / unseen), round(100 * tiles / unseen), threats)


@lru_cache(1 << 14)
def _wins(number: int, turns: int, wait: int, tiles: int, threats: int) -> float:
    """Return the chance of a hand at this shanten in so many turns; ``wait`` and ``tiles`` in percent of the unseen."""
    others = OTHERS_WIN + THREAT_WINS * threats
    if number == 0:
        own = min(0.9, WIN_SHARE * wait / 100)
        both = own + others - own * others
        return own / both * (1 - (1 - both) ** turns) if both else 0.0
    nearer = min(0.9, tiles / 100)
    usual = round(tiles * USUAL_LIVE[number - 1] / USUAL_LIVE[number]) if number > 1 else 0
    chance, reached = 0.0, 1.0
    for turn in range(turns):
        chance += reached * nearer * _wins(number - 1, turns - turn - 1, wait, usual, threats)
        reached *= (1 - nearer) * (1 - others)
    return chance
