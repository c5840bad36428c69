"""Payments by dealing in, and faults, of the players of a game: the flags compare both by opponent."""

from __future__ import annotations

from collections.abc import Callable

from ump.model.events import HandWon
from ump.model.value import value
from ump.record.journal import Journal, played
from ump.table.journal_entries import ActionTaken, AnswerRefused, Entry, SeatDropped
from ump.table.outcomes import Cause


@value
class Conduct:
    """The payments and faults of the seats of a game."""

    paid: tuple[tuple[int, ...], ...]
    """By payer and winner: the points that the one paid for rons of the other, with honba."""
    faults: tuple[int, ...]
    """By seat: refused answers, timeouts and lost connections."""


ConductOf = Callable[[str], Conduct | None]
"""Returns the conduct in a game by the name of its record; None if it is not known."""


def conduct_of(journal: Journal) -> Conduct:
    """Play a recorded game and return what its players did; raises JournalError if the record does not fit."""
    seats = len(journal.header.players)
    paid = [[0] * seats for _ in range(seats)]
    faults = [0] * seats
    for step, events, _ in played(journal):
        for entry in step.entries:
            seat = _seat_at_fault(entry)
            if seat is not None:
                faults[seat] += 1
        for event in events:
            if isinstance(event, HandWon) and event.loser is not None:
                paid[event.loser][event.seat] -= event.changes[event.loser]
    return Conduct(tuple(map(tuple, paid)), tuple(faults))


def _seat_at_fault(entry: Entry) -> int | None:
    """Return the seat that an entry is a fault of; None for other entries."""
    match entry:
        case AnswerRefused(seat=seat) | SeatDropped(seat=seat) | ActionTaken(seat=seat, cause=Cause.TIMEOUT):
            return seat
        case _:
            return None
