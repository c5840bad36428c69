"""The names of yaku in the records of M.LEAGUE.

Winds are named alone: the wind of the round is ``東`` in an east round, any other one is that of the seat, and a wind
that is both is one yaku of two han. Preserver6166/MleaguePaifuParser and Debonex/m-league-data-fetcher list them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.model.constants import YAKUMAN_HAN
from ump.model.yaku import HandValue, Yaku
from ump.record.japanese_names import WINDS

NAMES: dict[Yaku, str] = {
    Yaku.MENZEN_TSUMO: "門前自摸",
    Yaku.RIICHI: "リーチ",
    Yaku.DOUBLE_RIICHI: "ダブルリーチ",
    Yaku.TANYAO: "タンヤオ",
    Yaku.HATSU: "発",
    Yaku.CHANTA: "チャンタ",
    Yaku.JUNCHAN: "純チャン",
    Yaku.RED_DORA: "赤",
}
"""The names that are not those of ``Yaku``."""

OURS = {name: yaku.japanese for yaku, name in NAMES.items()}
"""Our name for each of them."""

DOUBLE = "ダブ"
"""Stands before a wind that is both the round's and the seat's."""


def our_pairs(name: str, han: str, bakaze: int) -> list[tuple[str, str]]:
    """Return a yaku under our names; a double wind is two yaku. ``bakaze`` is the wind of the round, 0 is east."""
    wind = name.removeprefix(DOUBLE)
    if wind not in WINDS or not wind:
        return [(OURS.get(name, name), han)]
    if wind != name:
        return [(Yaku.SEAT_WIND.japanese, "1"), (Yaku.ROUND_WIND.japanese, "1")]
    of_round = WINDS.index(wind) == bakaze
    return [(Yaku.ROUND_WIND.japanese if of_round else Yaku.SEAT_WIND.japanese, han)]


def written_pairs(value: HandValue, bakaze: int, seat_wind: int) -> Iterator[tuple[str, int]]:
    """Yield the yaku of a win with their han; a yakuman has how many times it counts. Winds are 0 for east."""
    winds = [yaku for yaku, _ in value.yaku if yaku in (Yaku.ROUND_WIND, Yaku.SEAT_WIND)]
    for yaku, han in value.yaku:
        if yaku is Yaku.ROUND_WIND and _is_double(winds):
            continue
        if yaku in winds:
            wind = WINDS[bakaze if yaku is Yaku.ROUND_WIND else seat_wind]
            yield (f"{DOUBLE}{wind}", 2) if _is_double(winds) else (wind, han)
        else:
            yield NAMES.get(yaku, yaku.japanese), han // YAKUMAN_HAN if value.yakuman else han


def _is_double(winds: Sequence[Yaku]) -> bool:
    return len(winds) == 2
