"""Recorded calls of kobalab's functions about discards, calls, riichi, wins and draws: our answers are the same.

Each recorded call becomes a position on our board and a question; what is legal is compared with what was returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.kobalab_cases import read_cases
from support.kobalab_positions import ME, MIDDLE, Position, source_of
from support.rows import each_row

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.hand import Hand
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.notation import (
    MAJIANG_FACES,
    MajiangTile,
    NotationError,
    format_majiang_meld,
    parse_majiang_face,
    parse_majiang_tile,
    parse_shoupai,
)
from ump.model.tiles import DORA_OF, FIVES, KIND_OF, RED_OF
from ump.rules.analysis import is_complete
from ump.rules.questions import Question

Arguments = list[Any]


class LeftOut(Exception):
    """The case cannot be put to our rules; the text says why."""


HAS_DRAWN = "a call of a discard on the player's own turn"
NO_TILE = "not a tile"
TOO_FEW_TILES = "a hand that lacks a tile"
NOT_ASKED = "our game does not ask: tiles are left, or tenpai is not declared"
UNKNOWN_TILES = "a hand with unknown tiles"


def discarded(action: Action) -> str:
    """Write the tile that an action discards."""
    assert isinstance(action, (Discard, Riichi))
    return MAJIANG_FACES[action.face] + "_" * action.tsumogiri


def called(position: Position, tile: str) -> tuple[MajiangTile, tuple[Action, ...]]:
    """Return a discard, and the legal answers of the player."""
    if tile.count("_") > 1:
        raise LeftOut(NO_TILE)
    if position.hand.drawn is not None:
        raise LeftOut(HAS_DRAWN)
    read = parse_majiang_tile(tile)
    return read, position.call(read).legal()


def meld_of(action: Action, position: Position, tile: MajiangTile | None) -> Meld:
    """Return the meld that an action makes."""
    hand = position.player.hand
    match action:
        case Chi(own=own) | Pon(own=own) if tile is not None:
            kind = MeldType.CHI if isinstance(action, Chi) else MeldType.PON
            return Meld(kind, own, tile.face, source_of(tile))
        case Daiminkan() if tile is not None:
            others = tuple(face for face in hand.concealed if KIND_OF[face] == KIND_OF[tile.face])
            return Meld(MeldType.DAIMINKAN, others, tile.face, source_of(tile))
        case Ankan(kind=kind_):
            return Meld(MeldType.ANKAN, tuple(face for face in hand.concealed if KIND_OF[face] == kind_))
        case Kakan(face=face):
            place = place_of_pon(position.player.hand.melds, KIND_OF[face])
            assert place is not None
            pon = hand.melds[place]
            return Meld(MeldType.KAKAN, pon.own, pon.called, pon.source, face)
    raise AssertionError(f"{action} makes no meld")


def melds(
    actions: tuple[Action, ...], types: type | tuple[type, ...], position: Position, tile: MajiangTile | None
) -> set[str]:
    """Write the melds that actions of these types make."""
    found = [meld_of(action, position, tile) for action in actions if isinstance(action, types)]
    return {format_majiang_meld(meld, ME) for meld in found}


def get_dapai(arguments: Arguments) -> set[str]:
    """Return the legal discards: kuikae, and in riichi only the drawn tile."""
    rule, hand = arguments
    try:
        position = Position(rule, hand)
    except NotationError:
        raise LeftOut(TOO_FEW_TILES) from None
    return {discarded(action) for action in position.turn().certain()}  # legal() looks for riichi


def without_phantom(arguments: Arguments, out: list[str]) -> set[str]:
    """Drop a listed discard that the hand does not hold.

    If a player who holds a red five draws a plain one, the plain five is also listed as a discard from the hand,
    because kobalab counts red fives among the fives.
    """
    hand = parse_shoupai(arguments[1]["shoupai"], ME)
    is_phantom = hand.drawn in FIVES and hand.faces.count(hand.drawn) == 1 and RED_OF[hand.drawn] in hand.faces
    return set(out) - ({MAJIANG_FACES[hand.drawn]} if is_phantom and hand.drawn is not None else set())


def get_chi_mianzi(arguments: Arguments) -> set[str]:
    """Return the runs that can be called."""
    rule, hand, tile, left = arguments
    position = Position(rule, hand, left)
    read, legal = called(position, tile)
    return melds(legal, Chi, position, read)


def get_peng_mianzi(arguments: Arguments) -> set[str]:
    """Return the triplets that can be called."""
    rule, hand, tile, left = arguments
    position = Position(rule, hand, left)
    read, legal = called(position, tile)
    return melds(legal, Pon, position, read)


def get_gang_mianzi(arguments: Arguments) -> set[str]:
    """Return the kans that can be made, on the player's own turn or with a discard."""
    rule, hand, tile, left, *kans = arguments
    position = Position(rule, hand, left)
    position.board.kans = [ME] * sum(kans)
    if tile is None:
        return melds(position.turn().legal(), (Ankan, Kakan), position, None)
    read, legal = called(position, tile)
    return melds(legal, Daiminkan, position, read)


