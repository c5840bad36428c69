"""Yaku by the numbers that Tenhou gives them: the scoring library tells yaku so, and so do Tenhou's records."""

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
"""Where each yaku stands in a list of them: situation, hand by han, then dora, ura dora and red dora."""
