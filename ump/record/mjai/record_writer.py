"""Write a recorded game as a log of mjai's, one object on each line."""

from __future__ import annotations

from collections.abc import Iterator

from ump.model.events import Event, GameStarted, KyokuEnded
from ump.record.own_fields import FIELD, own_fields
from ump.record.recorded_game import RecordedGame
from ump.wire.json_text import write
from ump.wire.mjai.events import GIMITE, MORTAL, Narrator, Wording


def write_mjai(game: RecordedGame) -> bytes:
    """Return the log with the names of fields that gimite's programs and RiichiEnv read."""
    return _written(game, GIMITE)


def write_mortal(game: RecordedGame) -> bytes:
    """Return the log with the names of fields that Mortal's programs read."""
    return _written(game, MORTAL)


def _written(game: RecordedGame, wording: Wording) -> bytes:
    narrator = Narrator(None, wording)
    lines = []
    for event in told(game):
        message = narrator.tell(event)
        if message is not None:
            own = own_fields(game) if isinstance(event, GameStarted) else {}
            lines.append(message.extended(f'"{FIELD}":{write(own)}' if own else ""))
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def told(game: RecordedGame) -> Iterator[Event]:
    """Yield the events of a game as a server tells them: with its start, and with the end of each kyoku."""
    yield GameStarted(game.names)
    for kyoku in game.kyoku:
        yield from kyoku.events
        if kyoku.complete:
            yield KyokuEnded()
    if game.ended is not None:
        yield game.ended