def allow_lizhi(arguments: Arguments) -> bool | set[str]:
    """Return whether riichi is legal with a discard, or the discards with which it is."""
    rule, hand, *rest = arguments
    said = dict(zip(("tile", "left", "points"), rest, strict=False))
    tile = said.get("tile")
    position = Position(rule, hand, said.get("left", MIDDLE))
    position.board.points[ME] = said.get("points", position.ruleset.start_points)
    legal = [action for action in position.turn().legal() if isinstance(action, Riichi)]
    if tile is None:
        return {discarded(action) for action in legal} or False
    return parse_majiang_tile(tile).face in {action.face for action in legal}


def allow_hule(arguments: Arguments) -> bool:
    """Return whether the hand can win; the situation is a replacement tile or the last discard."""
    rule, hand, tile, round_wind, seat_wind, situation, *may_ron = arguments
    position = Position(rule, hand, wind=seat_wind)
    position.board.bakaze = round_wind
    if tile is None:
        position.board.rinshan = situation
        return Tsumo() in position.turn().legal()
    position.board.wall.left = 0 if situation else MIDDLE
    position.player.temporary_furiten = not all(may_ron)
    return Ron() in position.call(parse_majiang_tile(tile)).legal()


def allow_pingju(arguments: Arguments) -> bool:
    """Return whether nine terminals are legal."""
    rule, hand, first = arguments
    position = Position(rule, hand)
    position.board.uninterrupted = first
    question: Question = position.turn()
    return KyushuKyuhai() in question.legal()


def allow_no_daopai(arguments: Arguments) -> bool:
    """Return whether a tenpai hand may stay closed at the end."""
    raise LeftOut(NOT_ASKED)


def hule_mianzi(arguments: Arguments) -> bool:
    """Return whether the hand has a complete reading; our rules do not list readings."""
    hand, tile = (*arguments, None)[:2]
    read = parse_shoupai(hand["shoupai"], ME)
    if read.hidden:
        raise LeftOut(UNKNOWN_TILES)
    return is_complete(Hand(read.faces if tile is None else (*read.faces, parse_majiang_face(tile[:2]))).kinds)


def zhenbaopai(arguments: Arguments) -> str:
    """Return the dora of an indicator."""
    (indicator,) = arguments
    return MAJIANG_FACES[DORA_OF[parse_majiang_face(indicator)]]


def as_set(arguments: Arguments, out: Any) -> Any:
    """Return lists as sets."""
    return set(out) if isinstance(out, list) else out


def is_any(arguments: Arguments, out: list[Any]) -> bool:
    """Return whether a list of readings is not empty."""
    return bool(out)


@pytest.mark.no_cover
@each_row(
    ("function", "answer", "reading", "compared", "left_out"),
    [
        ("Game.get_dapai", get_dapai, without_phantom, 4309, {TOO_FEW_TILES: 1}),
        ("Game.get_chi_mianzi", get_chi_mianzi, as_set, 80, {}),
        ("Game.get_peng_mianzi", get_peng_mianzi, as_set, 116, {NO_TILE: 1, HAS_DRAWN: 1}),
        ("Game.get_gang_mianzi", get_gang_mianzi, as_set, 21, {}),
        ("Game.allow_lizhi", allow_lizhi, as_set, 66, {}),
        ("Game.allow_hule", allow_hule, as_set, 88, {}),
        ("Game.allow_pingju", allow_pingju, as_set, 5, {}),
        ("Game.allow_no_daopai", allow_no_daopai, as_set, 0, {NOT_ASKED: 2}),
        ("Util.hule_mianzi", hule_mianzi, is_any, 10, {UNKNOWN_TILES: 1}),
        ("Shan.zhenbaopai", zhenbaopai, as_set, 10, {}),
    ],
)
def test_answers_are_those_of_kobalab(
    data: Path,
    function: str,
    answer: Callable[[Arguments], Any],
    reading: Callable[[Arguments, Any], Any],
    compared: int,
    left_out: dict[str, int],
) -> None:
    """Every recorded call has the same answer from our rules, or a reason why it is left out."""
    skipped: Counter[str] = Counter()
    agreeing = 0
    for case in read_cases(data / "kobalab" / "unit-recorded" / f"{function}.json.gz"):
        arguments = case["args"]
        try:
            ours = answer(arguments)
        except LeftOut as reason:
            skipped[str(reason)] += 1
            continue
        assert ours == reading(arguments, case["out"]), arguments
        agreeing += 1
    assert (agreeing, skipped) == (compared, left_out)
