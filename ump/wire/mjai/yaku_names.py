"""The names of yaku and draws in mjai, as the server of gimite/mjai writes them, with our own where it has none."""

from __future__ import annotations

from ump.model.events import DrawReason
from ump.model.yaku import Yaku

MJAI_YAKUMAN_HAN = 100
"""Han of one yakuman in mjai; 13 in ``HandValue``."""

_GIMITE: dict[Yaku, str] = {
    Yaku.MENZEN_TSUMO: "menzenchin_tsumoho",
    Yaku.RIICHI: "reach",
    Yaku.DOUBLE_RIICHI: "double_reach",
    Yaku.IPPATSU: "ippatsu",
    Yaku.CHANKAN: "chankan",
    Yaku.RINSHAN: "rinshankaiho",
    Yaku.HAITEI: "haiteiraoyue",
    Yaku.HOUTEI: "hoteiraoyui",
    Yaku.PINFU: "pinfu",
    Yaku.TANYAO: "tanyaochu",
    Yaku.IIPEIKOU: "ipeko",
    Yaku.SEAT_WIND: "jikaze",
    Yaku.ROUND_WIND: "bakaze",
    Yaku.HAKU: "sangenpai",
    Yaku.HATSU: "sangenpai",
    Yaku.CHUN: "sangenpai",
    Yaku.CHIITOITSU: "chitoitsu",
    Yaku.CHANTA: "honchantaiyao",
    Yaku.ITTSU: "ikkitsukan",
    Yaku.SANSHOKU_DOUJUN: "sanshokudojun",
    Yaku.SANSHOKU_DOUKOU: "sanshokudoko",
    Yaku.SANKANTSU: "sankantsu",
    Yaku.TOITOI: "toitoiho",
    Yaku.SANANKOU: "sananko",
    Yaku.SHOUSANGEN: "shosangen",
    Yaku.HONROUTOU: "honroto",
    Yaku.RYANPEIKOU: "ryanpeko",
    Yaku.JUNCHAN: "junchantaiyao",
    Yaku.HONITSU: "honiso",
    Yaku.CHINITSU: "chiniso",
    Yaku.DORA: "dora",
    Yaku.URA_DORA: "uradora",
    Yaku.RED_DORA: "akadora",
    Yaku.TENHOU: "tenho",
    Yaku.CHIHOU: "chiho",
    Yaku.DAISANGEN: "daisangen",
    Yaku.SUUANKOU: "suanko",
    Yaku.SUUANKOU_TANKI: "suanko",
    Yaku.TSUUIISOU: "tsuiso",
    Yaku.RYUUIISOU: "ryuiso",
    Yaku.CHINROUTOU: "chinroto",
    Yaku.CHUUREN: "churenpoton",
    Yaku.JUNSEI_CHUUREN: "churenpoton",
    Yaku.KOKUSHI: "kokushimuso",
    Yaku.KOKUSHI_13: "kokushimuso",
    Yaku.DAISUUSHII: "daisushi",
    Yaku.SHOUSUUSHII: "shosushi",
    Yaku.SUUKANTSU: "sukantsu",
}

YAKU_NAMES: dict[Yaku, str] = {yaku: _GIMITE.get(yaku, yaku.romaji) for yaku in Yaku}
"""The name of each yaku. The dragons share a name, and so do the two forms of a yakuman."""

DRAW_REASONS: dict[DrawReason, str] = {reason: reason.value for reason in DrawReason} | {DrawReason.EXHAUSTED: "fanpai"}
"""The name of each draw. UMP has adopted these names."""

RIICHILAB_DRAW_REASONS: dict[DrawReason, str] = DRAW_REASONS | {
    DrawReason.EXHAUSTED: "exhaustive_draw",
    DrawReason.KYUSHU_KYUHAI: "kyushu_kyuhai",
    DrawReason.SUUFON_RENDA: "sufuurenta",
    DrawReason.SUUCHA_RIICHI: "suucha_riichi",
    DrawReason.SUUKAIKAN: "suukansansen",
}
"""The name of each draw at RiichiLab, as its engine (smly/RiichiEnv, riichienv-core/src/state/mod.rs) writes them."""
