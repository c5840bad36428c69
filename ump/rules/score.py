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
from dataclasses import replace
from functools import lru_cache
from itertools import compress, product
from operator import itemgetter
from typing import TypeAlias

from ump.model.constants import BAIMAN, FULL_HAND, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.tiles import EAST, FACES_OF, KIND_OF, KINDS, NORTH, RED_FIVES, Face, Kind, pointed_at
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
    may_be_yakuman,
    readings_of_part,
    run_flags,
    run_place,
    yaku_flags,
    yakuman_flags,
)
from ump.rules.ruleset import Renhou, Ruleset

_MENZEN_TSUMO = Yaku.MENZEN_TSUMO  # a member of an enumeration takes as long to find as a call
_DORA = Yaku.DORA
_URA_DORA = Yaku.URA_DORA
_RED_DORA = Yaku.RED_DORA

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
    return _hand_value(hand, _known_form(hand), _luck_of(hand))


def value_and_fu(
    ruleset: Ruleset, faces: Sequence[Face], melds: Sequence[Meld], tile: Face, circumstances: Circumstances
) -> tuple[HandValue | None, tuple[tuple[str, int], ...]]:
    """Return the same, and the fu before rounding, each with its reason, the most first; a yakuman has none."""
    hand = _Hand(ruleset, tuple(faces), tuple(melds), tile, circumstances)
    luck = _luck_of(hand)
    form = _best_form(hand, luck)
    value = _hand_value(hand, form, luck)
    if form is None or value is None or value.yakuman:
        return value, ()
    return value, form.fu.items


def _hand_value(hand: _Hand, form: _Worth | None, luck: _Luck) -> HandValue | None:
    """Return the value of a hand in its best form."""
    if form is None:
        return None
    value = _value(hand, form, luck)
    if luck.is_mangan and (value is None or value.base < MANGAN):
        # WRC: dora and yaku add nothing
        return HandValue(((Yaku.RENHOU, RENHOU_HAN),), RENHOU_HAN, form.fu.rounded, 0, MANGAN)
    return value


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
    if han >= _LIMITS[-1][0]:
        return next(base for least, base in _LIMITS if han >= least)
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
        for meld in self.melds:
            if meld.is_open:
                return False
        return True

    @property
    def all_faces(self) -> tuple[Face, ...]:
        """The tiles of the hand and of its melds."""
        faces = self.faces
        for meld in self.melds:
            faces += meld.faces
        return faces


