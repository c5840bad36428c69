"""Forms of a complete hand, and the tables of their fu and yaku, for one form and for arrays of forms.

A form is a hand in one reading, whose winning tile completes one of the blocks. Its fields are integers and truth
values, or numpy arrays with an element for each of many forms (``ump.env.hand_arrays``). So the tables have operators
in the place of ``and``, ``or`` and ``if``. Sets of kinds are bit masks (bit n: kind n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import mul
from typing import Any, TypeAlias

from ump.model.constants import MAX_MELDS
from ump.model.tiles import DRAGONS, EAST, GREEN, KINDS, RED, WHITE, WINDS, YAOCHU, Kind
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.rules.ruleset import Renhou, Ruleset

SEVEN_PAIRS_FU = 25

SUIT_STARTS = (0, 9, 18)
"""The first kind of each suit."""
PARTS = (0, 9, 18, EAST)
"""The first kind of each suit, and of the honours."""

RUN_BITS = 3
"""Bits in which the number of equal runs is counted, at ``RUN_BITS * run_place(kind)``."""


def run_place(kind: Kind) -> int:
    """Return the place of the run that begins with a kind, 0 to 20."""
    return kind // 9 * 7 + kind % 9


def mask_of(kinds: Iterable[Kind]) -> int:
    """Return kinds as a bit mask."""
    mask = 0
    for kind in kinds:
        mask |= 1 << kind
    return mask


ALL = mask_of(range(KINDS))
OUTER = mask_of(YAOCHU)
INNER = ALL & ~OUTER
WIND_MASK = mask_of(WINDS)
DRAGON_MASK = mask_of(DRAGONS)
HONOURS = WIND_MASK | DRAGON_MASK
SUITED = ALL & ~HONOURS
NOT_TERMINAL = INNER | HONOURS
NOT_GREEN = ALL & ~mask_of((19, 20, 21, 23, 25, GREEN))
NINE_GATES = (3, 1, 1, 1, 1, 1, 1, 1, 3)

_ONE_SUIT = mask_of(range(9))
_NOT_M = SUITED & ~_ONE_SUIT
_NOT_P = SUITED & ~(_ONE_SUIT << 9)
_NOT_S = SUITED & ~(_ONE_SUIT << 18)
_WHITE = mask_of([WHITE])
_GREEN = mask_of([GREEN])
_RED = mask_of([RED])
_RUN_STARTS = mask_of(range(0, 21 * RUN_BITS, RUN_BITS))
"""The lowest bit of each counter of runs."""
_INNER_RUNS = _RUN_STARTS & ~mask_of(RUN_BITS * run_place(first + n) for first in SUIT_STARTS for n in (0, 6))
"""The runs without a terminal."""
_LOW_RUNS = mask_of(RUN_BITS * run_place(first) for first in SUIT_STARTS)
_ONE_SUIT_ON = 7 * RUN_BITS
"""The distance between the counters of equal runs in two suits; those below are of runs in a suit."""
_TWO_SUITS_ON = 14 * RUN_BITS
_THREE_ON = 3 * RUN_BITS
_SIX_ON = 6 * RUN_BITS

OPEN_WAIT = 0
"""A wait without fu: on both ends of a run, or for a triplet."""
PAIR_WAIT = 1
KANCHAN = 2
PENCHAN = 3


@value
class Form:
    """A form, or many of them: then each field but the last is an array."""

    runs: Any
    """The number of each run, in ``RUN_BITS`` each; melds are included, as in the other fields."""
    triplets: Any
    """The kinds of triplets and kans."""
    pairs: Any
    """The kind of the pair, or those of seven pairs."""
    open_sets: Any
    """The kinds of triplets and kans that count as open: also that which another player's tile completes."""
    kans: Any
    kinds: Any
    """All kinds of the hand."""
    wait: Any
    """The wait, ``OPEN_WAIT`` .. ``PENCHAN``."""
    is_standard: Any
    """Whether it has four sets and a pair."""
    is_orphans: Any
    """Whether it is thirteen orphans; the rest are seven pairs."""
    has_melds: Any
    is_closed: Any
    is_tsumo: Any
    seat_wind: Any
    """The winner's wind, as a mask; the round wind likewise."""
    round_wind: Any
    has_nine_gates: Any
    """Whether the concealed tiles have 1112345678999 of the suit of the winning tile."""
    has_most_waits: Any
    """Whether nine gates have nine waits, or thirteen orphans thirteen."""
    is_any_tile: Any
    """Whether any tile counts as the winning one, so that yakuman have their best wait."""
    ruleset: Ruleset
    count: Callable[[Any], Any]
    """Counts the bits of a mask."""
    flags_of_runs: Callable[[Any], tuple[Any, ...]]
    """Returns what ``run_flags`` does with this ``count``."""


