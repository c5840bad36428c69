"""The texts of results in tenhou.net/6 JSON: yaku, points and draws.

We write Tenhou's texts, and also read those of kobalab/majiang-core and of Equim-chan/tensoul.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN, YAKUMAN_HAN
from ump.model.events import DrawReason
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku, up_to_hundreds
from ump.record.japanese_names import WINDS, YAKU
from ump.record.recorded_game import RecordError
from ump.rules.ruleset import Ruleset

WON = "和了"
ALL_TENPAI, ALL_NOTEN = "全員聴牌", "全員不聴"

DRAWS: dict[DrawReason, str] = {
    DrawReason.EXHAUSTED: "流局",
    DrawReason.NAGASHI_MANGAN: "流し満貫",
    DrawReason.KYUSHU_KYUHAI: "九種九牌",
    DrawReason.SUUFON_RENDA: "四風連打",
    DrawReason.SUUCHA_RIICHI: "四家立直",
    DrawReason.SANCHAHO: "三家和了",
    DrawReason.SUUKAIKAN: "四槓散了",
    DrawReason.CHOMBO: "チョンボ",
}
"""The text of each draw. Tenhou knows no chombo."""

_NAMES = {
    Yaku.HAKU: "役牌 白",
    Yaku.HATSU: "役牌 發",
    Yaku.CHUN: "役牌 中",
    Yaku.KOKUSHI_13: "国士無双１３面",
}
"""Yaku with another name than in ``Yaku``. The names of the two wind yaku include the wind."""

_LIMITS = {
    MANGAN: "満貫",
    HANEMAN: "跳満",
    BAIMAN: "倍満",
    SANBAIMAN: "三倍満",
    YAKUMAN: "役満",
}
_HAN = re.compile(r"([^(]{1,40})\((?:(\d{1,3})飜|(.{0,8}役満))[^)]*\)")
_POINTS = re.compile(r"(?:(\d{1,4})符(\d{1,3})飜)?([^\d]{0,12})(\d{1,7})(?:-(\d{1,7}))?点(∀?).*")


@value
class StatedPoints:
    """What the text of the points says."""

    fu: int
    """0 at a limit, where the text does not say it."""
    worth: int
    """The points that all payers pay together."""


def write_points(worth: HandValue, seats: int, *, is_dealer: bool, is_tsumo: bool) -> str:
    """Return the text of the points: ``30符4飜7700点``, ``満貫2000-4000点``, ``跳満6000点∀``."""
    limit = _LIMITS.get(min(worth.base, YAKUMAN), "" if worth.base < MANGAN else "役満")
    kind = limit or f"{worth.fu}符{worth.han}飜"
    if not is_tsumo:
        return f"{kind}{worth.points(seats, is_dealer=is_dealer, is_tsumo=False)}点"
    of_dealer = up_to_hundreds(2 * worth.base)
    return f"{kind}{of_dealer}点∀" if is_dealer else f"{kind}{up_to_hundreds(worth.base)}-{of_dealer}点"


def read_points(text: object, seats: int) -> StatedPoints:
    """Read the text of the points; raise RecordError if it has another form."""
    match = _POINTS.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise RecordError(f"the points of a win are {str(text)[:40]!a}")
    fu, first, second = int(match[1] or 0), int(match[4]), match[5]
    if second is not None:
        return StatedPoints(fu, first * (seats - 2) + int(second))
    return StatedPoints(fu, first * (seats - 1) if match[6] else first)


def write_yaku(yaku: Yaku, han: int, yakuman: int, round_wind: int, seat_wind: int) -> str:
    """Return the text of a yaku: ``立直(1飜)``, ``四暗刻(役満)``; winds are 0 for east."""
    winds = {Yaku.ROUND_WIND: f"場風 {WINDS[round_wind]}", Yaku.SEAT_WIND: f"自風 {WINDS[seat_wind]}"}
    name = winds.get(yaku) or _NAMES.get(yaku, yaku.japanese)
    return f"{name}({'役満' if yakuman else f'{han}飜'})"


def read_yaku(text: object) -> tuple[Yaku, int] | None:
    """Read the text of a yaku with its han, 0 for a yakuman; None if it is worth nothing. Raise RecordError."""
    match = _HAN.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[1] not in YAKU:
        raise RecordError(f"unknown yaku {str(text)[:40]!a}")
    if match[2] is None:
        return YAKU[match[1]], 0
    return (YAKU[match[1]], int(match[2])) if int(match[2]) else None


def doubled(pairs: list[tuple[Yaku, int]], yakuman: int, ruleset: Ruleset) -> list[tuple[Yaku, int]]:
    """Return the yaku of a yakuman hand with their han; the rules say which ones count twice."""
    twice = {yaku for yaku, is_double in _DOUBLE.items() if is_double(ruleset)} if yakuman > len(pairs) else set()
    return [(yaku, YAKUMAN_HAN * (2 if yaku in twice else 1)) for yaku, _ in pairs]


_DOUBLE: dict[Yaku, Callable[[Ruleset], bool]] = {
    Yaku.SUUANKOU_TANKI: lambda ruleset: ruleset.double_suuankou_tanki,
    Yaku.KOKUSHI_13: lambda ruleset: ruleset.double_kokushi_13,
    Yaku.JUNSEI_CHUUREN: lambda ruleset: ruleset.double_junsei_chuuren,
    Yaku.DAISUUSHII: lambda ruleset: ruleset.double_daisuushii,
}
"""The yakuman that count twice under some rules."""
