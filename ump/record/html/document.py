"""A recorded game as data for the replay page: the events as mjai writes them, and the notes about each position."""

from __future__ import annotations

from typing import Any

from ump.model.events import GameEnded, GameStarted, HandDealt, KyokuEnded
from ump.record.html.notes import Notes, notes_of
from ump.record.recorded_game import RecordedGame, RecordError
from ump.wire.mjai.events import Narrator

VERSION = 1
"""The version of the data. The page refuses others."""


def document(game: RecordedGame) -> dict[str, Any]:
    """Return a game as data for JSON; raise RecordError if its moves contradict each other."""
    narrator = Narrator(None)
    narrator.tell(GameStarted(game.names))
    try:
        kyoku = [_kyoku(narrator, game, number, notes) for number, notes in enumerate(notes_of(game))]
    except ValueError as error:
        raise RecordError(f"the moves contradict each other; ump verify says where ({error})") from None
    return {
        "version": VERSION,
        "names": list(game.names),
        "rules": game.ruleset.name if game.rules_stated else "",
        "open": all(_shows_all(each.events) for each in game.kyoku),
        "kyoku": kyoku,
        "end": None if game.ended is None else _end(game.ended),
    }


def short(message: dict[str, object]) -> object:
    """Return a draw as ``T05m`` (seat 0 draws 5m) and a discard as ``D05m``, or ``G05m`` for the tile just drawn.

    These are most of all events, and a fifth as long so. Other messages stay as they are.
    """
    match message:
        case {"type": "tsumo", "actor": seat, "pai": tile}:
            return f"T{seat}{tile}"
        case {"type": "dahai", "actor": seat, "pai": tile, "tsumogiri": tsumogiri}:
            return f"{'G' if tsumogiri else 'D'}{seat}{tile}"
        case _:
            return message


def _shows_all(events: tuple[object, ...]) -> bool:
    return all(event.faces is not None for event in events if isinstance(event, HandDealt))


def _end(ended: GameEnded) -> dict[str, object]:
    return {
        "type": "end_game",
        "scores": list(ended.points),
        "places": list(ended.places),
        "results": list(ended.results),
    }


def _kyoku(narrator: Narrator, game: RecordedGame, number: int, notes: Notes) -> dict[str, Any]:
    """Return the messages of a kyoku, and its notes by the number of the message that they follow."""
    messages: list[object] = []
    after: list[int] = [-1]
    """The number of the last message after each number of events."""
    kyoku = game.kyoku[number]
    for event in (*kyoku.events, *([KyokuEnded()] if kyoku.complete else [])):
        written = narrator.tell(event)
        if written is not None:
            messages.append(short(written.content))
        after.append(len(messages) - 1)
    hands = {(max(0, after[place]), note[0]): note for place, listed in notes.hands.items() for note in listed}
    return {
        "events": messages,
        "hands": [[at, *note] for (at, _), note in hands.items()],
        "offers": [[max(0, after[place]), *offer] for place, listed in notes.offers.items() for offer in listed],
        "remarks": [[max(0, after[each.place]), each.seat, each.kind, each.text] for each in kyoku.remarks],
        "dangers": [[max(0, after[place]), *danger] for place, danger in notes.dangers.items()],
    }
