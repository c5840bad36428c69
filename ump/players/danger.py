"""The danger of each tile: who may be tenpai, for how much, and how likely a discard deals into that hand.

The wait of a hidden hand is estimated by counting. A tile can be won on as one side of a run, inside a run, or as part
of a pair or triplet; each of these shapes needs other tiles, and counts as often as those tiles can still be hidden.
Shapes whose wait has a tile that the player may not win by ron on (it is furiten) are impossible. This contains the
usual rules of reading: tiles of the player's own river are safe, suji and one-chance are safer, terminals and guest
winds safer than the middle of a suit.
"""

from __future__ import annotations

from collections.abc import Set
from math import exp, log

from ump.model.events import TileDiscarded
from ump.model.melds import Meld
from ump.model.notation import MPSZ_FACES
from ump.model.seats import Seat, wind_of
from ump.model.tiles import DRAGONS, EAST, KIND_OF, KINDS, RED_FIVES, WINDS, YAOCHU, Kind, number_of
from ump.model.value import value
from ump.players import rates
from ump.players.observation import Observation, discarded_kinds

RYANMEN = 3.5
"""The frequency of this shape at the end, and of the next four, against chance: players prefer two sides."""

KANCHAN = 1.0
PENCHAN = 1.0
SHANPON = 1.2
TANKI = 0.5

WAITS = 1.7
"""The number of kinds that a tenpai hand waits for on average."""

MOST = 0.35
"""Never is one tile more dangerous than this: the estimate is not that good."""

RIICHI_POINTS = 5_800.0
"""The average cost of dealing into a riichi, in points; a dealer's hand costs half as much again."""

OPEN_POINTS = (1_500.0, 2_600.0, 4_600.0, 7_700.0, 8_500.0, 12_000.0, 13_000.0, 16_000.0)
"""The average cost of dealing into an open hand of 1, 2, 3.. han; the last one stands for all above."""

DEALER = 1.5

TENPAI = ((0, 0, 0), (0, 5, 15), (10, 25, 45), (45, 65, 80), (95, 95, 95))
"""The chance in percent that a hand with 0..4 open melds is tenpai, in the first, second and last third of a kyoku."""

LEAST_TENPAI = 0.5
"""A hand less likely to be tenpai than this is no threat."""


@value
class Threat:
    """Another player who may be tenpai."""

    seat: Seat
    tenpai: float
    """The chance that it is tenpai, 0..1."""
    points: float
    """The cost of dealing into its hand, in points."""
    dangers: tuple[float, ...]
    """For each kind, how likely a discard deals in."""

    @property
    def by_tile(self) -> dict[str, float]:
        """The chance that a discard of each tile deals in, 0..1, from ``1m`` to ``7z``."""
        return dict(zip(MPSZ_FACES, self.dangers, strict=False))


def threats(seen: Observation) -> list[Threat]:
    """Return the players whose hands are dangerous now."""
    dangerous = []
    for seat in range(seen.ruleset.seats):
        if seat == seen.me:
            continue
        tenpai = _tenpai(seen, seat)
        if tenpai >= LEAST_TENPAI:
            scores = wait_scores(seen, seat)
            share = tenpai * WAITS / (sum(scores) or 1.0)
            dangers = tuple(min(MOST, score * share) for score in scores)
            dangerous.append(Threat(seat, tenpai, points_shown(seen, seat), dangers))
    return dangerous


def calibrated_threats(seen: Observation) -> list[Threat]:
    """Return all other players who may be tenpai, with the danger of each tile, by the rates of recorded games."""
    dangerous = []
    for seat in range(seen.ruleset.seats):
        tenpai = 0.0 if seat == seen.me else _calibrated_tenpai(seen, seat)
        if tenpai >= rates.NEGLIGIBLE:
            dangers = tuple(tenpai * danger for danger in _calibrated_dangers(seen, seat))
            dangerous.append(Threat(seat, tenpai, _calibrated_cost(seen, seat), dangers))
    return dangerous


def plain_threats(seen: Observation) -> list[Threat]:
    """Return the players in riichi, as somebody sees them who knows safe tiles and nothing else: no suji, no walls."""
    dangerous = []
    for seat in range(seen.ruleset.seats):
        if seat != seen.me and seen.in_riichi[seat]:
            dangers = [rates.DANGER_UNREAD] * KINDS
            for kind in safe_kinds(seen, seat):
                dangers[kind] = 0.0
            dangerous.append(Threat(seat, 1.0, RIICHI_POINTS, tuple(dangers)))
    return dangerous


def _calibrated_dangers(seen: Observation, seat: Seat) -> list[float]:
    """Return for each kind how likely a tenpai hand waits for it."""
    weights = rates.DANGER_RIICHI if seen.in_riichi[seat] else rates.DANGER_OPEN
    scores = wait_scores(seen, seat)
    total = sum(scores)
    dora = seen.dora
    outside = _outside_of(seen.rivers[seat])
    near = _near_last(seen.rivers[seat], in_riichi=seen.in_riichi[seat])
    dangers = []
    for kind, score in enumerate(scores):
        if not score:
            dangers.append(0.0)
            continue
        logit = weights.constant + weights.share * log(score / total)
        if kind in dora:
            logit += weights.dora
        if kind in outside:
            logit += weights.outside
        if kind in near:
            logit += weights.near
        if kind >= EAST:
            logit += weights.honour
        elif kind in YAOCHU:
            logit += weights.end
        dangers.append(1 / (1 + exp(-logit)))
    return dangers


