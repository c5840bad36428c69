"""The drills that a recorded game gives."""

from __future__ import annotations

from collections.abc import Iterator

from ump.drills.case import Case
from ump.drills.drill import Drill
from ump.drills.hands import hand_drills
from ump.drills.points import points_drills
from ump.drills.tables import table_drills
from ump.model.events import HandWon
from ump.record.decisions import decisions
from ump.record.recorded_game import RecordedGame

SEATS = 4
"""The players of the games that give drills."""


def drills_of(game: RecordedGame) -> Iterator[Drill]:
    """Yield the drills of a game, none of three players; raises RecordError for a record that hides hands.

    It takes about two seconds a hanchan.
    """
    if len(game.names) != SEATS:
        return
    for decision in decisions(game):
        if not decision.is_free:
            continue
        case = Case(game, decision)
        yield from hand_drills(case)
        yield from table_drills(case)
    for kyoku in game.kyoku:
        for event in kyoku.events:
            if isinstance(event, HandWon):
                yield from points_drills(kyoku, event)