def _value(hand: _Hand, form: _Worth, luck: _Luck) -> HandValue | None:
    """Return the value of a hand; renhou counts as the ruleset says, as han or as a yakuman."""
    if form.yakuman or luck.yakuman:
        yakuman = _counted_yakuman(hand.ruleset, (*form.yakuman, *luck.yakuman))
        han = sum([own for _, own in yakuman])
        return HandValue(yakuman, han, 0, han // YAKUMAN_HAN, han // YAKUMAN_HAN * YAKUMAN)
    if not luck.yaku and not form.yaku:
        return None
    place = 1 if form.yaku and form.yaku[0][0] is _MENZEN_TSUMO else 0  # lucky yaku stand behind it
    dora = _dora(hand, luck)
    yaku = (*form.yaku[:place], *luck.yaku, *form.yaku[place:], *dora)
    han = form.rank[1] + luck.han
    for _, count in dora:
        han += count
    fu = form.fu.rounded
    return HandValue(yaku, han, fu, 0, base_points(hand.ruleset, han, fu))


# Luck


@value
class _Luck:
    """All that the circumstances and the rules decide, whatever the tiles are."""

    contradiction: str
    """The reason why no hand is won like this, if there is one."""
    yakuman: tuple[Yaku, ...]
    yaku: tuple[tuple[Yaku, int], ...]
    han: int
    """The sum of the han of these yaku."""
    is_mangan: bool
    """Whether renhou raises the hand to a mangan."""
    is_any_tile: bool
    """Whether any tile counts as the winning one."""
    dora: tuple[Face, ...]
    """The faces that are dora, once for each indicator that points at them; those of ura dora likewise."""
    ura: tuple[Face, ...]
    norths: int
    """The dora of the norths set aside; their ura dora likewise."""
    ura_norths: int


def _luck_of(hand: _Hand) -> _Luck:
    """Return the luck of a hand."""
    has_melds = len(hand.melds) > 0
    return _luck(hand.ruleset, hand.at, not has_melds or hand.is_closed, has_melds)


@lru_cache(1 << 9)
def _luck(ruleset: Ruleset, at: Circumstances, is_closed: bool, has_melds: bool) -> _Luck:
    """Return what the circumstances decide. Many hands are won in the same ones, so the latest are cached."""
    contradictions = compress(CONTRADICTIONS, contradiction_flags(at, ruleset, is_closed, has_melds))
    is_renhou = at.first_turn and not at.tsumo and ruleset.renhou is not Renhou.NONE
    is_mangan = is_renhou and ruleset.renhou is Renhou.MANGAN
    counts_renhou = is_renhou and not is_mangan
    dora, ura = pointed_at(at.indicators, ruleset.seats), pointed_at(at.ura if at.riichi else (), ruleset.seats)
    yaku = tuple(compress(LUCKY_YAKU, lucky_flags(at, ruleset, counts_renhou)))
    return _Luck(
        next(contradictions, ""),
        tuple(compress(LUCKY_YAKUMAN, lucky_yakuman_flags(at, ruleset, counts_renhou))),
        yaku,
        sum(han for _, han in yaku),
        is_mangan,
        ruleset.tenhou_any_tile and at.first_turn and at.tsumo and at.seat_wind == 0,
        _faces_of(dora),
        _faces_of(ura),
        at.norths * (1 + dora.count(NORTH)),
        at.norths * ura.count(NORTH),
    )


def _faces_of(kinds: Iterable[Kind]) -> tuple[Face, ...]:
    """Return the faces of kinds."""
    return tuple([face for kind in kinds for face in FACES_OF[kind]])


# Forms


@value
class _Fu:
    """The fu of a form."""

    of_shape: int
    total: int
    """All fu, not rounded."""
    rounded: int
    items: tuple[tuple[str, int], ...]
    """The fu with their reasons, the most first."""


@value
class _Worth:
    """A form with its yakuman, its other yaku, and its fu."""

    rank: tuple[int, int, int]
    """Its yakuman as han, its han and its fu, not rounded: the greatest rank counts."""
    yakuman: tuple[Yaku, ...]
    yaku: tuple[tuple[Yaku, int], ...]
    fu: _Fu


_WITHOUT_SETS = _Fu(0, SEVEN_PAIRS_FU, SEVEN_PAIRS_FU, (("base", SEVEN_PAIRS_FU),))
"""The fu of seven pairs and of thirteen orphans."""


@lru_cache(1 << 10)
def _counted_fu(times: tuple[int, ...], is_closed: bool, is_tsumo: bool) -> _Fu:
    """Return the fu of four sets and a pair, which have each of SHAPE_FU so often."""
    of_shape = fu_of_shape(times)
    of_win = fu_of_win(of_shape, is_closed, is_tsumo)
    items = [item for item in zip(("base", "tsumo", "hand_without_fu"), of_win, strict=True) if item[1]]
    for item, count in zip(SHAPE_FU, times, strict=True):
        items += [item] * count
    items.sort(key=itemgetter(1), reverse=True)
    total = of_shape + sum(of_win)
    return _Fu(of_shape, total, -(-total // 10) * 10, tuple(items))


@lru_cache(64)
def _known_form(hand: _Hand) -> _Worth | None:
    """Return what ``_best_form`` does, which takes nearly all the time of a valuation.

    A game values a win when it is offered, when it is answered and when it is paid, so the latest forms are cached.
    """
    return _best_form(hand, _luck_of(hand))


def _best_form(hand: _Hand, luck: _Luck) -> _Worth | None:
    """Return the form that counts, or None if the hand is not complete; raises ValueError."""
    if len(hand.faces) + 3 * len(hand.melds) != FULL_HAND:
        raise ValueError(f"not a hand of {FULL_HAND} tiles")
    if hand.tile not in hand.faces:
        raise ValueError("the winning tile is not in the hand")
    if luck.contradiction:
        raise ValueError(luck.contradiction)
    best: _Worth | None = None
    for form in _forms(hand, luck.is_any_tile):
        worth = _worth(form)
        if best is None or worth.rank > best.rank:
            best = worth
    return best


def _worth(form: Form) -> _Worth:
    """Return the yaku and the fu of a form."""
    fu = _counted_fu(fu_times(form), form.is_closed, form.is_tsumo) if form.is_standard else _WITHOUT_SETS
    yakuman = tuple(compress(SHAPE_YAKUMAN, yakuman_flags(form))) if may_be_yakuman(form) else ()
    if yakuman:
        han = sum([own for _, own in _counted_yakuman(form.ruleset, yakuman)])
        return _Worth((han, 0, fu.total), yakuman, (), fu)
    yaku, han = _counted_yaku(yaku_flags(form, fu.of_shape), form.is_closed)
    return _Worth((0, han, fu.total), (), yaku, fu)


@lru_cache(1 << 10)
def _counted_yaku(flags: tuple[bool, ...], is_closed: bool) -> tuple[tuple[tuple[Yaku, int], ...], int]:
    """Return the yaku of a shape with their han, and the sum of these; ``flags`` are those of SHAPE_YAKU."""
    yaku = []
    total = 0
    for name, closed, opened in compress(SHAPE_YAKU, flags):
        han = closed if is_closed else opened
        if han:
            yaku.append((name, han))
            total += han
    return tuple(yaku), total


def _forms(hand: _Hand, is_any_tile: bool) -> list[Form]:
    """Return all forms of a hand; none if it is not complete."""
    number_of = [0] * KINDS
    for face in hand.faces:
        number_of[KIND_OF[face]] += 1
    counts = bytes(number_of)
    called, tile, at = _called(hand.melds), KIND_OF[hand.tile], hand.at
    concealed, readings = _readings(counts)
    kinds = concealed | called.kinds
    setting = (
        called.has_melds,
        called.runs == 0 and called.opened == 0,
        at.tsumo,
        1 << EAST + at.seat_wind,
        1 << EAST + at.round_wind,
        not called.has_melds and _has_nine_gates(counts, tile),
        counts[tile] == NINE_GATES[tile % 9] + 1,
        is_any_tile,
        hand.ruleset,
        int.bit_count,
        _flags_of_runs,
    )
    forms = []
    for runs, triplets, pair in readings:
        all_runs, sets = runs + called.runs, triplets | called.triplets
        for wait, is_triplet in _completed(runs, triplets, pair, tile):
            opened = called.opened
            if is_triplet and not at.tsumo:
                opened |= 1 << tile
            forms.append(Form(all_runs, sets, pair, opened, called.kans, kinds, wait, True, False, *setting))
    if called.has_melds:
        return forms
    if counts.count(2) == 7:
        forms.append(Form(0, 0, kinds, 0, 0, kinds, OPEN_WAIT, False, False, *setting))
    if kinds == OUTER:
        orphans = Form(0, 0, 0, 0, 0, kinds, OPEN_WAIT, False, True, *setting)
        forms.append(replace(orphans, has_most_waits=counts[tile] == 2))
    return forms


@lru_cache(1 << 14)
def _flags_of_runs(runs: int) -> tuple[bool, ...]:
    """Return what the yaku need to know of the runs of a hand, of which there are 12,650."""
    return run_flags(int.bit_count, runs)


@lru_cache(1 << 9)
def _called(melds: tuple[Meld, ...]) -> _Called:
    """Return melds as bit masks. Most hands have none."""
    return _Called(melds)


class _Called:
    """Melds as bit masks, as in ``Form``."""

    def __init__(self, melds: Sequence[Meld]) -> None:
        self.has_melds = len(melds) > 0
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


def _has_nine_gates(counts: bytes, tile: Kind) -> bool:
    """Tell whether the suit of the winning tile has nine gates."""
    first = tile // 9 * 9
    if first >= EAST or counts[first] < 3:
        return False
    for place, count in enumerate(NINE_GATES):
        if counts[first + place] < count:
            return False
    return True


def _readings(counts: bytes) -> tuple[int, list[Reading]]:
    """Return the kinds of concealed tiles, and the ways to read them as sets and a pair."""
    in_m, m_pairs, of_m = _part(0, counts[:9])
    in_p, p_pairs, of_p = _part(9, counts[9:18])
    in_s, s_pairs, of_s = _part(18, counts[18:EAST])
    in_z, z_pairs, of_z = _part(EAST, counts[EAST:])
    kinds = in_m | in_p | in_s | in_z
    if m_pairs + p_pairs + s_pairs + z_pairs != 1:
        return kinds, []
    readings = []
    for m, p, s, z in product(of_m, of_p, of_s, of_z):
        readings.append((m[0] + p[0] + s[0], m[1] | p[1] | s[1] | z[1], m[2] | p[2] | s[2] | z[2]))
    return kinds, readings


@lru_cache(1 << 12)
def _part(first: Kind, counts: bytes) -> tuple[int, int, tuple[Reading, ...]]:
    """Return the kinds of a suit, or of the honours, the number of pairs in its readings, and these."""
    kinds = 0
    for place, count in enumerate(counts):
        if count:
            kinds |= 1 << first + place
    return kinds, 1 if sum(counts) % 3 == 2 else 0, readings_of_part(first, counts)


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


def _dora(hand: _Hand, luck: _Luck) -> list[tuple[Yaku, int]]:
    """Return dora, ura dora and red dora with their numbers, if not 0. Norths set aside are dora, as at Tenhou."""
    faces = hand.all_faces
    found = []
    dora = luck.norths
    for face in luck.dora:
        dora += faces.count(face)
    if dora:
        found.append((_DORA, dora))
    ura = luck.ura_norths
    for face in luck.ura:
        ura += faces.count(face)
    if ura:
        found.append((_URA_DORA, ura))
    if max(faces) >= KINDS:
        found.append((_RED_DORA, sum([faces.count(red) for red in RED_FIVES])))
    return found
