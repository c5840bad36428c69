"""Values of wins from what a record states: base points from fu, han and the payment, yaku from their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ump.model import events as ev
from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.tiles import GREEN, KIND_OF, KINDS, RED, WHITE, Face
from ump.model.yaku import HandValue, Yaku
from ump.record.recorded_game import RecordError, sorted_yaku

LIMITS = (MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN)
"""The base points of the limits below several yakuman."""

BELOW_MANGAN = tuple(fu << (2 + han) for han in range(1, 5) for fu in (20, 25, *range(30, 120, 10)))
"""The base points that a hand of each han and fu has below a mangan, and some above."""

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
    """Return the value of a hand of which a record states the yaku, han, fu and number of yakuman, 0 for unknown ones.

    ``worth`` are the points that all payers pay together, None if the record does not say. The base points follow from
    the hand; if they do not lead to these points, but others do that the hand may have, those are right. They are 0 if
    nothing tells them.
    """
    named = sorted_yaku(tuple(yaku))
    if yakuman:
        return HandValue(named, YAKUMAN_HAN * yakuman, 0, yakuman, YAKUMAN * yakuman)
    han = han or sum(yaku_han for _, yaku_han in named)
    likely = _base(han, fu)
    bases = [likely, *LIMITS]
    if not likely:
        bases += BELOW_MANGAN
    for base in bases:
        value = HandValue(named, han, fu, 0, base)
        if value.points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo) == worth:
            return value
    return HandValue(named, han, fu, 0, likely)


def _base(han: int, fu: int) -> int:
    """Return the base points of a hand under the usual rules; 0 if they need the fu or the han, and one is unknown."""
    for least, base in LIMIT_HAN:
        if han >= least:
            return base
    if not han or not fu:
        return 0
    return min(MANGAN, fu << (2 + han))


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
        case Yaku.CHUUREN if counts[kind] in (1, 3) and _is_nine_sided(counts):
            return Yaku.JUNSEI_CHUUREN
        case _:
            return yaku


def _is_nine_sided(counts: Sequence[int]) -> bool:
    """Tell whether a hand without its winning tile, all of one suit, has 1112345678999."""
    return [count for count in counts if count] == [3, 1, 1, 1, 1, 1, 1, 1, 3]


_AS_YAKUMAN = {Yaku.RENHOU: Yaku.RENHOU_YAKUMAN, Yaku.OPEN_RIICHI: Yaku.OPEN_RIICHI_YAKUMAN}
"""The yaku that are a yakuman under some rules, with the yakuman of the same name."""


def dragons_of(faces: Sequence[Face], count: int) -> list[Yaku]:
    """Return so many of the yaku of the dragons, the ones of which the hand has the most tiles.

    mjai has one name for all three of them.
    """
    dragons = {Yaku.HAKU: WHITE, Yaku.HATSU: GREEN, Yaku.CHUN: RED}
    ranked = sorted(dragons, key=lambda yaku: -faces.count(dragons[yaku]))
    return [yaku for yaku in dragons if yaku in ranked[:count]]


# Names of yaku and draws: Japanese in the spellings of Tenhou, kobalab/majiang-core and Equim-chan/tensoul, English and
# romaji as Equim-chan/tensoul and its relatives write them. Case, spaces, signs and long vowels do not count.


WIND_NAMES = "東南西北"

_REASON_NAMES: Mapping[ev.DrawReason, Sequence[str]] = {
    ev.DrawReason.EXHAUSTED: ("流局", "荒牌平局", "全員聴牌", "全員不聴", "Ryuukyoku", "Exhaustive Draw"),
    ev.DrawReason.NAGASHI_MANGAN: ("流し満貫", "Nagashi Mangan", "Mangan at Draw"),
    ev.DrawReason.KYUSHU_KYUHAI: ("九種九牌", "Kyuushu Kyuuhai", "Nine Terminal Abortion"),
    ev.DrawReason.SUUFON_RENDA: ("四風連打", "Suufon Renda", "Four Wind Abortion"),
    ev.DrawReason.SUUCHA_RIICHI: ("四家立直", "Suucha Riichi", "Four Riichi Abortion"),
    ev.DrawReason.SANCHAHO: ("三家和了", "三家和", "Sanchahou", "Three Ron Abortion"),
    ev.DrawReason.SUUKAIKAN: ("四槓散了", "四開槓", "Suukaikan", "Four Kan Abortion"),
    ev.DrawReason.CHOMBO: ("チョンボ",),
}

_YAKU_NAMES: Mapping[Yaku, Sequence[str]] = {
    Yaku.MENZEN_TSUMO: ("Fully Concealed Hand", "Tsumo", "Menzenchin Tsumohou"),
    Yaku.DOUBLE_RIICHI: ("ダブル立直", "Daburu Riichi"),
    Yaku.CHANKAN: ("Robbing a Kan",),
    Yaku.RINSHAN: ("After a Kan", "Rinshan"),
    Yaku.HAITEI: ("Under the Sea", "Haitei Raoyue"),
    Yaku.HOUTEI: ("Under the River", "Houtei Raoyui"),
    Yaku.RENHOU: ("Hand of Man",),
    Yaku.TANYAO: ("All Simples", "Tanyaochuu"),
    Yaku.IIPEIKOU: ("Pure Double Sequence", "Iipeko"),
    Yaku.SEAT_WIND: ("役牌:自風牌", *(f"自風 {wind}" for wind in WIND_NAMES), "Seat Wind", "Yakuhai Jikaze"),
    Yaku.ROUND_WIND: ("役牌:場風牌", *(f"場風 {wind}" for wind in WIND_NAMES), "Prevalent Wind", "Yakuhai Bakaze"),
    Yaku.HAKU: ("役牌 白", "翻牌 白", "White Dragon", "Yakuhai Haku"),
    Yaku.HATSU: ("役牌 發", "翻牌 發", "Green Dragon", "Yakuhai Hatsu"),
    Yaku.CHUN: ("役牌 中", "翻牌 中", "Red Dragon", "Yakuhai Chun"),
    Yaku.CHIITOITSU: ("Seven Pairs",),
    Yaku.CHANTA: ("Half Outside Hand", "Honchantaiyaochuu", "Honchantaiyao"),
    Yaku.ITTSU: ("Pure Straight", "Ikkitsuukan"),
    Yaku.SANSHOKU_DOUJUN: ("Mixed Triple Sequence",),
    Yaku.SANSHOKU_DOUKOU: ("Triple Triplets",),
    Yaku.SANKANTSU: ("Three Quads",),
    Yaku.TOITOI: ("All Triplets", "Toitoihou"),
    Yaku.SANANKOU: ("Three Concealed Triplets",),
    Yaku.SHOUSANGEN: ("Little Three Dragons",),
    Yaku.HONROUTOU: ("All Terminals and Honors",),
    Yaku.RYANPEIKOU: ("Twice Pure Double Sequence", "Ryanpeko"),
    Yaku.JUNCHAN: ("Fully Outside Hand", "Junchantaiyaochuu", "Junchantaiyao"),
    Yaku.HONITSU: ("Half Flush", "Honiisou"),
    Yaku.CHINITSU: ("Full Flush", "Chiniisou"),
    Yaku.DORA: ("抜きドラ", "Kita", "Nukidora"),
    Yaku.RED_DORA: ("Red Five",),
    Yaku.TENHOU: ("Blessing of Heaven",),
    Yaku.CHIHOU: ("Blessing of Earth", "Chiihou"),
    Yaku.DAISANGEN: ("Big Three Dragons",),
    Yaku.SUUANKOU: ("Four Concealed Triplets",),
    Yaku.SUUANKOU_TANKI: ("Single-wait Four Concealed Triplets",),
    Yaku.TSUUIISOU: ("All Honors",),
    Yaku.RYUUIISOU: ("All Green",),
    Yaku.CHINROUTOU: ("All Terminals",),
    Yaku.CHUUREN: ("Nine Gates",),
    Yaku.JUNSEI_CHUUREN: ("True Nine Gates",),
    Yaku.KOKUSHI: ("Thirteen Orphans",),
    Yaku.KOKUSHI_13: (
        *("国士無双１３面", "国士無双十三面待ち", "Thirteen-wait Thirteen Orphans"),
        *("Kokushi Musou 13", "Kokushi Musou Juusanmen Machi", "Kokushi Musou Juusanmen"),
    ),
    Yaku.DAISUUSHII: ("Four Big Winds",),
    Yaku.SHOUSUUSHII: ("Four Little Winds",),
    Yaku.SUUKANTSU: ("Four Quads",),
}
"""The further names of each yaku, besides those in ``Yaku``."""


def _plain(name: str) -> str:
    """Return a name without what its spellings differ in."""
    signs = "".join(filter(str.isalnum, name.lower()))
    return re.sub(r"(o)u|([aiueo])\2+", r"\1\2", signs)


def _reasons_by_name() -> dict[str, ev.DrawReason]:
    reasons: dict[str, ev.DrawReason] = {}
    for reason, names in _REASON_NAMES.items():
        reasons |= dict.fromkeys(map(_plain, names), reason)
    return reasons


def _yaku_by_name() -> dict[str, Yaku]:
    by_name: dict[str, Yaku] = {}
    for yaku in reversed(Yaku):
        names = (yaku.japanese, yaku.romaji, *_YAKU_NAMES.get(yaku, ()))
        by_name |= dict.fromkeys(map(_plain, names), yaku)
    return by_name


_REASONS = _reasons_by_name()

_YAKU = _yaku_by_name()
"""The yaku of each name. Renhou and open riichi, of which there are two kinds, are those that are no yakuman."""


def reason_named(name: str) -> ev.DrawReason:
    """Return the reason of a draw by one of its names; raise RecordError for others."""
    reason = _REASONS.get(_plain(name))
    if reason is None:
        raise RecordError(f"unknown draw {name[:20]!a}")
    return reason


def yaku_named(name: str) -> Yaku | None:
    """Return the yaku by one of its names; None for others."""
    return _YAKU.get(_plain(name))


def joined_dora(pairs: Iterable[tuple[Yaku, int]]) -> list[tuple[Yaku, int]]:
    """Return yaku with all dora as one: Mahjong Soul lists the norths that were set aside beside the others."""
    others: list[tuple[Yaku, int]] = []
    dora = 0
    for yaku, han in pairs:
        if yaku is Yaku.DORA:
            dora += han
        else:
            others.append((yaku, han))
    if dora:
        others.append((Yaku.DORA, dora))
    return others