SHAPE_FU: tuple[tuple[str, int], ...] = (
    ("pair_wait", 2),
    ("kanchan", 2),
    ("penchan", 2),
    ("double_valued_pair", 4),
    ("valued_pair", 2),
    ("closed_pon", 4),
    ("closed_terminal_pon", 8),
    ("open_pon", 2),
    ("open_terminal_pon", 4),
    ("closed_kan", 16),
    ("closed_terminal_kan", 32),
    ("open_kan", 8),
    ("open_terminal_kan", 16),
)
"""The reasons for fu of the shape of four sets and a pair, each with its fu."""

_FU_EACH: tuple[int, ...] = tuple(fu for _, fu in SHAPE_FU)


def fu_times(form: Any) -> tuple[Any, ...]:
    """Return how often four sets and a pair have each of SHAPE_FU."""
    count, opened, kans = form.count, form.open_sets, form.kans
    closed = form.triplets & ~opened
    open_pons, closed_pons = opened & ~kans, closed & ~kans
    open_kans, closed_kans = opened & kans, closed & kans
    valued = form.pairs & (form.seat_wind | form.round_wind | DRAGON_MASK) != 0
    is_double = (form.pairs & form.seat_wind & form.round_wind != 0) & (form.ruleset.double_wind_fu == 4)
    return (
        form.wait == PAIR_WAIT,
        form.wait == KANCHAN,
        form.wait == PENCHAN,
        is_double,
        valued ^ is_double,
        count(closed_pons & INNER),
        count(closed_pons & OUTER),
        count(open_pons & INNER),
        count(open_pons & OUTER),
        count(closed_kans & INNER),
        count(closed_kans & OUTER),
        count(open_kans & INNER),
        count(open_kans & OUTER),
    )


def fu_of_shape(times: tuple[Any, ...]) -> Any:
    """Return the sum of the fu that a form has so often each."""
    return sum(map(mul, times, _FU_EACH))


def fu_of_win(shape: Any, is_closed: Any, is_tsumo: Any) -> tuple[Any, Any, Any]:
    """Return the fu of four sets and a pair besides those of the shape: base, tsumo, and an open hand without fu."""
    base = 20 + 10 * (is_closed & (is_tsumo ^ True))
    tsumo = 2 * ((shape != 0) & is_tsumo)
    return base, tsumo, 2 * ((shape == 0) & (is_closed ^ True))


SHAPE_YAKU: tuple[tuple[Yaku, int, int], ...] = (
    (Yaku.MENZEN_TSUMO, 1, 0),
    (Yaku.PINFU, 1, 0),
    (Yaku.TANYAO, 1, 1),
    (Yaku.IIPEIKOU, 1, 0),
    (Yaku.SEAT_WIND, 1, 1),
    (Yaku.ROUND_WIND, 1, 1),
    (Yaku.HAKU, 1, 1),
    (Yaku.HATSU, 1, 1),
    (Yaku.CHUN, 1, 1),
    (Yaku.CHIITOITSU, 2, 0),
    (Yaku.CHANTA, 2, 1),
    (Yaku.ITTSU, 2, 1),
    (Yaku.SANSHOKU_DOUJUN, 2, 1),
    (Yaku.SANSHOKU_DOUKOU, 2, 2),
    (Yaku.SANKANTSU, 2, 2),
    (Yaku.TOITOI, 2, 2),
    (Yaku.SANANKOU, 2, 2),
    (Yaku.SHOUSANGEN, 2, 2),
    (Yaku.HONROUTOU, 2, 2),
    (Yaku.RYANPEIKOU, 3, 0),
    (Yaku.JUNCHAN, 3, 2),
    (Yaku.HONITSU, 3, 2),
    (Yaku.CHINITSU, 6, 5),
)
"""The yaku of a shape, with their han in a closed and in an open hand (0: none)."""


def run_flags(count: Callable[[Any], Any], runs: Any) -> tuple[Any, ...]:
    """Tell of the runs alone: all have a terminal, one pair of equal ones, two pairs, ittsu, three colours."""
    second, third = runs >> 1 & _RUN_STARTS, runs >> 2 & _RUN_STARTS
    there = runs & _RUN_STARTS | second | third
    equal_runs = count(second) + 2 * count(third)
    return (
        (there != 0) & (there & _INNER_RUNS == 0),
        equal_runs == 1,
        equal_runs == 2,
        there & there >> _THREE_ON & there >> _SIX_ON & _LOW_RUNS != 0,
        there & there >> _ONE_SUIT_ON & there >> _TWO_SUITS_ON != 0,
    )


