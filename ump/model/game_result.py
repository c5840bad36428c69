"""The result of a game, in the one form that records, the index, arenas, tournaments and ratings share."""

from __future__ import annotations

from ump.model.seats import Seat
from ump.model.value import value


@value
class SeatResult:
    """The part of one seat in a result; None stands for what is unknown."""

    points: int | None = None
    place: int | None = None
    result: int | None = None


@value
class GameResult:
    """The result of a game, by seat.

    What is unknown is empty: a game that was broken off has points alone, and some records have no uma.
    """

    points: tuple[int, ...] = ()
    """Final scores in points, with left-over sticks, before uma and oka."""
    places: tuple[int, ...] = ()
    """Places from 1, the best; seats may share one, if the ruleset says so."""
    results: tuple[int, ...] = ()
    """Scores with uma and oka, in tenths of a thousand points: +45.3 is 453."""

    def of(self, seat: Seat) -> SeatResult:
        """Return the part of one seat."""
        return SeatResult(
            self.points[seat] if self.points else None,
            self.places[seat] if self.places else None,
            self.results[seat] if self.results else None,
        )
