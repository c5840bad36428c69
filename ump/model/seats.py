"""Seats at a table, numbered from the first dealer of the game, and their ranking at its end.

Where a seat may be None, None is a spectator.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

from ump.model.value import value

Seat: TypeAlias = int

PLAYERS = (3, 4)
"""The numbers of players that a game can have."""

LETTERS = "ABCD"
"""The names of the seats in UMP."""

WIND_NAMES = ("East", "South", "West", "North")


def seat_after(seat: Seat, seats: int) -> Seat:
    """Return the seat whose turn follows; ``seats`` is the number of players."""
    return (seat + 1) % seats


@cache
def others_after(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """Return the other seats in turn order, the next one first."""
    return tuple((seat + step) % seats for step in range(1, seats))


@cache
def seats_from(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """Return every seat in turn order, this one first."""
    return (seat, *others_after(seat, seats))


def wind_of(seat: Seat, dealer: Seat, seats: int) -> int:
    """Return a seat's own wind: 0 east (the dealer), 1 south, 2 west, 3 north."""
    return (seat - dealer) % seats


def changed(points: Sequence[int], changes: Sequence[int]) -> list[int]:
    """Return the points of each seat after these changes."""
    return [before + change for before, change in zip(points, changes, strict=True)]


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
