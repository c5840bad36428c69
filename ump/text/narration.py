"""Events in words: one or a few short lines for each."""

from __future__ import annotations

from typing import assert_never

from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import MeldType
from ump.model.seats import wind_of
from ump.rules.ruleset import Length
from ump.text.layout import columns, wrapped
from ump.text.position import Position
from ump.text.results import drawn_lines, final_lines, shown_hand, won_lines
from ump.text.style import PLAIN, Style
from ump.text.wording import (
    WINDS,
    YOU,
    does,
    dora_words,
    heading,
    meld_word,
    name_word,
    place_word,
    points_word,
    round_words,
    seats_in_order,
    tile_word,
    tile_words,
)

_KANS = {MeldType.ANKAN: "a closed kan", MeldType.KAKAN: "an added kan"}
"""The kans of a player's own turn."""

_LENGTHS = {Length.KYOKU: "one kyoku", Length.TONPU: "East only", Length.HANCHAN: "East and South"}
"""The lengths of a game in words."""

_CALLS = {MeldType.CHI: "chi", MeldType.PON: "pon", MeldType.DAIMINKAN: "kan"}
"""The calls of a discard."""


def narrate(event: Event, position: Position, style: Style = PLAIN) -> list[str]:
    """Return the lines that tell an event to the position's seat; empty for events that need no words.

    Call it before ``position.see(event)``: results state the points before and after. Lines have at most 79 columns. An
    empty line precedes the start of a game and of a kyoku, results, and the end of the game.
    """
    match event:
        case GameStarted():
            return _game_lines(position, style)
        case KyokuStarted():
            return _kyoku_lines(event, position, style)
        case HandWon():
            return won_lines(event, position, style)
        case KyokuDrawn():
            return drawn_lines(event, position, style)
        case GameEnded():
            return final_lines(event, position, style)
        case HandDealt(faces=faces):
            return [] if faces is None else wrapped("your hand: ", tile_words(faces, style))
        case HandOpened():
            return [does(event.seat, "show", position) + ":", *shown_hand(event.faces, event.melds, position, style)]
        case TenpaiDeclared():
            return _tenpai_lines(event, position, style)
        case _:
            line = _move(event, position, style)
            return [line] if line else []


_Move = (
    TileDrawn
    | TileDiscarded
    | RiichiDeclared
    | RiichiPaid
    | TileCalled
    | KanDeclared
    | KitaDeclared
    | DoraRevealed
    | RonDeclared
    | KyokuEnded
)
"""The events that need one line, or none."""


def _move(event: _Move, position: Position, style: Style) -> str:
    """Return a move in one line; empty for a draw and for what the board shows soon."""
    match event:
        case TileDiscarded():
            return f"{does(event.seat, 'discard', position)} {tile_word(event.face, style)}"
        case RiichiDeclared():
            return does(event.seat, "declare", position) + (" open riichi" if event.opened else " riichi")
        case TileCalled():
            meld = meld_word(event.meld, position, style)
            return f"{does(event.seat, 'call', position)} {_CALLS[event.meld.type]}: {meld}"
        case KanDeclared():
            meld = meld_word(event.meld, position, style)
            return f"{does(event.seat, 'declare', position)} {_KANS[event.meld.type]}: {meld}"
        case KitaDeclared():
            return does(event.seat, "set", position) + " a north aside"
        case DoraRevealed():
            return dora_words([event.indicator], position, style, "new dora" if position.seen.indicators else "dora")
        case RonDeclared():
            return does(event.seat, "declare", position) + " ron"
        case TileDrawn() | RiichiPaid() | KyokuEnded():
            return ""
        case _:
            assert_never(event)


def _tenpai_lines(event: TenpaiDeclared, position: Position, style: Style) -> list[str]:
    """Return a declaration of tenpai with the hand, or of noten."""
    declared = does(event.seat, "declare", position)
    if event.faces is None:
        return [f"{declared} noten"]
    return [f"{declared} tenpai:", *shown_hand(event.faces, event.melds, position, style)]


def _game_lines(position: Position, style: Style) -> list[str]:
    """Return the start of a game: its rules and the players."""
    rules = position.seen.ruleset
    length, points = _LENGTHS[rules.length], points_word(rules.start_points)
    start = f"The game begins: {length}, rules {rules.name}, {points} points each"
    seats = seats_in_order(position)
    return ["", heading(start, style), *columns([(place_word(s, position), name_word(s, position)) for s in seats])]


def _kyoku_lines(event: KyokuStarted, position: Position, style: Style) -> list[str]:
    """Return the start of a kyoku, with the dealer and the own wind. The position still shows the kyoku before."""
    seen = position.seen
    parts = [round_words(event.bakaze, event.dealer), f"honba {event.honba}", f"sticks {event.kyotaku}"]
    if seen.seat is None:
        parts.append(f"{name_word(event.dealer, position)} deals")
    else:
        place = place_word(event.dealer, position)
        parts.append("you deal" if place == YOU else f"{place} deals")
        parts.append(f"you are {WINDS[wind_of(seen.seat, event.dealer, seen.ruleset.seats)]}")
    return ["", heading(f"=== {' | '.join(parts)} ===", style)]
