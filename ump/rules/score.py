"""The value of a winning hand under a ruleset: yaku, fu, han and base points.

A complete hand is read in every way, as four sets and a pair or as seven pairs, and for each reading the winning tile
completes each block that has it. Of these forms the one with the most yakuman counts, else the one with the most han,
and among equal ones that with the most fu. That is also the one that pays most, with any number of dora and with
kiriage: no form of a hand has more than twice the fu of another, so one more han always outweighs fu.

Pinfu tsumo has 20 fu, seven pairs 25, an open hand without fu 30; rinshan has the 2 fu of a tsumo; ryuuiisou needs
no hatsu. Tests compare all this with other programs, and with Tenhou's records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from operator import itemgetter
from typing import TypeAlias

from ump.model.constants import BAIMAN, FULL_HAND, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.tiles import EAST, KIND_OF, KINDS, NORTH, RED_FIVES, Face, Kind, dora_of
from ump.model.value import value
from ump.model.yaku import YAKU_ORDER, HandValue, Yaku
from ump.rules.forms import (
    CONTRADICTIONS,
    KANCHAN,
    LUCKY_YAKU,
    LUCKY_YAKUMAN,
    NINE_GATES,
    OPEN_WAIT,
    OUTER,
    PAIR_WAIT,
    PARTS,
    PENCHAN,
    RENHOU_HAN,
    RUN_BITS,
    SEVEN_PAIRS_FU,
    SHAPE_FU,
    SHAPE_YAKU,
    SHAPE_YAKUMAN,
    Form,
    Reading,
    contradiction_flags,
    fu_of_shape,
    fu_of_win,
    fu_times,
    lucky_flags,
    lucky_yakuman_flags,
    readings_of_part,
    run_place,
    yaku_flags,
    yakuman_flags,
)
from ump.rules.ruleset import Renhou, Ruleset

_KIRIAGE = 1_920
"""Base points of 4 han 30 fu and of 3 han 60 fu, which kiriage raises to a mangan."""
_LIMITS = ((11, SANBAIMAN), (8, BAIMAN), (6, HANEMAN), (5, MANGAN))
"""The least han of each limit and its base points, the highest first; fu do not matter there."""


@value
class Circumstances:
    """The circumstances in which a hand is won. The caller sets only what is possible at that moment."""

    tsumo: bool
    seat_wind: int
    """The winner's wind: 0 east (the dealer), 1 south, 2 west, 3 north."""
    round_wind: int
    riichi: int = 0
    """0 no riichi, 1 riichi, 2 double riichi."""
    open_riichi: bool = False
    """Whether that riichi is an open one."""
    ippatsu: bool = False
    """Whether the win comes within the uninterrupted go-around after riichi; the ruleset says whether it counts."""
    rinshan: bool = False
    chankan: bool = False
    haitei: bool = False
    houtei: bool = False
    first_turn: bool = False
    """Whether nobody has called or made a kan and the winner has not discarded: tenhou, chihou; on ron, renhou."""
    loser_in_riichi: bool = False
    """Whether the player who dealt in is in riichi: then dealing into an open riichi is not a yakuman."""
    indicators: tuple[Face, ...] = ()
    """The dora indicators that count, kan dora among them."""
    ura: tuple[Face, ...] = ()
    """The ura indicators that count; ignored unless the hand is in riichi."""
    norths: int = 0
    """The number of norths the winner has set aside. Each counts as one dora, and more if an indicator points at it."""


def hand_value(
    ruleset: Ruleset, faces: Sequence[Face], melds: Sequence[Meld], tile: Face, circumstances: Circumstances
) -> HandValue | None:
    """Return the value of a hand, or None if it is not complete or has no yaku.

    ``faces`` are the concealed tiles including the winning one, ``tile``; ``melds`` come on top. Raises ValueError for
    circumstances that contradict each other (ippatsu without riichi ...) and for an impossible number of tiles.
    """
    hand = _Hand(ruleset, tuple(faces), tuple(melds), tile, circumstances)
    return _hand_value(hand, _known_form(hand))