def yaku_flags(form: Any, fu: Any) -> tuple[Any, ...]:
    """Return for each of SHAPE_YAKU, in their order, whether the form has it; ``fu`` are those of its shape.

    They do not count beside a yakuman.
    """
    count, triplets, kinds = form.count, form.triplets, form.kinds
    are_outside, is_iipeikou, is_ryanpeikou, is_ittsu, is_doujun = form.flags_of_runs(form.runs)
    has_honours = kinds & HONOURS != 0
    is_pure = has_honours ^ True
    is_outside = are_outside & ((triplets | form.pairs) & INNER == 0)
    is_flush = (kinds & _NOT_M == 0) | (kinds & _NOT_P == 0) | (kinds & _NOT_S == 0)
    return (
        form.is_tsumo,
        form.is_standard & (triplets == 0) & (fu == 0),
        (kinds & OUTER == 0) & (form.is_closed | form.ruleset.kuitan),
        is_iipeikou,
        triplets & form.seat_wind != 0,
        triplets & form.round_wind != 0,
        triplets & _WHITE != 0,
        triplets & _GREEN != 0,
        triplets & _RED != 0,
        form.is_standard ^ True,
        is_outside & has_honours,
        is_ittsu,
        is_doujun,
        triplets & triplets >> 9 & triplets >> 18 & _ONE_SUIT != 0,
        count(form.kans) == 3,
        count(triplets) == MAX_MELDS,
        count(triplets & ~form.open_sets) == 3,
        (count(triplets & DRAGON_MASK) == 2) & (form.pairs & DRAGON_MASK != 0),
        kinds & INNER == 0,
        is_ryanpeikou,
        is_outside & is_pure,
        is_flush & has_honours,
        is_flush & is_pure,
    )


SHAPE_YAKUMAN: tuple[Yaku, ...] = (
    Yaku.DAISANGEN,
    Yaku.SUUANKOU,
    Yaku.SUUANKOU_TANKI,
    Yaku.TSUUIISOU,
    Yaku.RYUUIISOU,
    Yaku.CHINROUTOU,
    Yaku.CHUUREN,
    Yaku.JUNSEI_CHUUREN,
    Yaku.KOKUSHI,
    Yaku.KOKUSHI_13,
    Yaku.DAISUUSHII,
    Yaku.SHOUSUUSHII,
    Yaku.SUUKANTSU,
)
"""The yakuman of a shape."""


def may_be_yakuman(form: Form) -> bool:
    """Tell of one form whether any of ``yakuman_flags`` can be true: nearly all forms have none."""
    kinds = form.kinds
    if kinds & INNER == 0 or kinds & NOT_GREEN == 0 or form.has_nine_gates:
        return True
    return bool(form.count(form.triplets) >= len(WINDS) - 1)


def yakuman_flags(form: Any) -> tuple[Any, ...]:
    """Return for each of SHAPE_YAKUMAN, in their order, whether the form has it."""
    count, triplets, kinds, is_orphans = form.count, form.triplets, form.kinds, form.is_orphans
    winds = count(triplets & WIND_MASK)
    is_chuuren = form.has_nine_gates & (form.has_melds ^ True)  # then the fourteenth tile is of the same suit
    is_suuankou = count(triplets & ~form.open_sets) == MAX_MELDS
    is_tanki = (form.wait == PAIR_WAIT) | form.is_any_tile
    has_most = form.has_most_waits | form.is_any_tile
    return (
        count(triplets & DRAGON_MASK) == len(DRAGONS),
        is_suuankou & (is_tanki ^ True),
        is_suuankou & is_tanki,
        kinds & SUITED == 0,
        kinds & NOT_GREEN == 0,
        kinds & NOT_TERMINAL == 0,
        is_chuuren & (has_most ^ True),
        is_chuuren & has_most,
        is_orphans & (has_most ^ True),
        is_orphans & has_most,
        winds == len(WINDS),
        (winds == len(WINDS) - 1) & (form.pairs & WIND_MASK != 0),
        count(form.kans) == MAX_MELDS,
    )


# Luck: the tables of circumstances. ``at`` are Circumstances, or an object whose fields are arrays.

CONTRADICTIONS: tuple[str, ...] = (
    "riichi needs a closed hand",
    "ippatsu needs riichi",
    "chankan is won by ron",
    "houtei is won by ron",
    "rinshan is won by tsumo",
    "haitei is won by tsumo",
    "the replacement tile of a kan is never haitei",
    "a kan that can be robbed is not the last discard",
    "a hand with melds is past its first turn",
    "the dealer has no renhou",
)
"""The reasons why a hand cannot be won like this."""


