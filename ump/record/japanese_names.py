"""The Japanese names of yaku and draws, in the spellings of Tenhou, kobalab/majiang-core and Equim-chan/tensoul."""

from __future__ import annotations

from ump.model.events import DrawReason
from ump.model.yaku import Yaku

WINDS = "東南西北"

REASONS: dict[str, DrawReason] = {
    "流局": DrawReason.EXHAUSTED,
    "荒牌平局": DrawReason.EXHAUSTED,
    "全員聴牌": DrawReason.EXHAUSTED,
    "全員不聴": DrawReason.EXHAUSTED,
    "流し満貫": DrawReason.NAGASHI_MANGAN,
    "九種九牌": DrawReason.KYUSHU_KYUHAI,
    "四風連打": DrawReason.SUUFON_RENDA,
    "四家立直": DrawReason.SUUCHA_RIICHI,
    "三家和了": DrawReason.SANCHAHO,
    "三家和": DrawReason.SANCHAHO,
    "四槓散了": DrawReason.SUUKAIKAN,
    "四開槓": DrawReason.SUUKAIKAN,
    "チョンボ": DrawReason.CHOMBO,
}
"""The reason of a draw by each of its names."""

_DRAGONS = {Yaku.HAKU: "白", Yaku.HATSU: "發", Yaku.CHUN: "中"}

YAKU: dict[str, Yaku] = {
    **{yaku.japanese: yaku for yaku in reversed(Yaku)},
    **{f"{word}{dragon}": yaku for yaku, dragon in _DRAGONS.items() for word in ("役牌 ", "翻牌 ", "役牌:")},
    **{
        f"{word} {wind}": yaku for wind in WINDS for word, yaku in (("自風", Yaku.SEAT_WIND), ("場風", Yaku.ROUND_WIND))
    },
    "役牌:自風牌": Yaku.SEAT_WIND,
    "役牌:場風牌": Yaku.ROUND_WIND,
    "ダブル立直": Yaku.DOUBLE_RIICHI,
    "国士無双１３面": Yaku.KOKUSHI_13,
}
"""The yaku of each name. Renhou and open riichi, of which there are two kinds, are those that are no yakuman."""
