"""Yaku by Tenhou's numbers, which the scoring library and Tenhou's records use."""

from __future__ import annotations

from ump.model.yaku import Yaku

TENHOU_YAKU: tuple[Yaku, ...] = (
    Yaku.MENZEN_TSUMO,
    Yaku.RIICHI,
    Yaku.IPPATSU,
    Yaku.CHANKAN,
    Yaku.RINSHAN,
    Yaku.HAITEI,
    Yaku.HOUTEI,
    Yaku.PINFU,
    Yaku.TANYAO,
    Yaku.IIPEIKOU,
    *[Yaku.SEAT_WIND] * 4,
    *[Yaku.ROUND_WIND] * 4,
    Yaku.HAKU,
    Yaku.HATSU,
    Yaku.CHUN,
    Yaku.DOUBLE_RIICHI,
    Yaku.CHIITOITSU,
    Yaku.CHANTA,
    Yaku.ITTSU,
    Yaku.SANSHOKU_DOUJUN,
    Yaku.SANSHOKU_DOUKOU,
    Yaku.SANKANTSU,
    Yaku.TOITOI,
    Yaku.SANANKOU,
    Yaku.SHOUSANGEN,
    Yaku.HONROUTOU,
    Yaku.RYANPEIKOU,
    Yaku.JUNCHAN,
    Yaku.HONITSU,
    Yaku.CHINITSU,
    Yaku.RENHOU,
    Yaku.TENHOU,
    Yaku.CHIHOU,
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
    Yaku.DORA,
    Yaku.URA_DORA,
    Yaku.RED_DORA,
)
"""The yaku of each Tenhou number; the four winds have numbers of their own, east first."""

YAKU_ORDER: dict[Yaku, int] = {yaku: place for place, yaku in enumerate(Yaku)}
"""The position of each yaku in the list of a hand: circumstances, shape, then dora, ura dora and red dora."""