def value_and_fu(
    ruleset: Ruleset, faces: Sequence[Face], melds: Sequence[Meld], tile: Face, circumstances: Circumstances
) -> tuple[HandValue | None, tuple[tuple[str, int], ...]]:
    """Return the same, and the fu before rounding, each with its reason, the most first; a yakuman has none."""
    hand = _Hand(ruleset, tuple(faces), tuple(melds), tile, circumstances)
    form = _best_form(hand)
    value = _hand_value(hand, form)
    if form is None or value is None or value.yakuman:
        return value, ()
    return value, form.fu_items


def _hand_value(hand: _Hand, form: _Worth | None) -> HandValue | None:
    """Return the value of a hand in its best form."""
    if form is None:
        return None
    if not hand.is_renhou or hand.ruleset.renhou is not Renhou.MANGAN:
        return _value(hand, form, counts_renhou=hand.is_renhou)
    plain = _value(hand, form, counts_renhou=False)
    if plain is not None and plain.base >= MANGAN:
        return plain
    return HandValue(((Yaku.RENHOU, RENHOU_HAN),), RENHOU_HAN, form.fu, 0, MANGAN)  # dora and yaku add nothing (WRC)


def is_last_tile(*, tsumo: bool, left: int, rinshan: bool, chankan: bool) -> bool:
    """Tell whether a win is on the last tile of the kyoku: haitei by tsumo, houtei by ron.

    ``left`` is the number of tiles in the live wall. The replacement tile of a kan (``rinshan``: the last draw was one)
    is never haitei, and the tile of a robbed kan (``chankan``) is never houtei.
    """
    return left == 0 and not (rinshan if tsumo else chankan)


def base_points(ruleset: Ruleset, han: int, fu: int) -> int:
    """Return the base points of a hand without yakuman; it may be a kazoe yakuman."""
    if han >= YAKUMAN_HAN and ruleset.kazoe_yakuman:
        return YAKUMAN
    for least, base in _LIMITS:
        if han >= least:
            return base
    base = fu << (2 + han)
    return MANGAN if ruleset.kiriage and base == _KIRIAGE else min(base, MANGAN)


@value
class _Hand:
    """A hand, the rules that value it, and how it is won."""

    ruleset: Ruleset
    faces: tuple[Face, ...]
    """The concealed tiles with the winning one."""
    melds: tuple[Meld, ...]
    tile: Face
    at: Circumstances

    @property
    def is_closed(self) -> bool:
        """Whether no meld opens it."""
        return not any(meld.is_open for meld in self.melds)

    @property
    def all_faces(self) -> list[Face]:
        """The tiles of the hand and of its melds."""
        faces = list(self.faces)
        for meld in self.melds:
            faces += meld.faces
        return faces

    @property
    def is_tenhou(self) -> bool:
        """Whether the dealer wins with the dealt tiles."""
        return self.at.first_turn and self.at.tsumo and self.at.seat_wind == 0

    @property
    def is_renhou(self) -> bool:
        """Whether it is won by a ron before the first draw, and the rules know that."""
        return self.at.first_turn and not self.at.tsumo and self.ruleset.renhou is not Renhou.NONE