def _outside_of(river: list[TileDiscarded]) -> set[Kind]:
    """Return the kinds farther out than early discards: a 3 has 1 and 2 outside, a 5 all others of its suit."""
    outside: set[Kind] = set()
    for discard in river[: rates.EARLY]:
        kind = KIND_OF[discard.face]
        if kind >= EAST:
            continue
        number = number_of(kind)
        one = kind - number + 1
        if 2 <= number <= 5:
            outside.update(range(one, kind))
        if 5 <= number <= 8:
            outside.update(range(kind + 1, one + 9))
    return outside


def _near_last(river: list[TileDiscarded], *, in_riichi: bool) -> Set[Kind]:
    """Return the kinds at most two from the last discard from the hand; in riichi, from the one before it."""
    changes = [KIND_OF[discard.face] for discard in river if not discard.tsumogiri]
    back = 2 if in_riichi else 1
    if len(changes) < back:
        return set()
    last = changes[-back]
    if last >= EAST:
        return set()
    one = last - number_of(last) + 1
    return set(range(max(one, last - 2), min(one + 9, last + 3)))


def _calibrated_tenpai(seen: Observation, seat: Seat) -> float:
    """Return how likely a player is tenpai, by its melds, its discards, and how many of the last were just drawn."""
    if seen.in_riichi[seat]:
        return 1.0
    melds = sum(meld.is_open for meld in seen.melds[seat])
    if melds == len(rates.TENPAI):
        return 1.0
    river = seen.rivers[seat]
    straight = 0
    for discard in reversed(river):
        if not discard.tsumogiri:
            break
        straight += 1
    rows = rates.TENPAI[melds]
    row = rows[min(max(0, len(river) - 1) // 4, len(rows) - 1)]
    return row[min(straight, len(row) - 1)] / 100


def _calibrated_cost(seen: Observation, seat: Seat) -> float:
    """Return the cost of dealing into a hand: for an open one, the mean of what shows and of what such hands cost."""
    if seen.in_riichi[seat]:
        return points_shown(seen, seat)
    usual = rates.COST_QUIET[len(seen.melds[seat])]
    if seat == seen.dealer:
        usual *= rates.COST_QUIET_DEALER
    if not seen.melds[seat]:
        return usual
    return (points_shown(seen, seat) + usual) / 2


def _tenpai(seen: Observation, seat: Seat) -> float:
    """Return how likely a player is tenpai."""
    if seen.in_riichi[seat]:
        return 1.0
    melds = sum(meld.is_open for meld in seen.melds[seat])
    third = min(len(seen.rivers[seat]) // 6, 2)
    return TENPAI[melds][third] / 100


def points_shown(seen: Observation, seat: Seat) -> float:
    """Return what a player's hand is worth, as far as it shows."""
    dora = dora_in(seen, seen.melds[seat]) + seen.norths[seat]
    dealer = DEALER if seat == seen.dealer else 1.0
    if seen.in_riichi[seat]:
        return RIICHI_POINTS * dealer * (1 + 0.15 * max(0, len(seen.indicators) - 1) + 0.3 * dora)
    yaku = sum(meld.kind in yakuhai_of(seen, seat) for meld in seen.melds[seat]) or 1
    return OPEN_POINTS[min(yaku + dora, len(OPEN_POINTS) - 1)] * dealer  # one han more than what shows


def dora_in(seen: Observation, melds: list[Meld]) -> int:
    """Return how many dora the tiles of some melds are, red fives included."""
    dora = seen.dora
    count = 0
    for meld in melds:
        for face in meld.faces:
            count += dora.count(KIND_OF[face])
            if face in RED_FIVES:
                count += 1
    return count


def yakuhai_of(seen: Observation, seat: Seat) -> tuple[Kind, ...]:
    """Return the kinds whose triplet is a yaku for this seat."""
    return (*DRAGONS, WINDS[seen.bakaze], WINDS[wind_of(seat, seen.dealer, seen.ruleset.seats)])


def safe_kinds(seen: Observation, seat: Seat) -> Set[Kind]:
    """Return the kinds that a player cannot win by ron on: its own discards, and all that passed since its riichi."""
    passed: set[Kind] = set()
    since = seen.rivers_at_riichi[seat]
    if since is not None:
        for river, length in zip(seen.rivers, since, strict=True):
            passed |= discarded_kinds(river[length:])
    if seen.last_tile is not None and seen.drawer is None and seen.source != seen.me:
        passed.discard(KIND_OF[seen.last_tile])  # somebody may still win on it
    return passed | discarded_kinds(seen.rivers[seat])


def wait_scores(seen: Observation, seat: Seat) -> list[float]:
    """Return for each kind how often a hidden hand would wait for it, on a scale of its own."""
    hidden = list(map(seen.unseen, range(KINDS)))
    safe = safe_kinds(seen, seat)
    scores = [0.0] * KINDS
    for kind in range(KINDS):
        if kind not in safe:
            scores[kind] = _wait_score(kind, hidden, safe)
    return scores


def _wait_score(kind: Kind, hidden: list[int], safe: Set[Kind]) -> float:
    """Return the weights of all shapes that wait for this kind."""
    own = hidden[kind]
    score = SHANPON * own * (own - 1) / 2
    score += TANKI * own * (1.5 if kind in YAOCHU else 1.0)
    if kind >= EAST:
        return score
    number = number_of(kind)
    if number <= 7:  # the two tiles above it
        pairs = hidden[kind + 1] * hidden[kind + 2]
        if number == 7:
            score += PENCHAN * pairs
        elif kind + 3 not in safe:
            score += RYANMEN * pairs
    if number >= 3:  # the two tiles below it
        pairs = hidden[kind - 1] * hidden[kind - 2]
        if number == 3:
            score += PENCHAN * pairs
        elif kind - 3 not in safe:
            score += RYANMEN * pairs
    if 2 <= number <= 8:
        score += KANCHAN * hidden[kind - 1] * hidden[kind + 1]
    return score
