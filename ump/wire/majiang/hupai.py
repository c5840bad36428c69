"""The value of a win in a ``hule``: names of the yaku (hupai), their han (fanshu), points (defen)."""

from __future__ import annotations

from ump.model.constants import YAKUMAN_HAN
from ump.model.events import HandWon
from ump.model.notation import DIRECTIONS
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku

SEATS = 4
WIND_NAMES = "東南西北"

_NAMES = {
    Yaku.DOUBLE_RIICHI: "ダブル立直",
    Yaku.HAKU: "翻牌 白",
    Yaku.HATSU: "翻牌 發",
    Yaku.CHUN: "翻牌 中",
}
"""Yaku with another name there. The names of the two wind yaku include the wind."""

_ORDER = (
    *(Yaku.RIICHI, Yaku.DOUBLE_RIICHI, Yaku.OPEN_RIICHI, Yaku.IPPATSU, Yaku.HAITEI, Yaku.HOUTEI, Yaku.RINSHAN),
    *(Yaku.CHANKAN, Yaku.RENHOU, Yaku.MENZEN_TSUMO, Yaku.ROUND_WIND, Yaku.SEAT_WIND, Yaku.HAKU, Yaku.HATSU),
    *(Yaku.CHUN, Yaku.PINFU, Yaku.TANYAO, Yaku.IIPEIKOU, Yaku.SANSHOKU_DOUJUN, Yaku.ITTSU, Yaku.CHANTA),
    *(Yaku.CHIITOITSU, Yaku.TOITOI, Yaku.SANANKOU, Yaku.SANKANTSU, Yaku.SANSHOKU_DOUKOU, Yaku.HONROUTOU),
    *(Yaku.SHOUSANGEN, Yaku.HONITSU, Yaku.JUNCHAN, Yaku.RYANPEIKOU, Yaku.CHINITSU),
    *(Yaku.DORA, Yaku.RED_DORA, Yaku.URA_DORA),
)
"""The order in which kobalab's programs list the yaku. Yakuman, which are missing here, keep their own order."""

_PLACE = {yaku: place for place, yaku in enumerate(_ORDER)}

_LIABLE = frozenset((Yaku.DAISANGEN, Yaku.DAISUUSHII, Yaku.SUUKANTSU))
"""Yakuman for which another player may be liable (pao)."""


def hupai(event: HandWon, round_wind: int, seat_wind: int) -> list[dict[str, object]]:
    """Return the yaku of a win, each with its han or its stars; winds are 0 for east.

    If another player is liable, the first yaku that allows it names that player, as seen from the winner.
    """
    winds = {Yaku.ROUND_WIND: f"場風 {WIND_NAMES[round_wind]}", Yaku.SEAT_WIND: f"自風 {WIND_NAMES[seat_wind]}"}
    liable = event.liable
    entries: list[dict[str, object]] = []
    for yaku, han in sorted(event.value.yaku, key=lambda pair: _PLACE.get(pair[0], 0)):
        name = winds.get(yaku) or _NAMES.get(yaku, yaku.japanese)
        entry: dict[str, object] = {"name": name, "fanshu": _fanshu(event.value, han)}
        if liable is not None and yaku in _LIABLE:
            entry["baojia"] = direction_of(liable, event.seat)
            liable = None
        entries.append(entry)
    return entries


def direction_of(other: Seat, owner: Seat) -> str:
    """Return where one seat is as seen from another: ``+`` on the right, ``=`` opposite, ``-`` on the left."""
    return DIRECTIONS[SEATS][(other - owner) % SEATS - 1]


def worth(value: HandValue) -> dict[str, int]:
    """Return fu and han, or for a yakuman only how many times yakuman it is."""
    if value.yakuman:
        return {"damanguan": value.yakuman}
    return {"fu": value.fu, "fanshu": value.han}


def _fanshu(value: HandValue, han: int) -> int | str:
    """Return the han; stars for a yakuman, but not for a kazoe yakuman."""
    return "*" * (han // YAKUMAN_HAN) if value.yakuman else han
