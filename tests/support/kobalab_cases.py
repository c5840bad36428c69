"""Reads the case tables of kobalab/majiang-core: hands with their value, recorded calls of its functions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.majiang_rules import read_rules

from ump.model.notation import DIRECTIONS, Shoupai, parse_majiang_face, parse_majiang_tile, parse_shoupai
from ump.model.seats import Seat, wind_of
from ump.model.tiles import Face
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances

SEATS = 4
EAST_SEAT = 0
"""The dealer's seat. Seats are winds in these cases, so the dealer is always 0."""


@value
class Win:
    """The arguments of a case: one win."""

    ruleset: Ruleset
    hand: Shoupai
    faces: tuple[Face, ...]
    """The concealed tiles with the winning one."""
    tile: Face
    circumstances: Circumstances
    winner: Seat
    loser: Seat | None
    honba: int
    kyotaku: int


@value
class Worth:
    """The result of a case: the value of a win."""

    yaku: frozenset[tuple[Yaku, int]]
    fu: int
    """0 for yakuman."""
    han: int
    yakuman: int
    points: int
    """Without honba and sticks."""
    changes: tuple[int, ...]


def read_cases(path: Path) -> list[Any]:
    """Read one file of cases."""
    cases: list[Any] = json.loads(gzip.decompress(path.read_bytes()))
    return cases


def read_win(shoupai: str, rongpai: str | None, param: Mapping[str, Any]) -> Win:
    """Read the arguments of a call; the hand belongs to the seat whose number is its wind."""
    seat = param["menfeng"]
    hand = parse_shoupai(shoupai, seat)
    ron = None if rongpai is None else parse_majiang_tile(rongpai)
    tile = hand.drawn if ron is None else ron.face
    if tile is None:
        raise ValueError(f"{shoupai} has no winning tile")
    return Win(
        ruleset=read_rules(param.get("rule", {})),
        hand=hand,
        faces=hand.faces if ron is None else (*hand.faces, tile),
        tile=tile,
        circumstances=_circumstances(param, ron is None),
        winner=seat,
        loser=None if ron is None else (seat + DIRECTIONS[SEATS].index(ron.direction) + 1) % SEATS,
        honba=param["jicun"]["changbang"],
        kyotaku=param["jicun"]["lizhibang"],
    )


def _circumstances(param: Mapping[str, Any], tsumo: bool) -> Circumstances:
    """Read round, seat, situation and indicators."""
    told = param["hupai"]
    return Circumstances(
        tsumo=tsumo,
        seat_wind=wind_of(param["menfeng"], EAST_SEAT, SEATS),
        round_wind=param["zhuangfeng"],
        riichi=told.get("lizhi", 0),
        ippatsu=bool(told.get("yifa")),
        rinshan=bool(told.get("lingshang")),
        chankan=bool(told.get("qianggang")),
        haitei=told.get("haidi") == 1,
        houtei=told.get("haidi") == 2,
        first_turn=bool(told.get("tianhu")),
        indicators=tuple(map(parse_majiang_face, param["baopai"])),
        ura=tuple(map(parse_majiang_face, param.get("fubaopai") or ())),
    )


def read_worth(out: Mapping[str, Any]) -> Worth:
    """Read the result of a call for a hand with yaku."""
    yaku = frozenset((yaku_named(entry["name"]), han_of(entry["fanshu"])) for entry in out["hupai"])
    return Worth(
        yaku=yaku,
        fu=out.get("fu") or 0,
        han=out.get("fanshu") or sum(han for _, han in yaku),
        yakuman=out.get("damanguan") or 0,
        points=out["defen"],
        changes=tuple(out["fenpei"]),
    )


_NAMES = {
    "ダブル立直": Yaku.DOUBLE_RIICHI,
    "翻牌 白": Yaku.HAKU,
    "翻牌 發": Yaku.HATSU,
    "翻牌 中": Yaku.CHUN,
    **{f"自風 {wind}": Yaku.SEAT_WIND for wind in "東南西北"},
    **{f"場風 {wind}": Yaku.ROUND_WIND for wind in "東南西北"},
}
"""Yaku with other names in kobalab's programs."""


def yaku_named(name: str) -> Yaku:
    """Return a yaku by its name in kobalab's programs."""
    if name in _NAMES:
        return _NAMES[name]
    return next(yaku for yaku in Yaku if yaku.japanese == name)


def han_of(fanshu: int | str) -> int:
    """Read a number of han, or of yakuman written as stars."""
    return fanshu if isinstance(fanshu, int) else 13 * len(fanshu)
