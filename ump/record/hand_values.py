"""Values of wins from what a record states: base points from fu, han and the payment, yaku from their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ump.model import events as ev
from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.tiles import GREEN, KIND_OF, KINDS, RED, WHITE, Face
from ump.model.yaku import HandValue, Yaku
from ump.record.recorded_game import sorted_yaku

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
    han = han or sum(each for _, each in named)
    likely = _base(han, fu)
    for base in (likely, *LIMITS, *([] if likely else BELOW_MANGAN)):
        value = HandValue(named, han, fu, 0, base)
        if value.points(seats, is_dealer=is_dealer, is_tsumo=is_tsumo) == worth:
            return value
    return HandValue(named, han, fu, 0, likely)


def _base(han: int, fu: int) -> int:
    """Return the base points of a hand under the usual rules; 0 if they need the fu or the han, and one is unknown."""
    limit = next((base for least, base in LIMIT_HAN if han >= least), None)
    return limit or (min(MANGAN, fu << (2 + han)) if han and fu else 0)


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


# Japanese names of yaku and draws, in the spellings of Tenhou, kobalab/majiang-core and Equim-chan/tensoul


WIND_NAMES = "東南西北"

REASONS: dict[str, ev.DrawReason] = {
    "流局": ev.DrawReason.EXHAUSTED,
    "荒牌平局": ev.DrawReason.EXHAUSTED,
    "全員聴牌": ev.DrawReason.EXHAUSTED,
    "全員不聴": ev.DrawReason.EXHAUSTED,
    "流し満貫": ev.DrawReason.NAGASHI_MANGAN,
    "九種九牌": ev.DrawReason.KYUSHU_KYUHAI,
    "四風連打": ev.DrawReason.SUUFON_RENDA,
    "四家立直": ev.DrawReason.SUUCHA_RIICHI,
    "三家和了": ev.DrawReason.SANCHAHO,
    "三家和": ev.DrawReason.SANCHAHO,
    "四槓散了": ev.DrawReason.SUUKAIKAN,
    "四開槓": ev.DrawReason.SUUKAIKAN,
    "チョンボ": ev.DrawReason.CHOMBO,
}
"""The reason of a draw by each of its names."""

_DRAGONS = {Yaku.HAKU: "白", Yaku.HATSU: "發", Yaku.CHUN: "中"}

YAKU: dict[str, Yaku] = {
    **{yaku.japanese: yaku for yaku in reversed(Yaku)},
    **{f"{word}{dragon}": yaku for yaku, dragon in _DRAGONS.items() for word in ("役牌 ", "翻牌 ", "役牌:")},
    **{
        f"{word} {wind}": yaku
        for wind in WIND_NAMES
        for word, yaku in (("自風", Yaku.SEAT_WIND), ("場風", Yaku.ROUND_WIND))
    },
    "役牌:自風牌": Yaku.SEAT_WIND,
    "役牌:場風牌": Yaku.ROUND_WIND,
    "ダブル立直": Yaku.DOUBLE_RIICHI,
    "国士無双１３面": Yaku.KOKUSHI_13,
}
"""The yaku of each name. Renhou and open riichi, of which there are two kinds, are those that are no yakuman."""
