"""The value of a win from what a record states: base points from fu, han and the payment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.tiles import GREEN, KIND_OF, KINDS, RED, WHITE, Face
from ump.model.yaku import HandValue, Yaku
from ump.record.recorded_game import sorted_yaku

LIMITS = (MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN)
"""The base points of the limits below several yakuman."""

LIMIT_HAN = ((13, YAKUMAN), (11, SANBAIMAN), (8, BAIMAN), (6, HANEMAN), (5, MANGAN))
"""The least han of each limit, and its base points."""

MOST_FU = 1_000
"""Limit of fu; more means a damaged record."""

MOST_HAN = 1_000
"""Limit of han; more means a damaged record."""


def stated_value(
    yaku: Iterable[tuple[Yaku, int]],
    han: int,
    fu: int,
    yakuman: int,
    worth: int | None,
    *,
    seats: int,
    is_dealer: bool,
    is_tsumo: bool,
) -> HandValue:
    """Return the value of a hand of which a record states the yaku, han, fu and number of yakuman.

    ``worth`` are the points that all payers pay together, None if the record does not say. The base points follow from
    the hand; if they do not lead to these points, but those of another limit do, the rules of the game rank it there.
    """
    named = sorted_yaku(tuple(yaku))
    if yakuman:
        return HandValue(named, YAKUMAN_HAN * yakuman, 0, yakuman, YAKUMAN * yakuman)
    values = [HandValue(named, han, fu, 0, base) for base in (_base(han, fu), *LIMITS)]
    for value in values:
        if value.points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo) == worth:
            return value
    return values[0]


def _base(han: int, fu: int) -> int:
    """Return the base points of a hand under the usual rules; without fu, those of a limit."""
    limit = next((base for least, base in LIMIT_HAN if han >= least), None)
    return limit or (min(MANGAN, fu << (2 + han)) if fu else MANGAN)


def exact_yaku(yaku: Yaku, concealed: Sequence[Face], tile: Face, yakuman: int) -> Yaku:
    """Return the form of a yaku that shares its name with others; ``concealed`` is the hand without the ``tile``."""
    if yakuman:
        yaku = _AS_YAKUMAN.get(yaku, yaku)
    counts = [0] * KINDS
    for face in concealed:
        counts[KIND_OF[face]] += 1
    kind = KIND_OF[tile]
    match yaku:
        case Yaku.SUUANKOU if counts[kind] == 1:
            return Yaku.SUUANKOU_TANKI
        case Yaku.KOKUSHI if counts[kind] == 1:
            return Yaku.KOKUSHI_13
        case Yaku.CHUUREN if counts[kind] in (1, 3) and [c for c in counts if c] == [3, 1, 1, 1, 1, 1, 1, 1, 3]:
            return Yaku.JUNSEI_CHUUREN
        case _:
            return yaku


_AS_YAKUMAN = {Yaku.RENHOU: Yaku.RENHOU_YAKUMAN, Yaku.OPEN_RIICHI: Yaku.OPEN_RIICHI_YAKUMAN}
"""The yaku that are a yakuman under some rules, with the yakuman of the same name."""


def dragons_of(faces: Sequence[Face], count: int) -> list[Yaku]:
    """Return so many of the yaku of the dragons, the ones of which the hand has the most tiles.

    mjai has one name for all three of them.
    """
    dragons = {Yaku.HAKU: WHITE, Yaku.HATSU: GREEN, Yaku.CHUN: RED}
    ranked = sorted(dragons, key=lambda yaku: -faces.count(dragons[yaku]))
    return [yaku for yaku in dragons if yaku in ranked[:count]]
