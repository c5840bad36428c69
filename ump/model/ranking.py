"""The ranking at the end of a game, as clients show it."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.seats import Seat
from ump.model.value import value


@value
class Ranking:
    """The end of a game, as one client has received it."""

    names: tuple[str, ...]
    """The names of the players, by seat."""
    points: tuple[int, ...]
    """The final points, by seat, before uma."""
    places: tuple[int, ...]
    """The place of each seat, 1 is the best."""
    seat: Seat
    """The client's own seat."""

    def __str__(self) -> str:
        """Return one line, the best first."""
        order = sorted(range(len(self.places)), key=self.places.__getitem__)
        return ", ".join(f"{self.places[seat]} {self.names[seat]} {self.points[seat]} points" for seat in order)


def places_of(points: Sequence[int]) -> tuple[int, ...]:
    """Return the place of each seat; of equal scores the seat nearer to the first dealer is better."""
    order = sorted(range(len(points)), key=lambda seat: -points[seat])
    return tuple(order.index(seat) + 1 for seat in range(len(points)))
