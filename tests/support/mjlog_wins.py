"""Reads what a win is worth in Tenhou's records."""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku

YAKU: dict[int, Yaku] = {
    0: Yaku.MENZEN_TSUMO,
    1: Yaku.RIICHI,
    2: Yaku.IPPATSU,
    3: Yaku.CHANKAN,
    4: Yaku.RINSHAN,
    5: Yaku.HAITEI,
    6: Yaku.HOUTEI,
    7: Yaku.PINFU,
    8: Yaku.TANYAO,
    9: Yaku.IIPEIKOU,
    **dict.fromkeys(range(10, 14), Yaku.SEAT_WIND),
    **dict.fromkeys(range(14, 18), Yaku.ROUND_WIND),
    18: Yaku.HAKU,
    19: Yaku.HATSU,
    20: Yaku.CHUN,
    21: Yaku.DOUBLE_RIICHI,
    22: Yaku.CHIITOITSU,
    23: Yaku.CHANTA,
    24: Yaku.ITTSU,
    25: Yaku.SANSHOKU_DOUJUN,
    26: Yaku.SANSHOKU_DOUKOU,
    27: Yaku.SANKANTSU,
    28: Yaku.TOITOI,
    29: Yaku.SANANKOU,
    30: Yaku.SHOUSANGEN,
    31: Yaku.HONROUTOU,
    32: Yaku.RYANPEIKOU,
    33: Yaku.JUNCHAN,
    34: Yaku.HONITSU,
    35: Yaku.CHINITSU,
    37: Yaku.TENHOU,
    38: Yaku.CHIHOU,
    39: Yaku.DAISANGEN,
    40: Yaku.SUUANKOU,
    41: Yaku.SUUANKOU_TANKI,
    42: Yaku.TSUUIISOU,
    43: Yaku.RYUUIISOU,
    44: Yaku.CHINROUTOU,
    45: Yaku.CHUUREN,
    46: Yaku.JUNSEI_CHUUREN,
    47: Yaku.KOKUSHI,
    48: Yaku.KOKUSHI_13,
    49: Yaku.DAISUUSHII,
    50: Yaku.SHOUSUUSHII,
    51: Yaku.SUUKANTSU,
    52: Yaku.DORA,
    53: Yaku.URA_DORA,
    54: Yaku.RED_DORA,
}

LIMIT_BASE = {1: 2000, 2: 3000, 3: 4000, 4: 6000, 5: 8000}
"""Basic points of mangan, haneman, baiman, sanbaiman, yakuman."""


def read_value(fields: Mapping[str, str], *, dealer: Seat) -> HandValue:
    """Read the attributes of an AGARI element; raises ValueError where its points do not follow from fu and han."""
    fu, points, limit = (int(number) for number in fields["ten"].split(","))
    yakuman = [YAKU[int(number)] for number in fields.get("yakuman", "").split(",") if number]
    if yakuman:
        named = tuple((yaku, 13) for yaku in yakuman)
        value = HandValue(in_order(named), 13 * len(named), 0, len(named), 8000 * len(named))
    else:
        numbers = [int(number) for number in fields["yaku"].split(",")]
        named = tuple((YAKU[yaku], han) for yaku, han in zip(numbers[::2], numbers[1::2], strict=True) if han)
        han = sum(count for _, count in named)
        value = HandValue(in_order(named), han, fu, 0, LIMIT_BASE[limit] if limit else fu << (2 + han))
    tsumo = fields["who"] == fields["fromWho"]
    if _points(value.base, is_dealer=int(fields["who"]) == dealer, tsumo=tsumo) != points:
        raise ValueError(f"{points} points do not follow from {value}")
    return value


def in_order(yaku: tuple[tuple[Yaku, int], ...]) -> tuple[tuple[Yaku, int], ...]:
    """Sort yaku, of which records and we keep different orders."""
    return tuple(sorted(yaku, key=lambda pair: pair[0].value))


def _points(base: int, *, is_dealer: bool, tsumo: bool) -> int:
    """Return what all payers together pay for basic points, without honba and sticks."""
    ron, tsumo_shares = (6, (2, 2, 2)) if is_dealer else (4, (2, 1, 1))
    shares = tsumo_shares if tsumo else (ron,)
    return sum(-(-base * share // 100) * 100 for share in shares)
