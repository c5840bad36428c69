"""The value of a winning hand under a ruleset: yaku, fu, han and base points. The only module that uses ``mahjong``.

The library ``mahjong`` reads the hand, finds its yaku and counts fu and han. This module adds what it has no switch
for: dora (several red fives of a suit), the 2-fu pair of a double wind, double yakuman, yakuman that do not add up,
renhou as a mangan, and base points.

Of several readings the library takes the one that is worth most by its own points, without dora. That reading is also
the best one with dora and with kiriage: no reading has more than twice the fu of another, so one more han always
outweighs fu, and readings rank by han first and by fu second.

Pinfu tsumo has 20 fu, seven pairs 25, an open hand without fu 30; rinshan has the 2 fu of a tsumo; ryuuiisou needs
no hatsu. Tests compare all this with kobalab/majiang-core and with Tenhou's records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, OptionalRules
from mahjong.hand_calculating.hand_response import HandResponse
from mahjong.hand_calculating.yaku_config import YAKU_ID_TO_TENHOU_ID
from mahjong.hand_calculating.yaku_list import DaburuOpenRiichi, OpenRiichi
from mahjong.hand_calculating.yaku_list.yakuman import RenhouYakuman, Sashikomi
from mahjong.meld import Meld as LibraryMeld

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.tiles import COPIES, EAST, KIND_OF, KINDS, NORTH, RED_FIVES, Face, Kind, dora_of
from ump.model.value import value
from ump.model.yaku import TENHOU_YAKU, YAKU_ORDER, HandValue, Yaku
from ump.rules.analysis import is_complete
from ump.rules.ruleset import Renhou, Ruleset

_KIRIAGE = 1_920
"""Base points of 4 han 30 fu and of 3 han 60 fu, which kiriage raises to a mangan."""
_LIMITS = ((11, SANBAIMAN), (8, BAIMAN), (6, HANEMAN), (5, MANGAN))
"""The least han of each limit and its base points, the highest first; fu do not matter there."""
_RENHOU_HAN = 5
"""The han with which renhou is listed if it is a mangan."""


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

    ``faces`` are the concealed tiles including the winning one, ``tile``; ``melds`` come on top. Of several readings
    the one that is worth most counts. Raises ValueError for circumstances that contradict each other (ippatsu without
    riichi ...) and for an impossible number of tiles.
    """
    kinds = [0] * KINDS
    for face in faces:
        kinds[KIND_OF[face]] += 1
    if not is_complete(kinds):
        return None
    hand = _Hand(ruleset, (*faces, *(face for meld in melds for face in meld.faces)), tuple(melds), tile)
    is_renhou = circumstances.first_turn and not circumstances.tsumo
    if not is_renhou or ruleset.renhou is not Renhou.MANGAN:
        return _value(hand, circumstances, is_renhou=is_renhou and ruleset.renhou is not Renhou.NONE)
    plain = _value(hand, circumstances, is_renhou=False)
    if plain and plain.base >= MANGAN:
        return plain
    return _mangan_by_renhou(_value(hand, circumstances, is_renhou=True))


def fu_items(
    ruleset: Ruleset, faces: Sequence[Face], melds: Sequence[Meld], tile: Face, circumstances: Circumstances
) -> tuple[tuple[str, int], ...]:
    """Return the fu of a hand that ``hand_value`` values below a yakuman, each with its reason, before rounding."""
    hand = _Hand(ruleset, (*faces, *(face for meld in melds for face in meld.faces)), tuple(melds), tile)
    is_renhou = circumstances.first_turn and not circumstances.tsumo and ruleset.renhou is not Renhou.NONE
    response = _response(hand, circumstances, is_renhou)
    return tuple((detail["reason"], detail["fu"]) for detail in response.fu_details or ())


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
    """A complete hand and the rules that value it."""

    ruleset: Ruleset
    faces: tuple[Face, ...]
    """All tiles: the concealed ones with the winning one, and those of the melds."""
    melds: tuple[Meld, ...]
    tile: Face


def _mangan_by_renhou(found: HandValue | None) -> HandValue | None:
    """Return a mangan by renhou, to which dora and other yaku add nothing (WRC); None for None."""
    return found and HandValue(((Yaku.RENHOU, _RENHOU_HAN),), _RENHOU_HAN, found.fu, 0, MANGAN)


