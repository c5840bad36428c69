"""A position as a drill shows it: the events of the kyoku as one seat saw them, in the words of mjai."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ump.model import events as ev
from ump.model.actions import Action
from ump.model.seats import WIND_NAMES, Seat, wind_of
from ump.players.evaluation import as_face
from ump.record.journal import write_action
from ump.record.recorded_game import RecordedGame
from ump.table.view import view
from ump.wire.mjai.events import MjaiNarrator


def position_of(game: RecordedGame, kyoku: int, until: int, seat: Seat) -> dict[str, Any]:
    """Return what a seat had seen after so many events of a kyoku. Players are called by their winds."""
    played = game.kyoku[kyoku]
    winds = [WIND_NAMES[wind_of(each, played.started.dealer, len(game.names))] for each in range(len(game.names))]
    told = [ev.GameStarted(tuple(winds)), *(view(event, seat) for event in played.events[:until])]
    return {"seat": seat, "events": _written(told, seat)}


def _written(events: Iterable[ev.Event], seat: Seat) -> list[dict[str, Any]]:
    narrator = MjaiNarrator(seat)
    written = []
    for event in events:
        message = narrator.tell(event)
        if message is not None:
            written.append(dict(message.content))
    return written


def words_of(action: Action) -> str:
    """Return an action in the words of a record, whichever of two equal tiles it takes: ``sute 5m``, ``chi 3s 4s``."""
    return write_action(as_face(action))
