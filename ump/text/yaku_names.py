"""The names of yaku in results, for people: in several words, and in English where few know the Japanese name."""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.yaku import Yaku

_NAMES: Mapping[Yaku, str] = {
    Yaku.MENZEN_TSUMO: "menzen tsumo",
    Yaku.DOUBLE_RIICHI: "double riichi",
    Yaku.OPEN_RIICHI: "open riichi",
    Yaku.RINSHAN: "rinshan kaihou",
    Yaku.SEAT_WIND: "seat wind",
    Yaku.ROUND_WIND: "round wind",
    Yaku.HAKU: "white dragon",
    Yaku.HATSU: "green dragon",
    Yaku.CHUN: "red dragon",
    Yaku.SANSHOKU_DOUJUN: "sanshoku doujun",
    Yaku.SANSHOKU_DOUKOU: "sanshoku doukou",
    Yaku.URA_DORA: "ura dora",
    Yaku.RED_DORA: "red dora",
    Yaku.OPEN_RIICHI_YAKUMAN: "open riichi",
    Yaku.SUUANKOU_TANKI: "suuankou tanki",
    Yaku.CHUUREN: "chuuren poutou",
    Yaku.JUNSEI_CHUUREN: "junsei chuuren poutou",
    Yaku.KOKUSHI: "kokushi musou",
    Yaku.KOKUSHI_13: "kokushi musou, 13 waits",
}
"""The names that differ from those of ``ump.model.yaku``, which are one word."""


def yaku_words(yaku: Yaku, language: str) -> str:
    """Return a yaku's name for people, in one of the languages of ``ump.text.style.Style``."""
    if language == "ja":
        return yaku.japanese
    return _NAMES.get(yaku, yaku.romaji)
