"""The value of a winning hand under a ruleset: yaku, fu, han and base points.

A complete hand is read in every way, as four sets and a pair or as seven pairs, and for each reading the winning tile
completes each block that has it. Of these forms the one with the most yakuman counts, else the one with the most han,
and among equal ones that with the most fu. That is also the one that pays most, with any number of dora and with
kiriage: no form of a hand has more than twice the fu of another, so one more han always outweighs fu.

Pinfu tsumo has 20 fu, seven pairs 25, an open hand without fu 30; rinshan has the 2 fu of a tsumo; ryuuiisou needs
no hatsu. Tests compare all this with other programs, and with Tenhou's records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from ump.model.constants import BAIMAN, FULL_HAND, HANEMAN, MANGAN, MAX_MELDS, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.tiles import (
    COPIES,
    DRAGONS,
    EAST,
    GREEN,
    KIND_OF,
    KINDS,
    NORTH,
    RED,
    RED_FIVES,
    WHITE,
    WINDS,
    YAOCHU,
    Face,
    Kind,
    dora_of,
)
from ump.model.value import value
from ump.model.yaku import YAKU_ORDER, HandValue, Yaku
from ump.rules.ruleset import Renhou, Ruleset

_KIRIAGE = 1_920
"""Base points of 4 han 30 fu and of 3 han 60 fu, which kiriage raises to a mangan."""
_LIMITS = ((11, SANBAIMAN), (8, BAIMAN), (6, HANEMAN), (5, MANGAN))
"""The least han of each limit and its base points, the highest first; fu do not matter there."""
_RENHOU_HAN = 5
"""The han of renhou, also where it is a mangan."""
_SEVEN_PAIRS_FU = 25


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
    if not hand.is_renhou or ruleset.renhou is not Renhou.MANGAN:
        return _value(hand, counts_renhou=hand.is_renhou)
    plain = _value(hand, counts_renhou=False)
    if plain is not None and plain.base >= MANGAN:
        return plain
    found = _value(hand, counts_renhou=True)
    if found is None:
        return None
    return HandValue(((Yaku.RENHOU, _RENHOU_HAN),), _RENHOU_HAN, found.fu, 0, MANGAN)  # dora and yaku add nothing (WRC)


def fu_items(
    ruleset: Ruleset, faces: Sequence[Face], melds: Sequence[Meld], tile: Face, circumstances: Circumstances
) -> tuple[tuple[str, int], ...]:
    """Return the fu of a hand that ``hand_value`` values below a yakuman, each with its reason, before rounding.

    The most come first.
    """
    form = _best_form(_Hand(ruleset, tuple(faces), tuple(melds), tile, circumstances))
    if form is None:
        return ()
    return tuple(sorted(form.fu_items, key=lambda item: item[1], reverse=True))


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
    def kinds(self) -> list[Kind]:
        """The kinds of all its tiles."""
        return [KIND_OF[face] for face in self.all_faces]

    @property
    def is_tenhou(self) -> bool:
        """Whether the dealer wins with the dealt tiles."""
        return self.at.first_turn and self.at.tsumo and self.at.seat_wind == 0

    @property
    def is_renhou(self) -> bool:
        """Whether it is won by a ron before the first draw, and the rules know that."""
        return self.at.first_turn and not self.at.tsumo and self.ruleset.renhou is not Renhou.NONE


def _value(hand: _Hand, *, counts_renhou: bool) -> HandValue | None:
    """Return the value of a hand; renhou counts as the ruleset says, as han or as a yakuman."""
    form = _best_form(hand)
    if form is None:
        return None
    yakuman = _counted_yakuman(hand, [*form.yakuman, *_lucky_yakuman(hand, counts_renhou=counts_renhou)])
    if yakuman:
        han = sum(own for _, own in yakuman)
        return HandValue(yakuman, han, 0, han // YAKUMAN_HAN, han // YAKUMAN_HAN * YAKUMAN)
    own = [*form.yaku, *_lucky_yaku(hand, counts_renhou=counts_renhou)]
    if not own:
        return None
    yaku = _in_order([*own, *_dora(hand)])
    han = sum(own for _, own in yaku)
    return HandValue(yaku, han, form.fu, 0, base_points(hand.ruleset, han, form.fu))


def _in_order(entries: Iterable[tuple[Yaku, int]]) -> tuple[tuple[Yaku, int], ...]:
    """Return yaku in the order in which hands list them."""
    return tuple(sorted(entries, key=lambda entry: YAKU_ORDER[entry[0]]))


# Blocks: sets, pairs and melds


class _Block:
    """A run, triplet, kan or pair, concealed or called."""

    __slots__ = ("is_open", "is_outside", "is_run", "is_triplet", "kind", "size")

    def __init__(self, kind: Kind, size: int, *, is_run: bool = False, is_open: bool = False) -> None:
        """``kind`` is the lowest one, ``size`` 4 for a kan and 2 for a pair."""
        self.kind = kind
        self.size = size
        self.is_run = is_run
        self.is_open = is_open
        self.is_triplet = size >= 3 and not is_run
        """Whether it is a triplet or a kan."""
        self.is_outside = kind in YAOCHU or (is_run and kind % 9 == 6)
        """Whether it has a terminal or an honour."""

    def has(self, kind: Kind) -> bool:
        """Return whether it has a tile of this kind."""
        if self.is_run:
            return self.kind <= kind <= self.kind + 2
        return kind == self.kind


_Blocks: TypeAlias = tuple[_Block, ...]

_RUNS = [_Block(kind, 3, is_run=True) for kind in range(EAST)]
_TRIPLETS = [_Block(kind, 3) for kind in range(KINDS)]
_PAIRS = [_Block(kind, 2) for kind in range(KINDS)]


def _block_of(meld: Meld) -> _Block:
    size = 4 if meld.is_kan else 3
    return _Block(meld.kind, size, is_run=meld.type is MeldType.CHI, is_open=meld.is_open)


def _readings(kinds: Sequence[int]) -> Iterator[_Blocks]:
    """Yield the ways to read concealed tiles as sets and a pair."""
    if sum(sum(kinds[first : first + 9]) % 3 == 2 for first in _PARTS) != 1:
        return
    parts = [_readings_of_part(first, bytes(kinds[first : first + 9])) for first in _PARTS]
    for ways in product(*parts):
        yield ways[0] + ways[1] + ways[2] + ways[3]


_PARTS = (0, 9, 18, EAST)
"""The first kind of each suit, and of the honours."""


@lru_cache(1 << 12)
def _readings_of_part(first: Kind, counts: bytes) -> tuple[_Blocks, ...]:
    """Return the ways to read the tiles of a suit, or the honours, as sets, and a pair if two tiles are left."""
    ways = _ways(first, list(counts), needs_pair=sum(counts) % 3 == 2)
    return tuple(dict.fromkeys(tuple(sorted(way, key=lambda block: (block.kind, block.size))) for way in ways))


def _ways(first: Kind, counts: list[int], *, needs_pair: bool) -> list[_Blocks]:
    """Return the ways to read tiles, with repetitions: the lowest one is in a pair, a triplet or a run."""
    if not any(counts):
        return [] if needs_pair else [()]
    low = next(place for place, count in enumerate(counts) if count)
    blocks = []
    if needs_pair and counts[low] >= 2:
        blocks.append(_PAIRS[first + low])
    if counts[low] >= 3:
        blocks.append(_TRIPLETS[first + low])
    if first != EAST and low < 7 and counts[low + 1] and counts[low + 2]:
        blocks.append(_RUNS[first + low])
    ways = []
    for block in blocks:
        rest = counts[:]
        for place in range(low, low + 3) if block.is_run else [low] * block.size:
            rest[place] -= 1
        for way in _ways(first, rest, needs_pair=needs_pair and block.size != 2):
            ways.append((block, *way))
    return ways


# Forms


def _mask(kinds: Iterable[Kind]) -> int:
    """Return kinds as a bit mask."""
    mask = 0
    for kind in kinds:
        mask |= 1 << kind
    return mask


_OUTER = _mask(YAOCHU)
_HONOURS = _mask((*WINDS, *DRAGONS))
_GREENS = _mask((19, 20, 21, 23, 25, GREEN))
_SUITS = tuple(_mask(range(first, first + 9)) for first in (0, 9, 18))
_NINE_GATES = (3, 1, 1, 1, 1, 1, 1, 1, 3)


class _Form:
    """A hand in one reading, whose winning tile completes one of the blocks.

    Thirteen orphans have no blocks. ``completed`` is None for them and for seven pairs.
    """

    def __init__(
        self, hand: _Hand, kinds: list[int], mask: int, concealed: _Blocks, melds: _Blocks, completed: _Block | None
    ) -> None:
        """``kinds`` are the counts of the concealed tiles, ``mask`` has all kinds of the hand."""
        self._hand = hand
        self._kinds = kinds
        self._mask = mask
        self._blocks = concealed + melds
        self._melds = melds
        self._completed = completed
        self._tile = KIND_OF[hand.tile]
        self._runs = [block.kind for block in self._blocks if block.is_run]
        self._sets = [block for block in self._blocks if block.is_triplet]
        self._triplets = [block.kind for block in self._sets]
        self._pairs = [block.kind for block in self._blocks if block.size == 2]
        self._kans = sum(block.size == COPIES for block in melds)
        self._concealed = sum(not self._is_open(block) for block in self._sets)
        """The number of concealed triplets and kans."""
        self.fu_items = self._fu_items()
        self.fu = _SEVEN_PAIRS_FU
        if len(self._pairs) == 1:
            self.fu = -(-sum(fu for _, fu in self.fu_items) // 10) * 10
        self.yakuman = [yaku for yaku, is_there in self._all_yakuman() if is_there]
        self.yaku = [] if self.yakuman else self._shape_yaku()

    @property
    def rank(self) -> tuple[int, int, int]:
        """Its yakuman as han, its han and its fu."""
        yakuman = _counted_yakuman(self._hand, self.yakuman)
        return (
            sum(han for _, han in yakuman),
            sum(han for _, han in self.yaku),
            sum(fu for _, fu in self.fu_items),
        )

    def _is_open(self, block: _Block) -> bool:
        """Return whether a set counts as open: also if another player's tile completes a triplet."""
        return block.is_open or (block is self._completed and not self._hand.at.tsumo)

    # Fu

    def _fu_items(self) -> list[tuple[str, int]]:
        """Return the fu with their reasons; the 20 or 30 that each hand has are the last ones."""
        if len(self._pairs) != 1:
            return [("base", _SEVEN_PAIRS_FU)]
        tsumo, is_closed = self._hand.at.tsumo, self._hand.is_closed
        items = [*self._wait_fu(), *self._pair_fu(), *map(self._triplet_fu, self._sets)]
        if items and tsumo:
            items.append(("tsumo", 2))
        if not items and not is_closed:
            items.append(("hand_without_fu", 2))
        return [*items, ("base", 30 if is_closed and not tsumo else 20)]

    def _wait_fu(self) -> Iterator[tuple[str, int]]:
        completed = self._completed
        if completed is None or completed.is_triplet:
            return
        place = self._tile - completed.kind
        if completed.size == 2:
            yield "pair_wait", 2
        elif place == 1:
            yield "kanchan", 2
        elif (completed.kind % 9, place) in ((0, 2), (6, 0)):
            yield "penchan", 2

    def _pair_fu(self) -> Iterator[tuple[str, int]]:
        pair, seat_wind, round_wind = self._pairs[0], EAST + self._hand.at.seat_wind, EAST + self._hand.at.round_wind
        if pair == seat_wind == round_wind and self._hand.ruleset.double_wind_fu == 4:
            yield "double_valued_pair", 4
        elif pair in (seat_wind, round_wind) or pair in DRAGONS:
            yield "valued_pair", 2

    def _triplet_fu(self, block: _Block) -> tuple[str, int]:
        is_open, is_kan = self._is_open(block), block.size == COPIES
        reason, fu = _TRIPLET_FU[is_open, block.is_outside]
        return (f"{reason}_kan", 4 * fu) if is_kan else (f"{reason}_pon", fu)

    # Yaku

    def _shape_yaku(self) -> list[tuple[Yaku, int]]:
        """Return the yaku of the shape with their han."""
        is_closed = self._hand.is_closed
        found = []
        for yaku, closed, opened, is_there in self._all_yaku():
            han = closed if is_closed else opened
            if is_there and han:
                found.append((yaku, han))
        return found

    def _all_yaku(self) -> Iterable[tuple[Yaku, int, int, bool]]:
        """Return each yaku with its han in a closed and in an open hand (0: none), and whether the form has it."""
        at, runs, triplets = self._hand.at, self._runs, self._triplets
        has_honours = self._mask & _HONOURS != 0
        is_outside = bool(runs) and all(block.is_outside for block in self._blocks)
        is_simple = not self._mask & _OUTER
        equal_runs = sum(runs.count(run) // 2 for run in set(runs))
        dragons = sum(dragon in triplets for dragon in DRAGONS)
        return (
            (Yaku.MENZEN_TSUMO, 1, 0, at.tsumo),
            (Yaku.PINFU, 1, 0, len(runs) == MAX_MELDS and len(self.fu_items) == 1),
            (Yaku.TANYAO, 1, 1, is_simple and (self._hand.ruleset.kuitan or self._hand.is_closed)),
            (Yaku.IIPEIKOU, 1, 0, equal_runs == 1),
            (Yaku.RYANPEIKOU, 3, 0, equal_runs == 2),
            (Yaku.SEAT_WIND, 1, 1, EAST + at.seat_wind in triplets),
            (Yaku.ROUND_WIND, 1, 1, EAST + at.round_wind in triplets),
            (Yaku.HAKU, 1, 1, WHITE in triplets),
            (Yaku.HATSU, 1, 1, GREEN in triplets),
            (Yaku.CHUN, 1, 1, RED in triplets),
            (Yaku.SHOUSANGEN, 2, 2, dragons == 2 and self._pairs[0] in DRAGONS),
            (Yaku.CHIITOITSU, 2, 0, len(self._pairs) == 7),
            (Yaku.CHANTA, 2, 1, is_outside and has_honours),
            (Yaku.JUNCHAN, 3, 2, is_outside and not has_honours),
            (Yaku.HONROUTOU, 2, 2, not self._mask & ~_OUTER),
            (Yaku.ITTSU, 2, 1, any(first in runs and first + 3 in runs and first + 6 in runs for first in (0, 9, 18))),
            (Yaku.SANSHOKU_DOUJUN, 2, 1, _are_in_three_suits(runs)),
            (Yaku.SANSHOKU_DOUKOU, 2, 2, _are_in_three_suits(triplets)),
            (Yaku.SANKANTSU, 2, 2, self._kans == 3),
            (Yaku.TOITOI, 2, 2, len(triplets) == MAX_MELDS),
            (Yaku.SANANKOU, 2, 2, self._concealed == 3),
            (Yaku.HONITSU, 3, 2, has_honours and any(not self._mask & ~(suit | _HONOURS) for suit in _SUITS)),
            (Yaku.CHINITSU, 6, 5, self._is_of_one_suit()),
        )

    def _is_of_one_suit(self) -> bool:
        return any(not self._mask & ~suit for suit in _SUITS)

    def _all_yakuman(self) -> Iterable[tuple[Yaku, bool]]:
        """Return whether the form has each yakuman of a shape."""
        triplets, blocks = self._triplets, self._blocks
        winds = sum(wind in triplets for wind in WINDS)
        is_chuuren = not self._melds and self._is_of_one_suit() and self._has_nine_gates()
        is_suuankou = self._concealed == MAX_MELDS
        is_any_tile = self._hand.ruleset.tenhou_any_tile and self._hand.is_tenhou
        has_nine_waits = is_any_tile or self._kinds[self._tile] == _NINE_GATES[self._tile % 9] + 1
        has_pair_wait = is_any_tile or self._pairs == [self._tile]
        has_thirteen_waits = is_any_tile or self._kinds[self._tile] == 2
        return (
            (Yaku.DAISANGEN, all(dragon in triplets for dragon in DRAGONS)),
            (Yaku.SUUANKOU, is_suuankou and not has_pair_wait),
            (Yaku.SUUANKOU_TANKI, is_suuankou and has_pair_wait),
            (Yaku.TSUUIISOU, not self._mask & ~_HONOURS),
            (Yaku.RYUUIISOU, not self._mask & ~_GREENS),
            (Yaku.CHINROUTOU, not self._mask & ~(_OUTER & ~_HONOURS)),
            (Yaku.CHUUREN, is_chuuren and not has_nine_waits),
            (Yaku.JUNSEI_CHUUREN, is_chuuren and has_nine_waits),
            (Yaku.KOKUSHI, not blocks and not has_thirteen_waits),
            (Yaku.KOKUSHI_13, not blocks and has_thirteen_waits),
            (Yaku.DAISUUSHII, winds == 4),
            (Yaku.SHOUSUUSHII, winds == 3 and self._pairs[0] in WINDS),
            (Yaku.SUUKANTSU, self._kans == MAX_MELDS),
        )

    def _has_nine_gates(self) -> bool:
        first = self._tile // 9 * 9
        return all(self._kinds[first + place] >= count for place, count in enumerate(_NINE_GATES))


_TRIPLET_FU = {
    (False, False): ("closed", 4),
    (False, True): ("closed_terminal", 8),
    (True, False): ("open", 2),
    (True, True): ("open_terminal", 4),
}
"""The fu of a triplet, by whether it is open and of terminals or honours; a kan has four times as many."""


def _are_in_three_suits(kinds: Sequence[Kind]) -> bool:
    """Return whether one number is there in each suit."""
    return any(kind < 9 and kind + 9 in kinds and kind + 18 in kinds for kind in kinds)


@lru_cache(64)
def _best_form(hand: _Hand) -> _Form | None:
    """Return the form that counts, or None if the hand is not complete; raises ValueError.

    This call takes nearly all the time of a valuation. A win is valued when it is offered, when it is answered and when
    it is paid, so the latest forms are cached.
    """
    _check(hand)
    return max(_forms(hand), key=lambda form: form.rank, default=None)


def _forms(hand: _Hand) -> Iterator[_Form]:
    """Yield all forms of a hand; none if it is not complete."""
    kinds = [0] * KINDS
    for face in hand.faces:
        kinds[KIND_OF[face]] += 1
    melds = tuple(map(_block_of, hand.melds))
    mask, tile = _mask(hand.kinds), KIND_OF[hand.tile]
    for blocks in _readings(kinds):
        for block in dict.fromkeys(blocks):
            if block.has(tile):
                yield _Form(hand, kinds, mask, blocks, melds, block)
    if melds:
        return
    pairs = tuple(_PAIRS[kind] for kind, count in enumerate(kinds) if count == 2)
    if len(pairs) == 7:
        yield _Form(hand, kinds, mask, pairs, (), None)
    if mask == _OUTER:
        yield _Form(hand, kinds, mask, (), (), None)


def _check(hand: _Hand) -> None:
    """Raise ValueError for a hand that cannot be won like this."""
    at, tsumo = hand.at, hand.at.tsumo
    contradictions = (
        (len(hand.faces) + 3 * len(hand.melds) != FULL_HAND, f"not a hand of {FULL_HAND} tiles"),
        (hand.tile not in hand.faces, "the winning tile is not in the hand"),
        (at.riichi > 0 and not hand.is_closed, "riichi needs a closed hand"),
        (at.ippatsu and not at.riichi, "ippatsu needs riichi"),
        (at.chankan and tsumo, "chankan is won by ron"),
        (at.houtei and tsumo, "houtei is won by ron"),
        (at.rinshan and not tsumo, "rinshan is won by tsumo"),
        (at.haitei and not tsumo, "haitei is won by tsumo"),
        (at.haitei and at.rinshan, "the replacement tile of a kan is never haitei"),
        (at.houtei and at.chankan, "a kan that can be robbed is not the last discard"),
        (at.first_turn and len(hand.melds) > 0, "a hand with melds is past its first turn"),
        (hand.is_renhou and at.seat_wind == 0, "the dealer has no renhou"),
    )
    for is_contradiction, reason in contradictions:
        if is_contradiction:
            raise ValueError(reason)


# Yaku that no shape has


def _lucky_yaku(hand: _Hand, *, counts_renhou: bool) -> Iterator[tuple[Yaku, int]]:
    """Yield the yaku of the circumstances with their han."""
    at = hand.at
    if at.riichi and at.open_riichi:
        yield Yaku.OPEN_RIICHI, 1 + at.riichi
    elif at.riichi:
        yield (Yaku.DOUBLE_RIICHI if at.riichi > 1 else Yaku.RIICHI), at.riichi
    if at.ippatsu and hand.ruleset.ippatsu:
        yield Yaku.IPPATSU, 1
    if at.rinshan:
        yield Yaku.RINSHAN, 1
    if at.chankan:
        yield Yaku.CHANKAN, 1
    if at.haitei:
        yield Yaku.HAITEI, 1
    if at.houtei:
        yield Yaku.HOUTEI, 1
    if counts_renhou:
        yield Yaku.RENHOU, _RENHOU_HAN


def _lucky_yakuman(hand: _Hand, *, counts_renhou: bool) -> Iterator[Yaku]:
    """Yield the yakuman of the circumstances."""
    at = hand.at
    if at.first_turn and at.tsumo:
        yield Yaku.CHIHOU if at.seat_wind else Yaku.TENHOU
    if counts_renhou and hand.ruleset.renhou is Renhou.YAKUMAN:
        yield Yaku.RENHOU_YAKUMAN
    if at.riichi and at.open_riichi and not at.tsumo and not at.loser_in_riichi:
        yield Yaku.OPEN_RIICHI_YAKUMAN


def _counted_yakuman(hand: _Hand, yakuman: Sequence[Yaku]) -> tuple[tuple[Yaku, int], ...]:
    """Return yakuman with 13 or 26 han each; only the most valuable one if they do not add up."""
    if not yakuman:
        return ()
    double = _double_yakuman(hand.ruleset)
    counted = _in_order((yaku, 2 * YAKUMAN_HAN if yaku in double else YAKUMAN_HAN) for yaku in yakuman)
    if hand.ruleset.yakuman_add_up:
        return counted
    return (max(counted, key=lambda entry: entry[1]),)


def _double_yakuman(ruleset: Ruleset) -> frozenset[Yaku]:
    """Return the yakuman that the ruleset counts double."""
    switches = (
        (Yaku.SUUANKOU_TANKI, ruleset.double_suuankou_tanki),
        (Yaku.KOKUSHI_13, ruleset.double_kokushi_13),
        (Yaku.JUNSEI_CHUUREN, ruleset.double_junsei_chuuren),
        (Yaku.DAISUUSHII, ruleset.double_daisuushii),
    )
    return frozenset(yaku for yaku, is_double in switches if is_double)


def _dora(hand: _Hand) -> Iterator[tuple[Yaku, int]]:
    """Yield dora, ura dora and red dora with their numbers, if not 0. Norths set aside are dora, as at Tenhou."""
    norths, seats = hand.at.norths, hand.ruleset.seats
    kinds = hand.kinds + [NORTH] * norths
    counts = {
        Yaku.DORA: norths + _pointed_at(hand.at.indicators, kinds, seats),
        Yaku.URA_DORA: _pointed_at(hand.at.ura, kinds, seats) if hand.at.riichi else 0,
        Yaku.RED_DORA: sum(face in RED_FIVES for face in hand.all_faces),
    }
    for yaku, count in counts.items():
        if count:
            yield yaku, count


def _pointed_at(indicators: Iterable[Face], kinds: Sequence[Kind], seats: int) -> int:
    """Return how many tiles the indicators make dora; a tile counts once for each indicator that points at it."""
    dora = dora_of(seats)
    return sum(kinds.count(dora[indicator]) for indicator in indicators)
