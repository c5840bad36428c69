"""The log of a game: each event in one line, with the words and tiles of the screen."""

from __future__ import annotations

from ump.model import events as ev
from ump.model.melds import MeldType
from ump.model.seats import Seat, wind_of
from ump.model.tiles import dora_of
from ump.terminal.canvas import Look
from ump.text.narration import worth_of
from ump.text.position import Position
from ump.text.win import size
from ump.text.wording import name_word, points_word

_KEYS = {MeldType.CHI: "c", MeldType.PON: "p"}
"""The keys of calls, whose words are those of the log; all others are kans."""


def log_line(event: ev.Event, position: Position, look: Look) -> str:
    """Return the line of an event; empty if it needs none. Call it before ``position.see(event)``."""
    words = look.words
    match event:
        case ev.KyokuStarted():
            sticks = f"{words.honba.format(count=event.honba)}  {words.sticks.format(count=event.kyotaku)}"
            return f"{words.round_name(event.bakaze, event.dealer)}  {sticks}"
        case ev.DoraRevealed():
            return f"{words.dora} {look.tile_text(dora_of(position.seen.ruleset.seats)[event.indicator])}"
        case ev.HandWon():
            return _win_line(event, position, look)
        case ev.KyokuDrawn():
            return words.draws[event.reason.name]
        case ev.GameEnded():
            return words.game_over
        case _:
            return _move_line(event, position, look)


def _move_line(event: ev.Event, position: Position, look: Look) -> str:
    calls = look.words.calls
    match event:
        case ev.TileDiscarded():
            done = look.tile_text(event.face)
        case ev.RiichiDeclared():
            done = calls["l"]
        case ev.TileCalled() | ev.KanDeclared():
            done = f"{calls[_KEYS.get(event.meld.type, 'k')]} {look.tiles_text(event.meld.faces)}"
        case ev.KitaDeclared():
            done = calls["f"]
        case ev.RonDeclared():
            done = calls["r"]
        case ev.TenpaiDeclared():
            done = look.words.noten if event.faces is None else look.words.tenpai
        case _:
            return ""
    return f"{_who(event.seat, position, look)}: {done}"


def _win_line(won: ev.HandWon, position: Position, look: Look) -> str:
    words = look.words
    way = words.win_tsumo if won.loser is None else words.win_ron
    loser = "" if won.loser is None else _who(won.loser, position, look)
    points = worth_of(won, position.seen.dealer).points
    parts = (size(won.value, words.language), words.points.format(points=points_word(points)))
    return f"{way.format(who=_who(won.seat, position, look), loser=loser)}  {'  '.join(parts)}"


def _who(seat: Seat, position: Position, look: Look) -> str:
    """Return the wind and the name of a player."""
    seen = position.seen
    wind = look.words.winds[wind_of(seat, seen.dealer, seen.ruleset.seats)]
    return f"{wind} {look.words.you if seat == seen.seat else name_word(seat, position)}"
