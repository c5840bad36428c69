"""Figures that the expert policy reckons with: how often things happen at a table, and what they bring or cost.

Those marked "records" are fitted on 420 four-player games of Tenhou's highest room, 4,168 kyoku (public records, as in
thewaxmango/mahjong-hands): counts where there are enough cases, else the likeliest parameters of the given form. The
dangers are fitted on two thirds of the games, and hold on the last third (docs/players.md). Those marked "games" are
tuned by games between bots. Points are those of a player who is not the dealer, unless the text says otherwise.
"""

from __future__ import annotations

from ump.model.tiles import EAST, KINDS
from ump.model.value import value

# The end of a kyoku

ENDS_FIRST = 0.001
ENDS_PER_TURN = 0.0062
ENDS_PER_THREAT = 0.085
"""The chance that other players end the kyoku in one go-around: at the start, more for each turn, more for each threat
(records)."""

LOSS_RIICHI = 2_000.0
LOSS_OPEN = 2_300.0
LOSS_PER_THREAT = 900.0
"""The cost of another player's win for a hand in riichi and for any other tenpai hand, dealing in included, and what a
threat adds (records)."""

LOSS_FOLDED = 1_350.0
"""The same for a hand that folds (records)."""

NOTEN = -1_200.0
TENPAI_RIICHI = 1_700.0
TENPAI_OTHER = 900.0
"""The points that an exhaustive draw brings (records)."""

# Waits


def _by_number(honour: float, *numbers: float) -> tuple[float, ...]:
    """Return a figure for each kind, from those of the honours and of 1 to 5; 6 to 9 mirror 4 to 1."""
    suit = (*numbers, *reversed(numbers[:-1]))
    return tuple(honour if kind >= EAST else suit[kind % len(suit)] for kind in range(KINDS))


LET_GO_TO_RIICHI = _by_number(0.86, 0.59, 0.39, 0.32, 0.20, 0.20)
"""The rate of discards of a hidden tile that a riichi waits for, by one other player, against draws of it (records)."""

LET_GO_TO_OPEN = _by_number(0.73, 0.80, 0.55, 0.43, 0.37, 0.37)
LET_GO_TO_CLOSED = _by_number(1.52, 1.25, 0.94, 0.68, 0.59, 0.59)
"""The same for an open hand, and for a closed one without riichi (records)."""

RIICHI_MORE = 800.0
"""The points by which a riichi brings more than the other figures say: it makes others fold (games)."""

ONE_KIND_RIICHI = 1.25
"""The factor by which a wait for one kind is discarded more easily than its kind alone says (records)."""

LET_GO_FOR_CALL = 0.6
"""The rate of discards of a tile that the hand could call, by one other player, against draws of it (records)."""

URA = (0.58, 0.31, 0.11)
"""The chances that ippatsu and ura dora add 0, 1 and 2 han to a riichi (records)."""

# Before tenpai

PUSH_RISK = 0.036
"""The chance that a hand before tenpai that goes on deals in, in each turn and for each threat (games)."""

NEAR_MORE = 200.0
"""The points by which a hand one from tenpai that goes on brings more against a threat than all this says (games)."""

THREAT_ARRIVES = 0.08
ARRIVAL_NEAR = 400.0
ARRIVAL_FAR = 1_000.0
"""The chance of a first threat in a turn, and its cost for a hand one or more from tenpai (records)."""

USUAL_WAIT = 5.0
USUAL_TILES = (0.0, 16.0, 22.0, 30.0, 40.0, 50.0, 60.0)
"""The live tiles of a usual wait, and those that bring a usual hand nearer, by its shanten (records)."""

CALLS_HELP = 1.3
"""The factor for these tiles if the hand is open."""

# Threats

THREATENS = 0.25
"""The chance of tenpai from which a hand without riichi is a threat to which a hand may fold (games)."""

NEGLIGIBLE = 0.02
"""A chance of tenpai that is not counted."""

TENPAI: tuple[tuple[tuple[int, int, int, int], ...], ...] = (
    ((0, 0, 0, 0), (1, 2, 3, 4), (4, 6, 9, 12), (6, 11, 17, 21), (9, 14, 20, 26)),
    ((2, 2, 1, 5), (14, 16, 17, 20), (25, 36, 44, 48), (28, 46, 60, 74), (26, 53, 69, 84)),
    ((12, 11, 11, 11), (34, 37, 42, 40), (48, 57, 62, 67), (41, 60, 72, 80), (37, 56, 74, 86)),
    ((50, 50, 50, 50), (77, 78, 80, 80), (79, 82, 88, 88), (71, 80, 89, 94), (60, 80, 95, 98)),
)
"""The chance in percent that a hand with 0, 1, 2 and 3 open melds is tenpai after 1 to 4, 5 to 8 .. discards, if 0, 1,
2 or more of the last ones in a row were the tiles just drawn (records)."""