def contradiction_flags(at: Any, ruleset: Ruleset, is_closed: Any, has_melds: Any) -> tuple[Any, ...]:
    """Return for each of CONTRADICTIONS, in their order, whether it holds."""
    by_ron = at.tsumo ^ True
    return (
        (at.riichi > 0) & (is_closed ^ True),
        at.ippatsu & (at.riichi == 0),
        at.chankan & at.tsumo,
        at.houtei & at.tsumo,
        at.rinshan & by_ron,
        at.haitei & by_ron,
        at.haitei & at.rinshan,
        at.houtei & at.chankan,
        at.first_turn & has_melds,
        at.first_turn & by_ron & (at.seat_wind == 0) & (ruleset.renhou is not Renhou.NONE),
    )


RENHOU_HAN = 5
"""The han of renhou, also where it is a mangan."""

LUCKY_YAKU: tuple[tuple[Yaku, int], ...] = (
    (Yaku.RIICHI, 1),
    (Yaku.DOUBLE_RIICHI, 2),
    (Yaku.OPEN_RIICHI, 2),
    (Yaku.OPEN_RIICHI, 3),
    (Yaku.IPPATSU, 1),
    (Yaku.CHANKAN, 1),
    (Yaku.RINSHAN, 1),
    (Yaku.HAITEI, 1),
    (Yaku.HOUTEI, 1),
    (Yaku.RENHOU, RENHOU_HAN),
)
"""The yaku of circumstances with their han; an open riichi adds one to riichi or double riichi."""


def lucky_flags(at: Any, ruleset: Ruleset, counts_renhou: Any) -> tuple[Any, ...]:
    """Return for each of LUCKY_YAKU, in their order, whether the circumstances give it."""
    is_hidden = at.open_riichi ^ True
    return (
        (at.riichi == 1) & is_hidden,
        (at.riichi == 2) & is_hidden,
        (at.riichi == 1) & at.open_riichi,
        (at.riichi == 2) & at.open_riichi,
        at.ippatsu & ruleset.ippatsu,
        at.chankan,
        at.rinshan,
        at.haitei,
        at.houtei,
        counts_renhou,
    )


LUCKY_YAKUMAN: tuple[Yaku, ...] = (Yaku.TENHOU, Yaku.CHIHOU, Yaku.RENHOU_YAKUMAN, Yaku.OPEN_RIICHI_YAKUMAN)
"""The yakuman of circumstances."""


def lucky_yakuman_flags(at: Any, ruleset: Ruleset, counts_renhou: Any) -> tuple[Any, ...]:
    """Return for each of LUCKY_YAKUMAN, in their order, whether the circumstances give it."""
    by_ron = at.tsumo ^ True
    return (
        at.first_turn & at.tsumo & (at.seat_wind == 0),
        at.first_turn & at.tsumo & (at.seat_wind != 0),
        counts_renhou & (ruleset.renhou is Renhou.YAKUMAN),
        (at.riichi > 0) & at.open_riichi & by_ron & (at.loser_in_riichi ^ True),
    )


# Readings

Reading: TypeAlias = tuple[int, int, int]
"""Runs, triplets and pair of a reading, as in ``Form``."""


def readings_of_part(first: Kind, counts: bytes) -> tuple[Reading, ...]:
    """Return the ways to read the tiles of a suit, or the honours, as sets, and a pair if two tiles are left."""
    ways = _ways(first, list(counts), needs_pair=sum(counts) % 3 == 2)
    return tuple(dict.fromkeys(ways))


def _ways(first: Kind, counts: list[int], *, needs_pair: bool) -> list[Reading]:
    """Return the ways to read tiles, with repetitions: the lowest one is in a pair, a triplet or a run."""
    low = next((place for place, count in enumerate(counts) if count), None)
    if low is None:
        return [] if needs_pair else [(0, 0, 0)]
    ways = []
    if needs_pair and counts[low] >= 2:
        for runs, triplets, pair in _ways(first, _less(counts, low, (2,)), needs_pair=False):
            ways.append((runs, triplets, pair | 1 << first + low))
    if counts[low] >= 3:
        for runs, triplets, pair in _ways(first, _less(counts, low, (3,)), needs_pair=needs_pair):
            ways.append((runs, triplets | 1 << first + low, pair))
    if first != EAST and low < 7 and counts[low + 1] and counts[low + 2]:
        run = 1 << RUN_BITS * run_place(first + low)
        for runs, triplets, pair in _ways(first, _less(counts, low, (1, 1, 1)), needs_pair=needs_pair):
            ways.append((runs + run, triplets, pair))
    return ways


def _less(counts: list[int], low: int, taken: tuple[int, ...]) -> list[int]:
    """Return counts without the tiles taken from a place on."""
    rest = counts[:]
    for place, count in enumerate(taken, low):
        rest[place] -= count
    return rest
