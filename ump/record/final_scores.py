"""Scores and sticks that follow from the payments of a recorded kyoku."""

from __future__ import annotations

from ump.model.constants import STICK_POINTS
from ump.model.events import HandWon, KyokuDrawn, KyokuStarted, RiichiPaid
from ump.record.recorded_game import RecordedKyoku


def end_of_kyoku(kyoku: RecordedKyoku) -> tuple[tuple[int, ...], int]:
    """Return the scores after a kyoku, as far as it is recorded, and the number of sticks that stay on the table."""
    started = kyoku.events[0]
    assert isinstance(started, KyokuStarted)
    points, kyotaku = list(started.points), started.kyotaku
    for event in kyoku.events:
        match event:
            case RiichiPaid(seat):
                points[seat] -= STICK_POINTS
                kyotaku += 1
            case HandWon(changes=changes) | KyokuDrawn(changes=changes):
                points = [score + change for score, change in zip(points, changes, strict=True)]
                kyotaku = 0 if isinstance(event, HandWon) else kyotaku
    return tuple(points), kyotaku