def _value(hand: _Hand, circumstances: Circumstances, *, is_renhou: bool) -> HandValue | None:
    """Return the value of a complete hand; renhou counts as the ruleset says, as han or as a yakuman."""
    response = _response(hand, circumstances, is_renhou)
    if response.error == HandCalculator.ERR_NO_YAKU:
        return None
    if response.error or response.fu is None:
        raise ValueError(f"cannot value the hand: {response.error}")
    yakuman = _yakuman(hand.ruleset, response)
    if yakuman:
        han = sum(each for _, each in yakuman)
        return HandValue(yakuman, han, 0, han // YAKUMAN_HAN, han // YAKUMAN_HAN * YAKUMAN)
    yaku = _in_order([*_library_yaku(response), *_double_wind(hand, circumstances), *_dora(hand, circumstances)])
    han = sum(each for _, each in yaku)
    return HandValue(yaku, han, response.fu, 0, base_points(hand.ruleset, han, response.fu))


# Han that the library does not count


def _dora(hand: _Hand, circumstances: Circumstances) -> Iterator[tuple[Yaku, int]]:
    """Yield dora, ura dora and red dora with their numbers, if not 0. Norths set aside are dora, as at Tenhou."""
    norths, seats = circumstances.norths, hand.ruleset.seats
    kinds = [*(KIND_OF[face] for face in hand.faces), *(NORTH,) * norths]
    counts = (
        (Yaku.DORA, norths + _pointed_at(circumstances.indicators, kinds, seats)),
        (Yaku.URA_DORA, _pointed_at(circumstances.ura, kinds, seats) if circumstances.riichi else 0),
        (Yaku.RED_DORA, sum(hand.faces.count(red) for red in RED_FIVES)),
    )
    return (entry for entry in counts if entry[1])


def _pointed_at(indicators: Iterable[Face], kinds: Sequence[Kind], seats: int) -> int:
    """Return how many tiles the indicators make dora; a tile counts once for each indicator that points at it."""
    dora = dora_of(seats)
    return sum(kinds.count(dora[indicator]) for indicator in indicators)


def _double_wind(hand: _Hand, circumstances: Circumstances) -> Iterator[tuple[Yaku, int]]:
    """Yield the han of the round wind if ``_config`` hides the round wind from the library."""
    wind = EAST + circumstances.seat_wind
    if _hides_round_wind(hand, circumstances) and hand.faces.count(wind) >= 3:
        yield Yaku.ROUND_WIND, 1


def _hides_round_wind(hand: _Hand, circumstances: Circumstances) -> bool:
    """Tell whether a pair of the wind that is both seat and round wind would get more fu from the library than ours."""
    return circumstances.seat_wind == circumstances.round_wind and hand.ruleset.double_wind_fu == 2


# Between our values and the library's


@lru_cache(64)
def _response(hand: _Hand, circumstances: Circumstances, is_renhou: bool) -> HandResponse:
    """Return the library's response for a complete hand; dora are counted elsewhere.

    This call takes nearly all the time of a valuation. A win is valued when it is offered, when it is answered and when
    it is paid, so the latest responses are cached.
    """
    return HandCalculator.estimate_hand_value(
        _library_tiles(hand.faces),
        KIND_OF[hand.tile] * COPIES,
        [_library_meld(meld) for meld in hand.melds],
        config=_config(hand, circumstances, is_renhou=is_renhou),
    )


_hand_config = lru_cache(256)(HandConfig)
"""A game has few different ones, each makes a hundred objects, and the library changes them only for dora."""
_optional_rules = lru_cache(32)(OptionalRules)


def _config(hand: _Hand, circumstances: Circumstances, *, is_renhou: bool) -> HandConfig:
    """Return the circumstances for the library.

    If a pair of a double wind has 2 fu, the library receives only the seat wind; ``_double_wind`` adds the other yaku.
    """
    is_first_draw = circumstances.first_turn and circumstances.tsumo
    return _hand_config(
        is_tsumo=circumstances.tsumo,
        is_riichi=circumstances.riichi == 1,
        is_daburu_riichi=circumstances.riichi > 1,
        is_open_riichi=circumstances.open_riichi,
        is_ippatsu=circumstances.ippatsu and hand.ruleset.ippatsu,
        is_rinshan=circumstances.rinshan,
        is_chankan=circumstances.chankan,
        is_haitei=circumstances.haitei,
        is_houtei=circumstances.houtei,
        is_tenhou=is_first_draw and circumstances.seat_wind == 0,
        is_chiihou=is_first_draw and circumstances.seat_wind != 0,
        is_renhou=is_renhou,
        player_wind=EAST + circumstances.seat_wind,
        round_wind=None if _hides_round_wind(hand, circumstances) else EAST + circumstances.round_wind,
        options=_optional_rules(
            has_open_tanyao=hand.ruleset.kuitan,
            has_double_yakuman=False,
            renhou_as_yakuman=hand.ruleset.renhou is Renhou.YAKUMAN,
            has_sashikomi_yakuman=not circumstances.loser_in_riichi,
        ),
    )


_LIBRARY_MELDS = {
    MeldType.CHI: LibraryMeld.CHI,
    MeldType.PON: LibraryMeld.PON,
    MeldType.DAIMINKAN: LibraryMeld.KAN,
    MeldType.ANKAN: LibraryMeld.KAN,
    MeldType.KAKAN: LibraryMeld.SHOUMINKAN,
}

_LIBRARY_YAKU: dict[int, Yaku] = {
    **{number: TENHOU_YAKU[tenhou] for number, tenhou in YAKU_ID_TO_TENHOU_ID.items()},
    OpenRiichi.yaku_id: Yaku.OPEN_RIICHI,
    DaburuOpenRiichi.yaku_id: Yaku.OPEN_RIICHI,
    RenhouYakuman.yaku_id: Yaku.RENHOU_YAKUMAN,
    Sashikomi.yaku_id: Yaku.OPEN_RIICHI_YAKUMAN,
}
"""Yaku by the library's numbers. OPEN_RIICHI stands for both riichi (2 han) and double riichi (3 han)."""


def _library_tiles(faces: Iterable[Face]) -> list[int]:
    """Return tiles for the library, without red fives: this module counts them."""
    return [KIND_OF[face] * COPIES for face in faces]


def _library_meld(meld: Meld) -> LibraryMeld:
    """Return a meld for the library."""
    return LibraryMeld(_LIBRARY_MELDS[meld.type], _library_tiles(meld.faces), opened=meld.is_open)


def _library_yaku(response: HandResponse) -> list[tuple[Yaku, int]]:
    """Return the yaku that the library has found, with their han."""
    return [
        (_LIBRARY_YAKU[yaku.yaku_id], (response.is_open_hand and yaku.han_open) or yaku.han_closed)
        for yaku in response.yaku or ()
    ]


def _yakuman(ruleset: Ruleset, response: HandResponse) -> tuple[tuple[Yaku, int], ...]:
    """Return the yakuman of a hand with 13 or 26 han each; only the most valuable one if they do not add up."""
    yakuman = [_LIBRARY_YAKU[yaku.yaku_id] for yaku in response.yaku or () if yaku.is_yakuman]
    if not yakuman:
        return ()
    double = _double_yakuman(ruleset)
    found = _in_order((yaku, YAKUMAN_HAN * (2 if yaku in double else 1)) for yaku in yakuman)
    return found if ruleset.yakuman_add_up else (max(found, key=lambda entry: entry[1]),)


def _double_yakuman(ruleset: Ruleset) -> frozenset[Yaku]:
    """Return the yakuman that the ruleset counts double."""
    switches = (
        (Yaku.SUUANKOU_TANKI, ruleset.double_suuankou_tanki),
        (Yaku.KOKUSHI_13, ruleset.double_kokushi_13),
        (Yaku.JUNSEI_CHUUREN, ruleset.double_junsei_chuuren),
        (Yaku.DAISUUSHII, ruleset.double_daisuushii),
    )
    return frozenset(yaku for yaku, is_double in switches if is_double)


def _in_order(entries: Iterable[tuple[Yaku, int]]) -> tuple[tuple[Yaku, int], ...]:
    """Return yaku in the order in which hands list them."""
    return tuple(sorted(entries, key=lambda entry: YAKU_ORDER[entry[0]]))