def _value(hand: _Hand, form: _Worth, *, counts_renhou: bool) -> HandValue | None:
    """Return the value of a hand; renhou counts as the ruleset says, as han or as a yakuman."""
    lucky_yakuman = compress(LUCKY_YAKUMAN, lucky_yakuman_flags(hand.at, hand.ruleset, counts_renhou))
    yakuman = _counted_yakuman(hand.ruleset, [*form.yakuman, *lucky_yakuman])
    if yakuman:
        han = sum(own for _, own in yakuman)
        return HandValue(yakuman, han, 0, han // YAKUMAN_HAN, han // YAKUMAN_HAN * YAKUMAN)
    lucky = [*compress(LUCKY_YAKU, lucky_flags(hand.at, hand.ruleset, counts_renhou))]
    if not lucky and not form.yaku:
        return None
    place = 1 if form.yaku and form.yaku[0][0] is Yaku.MENZEN_TSUMO else 0  # lucky yaku stand behind it
    yaku = (*form.yaku[:place], *lucky, *form.yaku[place:], *_dora(hand))
    han = sum([own for _, own in yaku])
    return HandValue(yaku, han, form.fu, 0, base_points(hand.ruleset, han, form.fu))


# Forms


@value
class _Worth:
    """A form with its yakuman, its other yaku, and its fu."""

    rank: tuple[int, int, int]
    """Its yakuman as han, its han and its fu, not rounded: the greatest rank counts."""
    yakuman: tuple[Yaku, ...]
    yaku: tuple[tuple[Yaku, int], ...]
    fu_times: tuple[int, ...]
    """The number of each of SHAPE_FU; none of seven pairs and of thirteen orphans."""
    fu_of_win: tuple[int, int, int]
    """The other fu, as ``fu_of_win`` has them."""

    @property
    def fu(self) -> int:
        """Rounded fu."""
        return -(-self.rank[2] // 10) * 10 if self.fu_times else SEVEN_PAIRS_FU

    @property
    def fu_items(self) -> tuple[tuple[str, int], ...]:
        """The fu with their reasons, the most first."""
        items = []
        for reason, fu in zip(("base", "tsumo", "hand_without_fu"), self.fu_of_win, strict=True):
            if fu:
                items.append((reason, fu))
        for item in compress(zip(SHAPE_FU, self.fu_times, strict=False), self.fu_times):
            items += [item[0]] * item[1]
        return tuple(sorted(items, key=itemgetter(1), reverse=True))


@lru_cache(64)
def _known_form(hand: _Hand) -> _Worth | None:
    """Return what ``_best_form`` does, which takes nearly all the time of a valuation.

    A game values a win when it is offered, when it is answered and when it is paid, so the latest forms are cached.
    """
    return _best_form(hand)


def _best_form(hand: _Hand) -> _Worth | None:
    """Return the form that counts, or None if the hand is not complete; raises ValueError."""
    _check(hand)
    best: _Worth | None = None
    for form in _forms(hand):
        worth = _worth(form)
        if best is None or worth.rank > best.rank:
            best = worth
    return best


def _worth(form: Form) -> _Worth:
    """Return the yaku and the fu of a form."""
    shape = 0
    times: tuple[int, ...] = ()
    others = (SEVEN_PAIRS_FU, 0, 0)
    if form.is_standard:
        times = fu_times(form)
        shape = fu_of_shape(times)
        others = fu_of_win(form, shape)
    fu = shape + others[0] + others[1] + others[2]
    yakuman = tuple(compress(SHAPE_YAKUMAN, yakuman_flags(form)))
    if yakuman:
        han = sum([own for _, own in _counted_yakuman(form.ruleset, yakuman)])
        return _Worth((han, 0, fu), yakuman, (), times, others)
    yaku = []
    total = 0
    for entry in compress(_CLOSED_YAKU if form.is_closed else _OPEN_YAKU, yaku_flags(form, shape)):
        if entry[1]:
            yaku.append(entry)
            total += entry[1]
    return _Worth((0, total, fu), (), tuple(yaku), times, others)


_CLOSED_YAKU: tuple[tuple[Yaku, int], ...] = tuple([(yaku, closed) for yaku, closed, _ in SHAPE_YAKU])
_OPEN_YAKU: tuple[tuple[Yaku, int], ...] = tuple([(yaku, opened) for yaku, _, opened in SHAPE_YAKU])


def _forms(hand: _Hand) -> list[Form]:
    """Return all forms of a hand; none if it is not complete."""
    counts = [0] * KINDS
    concealed = 0
    for face in hand.faces:
        counts[KIND_OF[face]] += 1
        concealed |= 1 << KIND_OF[face]
    called = _Called(hand.melds)
    tile = KIND_OF[hand.tile]
    has_melds = len(hand.melds) > 0
    setting = (
        has_melds,
        called.runs == 0 and called.opened == 0,
        hand.at.tsumo,
        1 << EAST + hand.at.seat_wind,
        1 << EAST + hand.at.round_wind,
        not has_melds and _has_nine_gates(counts, tile),
    )
    more = (hand.ruleset.tenhou_any_tile and hand.is_tenhou, hand.ruleset, int.bit_count)
    kinds, has_nine_waits = concealed | called.kinds, counts[tile] == NINE_GATES[tile % 9] + 1
    forms = []
    for runs, triplets, pair in _readings(counts):
        sets = triplets | called.triplets
        for wait, is_triplet in _completed(runs, triplets, pair, tile):
            opened = called.opened
            if is_triplet and not hand.at.tsumo:
                opened |= 1 << tile
            runs_of_all = runs + called.runs
            shape = (runs_of_all, sets, pair, opened, called.kans, kinds, wait, True, False)
            forms.append(Form(*shape, *setting, has_nine_waits, *more))
    if has_melds:
        return forms
    if counts.count(2) == 7:
        forms.append(Form(0, 0, kinds, 0, 0, kinds, OPEN_WAIT, False, False, *setting, has_nine_waits, *more))
    if kinds == OUTER:
        forms.append(Form(0, 0, 0, 0, 0, kinds, OPEN_WAIT, False, True, *setting, counts[tile] == 2, *more))
    return forms


class _Called:
    """Melds as bit masks, as in ``Form``."""

    def __init__(self, melds: tuple[Meld, ...]) -> None:
        self.runs = 0
        self.triplets = 0
        self.opened = 0
        self.kans = 0
        self.kinds = 0
        for meld in melds:
            kind = meld.kind
            if meld.type is MeldType.CHI:
                self.runs += 1 << RUN_BITS * run_place(kind)
                self.kinds |= 7 << kind
            else:
                self._add_set(meld, 1 << kind)

    def _add_set(self, meld: Meld, kind: int) -> None:
        """Add a triplet or a kan."""
        self.kinds |= kind
        self.triplets |= kind
        if meld.is_open:
            self.opened |= kind
        if meld.is_kan:
            self.kans |= kind


def _has_nine_gates(counts: list[int], tile: Kind) -> bool:
    """Tell whether the suit of the winning tile has nine gates."""
    first = tile // 9 * 9
    if first >= EAST or counts[first] < 3:
        return False
    for place, count in enumerate(NINE_GATES):
        if counts[first + place] < count:
            return False
    return True


def _readings(kinds: list[int]) -> list[Reading]:
    """Return the ways to read concealed tiles as sets and a pair."""
    readings = [(0, 0, 0)]
    pairs = 0
    for first in PARTS:
        counts = bytes(kinds[first : first + 9])
        tiles = sum(counts)
        if tiles % 3 == 2:
            pairs += 1
        if tiles:
            ways = readings_of_part(first, counts)
            readings = [
                (runs + more_runs, triplets | more_triplets, pair | more_pair)
                for runs, triplets, pair in readings
                for more_runs, more_triplets, more_pair in ways
            ]
    return readings if pairs == 1 else []


def _completed(runs: int, triplets: int, pair: int, tile: Kind) -> list[tuple[int, bool]]:
    """Return for each block that the winning tile completes the wait, and whether the block is a triplet."""
    found = []
    lower, upper = RUN_WAITS[tile]
    for counter, wait in lower:
        if runs & counter:
            found.append((wait, False))
    if pair >> tile & 1:
        found.append((PAIR_WAIT, False))
    if triplets >> tile & 1:
        found.append((OPEN_WAIT, True))
    for counter, wait in upper:
        if runs & counter:
            found.append((wait, False))
    return found


_RunWaits: TypeAlias = list[tuple[int, int]]


def _run_waits(tile: Kind) -> tuple[_RunWaits, _RunWaits]:
    """Return the counters of the runs that a tile completes, with the wait: those that begin below it, and at it."""
    lower, upper = [], []
    number = tile % 9
    if tile < EAST and number >= 2:
        lower.append((_counter(tile - 2), PENCHAN if number == 2 else OPEN_WAIT))
    if tile < EAST and 1 <= number <= 7:
        lower.append((_counter(tile - 1), KANCHAN))
    if tile < EAST and number <= 6:
        upper.append((_counter(tile), PENCHAN if number == 6 else OPEN_WAIT))
    return lower, upper


def _counter(kind: Kind) -> int:
    """Return the bits that count the runs from a kind on."""
    return 7 << RUN_BITS * run_place(kind)


RUN_WAITS: list[tuple[_RunWaits, _RunWaits]] = [_run_waits(tile) for tile in range(KINDS)]


def _check(hand: _Hand) -> None:
    """Raise ValueError for a hand that cannot be won like this."""
    if len(hand.faces) + 3 * len(hand.melds) != FULL_HAND:
        raise ValueError(f"not a hand of {FULL_HAND} tiles")
    if hand.tile not in hand.faces:
        raise ValueError("the winning tile is not in the hand")
    contradictions = contradiction_flags(hand.at, hand.ruleset, hand.is_closed, len(hand.melds) > 0)
    for is_contradiction, reason in zip(contradictions, CONTRADICTIONS, strict=True):
        if is_contradiction:
            raise ValueError(reason)


# Yaku that no shape has


def _counted_yakuman(ruleset: Ruleset, yakuman: Sequence[Yaku]) -> tuple[tuple[Yaku, int], ...]:
    """Return yakuman with 13 or 26 han each; only the most valuable one if they do not add up."""
    if not yakuman:
        return ()
    double = double_yakuman(ruleset)
    counted = [(yaku, 2 * YAKUMAN_HAN if yaku in double else YAKUMAN_HAN) for yaku in yakuman]
    counted.sort(key=lambda entry: YAKU_ORDER[entry[0]])
    if ruleset.yakuman_add_up:
        return tuple(counted)
    return (max(counted, key=lambda entry: entry[1]),)


def double_yakuman(ruleset: Ruleset) -> frozenset[Yaku]:
    """Return the yakuman that the ruleset counts double."""
    switches = (
        (Yaku.SUUANKOU_TANKI, ruleset.double_suuankou_tanki),
        (Yaku.KOKUSHI_13, ruleset.double_kokushi_13),
        (Yaku.JUNSEI_CHUUREN, ruleset.double_junsei_chuuren),
        (Yaku.DAISUUSHII, ruleset.double_daisuushii),
    )
    return frozenset(yaku for yaku, is_double in switches if is_double)


def _dora(hand: _Hand) -> list[tuple[Yaku, int]]:
    """Return dora, ura dora and red dora with their numbers, if not 0. Norths set aside are dora, as at Tenhou."""
    norths, seats = hand.at.norths, hand.ruleset.seats
    faces = hand.all_faces
    kinds = [KIND_OF[face] for face in faces] + [NORTH] * norths
    found = []
    if dora := norths + _pointed_at(hand.at.indicators, kinds, seats):
        found.append((Yaku.DORA, dora))
    if hand.at.riichi and (ura := _pointed_at(hand.at.ura, kinds, seats)):
        found.append((Yaku.URA_DORA, ura))
    if max(faces) >= KINDS:
        found.append((Yaku.RED_DORA, sum([faces.count(red) for red in RED_FIVES])))
    return found


def _pointed_at(indicators: Iterable[Face], kinds: Sequence[Kind], seats: int) -> int:
    """Return how many tiles the indicators make dora; a tile counts once for each indicator that points at it."""
    count = 0
    for indicator in indicators:
        count += kinds.count(dora_of(seats)[indicator])
    return count