@value
class DangerWeights:
    """Weights of a logistic regression: how likely a tenpai hand waits for a kind that is not safe."""

    constant: float
    share: float
    """Of the logarithm of the kind's share of all shapes that could wait (``wait_scores``)."""
    dora: float
    honour: float
    end: float
    """Of a 1 or 9."""
    outside: float
    """Of a number farther out than one of the player's first five discards, 2 to 8 of its suit."""
    near: float
    """Of a number within two of the last discard from the hand; of a riichi, of the one before its tile."""


DANGER_RIICHI = DangerWeights(0.24, 0.84, 0.26, 0.38, 0.20, -0.34, -0.30)
DANGER_OPEN = DangerWeights(0.57, 1.00, 0.59, 1.34, 0.09, -0.57, 0.44)
"""For hands in riichi and open ones (records: 15,817 and 14,150 hands, as other players saw them at their discards)."""

DANGER_UNREAD = 0.097
"""The chance that any held tile that is not safe deals into a riichi (records)."""

EARLY = 5
"""The number of discards that count as early."""

COST_QUIET = (4_500.0, 3_450.0, 4_000.0, 4_850.0, 5_500.0)
COST_QUIET_DEALER = 1.3
"""The cost of dealing into a hand with 0 to 4 melds and without riichi, and the factor for the dealer's (records)."""

# Values of hands that are far from tenpai

PAIR_TO_TRIPLET = (0.0, 0.3, 0.45)
"""The chance that a pair of yakuhai becomes a triplet, by its hidden tiles."""

TANYAO_BY_ENDS = (0.9, 0.55, 0.35, 0.2, 0.1)
"""The chance of tanyao, by the terminals and honours that the hand still holds."""

CLOSED_HAN = 1.35
"""The han that riichi, menzen tsumo and pinfu give a closed hand on average, without ura dora."""

NEW_DORA = 0.4
"""The dora that a hand gets by the indicator of a kan."""

NEW_DORA_COST = 0.15
"""The share that this adds to what others win."""

DORA_KEPT = 40.0
"""The points by which a dora is worth keeping among equal discards (games)."""

# Shapes of hands two and three from tenpai


@value
class ShapeWeights:
    """Weights of what tells quiet discards apart that leave a hand equally far from tenpai, in points."""

    worth: float
    """For each point that the outlook of the hand is worth."""
    next_tiles: float
    """For each live tile that is useful after the next useful draw."""
    two_sided: float
    """For each pair of neighbours that waits on two sides."""
    kinds: float
    """For each kind of tile in the hand."""


SHAPES = {2: ShapeWeights(-0.52, 16.4, 40.0, -27.0), 3: ShapeWeights(-0.55, 4.8, 51.0, -41.0)}
"""By the shanten of the hand (forks of games: 21,210 pairs of discards two from tenpai, by the opinions of the policy
one own turn later, each the mean of six draws; 18,869 pairs farther away, by those two turns later)."""

SHAPE_MOST = 5
SHAPE_NEAR = 100.0
SHAPE_MARGIN = 10.0
"""The number of discards that are compared, the points by which they may be behind the best one, and those by which the
shape must put one ahead."""

# Places

PLACE_POINTS = {4: (90.0, 45.0, 0.0, -135.0), 3: (105.0, 0.0, -105.0)}
"""The worth of the places, as in Tenhou's ranks."""

KYOKU_OF_PLACES = 4
"""With so many kyoku left, places count instead of points (games)."""

SPREAD = 7_400.0
SPREAD_PER_KYOKU = 1.15
SPREAD_MORE = 0.15
"""The deviation of the difference of two scores after one kyoku, its growth for each one that is left, and what dealers
who stay add (records)."""

SPREAD_WIN = 3_000.0
SPREAD_DRAW = 1_500.0
"""The same for the last kyoku, if it ends by a win of unknown points or by a draw."""

DEALER_STAYS = 0.5
"""The chance that the dealer is tenpai at an exhaustive draw."""
